"""A hook of MkDocs: every tutorial and the pages about SAT are notebooks, too, made from their pages and executed.

Blocks of Python and shell commands become cells, and blocks with a file name write that file. The output below a block
is left out, because the cell prints it. A cell that fails stops the build.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import Final

import jupytext
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from nbclient import NotebookClient

_PAGES: Final = ("tutorials/", "explanation/sat")
_SECONDS: Final = 120
_OUTPUT: Final = re.compile(r"(?ms)^```text\n.*?^```\n\n")
_KERNEL: Final = """\
---
jupyter:
  kernelspec: {name: python3, display_name: Python 3, language: python}
---
"""
_FILE: Final = re.compile(r'(?m)^```python title="(.+)"$')


def executed_notebook(page: Path) -> str:
    """Return a page as a notebook with its output, which is made in an empty folder with the page's data."""
    text = _FILE.sub(r"```python\n%%writefile \1", _OUTPUT.sub("", page.read_text(encoding="utf-8")))
    notebook = jupytext.reads(_KERNEL + text, "md")
    with tempfile.TemporaryDirectory() as folder:
        for game in page.parent.glob("*.evf"):
            shutil.copy(game, folder)
        resources = {"metadata": {"path": folder}}
        # Jupyter warns that its kernel listens on the loopback address.
        quiet = ["--log-level=ERROR"]
        NotebookClient(notebook, timeout=_SECONDS, resources=resources, extra_arguments=quiet).execute()
    return str(jupytext.writes(notebook, "ipynb"))


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the notebooks to the site."""
    for page in files.documentation_pages():
        if page.src_uri.startswith(_PAGES):
            content = executed_notebook(Path(page.abs_src_path or ""))
            files.append(File.generated(config, page.src_uri.replace(".md", ".ipynb"), content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Link the notebook of a page below its title."""
    if not page.file.src_uri.startswith(_PAGES):
        return markdown
    title, _, rest = markdown.partition("\n")
    return f"{title}\n\n[Download as a notebook]({Path(page.file.src_uri).stem}.ipynb){{ download }}\n{rest}"
