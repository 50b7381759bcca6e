"""Options that commands share: boards, presets of config files, shell completion."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner
from processes import error_line

from minesweeper.scripts.commands import autoplay, gain, generate, leaderboard, match
from minesweeper.scripts.commands.packs import command as packs

CONFIG = "presets:\n  tiny:\n    size: 5x5\n    mines: 3\n"
# Each plays or stores a few random boards, and prints their size.
PROGRAMS = {
    "generate": (generate.main, "--count 1 --seed 2 --db a.db --workers 1"),
    "autoplay": (autoplay.main, "--strategy random --games 2 --no-record --workers 1"),
    "leaderboard": (leaderboard.main, "--strategy random --games 2 --db a.db --workers 1"),
    "match": (match.main, "random local --max-games 2 --db a.db --workers 1"),
    "gain": (gain.main, "random safest --games 2 --layouts 2 --workers 1"),
}


@pytest.fixture
def here(folder: Path) -> Path:
    (folder / "mine.yaml").write_text(CONFIG)
    return folder


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(
    ("words", "board"),
    [
        ("--board 5x6/4", "5x6/4"),
        ("--size 5x6 --mines 4", "5x6/4"),
        ("--board beginner", "9x9/10"),
        ("--board 9\u00d79/10", "9x9/10"),
        ("--board '9 X 9 / 10'", "9x9/10"),
        ("--board 9x9/10%", "9x9/8"),
        ("--board '9x9/12.5 % Torus'", "9x9/10 torus"),
        ("--size '9 x 9 rectangle' --mines 10 --start Opening", "9x9/10"),
        ("--preset beginner", "9x9/10"),
        ("--config mine.yaml --board tiny", "5x5/3"),
        ("--config mine.yaml --preset TINY", "5x5/3"),
    ],
)
def test_boards_are_named_the_same_everywhere(name: str, words: str, board: str) -> None:
    main, others = PROGRAMS[name]
    result = CliRunner().invoke(main, [*others.split(), *shlex.split(words)])
    assert result.exit_code == (name == "match"), result.output
    assert f"{board}, opening start" in result.stdout


REFUSED = {
    **{f"--board {name}": f"unknown preset {name!r}; presets: beginner, " for name in ("tiny", "5x5", "5x5/many")},
    "--preset exprt": "unknown preset 'exprt' (did you mean 'expert'?); presets: beginner, ",
    "--size 16*30 --mines 9": "unknown size '16*30'; expected ROWSxCOLS",
    "--size 0x5 --mines 1": "size '0x5' is out of range",
    "--size 9x9 --mines 73": "expected 0 to 72",
    "--size 9x9": "no number of mines; expected --mines with --size",
    "--board 9x9/9 --first-click 9,9": "(9, 9) is off the board; expected a cell of 9x9",
    "--board 9x9/9 --first-click there": "unknown first click",
    "--board 9x9/9 --seed -3": "-3",
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("words", REFUSED)
def test_bad_boards_are_refused_the_same_everywhere(name: str, words: str) -> None:
    main, others = PROGRAMS[name]
    assert REFUSED[words] in error_line(CliRunner().invoke(main, [*others.split(), *words.split()]))


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", PROGRAMS)
def test_warns_about_a_preset_on_its_side(name: str) -> None:
    main, others = PROGRAMS[name]

    def warning(words: str) -> str:
        return CliRunner().invoke(main, [*others.split(), *shlex.split(words)]).stderr

    turned = "presets: {tall: {size: 6x5, mines: 3}, wide: {size: 4x7, mines: 3}, high: {size: 7x4, mines: 3}}"
    Path("turned.yaml").write_text(turned)
    said = "Warning: 5x6 has 5 rows and 6 columns; did you mean 6x5 (tall)? Sizes are ROWSxCOLS\n"
    assert warning("--config turned.yaml --size 5x6 --mines 3") == said
    square = "--board '9x9/10 torus'"  # it got "did you mean 9x9 (beginner)?"
    for words in ("--size 5x6 --mines 4", "--size 6x5 --mines 3", "--size 4x7 --mines 3", "--board high", square):
        assert "Warning" not in warning(f"--config turned.yaml {words}")


@pytest.mark.parametrize("width", [80, 120, 200])
@pytest.mark.parametrize(
    ("main", "titles"),
    [
        (generate.main, ["Options", "Random boards", "Filters", "Output", "Work"]),
        (autoplay.main, ["Options", "Random boards", "Results", "Work", "One game", "On the screen"]),
        (leaderboard.main, ["Options", "Random boards", "Output", "Work"]),
        (packs.main.commands["verify"], ["Options", "Selection"]),
    ],
)
def test_a_long_help_has_groups_and_the_width_of_the_terminal(
    main: click.Command, titles: list[str], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    # A CliRunner has 80 columns.
    text = main.get_help(main.make_context("it", [], resilient_parsing=True))
    assert re.findall(r"^(\w[\w ]*):$", text, re.MULTILINE) == titles
    assert min(width - 20, 140) < max(map(len, text.splitlines())) <= width
    visible = [param for param in main.params if isinstance(param, click.Option) and not param.hidden]
    flags = [flag for param in visible for flag in param.opts if flag.startswith("--")]
    shown = re.findall(r"--[\w-]+", "\n".join(line for line in text.splitlines() if line.startswith("  -")))
    assert set(flags) <= set(shown)


def test_the_config_of_a_leaderboard_defines_presets(here: Path) -> None:
    (here / "contest.yaml").write_text(CONFIG + "boards: [tiny]\nstrategies: [random]\ngames: 2\n")
    assert "5x5/3, opening start" in CliRunner().invoke(leaderboard.main, ["--config", "contest.yaml"]).stdout


def completed(main: click.Command, words: str) -> list[str]:
    *before, begun = words.split(" ")
    return [item.value for item in BashComplete(main, {}, "it", "_IT_COMPLETE").get_completions(before, begun)]


@pytest.fixture
def stocked(here: Path) -> Path:
    CliRunner().invoke(generate.main, ["--board", "6x6/5", "--count", "2", "--seed", "2", "--workers", "1"])
    CliRunner().invoke(autoplay.main, ["--strategy", "random", "--workers", "1"])
    return here


@pytest.mark.usefixtures("stocked")
def test_the_shell_completes_presets_strategies_formats_and_ids() -> None:
    assert completed(generate.main, "--preset e") == ["expert"]
    assert completed(generate.main, "--config mine.yaml --board t") == ["tiny"]
    assert completed(autoplay.main, "--strategy lo")[0] == "local"
    assert completed(match.main, "random lo")[0] == "local"
    assert completed(packs.main, "export - --format j") == ["jsonl", "json"]
    assert completed(autoplay.main, "--replay ") == ["last", "2", "1"]
    ids = completed(packs.main, "show ")
    assert len(ids) == 2
    assert completed(packs.main, f"show {ids[1][:8]}") == completed(autoplay.main, f"--puzzle {ids[1][:8]}") == ids[1:]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("words", ["show ", "show x'", "show --db mine.yaml "])
def test_completing_ids_without_a_database_is_silent(words: str) -> None:
    assert completed(packs.main, words) == []


def test_bash_completes_as_the_readme_says(stocked: Path) -> None:
    launcher = stocked / "packs"
    launcher.write_text(
        f"#!{sys.executable}\nfrom minesweeper.scripts.commands.packs.command import main\nmain(prog_name='packs')\n"
    )
    launcher.chmod(0o755)
    script = """
        PATH=$PWD:$PATH
        eval "$(env _PACKS_COMPLETE=bash_source packs)"
        COMP_WORDS=(packs export - --format j) COMP_CWORD=4
        _packs_completion packs
        echo "${COMPREPLY[@]}"
    """
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("jsonl json\n", "")
