"""The documentation site: short worked examples that run, docstrings as Markdown, and no broken links."""

from __future__ import annotations

import ast
import re
import runpy
import shutil
import sys
import tomllib
from contextlib import suppress
from importlib import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner
from test_imports import modules

from minesweeper.player import kernel_api
from minesweeper.scripts.dev.reference import Site, SiteError, as_markdown, documented_module, is_python, main, pages_of

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.py"))
PYTHON = re.compile(r"(?ms)^```python\n(.*?)^```")


def lines_of_code(source: str) -> int:
    """Count the lines with code: without the docstring of the file, blank lines and comments."""
    tree = ast.parse(source)
    body = tree.body[1:] if ast.get_docstring(tree) else tree.body
    lines = source.splitlines()[body[0].lineno - 1 :]
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in lines)


def test_there_are_three_worked_examples() -> None:
    assert [path.stem for path in EXAMPLES] == ["array_of_puzzles", "solve_and_draw", "write_a_strategy"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_worked_examples_have_ten_lines_and_run(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lines_of_code(path.read_text()) <= 10
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path))
    assert capsys.readouterr().out


def examples_in_docstrings() -> list[tuple[str, str]]:
    """Return every Python example in a docstring, with the name of its module."""
    found = []
    for name, path in modules().items():
        source = path.read_text()
        for node in ast.walk(ast.parse(source)) if "::\n" in source else ():
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                text = as_markdown(ast.get_docstring(node) or "")
                found += [(name, code) for code in PYTHON.findall(text) if "import" in code]
    return found


@pytest.mark.parametrize(("name", "code"), examples_in_docstrings(), ids=lambda text: text.splitlines()[0])
def test_an_example_in_a_docstring_runs(name: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, name, "exec"), {})


def test_packages_and_strategies_have_an_example() -> None:
    assert {name for name, _ in examples_in_docstrings()} >= {"player", "db", "generator", "player.strategies"}


def test_indented_text_after_two_colons_is_code() -> None:
    assert as_markdown("Do::\n\n    x = 1\n\nThen.\n\n::\n\n    no python\n") == (
        "Do:\n\n```python\nx = 1\n```\n\nThen.\n\n\n\n```text\nno python\n```\n\n"
    )
    assert not is_python("two words")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with pages of one line."""
    for page in ("README.md", "CHANGELOG.md", "docs/protocol.md", "docs/studies/density/README.md"):
        path = tmp_path / "checkout" / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {page}\n")
    shutil.copytree(ROOT / "docs" / "examples", tmp_path / "checkout" / "docs" / "examples")
    return tmp_path / "checkout"


def test_pages_have_names_and_titles(checkout: Path) -> None:
    assert pages_of(checkout) == {
        "README.md": ("index.html", "README.md"),
        "docs/protocol.md": ("protocol.html", "docs/protocol.md"),
        "docs/studies/density/README.md": ("density.html", "docs/studies/density/README.md"),
        "CHANGELOG.md": ("changelog.html", "CHANGELOG.md"),
    }
    names = [name for name, _ in pages_of(ROOT).values()]
    assert len(names) == len(set(names)) >= 12


def test_links_between_pages_become_links_in_the_site(checkout: Path, tmp_path: Path) -> None:
    (checkout / "docs" / "sizes.yaml").write_text("x: 1\n")
    site = Site(checkout, tmp_path / "site", ["minesweeper.generator"])
    text = "[up](../README.md#play) [in](#a) [code](../generator/repair.py) [file](sizes.yaml) [dir](studies)"
    assert site.resolved(text, "docs/protocol.md") == (
        "[up](index.html#play) [in](#a) [code](minesweeper/generator/repair.html) [file](files/docs/sizes.yaml) dir"
    )
    assert (tmp_path / "site" / "files" / "docs" / "sizes.yaml").is_file()
    with pytest.raises(SiteError, match=r"broken link in README\.md: 'gone\.md'"):
        site.resolved("[gone](gone.md)", "README.md")


@pytest.mark.faults
@pytest.mark.skipif(not kernel_api.available(), reason="the kernel was not built")
def test_a_site_is_built_and_its_links_are_checked(checkout: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    Site(checkout, out, ["minesweeper.generator"]).write()
    names = {path.relative_to(out).as_posix() for path in out.rglob("*.html")}
    assert names >= {"index.html", "examples.html", "minesweeper/generator.html", "minesweeper/generator/pipeline.html"}
    package = (out / "minesweeper" / "generator.html").read_text()
    assert 'id="puzzles"' in package
    assert 'href="generator/pipeline.html"' in package
    assert "of 1000 games won" in (out / "examples.html").read_text()
    (checkout / "README.md").write_text("# Title\n\n[there](#title) [nowhere](#gone)\n")
    with pytest.raises(SiteError, match=r"broken links: #gone in index\.html$"):
        Site(checkout, out, ["minesweeper.generator"]).write()


def test_a_missing_requirement_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ms_toollib", None)
    monkeypatch.delitem(sys.modules, "minesweeper.player.play.video", raising=False)
    with pytest.raises(SiteError, match=r"minesweeper\.player\.play\.video imports ms_toollib, which is not installed"):
        documented_module("minesweeper.player.play.video")


def test_the_docs_extra_has_every_import_of_every_module() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras, wanted = project["optional-dependencies"], [*project["dependencies"], "minesweeper-toolkit[docs]"]
    brought: set[str] = set()
    while wanted:
        name, _, inside = re.split(r"[ ;<>=!~]", wanted.pop().lower().replace("_", "-"))[0].partition("[")
        if name == "minesweeper-toolkit":
            wanted += [requirement for extra in inside.rstrip("]").split(",") for requirement in extras[extra]]
        elif name not in brought:
            brought.add(name)
            with suppress(metadata.PackageNotFoundError):
                wanted += [line for line in metadata.requires(name) or () if "extra ==" not in line]
    owners = metadata.packages_distributions()
    for module, path in modules().items():
        for node in ast.parse(path.read_text()).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for top in {name.partition(".")[0] for name in names} - {*sys.stdlib_module_names, "minesweeper"}:
                assert {owner.lower().replace("_", "-") for owner in owners[top]} & brought, (module, top)


@pytest.mark.parametrize(
    ("out", "message"),
    [("full", "'full' is not an empty folder; give a new one"), ("new", "is no checkout of the toolkit")],
)
def test_impossible_sites_are_rejected_in_one_line(folder: Path, out: str, message: str) -> None:
    (folder / "full").mkdir()
    (folder / "full" / "file").write_text("")
    result = CliRunner().invoke(main, [out])
    assert result.exit_code == 2
    assert message in result.output
    assert result.output.count("\n") == 1
