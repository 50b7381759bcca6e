"""Build the reference as a site: README, protocol, studies, worked examples, and the docstrings of every module.

Run it in a checkout: the pages are read from there, the docstrings from the toolkit that is installed. It ends at a
link that leads nowhere, an example that fails, and at a warning.
"""

from __future__ import annotations

import ast
import io
import os
import pkgutil
import re
import runpy
import shutil
import warnings
from collections.abc import Sequence
from contextlib import chdir, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any, Final, get_type_hints

import click

from minesweeper.scripts.options import PATH
from minesweeper.scripts.terminal import Command

PAGES: Final = {
    "README.md": ("index.html", "README"),
    "docs/protocol.md": ("protocol.html", "The protocol of external players"),
    "docs/studies/density/README.md": ("density.html", "Mine density"),
    "docs/studies/race/README.md": ("race.html", "Algorithms in a race"),
    "docs/studies/strength/README.md": ("strength.html", "Strength"),
    "docs/contributing.md": ("contributing.html", "Contributing"),
    "CHANGELOG.md": ("changelog.html", "Changelog"),
}
"""The pages of text in a checkout, with their names and titles in the site."""

EXAMPLES: Final = "examples.html", "Worked examples"
FACES: Final = tuple(f"minesweeper.{name}" for name in ("player", "db", "generator", "scripts"))
_HERE: Final = Path(__file__).parent
_LINK: Final = re.compile(r"(?P<text>\[[^\[\]]*\])\((?P<target>[^()\s#:]+)(?P<anchor>#[^()\s]*)?\)")
_IMAGE: Final = re.compile(r"(?P<before>(?:src|srcset)=\")(?P<target>[^\":]+)(?=\")")
_INSIDE: Final = re.compile(r"<a [^>]*href=\"(?![a-z]+:)([^\"#?]*)(?:#([^\"]*))?\"")
_TO_PRIVATE: Final = re.compile(r"<a href=\"[^\"#]*#(?:[^\"]*\.)?_(?!_init__)[^\"]*\">(.*?)</a>")
_SCRIPT: Final = re.compile(r"(?s)<script>.*?</script>")
_PLACE: Final = re.compile(r" id=\"([^\"]+)\"")
_EXAMPLE: Final = re.compile(r"(?ms)^ *(?P<text>[^\n]*)::\n\n(?P<code>(?:    [^\n]*\n|\n)+)")


class SiteError(ValueError):
    """A page that is not there, or a link that leads nowhere."""


@click.command(cls=Command, epilog="Example: python scripts/dev/reference.py site && python -m http.server -d site")
@click.argument("out", type=PATH)
def main(out: Path) -> None:
    """Build the reference as a site in the folder OUT, to be opened in a browser or put on any server."""
    try:
        import pdoc  # noqa: F401
    except ImportError:
        raise click.UsageError("the reference needs pdoc: pip install '.[docs]'") from None
    warnings.simplefilter("error")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise SiteError(f"expected a new or an empty folder: {str(out)!r}")
    Site(Path.cwd(), out).write()
    click.echo(f"the reference begins at {out / 'index.html'}")


class Site:
    """What is built, from a checkout and into a folder."""

    def __init__(self, checkout: Path, out: Path, faces: Sequence[str] = FACES) -> None:
        self.checkout = checkout
        self.out = out
        self.faces = faces
        missing = [page for page in PAGES if not (checkout / page).is_file()]
        if missing:
            raise SiteError(f"expected to be in a checkout of the toolkit, found no {missing[0]}")
        self.modules: dict[str, Any] = documented(faces)

    def write(self) -> None:
        """Write all pages, with the pictures and files that they name; raises `SiteError` if a link leads nowhere."""
        import pdoc.render
        from pygments.formatters import HtmlFormatter

        self.out.mkdir(parents=True, exist_ok=True)
        pdoc.render.configure(docformat="markdown", show_source=False, template_directory=_HERE / "templates")
        pdoc.render.env.globals["dark_code"] = HtmlFormatter(style="github-dark").get_style_defs(".pdoc-code")
        pdoc.render.env.filters["to_markdown"] = as_markdown
        for page, (name, title) in PAGES.items():
            self._write_text(name, title, self.resolved((self.checkout / page).read_text(encoding="utf-8"), page))
        self._write_text(*EXAMPLES, self.examples())
        for module in self.modules.values():
            # pdoc shows no private class, but links to those that others inherit from.
            html = _TO_PRIVATE.sub(r"\1", pdoc.render.html_module(module, self.modules))
            self._write_file(f"{module.fullname.replace('.', '/')}.html", html)
        # What the faces promise is found; the whole of the rooms would make an index of 7 MB.
        index = pdoc.render.search_index({name: self.modules[name] for name in self.faces})
        (self.out / "search.js").write_text(index, encoding="utf-8")
        self._check_links()

    def resolved(self, text: str, page: str) -> str:
        """Make the links of a page of the checkout lead to pages of the site, or to files that are copied into it.

        A folder's link becomes its text. Raises `SiteError` for a link that leads nowhere.
        """

        def link(match: re.Match[str]) -> str:
            target = self._target(match["target"], page)
            return f"{match['text']}({target}{match['anchor'] or ''})" if target else match["text"].strip("[]")

        def image(match: re.Match[str]) -> str:
            return f"{match['before']}{self._target(match['target'], page)}"

        return _IMAGE.sub(image, _LINK.sub(link, text))

    def _target(self, target: str, page: str) -> str | None:
        path = Path(os.path.normpath(Path(page).parent / target)).as_posix()
        if path in PAGES:
            return PAGES[path][0]
        module = f"minesweeper.{path.removesuffix('.py').replace('/', '.')}".removesuffix(".__init__")
        if module in self.modules:
            return f"{module.replace('.', '/')}.html"
        source = self.checkout / path
        if source.is_dir():
            return None
        if not source.is_file():
            raise SiteError(f"expected a file or a folder behind a link in {page}: {target!r}")
        copy = self.out / "files" / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
        return f"files/{path}"

    def examples(self) -> str:
        """Run the worked examples in the site's folder; their text, code and output as Markdown."""
        parts = [f"# {EXAMPLES[1]}"]
        for path in sorted((_HERE / "examples").glob("*.py")):
            source = path.read_text(encoding="utf-8")
            text = ast.get_docstring(ast.parse(source)) or ""
            title, _, text = text.partition("\n")
            with chdir(self.out), redirect_stdout(io.StringIO()) as printed:
                runpy.run_path(str(path))
            code = source.split('"""\n', 1)[1].strip()
            parts += [f"## {title.rstrip('.')}", text.strip(), f"```python\n{code}\n```", "prints"]
            parts.append(f"```text\n{printed.getvalue().rstrip()}\n```")
        return "\n\n".join(parts)

    def _write_text(self, name: str, title: str, text: str) -> None:
        import pdoc.render
        from pdoc.render_helpers import to_html

        template = pdoc.render.env.get_template("page.html.jinja2")
        pages = [*PAGES.values(), EXAMPLES]
        self._write_file(name, template.render(title=title, html=to_html(text), pages=pages, faces=self.faces))

    def _write_file(self, name: str, text: str) -> None:
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def _check_links(self) -> None:
        """See that every link inside the site leads to a page or file, and to a place in it that is there."""
        pages = sorted(self.out.rglob("*.html"))
        texts = {path.resolve(): _SCRIPT.sub("", path.read_text(encoding="utf-8")) for path in pages}
        places = {path: set(_PLACE.findall(text)) for path, text in texts.items()}
        broken = []
        for path, text in texts.items():
            for target, place in _INSIDE.findall(text):
                to = (path.parent / target).resolve() if target else path
                if not to.is_file() or (place and to in places and place not in places[to]):
                    broken.append(f"{target}#{place} in {path.name}" if place else f"{target} in {path.name}")
        if broken:
            raise SiteError(f"expected something behind these links: {', '.join(sorted(set(broken)))}")


def documented(faces: Sequence[str]) -> dict[str, Any]:
    """Every module below `faces` but the kernel, by its name, as pdoc sees it.

    A face shows the names that it promises and, below it, its rooms; pdoc would look for these in ``__all__``.
    """
    import pdoc.doc

    found = {}
    for name in faces:
        face = import_module(name)
        for inner in pkgutil.walk_packages(face.__path__, f"{name}."):
            if not inner.name.rpartition(".")[2].startswith("_"):
                found[inner.name] = looked_at(inner.name)
        # The names of a face are loaded when they are asked for, and pdoc looks only.
        for shown in getattr(face, "__all__", ()):
            setattr(face, shown, getattr(face, shown))
        found[name] = pdoc.doc.Module(face)
    for name, module in found.items():
        module.members.pop("log", None)
        for kind in vars(module.obj).values():
            # How a named tuple is made is written nowhere, so pdoc finds the names in its annotations in no module.
            if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
                kind.__new__.__annotations__.update(get_type_hints(kind))
        module.submodules = [inner for inner in found.values() if inner.fullname.rpartition(".")[0] == name]
    return dict(sorted(found.items()))


def looked_at(name: str) -> Any:
    """A module as pdoc sees it; raises `SiteError` if something that it imports is not installed."""
    import pdoc.doc

    try:
        return pdoc.doc.Module.from_name(name)
    except RuntimeError as error:
        if isinstance(error.__cause__, ModuleNotFoundError):
            missing = error.__cause__.name
            raise SiteError(f"the reference needs {missing}, as {name} does: pip install '.[docs]'") from error
        raise


def as_markdown(docstring: str) -> str:
    """Write a docstring as Markdown: what is indented after ``::`` is code, of Python if it parses."""

    def fenced(match: re.Match[str]) -> str:
        code = "\n".join(line.removeprefix("    ") for line in match["code"].splitlines()).strip("\n")
        text = f"{match['text']}:" if match["text"] else ""
        return f"{text}\n\n```{'python' if is_python(code) else 'text'}\n{code}\n```\n\n"

    return _EXAMPLE.sub(fenced, f"{docstring}\n")


def is_python(text: str) -> bool:
    """Whether a text is Python."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


if __name__ == "__main__":
    main()
