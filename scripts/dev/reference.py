"""The documentation as a site: README, the pages of docs/, worked examples, and the docstrings of every module.

Run it in a checkout. The pages come from there, the docstrings from the installed toolkit. A broken link, a failing
example or a warning is an error.
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
from contextlib import chdir, redirect_stdout, suppress
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, get_type_hints

import click

from minesweeper.scripts.options import PATH
from minesweeper.scripts.terminal import Command

EXAMPLES: Final = "examples.html", "Worked examples"
PACKAGES: Final = ("minesweeper", *(f"minesweeper.{name}" for name in ("player", "db", "generator", "scripts")))
_TEMPLATES: Final = Path(__file__).with_name("templates")
_SKIPPED: Final = re.compile(r"\._|^minesweeper\.scripts\.dev\b")
_LINK: Final = re.compile(r"(?P<text>\[[^\[\]]*\])\((?P<target>[^()\s#:]+)(?P<anchor>#[^()\s]*)?\)")
_IMAGE: Final = re.compile(r"(?P<before>(?:src|srcset)=\")(?P<target>[^\":]+)(?=\")")
_INSIDE: Final = re.compile(r"<a [^>]*href=\"(?![a-z]+:)([^\"#?]*)(?:#([^\"]*))?\"")
_TO_PRIVATE: Final = re.compile(r"<a href=\"[^\"#]*#(?:[^\"]*\.)?_(?!_init__)[^\"]*\">(.*?)</a>")
_SCRIPT: Final = re.compile(r"(?s)<script>.*?</script>")
_PLACE: Final = re.compile(r" id=\"([^\"]+)\"")
_EXAMPLE: Final = re.compile(r"(?ms)^ *(?P<text>[^\n]*)::\n\n(?P<code>(?:    [^\n]*\n|\n)+)")


class SiteError(ValueError):
    """A missing page, a broken link, or a missing requirement."""


@click.command(cls=Command, epilog="Example: python scripts/dev/reference.py site && python -m http.server -d site")
@click.argument("out", type=PATH)
def main(out: Path) -> None:
    """Build the documentation as a static site in the folder OUT."""
    try:
        import pdoc  # noqa: F401
    except ImportError:
        raise click.UsageError("pdoc is not installed: pip install '.[docs]'") from None
    warnings.simplefilter("error")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise SiteError(f"{str(out)!r} is not an empty folder; give a new one")
    Site(Path.cwd(), out).write()
    click.echo(f"the first page is {out / 'index.html'}")


def pages_of(checkout: Path) -> dict[str, tuple[str, str]]:
    """Return the pages of text of a checkout: their names and titles in the site, by path."""
    if not (checkout / "README.md").is_file():
        raise SiteError(f"{checkout} is no checkout of the toolkit: it has no README.md")
    found = {}
    for path in [checkout / "README.md", *sorted((checkout / "docs").rglob("*.md")), checkout / "CHANGELOG.md"]:
        place = path.relative_to(checkout)
        name = (
            "index" if place == Path("README.md") else place.parent.name if path.stem == "README" else path.stem.lower()
        )
        title = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        found[place.as_posix()] = f"{name}.html", title
    return found


class Site:
    """The site of a checkout, and the folder for it."""

    def __init__(self, checkout: Path, out: Path, packages: Sequence[str] = PACKAGES) -> None:
        self.checkout = checkout
        self.out = out
        self.packages = packages
        self.pages = pages_of(checkout)
        self.modules: dict[str, Any] = documented(packages)

    def write(self) -> None:
        """Write all pages, and the pictures and files that they link to. Raises `SiteError` for a broken link."""
        import pdoc.render
        from pygments.formatters import HtmlFormatter

        self.out.mkdir(parents=True, exist_ok=True)
        pdoc.render.configure(docformat="markdown", show_source=False, template_directory=_TEMPLATES)
        pdoc.render.env.globals["dark_code"] = HtmlFormatter(style="github-dark").get_style_defs(".pdoc-code")
        pdoc.render.env.filters["to_markdown"] = as_markdown
        for page, (name, title) in self.pages.items():
            self._write_text(name, title, self.resolved((self.checkout / page).read_text(encoding="utf-8"), page))
        self._write_text(*EXAMPLES, self.examples())
        for module in self.modules.values():
            # pdoc links to private base classes, which have no page.
            html = _TO_PRIVATE.sub(r"\1", pdoc.render.html_module(module, self.modules))
            self._write_file(f"{module.fullname.replace('.', '/')}.html", html)
        # Only the public API is searched: an index of all modules would have 7 MB.
        index = pdoc.render.search_index({name: self.modules[name] for name in self.packages})
        (self.out / "search.js").write_text(index, encoding="utf-8")
        self._check_links()

    def resolved(self, text: str, page: str) -> str:
        """Change the links of a page to pages of the site, or to files that are copied into it.

        The link of a folder becomes its text. Raises `SiteError` for a broken link.
        """

        def link(match: re.Match[str]) -> str:
            target = self._target(match["target"], page)
            return f"{match['text']}({target}{match['anchor'] or ''})" if target else match["text"].strip("[]")

        def image(match: re.Match[str]) -> str:
            return f"{match['before']}{self._target(match['target'], page)}"

        return _IMAGE.sub(image, _LINK.sub(link, text))

    def _target(self, target: str, page: str) -> str | None:
        path = Path(os.path.normpath(Path(page).parent / target)).as_posix()
        if path in self.pages:
            return self.pages[path][0]
        module = f"minesweeper.{path.removesuffix('.py').replace('/', '.')}".removesuffix(".__init__")
        if module in self.modules:
            return f"{module.replace('.', '/')}.html"
        source = self.checkout / path
        if source.is_dir():
            return None
        if not source.is_file():
            raise SiteError(f"broken link in {page}: {target!r}")
        copy = self.out / "files" / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
        return f"files/{path}"

    def examples(self) -> str:
        """Run the worked examples in the folder of the site; return their text, code and output as Markdown."""
        parts = [f"# {EXAMPLES[1]}"]
        for path in sorted((self.checkout / "docs" / "examples").glob("*.py")):
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
        pages = [*self.pages.values(), EXAMPLES]
        self._write_file(name, template.render(title=title, html=to_html(text), pages=pages, packages=self.packages))

    def _write_file(self, name: str, text: str) -> None:
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def _check_links(self) -> None:
        """Raise `SiteError` unless every link inside the site leads to a file and, if named, to an anchor in it."""
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
            raise SiteError(f"broken links: {', '.join(sorted(set(broken)))}")


def documented(packages: Sequence[str]) -> dict[str, Any]:
    """Return pdoc's documentation of the packages and the public modules below them, by name."""
    import pdoc.doc

    found = {}
    for name in packages:
        package = import_module(name)
        if "." in name:
            for inner in pkgutil.walk_packages(package.__path__, f"{name}."):
                if not _SKIPPED.search(inner.name):
                    found[inner.name] = documented_module(inner.name)
        # pdoc does not call __getattr__, which loads public names on first use.
        for public in getattr(package, "__all__", ()):
            setattr(package, public, getattr(package, public))
        found[name] = pdoc.doc.Module(package)
    for name, module in found.items():
        module.members.pop("log", None)
        for kind in vars(module.obj).values():
            if isinstance(kind, type) and (
                is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
            ):
                # A generated constructor has annotations as text, also of base classes in other modules.
                constructor: Any = kind.__init__ if is_dataclass(kind) else kind.__new__
                with suppress(NameError):
                    constructor.__annotations__.update(get_type_hints(kind))
        module.submodules = [inner for inner in found.values() if inner.fullname.rpartition(".")[0] == name]
    return dict(sorted(found.items()))


def documented_module(name: str) -> Any:
    """Return pdoc's documentation of a module. Raises `SiteError` if one of its imports is not installed."""
    import pdoc.doc

    try:
        return pdoc.doc.Module.from_name(name)
    except RuntimeError as error:
        if isinstance(error.__cause__, ModuleNotFoundError):
            missing = error.__cause__.name
            raise SiteError(f"{name} imports {missing}, which is not installed: pip install '.[docs]'") from error
        raise


def as_markdown(docstring: str) -> str:
    """Convert a docstring to Markdown: indented text after ``::`` is code, in Python if it parses."""

    def fenced(match: re.Match[str]) -> str:
        code = "\n".join(line.removeprefix("    ") for line in match["code"].splitlines()).strip("\n")
        text = f"{match['text']}:" if match["text"] else ""
        return f"{text}\n\n```{'python' if is_python(code) else 'text'}\n{code}\n```\n\n"

    return _EXAMPLE.sub(fenced, f"{docstring}\n")


def is_python(text: str) -> bool:
    """Return whether a text parses as Python."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


if __name__ == "__main__":
    main()
