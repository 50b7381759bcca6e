"""The reference: its worked examples run and are short, docstrings become Markdown, and links lead somewhere."""

from __future__ import annotations

import ast
import importlib
import re
import runpy
import subprocess
import sys
import tomllib
from contextlib import suppress
from importlib import metadata
from pathlib import Path

import pytest
from test_imports import modules

from minesweeper.player import kernel_api
from minesweeper.scripts.dev.reference import PAGES, Site, SiteError, as_markdown, is_python, looked_at

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.py"))
PYTHON = re.compile(r"(?ms)^```python\n(.*?)^```")


def lines_of_code(source: str) -> int:
    """How many lines have code in them: no docstring of the file, no blank line, no comment alone."""
    tree = ast.parse(source)
    body = tree.body[1:] if ast.get_docstring(tree) else tree.body
    lines = source.splitlines()[body[0].lineno - 1 :]
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in lines)


def test_there_are_three_worked_examples() -> None:
    assert [path.stem for path in EXAMPLES] == ["array_of_puzzles", "solve_and_draw", "write_a_strategy"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_worked_example_is_ten_lines_and_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lines_of_code(path.read_text()) <= 10
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path))
    assert capsys.readouterr().out


def examples_in_docstrings() -> list[tuple[str, str]]:
    """Every example in Python in a docstring of the toolkit, with the name of its module."""
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


def test_the_faces_and_the_strategies_have_an_example() -> None:
    assert {name for name, _ in examples_in_docstrings()} >= {"player", "db", "generator", "player.strategies"}


def test_what_follows_two_colons_is_code() -> None:
    assert as_markdown("Do::\n\n    x = 1\n\nThen.\n\n::\n\n    no python\n") == (
        "Do:\n\n```python\nx = 1\n```\n\nThen.\n\n\n\n```text\nno python\n```\n\n"
    )
    assert not is_python("two words")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with pages of one line."""
    for page in PAGES:
        path = tmp_path / "checkout" / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {page}\n")
    return tmp_path / "checkout"


def test_links_between_pages_become_links_in_the_site(checkout: Path, tmp_path: Path) -> None:
    (checkout / "player" / "sizes.yaml").write_text("x: 1\n")
    site = Site(checkout, tmp_path / "site", ["minesweeper.generator"])
    text = "[up](../../README.md#play) [in](#a) [code](../../generator/repair.py) [file](../sizes.yaml) [dir](..)"
    assert site.resolved(text, "docs/protocol.md") == (
        "[up](index.html#play) [in](#a) [code](minesweeper/generator/repair.html) [file](files/player/sizes.yaml) dir"
    )
    assert (tmp_path / "site" / "files" / "player" / "sizes.yaml").is_file()
    with pytest.raises(SiteError, match=r"behind a link in README\.md: 'gone\.md'"):
        site.resolved("[gone](gone.md)", "README.md")


@pytest.mark.faults
@pytest.mark.skipif(not kernel_api.available(), reason="the kernel was not built")
def test_a_site_is_built_and_its_links_are_checked(checkout: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    Site(checkout, out, ["minesweeper.generator"]).write()
    names = {path.relative_to(out).as_posix() for path in out.rglob("*.html")}
    assert names >= {"index.html", "examples.html", "minesweeper/generator.html", "minesweeper/generator/pipeline.html"}
    face = (out / "minesweeper" / "generator.html").read_text()
    assert 'id="puzzles"' in face
    assert 'href="generator/pipeline.html"' in face
    assert "of 1000 games won" in (out / "examples.html").read_text()
    (checkout / "README.md").write_text("# Title\n\n[there](#title) [nowhere](#gone)\n")
    with pytest.raises(SiteError, match=r"these links: #gone in index\.html$"):
        Site(checkout, out, ["minesweeper.generator"]).write()


def test_what_is_not_installed_is_named_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ms_toollib", None)
    monkeypatch.delitem(sys.modules, "minesweeper.player.play.video", raising=False)
    with pytest.raises(SiteError, match=r"the reference needs ms_toollib, as minesweeper\.player\.play\.video does"):
        looked_at("minesweeper.player.play.video")


def test_the_extra_for_the_reference_brings_what_any_module_imports() -> None:
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
    [("full", "expected a new or an empty folder: 'full'"), ("new", "expected to be in a checkout of the toolkit")],
)
def test_a_site_that_can_not_be_built_is_refused_in_one_line(folder: Path, out: str, message: str) -> None:
    (folder / "full").mkdir()
    (folder / "full" / "file").write_text("")
    command = [sys.executable, "-m", "minesweeper.scripts.reference", out]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: {message}")
    assert done.stderr.count("\n") == 1


def test_every_page_and_launcher_is_there() -> None:
    assert all((ROOT / page).is_file() for page in PAGES)
    assert importlib.util.find_spec("minesweeper.scripts.reference") is not None
