"""Commands refuse invalid input and slow files in one line that names the cause, and write nothing."""

import shlex
from collections.abc import Callable
from pathlib import Path

import crafted
import numpy as np
import pytest
from click.testing import CliRunner
from processes import error_line

from minesweeper.db.formats.format import imported_record
from minesweeper.db.store import Import, Store
from minesweeper.player.core.recipe import Recipe
from minesweeper.scripts.commands import analyse, autoplay, main
from minesweeper.scripts.commands.packs import command as packs
from minesweeper.scripts.web import jobs
from minesweeper.scripts.web.settings import ApiError

REFUSED: dict[str, dict[str, str]] = {
    "autoplay": {
        "--strategy nope --preset expert": "unknown strategy 'nope'; expected random, ",
        "--strategy local,progress=-2 --preset expert": "progress is -2.0: expected a number from 0",
        "--mines 9": "--mines 9 without --size; expected both",
        "--preset expert --index x": "'x' is not a whole number.",
        "--preset expert --engine steam": "'--engine': 'steam' is not one of",
        "--preset expert --games 0": "'--games': 0 is not in the range",
        "--preset expert --db no/such/folder.db": "no such folder for a new database",
        "--db none.db": "no such database",
        "--db empty.db": "no puzzles in 'empty.db'",
        "--preset expert --puzzle ab": "--puzzle excludes random boards",
        "--replay last --db none.db": "no such database",
        "--replay 99 --preset expert --db empty.db --no-record": "--replay excludes random boards",
        "--replay 99 --db empty.db": "no game '99' in 'empty.db'; packs games lists all",
        "--replay 3 --preset expert": "--replay excludes random boards",
        "--preset beginner --games 3 --watch --index 3": "no game with index 3; expected --index 0 to 2",
    },
    "generate": {
        "": "--size",
        "beginner": "unexpected 'beginner' (did you mean --board beginner?); expected options as in --help",
        "help": "unexpected 'help' (did you mean '--help'?); expected options as in --help",
        "--preset": "no value for --preset; expected ROWSxCOLS/MINES|PRESET",
        "--prest expert": "no such option --prest (did you mean '--preset'?)\n",
        "--preset expert --time-limit x": "'x' is not a number.",
        "--preset expert --seed x": "'x' is not a whole number.",
        "--preset expert --count 0": "0 is not in the range",
        "--preset expert --config missing.yaml": "missing.yaml",
        "--preset expert --db /": "'/'",
        "--preset expert --db /no/such/folder/a.db": "/no/such/folder/a.db",
        "--preset expert --db text.db": "not a database: 'text.db'",
        "--preset expert --log-file /no/such/folder/log": "/no/such/folder/log",
        "--size 4x4 --mines 10 --start safe --min-3bv 7": "it has 6 safe cells",
        "--preset beginner --where 'islnds < 4'": "no such column: islnds (did you mean 'islands'?)",
        "--preset beginner --out new.csv": "'new.csv' has the ending of CSV; expected a folder of Parquet files",
        "--preset beginner --out new.db": "'new.db' has the ending of SQLite; expected a folder",
        "--preset beginner --db new.jsonl": "'new.jsonl' has the ending of JSON lines; expected a database",
    },
    "leaderboard": {
        "--strategy nope": "unknown strategy 'nope'; expected random, ",
        "--chart board.gif": "unknown chart format: 'board.gif'; expected .svg, .png, .pdf",
        "--chart no/such/folder.svg": "no folder for the chart",
    },
    "match": {
        "local local": "both strategies are 'local'",
        "local nope": "unknown strategy 'nope'; expected random, ",
        "local": "Missing argument 'SECOND'",
        "local random --gain 0": "gain 0.0 and null 0.0: expected -1 < null < gain < 1",
        "local random --alpha 0.7": "alpha 0.7 and beta 0.05: expected values between 0 and 0.5",
    },
    "gain": {
        "champion local": "OTHER is 'local'; expected safest, progress, ",
        "champion champion": "both strategies are 'champion'; expected two different ones",
    },
    "optimal": {
        "4*4": "'4*4'",
        "4x4/16": "in '4x4/16'; expected 0 to 15",
        "4x4/3-2": "'4x4/3-2'",
        "4x4/1/2": "'4x4/1/2'",
        "4x4/3 --first-click 4,4": "(4, 4)",
        "4x4/3 --first-click random": "'random'",
        "4x4/3 --strategies nobody": "'nobody'",
        "4x4/3 --start soft": "'soft'",
        "9x9/10": "no board can be solved: a 9x9 board is too large: expected at most 32 cells",
    },
    "gemhunter": {
        "generate --size 20 --traps 3": "'20'",
        "generate --size 3x3 --traps 10": "10",
        "generate --size 3x3 --traps 3 --gems 7": "7",
        "solve no-such-file.txt": "no-such-file.txt",
        "solve - --solver nobody": "nobody",
        "solve --all puzzle.txt": "'puzzle.txt' is no number; put --all after FILE",
    },
    "review": {name: name for name in ("none.evf", "text.txt", "broken.evf", "play:7", "play:x", "play:")},
    "packs": {
        "people --db none.db": "'none.db'",
        "list --db none.db": "'none.db'",
        "list --db .": "_manifest.json: '.'",
        "list --db text.db": "not a database: 'text.db'",
        "list --size 16*30": "unknown size '16*30'; expected ROWSxCOLS",
        "list --size 0x5": "'0x5'",
        "list --mines -1": "-1",
        "list --limit 0": "0 is not",
        "list --difficulty eas": "(did you mean 'easy'?)",
        "list --tier hard": "'hard'",
        "list --colour": "--colour",
        "list --seed 3": "--random",
        "list --where 'bombs'": "no such column: bombs",
        "list --where \"difficulty = 'hard'\"": "its word is in difficulty_word, e.g. \"difficulty_word = 'hard'\"",
        "list --where 'difficulty = hard'": "its word is in difficulty_word",
        'list --where \'3 < bbbv AND (difficulty  NOT IN ("easy", "hard"))\'': "its word is in difficulty_word",
        "list --where \"difficulty IS NOT 'fiendish'\"": "its word is in difficulty_word",
        "list --where 'dificulty > 3'": "(did you mean 'difficulty'?)",
        "list --where '3bv > 10'": "(did you mean 'bbbv'?)",
        "list --where 'click > 10'": "(did you mean 'first_click'?)",
        "list --size '9x9 hex' --grid torus": "--grid torus with --size 9x9 hex; expected one grid",
        "verify minesweeper.db --tier '1 clue'": "--tier with files; expected --size, --grid, --mines, --limit",
        "import elf": "byte 0xff is not UTF-8 text: '\\x7fELF\\x02",
        "list --where 'mines = ?'": "invalid SQL condition on the table puzzles",
        "list --where 'mines = :mines'": "invalid SQL condition on the table puzzles",
        "list --where '1); drop table puzzles; --'": "invalid SQL condition on the table puzzles",
        "list --where '1\"); drop x; --'": "invalid SQL condition on the table puzzles",
        "show": "'ID'",
        "show xyz": "'xyz'",
        "show 00000000000000000000": "00000000000000000000",
        "show ab --json --solved": "expected one of them",
        "show ab --view --json": "expected one of them",
        "show ab --solved --view": "expected one of them",
        "export pack.x --format jsnl": "(did you mean 'jsonl'?)",
        "export pack.doc": "'pack.doc'",
        "export folder": "'folder' is a folder; expected a file, or --format for a file of each puzzle",
        "export none/pack.jsonl": "'none/pack.jsonl'",
        "delete": "no such command 'delete'; --help lists all",
        "lst": "no such command 'lst' (did you mean 'list'?); --help lists all",
        "import none.jsonl": "'none.jsonl'",
        "import empty.db": "empty.db: no puzzles in this file",
        "import text.txt": "text.txt: unknown format: ",
        "import text.html": "is only written, not read",
        "import text.pdf": "is only written, not read",
        "import text.db": "text.db: not a database",
        "import text.parquet": "text.parquet: damaged Parquet file",
        "import - --format db": "an empty file",
        "verify --db none.db": "'none.db'",
        "verify none.jsonl": "'none.jsonl'",
        "merge text.db --into c.db": "text.db: not a database",
        "merge minesweeper.db none.db --into d.db": "'none.db'",
        "merge empty.db": "--into",
    },
}
CONFIGS: dict[str, dict[str, str]] = {
    "generate": {
        "count: [1\nx: y": "line 2",
        "cuont: 3\n": "unknown setting 'cuont' (did you mean 'count'?)",
        "presets:\n  tall:\n    size: 20*5\n    mines: 3\n": "20*5",
        "presets:\n  tall: 3\n": "preset 'tall'",
        "- 1\n": "no mapping",
        "count: [1]\n": "setting 'count'",
        f"count: 0x{'f' * 5000}": "invalid YAML in 'c.yaml': Exceeds the limit (4300 digits)",
    },
    "leaderboard": {
        "games: [1\nseed: 2": "invalid YAML in line 2 of 'c.yaml'",
        "- 9x9/10": "no mapping of names to values in 'c.yaml'",
        "board: 9x9/10": "unknown key 'board' in the config file (did you mean 'boards'?)",
        "boards: 9x9/10": "boards are not a list: '9x9/10'",
        "boards: [{bord: 9x9/10}]": "unknown key 'bord' in a board (did you mean 'board'?)",
        "boards: [tiny]\npresets: tiny\n": (
            "presets in 'c.yaml' is not a mapping: 'tiny'; expected e.g. small: {size: 5x5, mines: 4}"
        ),
        "games: many": "invalid games of board 'beginner': 'many'",
        "starts: [blind]": "unknown start rule 'blind'",
        "strategies: random": "strategies are not a list of names: 'random'",
    },
}


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a database, an empty one, and files that no command can read."""
    folder = tmp_path_factory.mktemp("crowded")
    (folder / "folder").mkdir()
    Store(folder / "empty.db").close()
    with Store(folder / "minesweeper.db") as store, Import(store) as batch:
        batch.add([imported_record(Recipe("9x9/10", seed=7).puzzle(0))])
    (folder / "elf").write_bytes(b"\x7fELF\x02\xff" * 20)
    for name in ("text.txt", "text.html", "text.pdf", "text.db", "text.parquet", "broken.evf"):
        (folder / name).write_text("no pack here" * 99)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files except those that SQLite keeps while the error refers to a reader."""
    return {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }


def check_refused(folder: Path, words: list[str], message: str) -> None:
    before = contents(folder)
    assert message in error_line(CliRunner().invoke(main, words, input=""))
    assert contents(folder) == before


@pytest.mark.parametrize(("command", "words"), [(command, words) for command in REFUSED for words in REFUSED[command]])
@pytest.mark.usefixtures("folder")
def test_bad_input_is_refused_in_one_line(
    command: str, words: str, crowded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(crowded)
    check_refused(crowded, [command, *shlex.split(words)], REFUSED[command][words])


@pytest.mark.parametrize(("command", "text"), [(command, text) for command in CONFIGS for text in CONFIGS[command]])
def test_a_bad_config_file_is_refused_in_one_line(command: str, text: str, folder: Path) -> None:
    (folder / "c.yaml").write_text(text)
    check_refused(folder, [command, "--config", "c.yaml"], CONFIGS[command][text])


def refused(*arguments: str | Path) -> Callable[[Path], str]:
    """Return a function that runs a command on a file and returns its error."""
    command, *rest = arguments
    main = {"packs": packs.main, "analyse": analyse.main, "autoplay": autoplay.main}[str(command)]

    def run(path: Path) -> str:
        result = CliRunner().invoke(main, [*map(str, rest), str(path)])
        assert result.exit_code in (1, 2), result.output
        return result.stderr

    return run


@pytest.fixture(scope="module")
def slow_files(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, str]]:
    folder = tmp_path_factory.mktemp("slow")
    database = crafted.database(folder / "slow.db", crafted.CHANGES["generated column"])
    return [
        (database, "database of another layout"),
        (crafted.repeated_rows(folder / "slow.parquet", 500_000, board="zz"), "500000 rows in"),
    ]


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(refused("packs", "import", "--db", "new.db"), id="packs import"),
        pytest.param(refused("packs", "verify"), id="packs verify"),
        pytest.param(refused("analyse"), id="analyse"),
        pytest.param(refused("autoplay", "--from"), id="autoplay --from"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_slow_files_are_refused(read: Callable[[Path], str], slow_files: list[tuple[Path, str]]) -> None:
    for path, cause in slow_files:
        assert cause in read(path)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="expected to be allowed on Linux only")
def test_a_pasted_file_cannot_take_all_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "read_position", lambda data, mines: np.empty(2**30, np.uint8))
    with pytest.raises(ApiError, match="512 MiB of memory"):
        jobs.read_pasted("", None)
    assert np.empty(2**30, np.uint8).size == 2**30
