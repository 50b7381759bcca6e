"""The command `minesweeper` and the entry points of the installed programs."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner
from processes import error_line, one_line

import minesweeper_toolkit as entry_points
from minesweeper.player.version import VERSION
from minesweeper.scripts import commands

NAMES = [
    *("analyse", "answer", "autoplay", "conform", "gain", "gemhunter", "generate", "leaderboard"),
    *("match", "optimal", "packs", "positions", "review", "sweep", "tasks"),
]
HOST = """
import importlib, logging, os, pkgutil, signal, sys, warnings
import click, gymnasium, minesweeper, numpy

def host():
    handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
    hooks = sys.excepthook, sys.unraisablehook, type(sys.modules["numpy"])
    return hooks, handlers, dict(os.environ), list(warnings.filters), list(logging.root.handlers), logging.root.level

before = host()
for module in pkgutil.walk_packages(minesweeper.__path__, "minesweeper."):
    if not module.name.startswith("minesweeper.scripts.dev"):
        importlib.import_module(module.name)
        assert host() == before, module.name
"""


def test_holds_every_command() -> None:
    output = CliRunner().invoke(commands.main, []).output
    listed = [line.split()[0] for line in output.partition("Commands:\n")[2].splitlines() if line.startswith("  ")]
    assert [name for name in listed if name in NAMES] == NAMES
    for name in NAMES:
        result = CliRunner().invoke(commands.main, [name, "--help"], prog_name="minesweeper")
        assert result.output.startswith(f"Usage: minesweeper {name} "), result.output
        if not hasattr(entry_points, name):
            assert result.output.strip().split("\n\n")[-1].strip().startswith(f"Example: minesweeper {name} ")


@pytest.mark.parametrize("words", [*NAMES, "packs list", "gemhunter solve", ""])
def test_every_command_has_a_version(words: str) -> None:
    result = CliRunner().invoke(commands.main, [*words.split(), "--version"])
    assert (result.exit_code, result.output) == (0, f"minesweeper-toolkit, version {VERSION}\n")


@pytest.mark.parametrize(
    ("words", "suggestion"),
    [("lederboard", "leaderboard"), ("packs lst", "list"), ("autoplay --game 1", "--games")],
)
def test_suggests_the_nearest_name(words: str, suggestion: str) -> None:
    assert f"'{suggestion}'" in error_line(CliRunner().invoke(commands.main, words.split()))


@pytest.mark.parametrize(
    ("before", "begun", "completed"),
    [([], "a", ["analyse", "answer", "autoplay"]), (["match"], "cham", ["champion"]), (["packs"], "mer", ["merge"])],
)
def test_completes_commands_and_their_arguments(before: list[str], begun: str, completed: list[str]) -> None:
    found = BashComplete(commands.main, {}, "minesweeper", "_MINESWEEPER_COMPLETE").get_completions(before, begun)
    assert [item.value for item in found] == completed


def test_runs_as_a_module_and_as_a_script() -> None:
    script = Path(__file__).parents[2] / "scripts" / "leaderboard.py"
    for program, usage in (
        (["-m", "minesweeper", "leaderboard"], "python -m minesweeper leaderboard"),
        ([script], "leaderboard.py"),
    ):
        output = subprocess.check_output([sys.executable, *program, "--help"], text=True)
        assert output.startswith(f"Usage: {usage} [OPTIONS]")


def test_entry_points_exist() -> None:
    settings = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    for target in settings["project"]["scripts"].values():
        assert callable(getattr(entry_points, target.removeprefix("minesweeper_toolkit:")))


def test_ctrl_c_while_a_command_loads_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "import_module", interrupt)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    with pytest.raises(SystemExit) as ended:
        entry_points.run("autoplay")
    assert ended.value.code == 130
    assert os.environ["OPENBLAS_NUM_THREADS"] == "4"


FOREIGN = """
import importlib.machinery, sys
from minesweeper_toolkit import run
sys.meta_path[:] = [  # without the finder of an editable installation
    importlib.machinery.BuiltinImporter, importlib.machinery.FrozenImporter, importlib.machinery.PathFinder
]
sys.path.insert(0, "site")
sys.argv = ["generate", "--board", "beginner", "--count", "2", "--seed", "1", "--workers", "1"]
run("generate")
"""


@pytest.mark.parametrize("replaced", ["class MSGame: ...\n", "__version__ = '0.1.4'\n"])
def test_commands_work_beside_another_package_of_the_same_import_name(folder: Path, replaced: str) -> None:
    """PyPI's `minesweeper` replaces ``__init__.py`` if it is installed later."""
    (folder / "site" / "minesweeper").mkdir(parents=True)
    for name in ("player", "db", "generator", "scripts"):
        (folder / "site" / "minesweeper" / name).symlink_to(Path(__file__).parents[2] / name)
    (folder / "site" / "minesweeper" / "__init__.py").write_text(replaced)
    result = subprocess.run([sys.executable, "-c", FOREIGN], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "2 puzzles kept" in result.stdout
    # The kernel of an editable installation is not found, which is another line.
    assert result.stderr.count("pip uninstall minesweeper,") == 1


def test_commands_name_a_package_that_hides_this_one(folder: Path) -> None:
    (folder / "site" / "minesweeper").mkdir(parents=True)
    (folder / "site" / "minesweeper" / "__init__.py").touch()
    result = subprocess.run([sys.executable, "-c", FOREIGN], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (2, "")
    assert "pip uninstall minesweeper," in one_line(result.stderr)


def test_importing_the_package_leaves_the_host_interpreter_unchanged() -> None:
    subprocess.run([sys.executable, "-c", HOST], check=True)
