"""The positions of docs/vectors: both engines and other solvers agree with them, and wrong solvers are caught."""

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import vectors
from oracle import layouts

from minesweeper.player.core.board import View

VECTORS = Path(__file__).parents[1] / "docs" / "vectors"
POSITIONS = (VECTORS / "vectors.txt").read_text().split("\n\n")[1:]
GRIDS = (VECTORS / "grids.txt").read_text().split("\n\n")[1:]
SMALL = [part for part in POSITIONS if part.count("#") <= 14]


def check(file: Path, *command: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, str(VECTORS / "check_vectors.py"), str(file), *command]
    return subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize(
    ("engine", "positions"),
    [
        pytest.param("native", POSITIONS[::2], marks=pytest.mark.kernel, id="half by the kernel"),
        pytest.param("native", POSITIONS, marks=[pytest.mark.kernel, pytest.mark.long], id="native"),
        pytest.param("native", GRIDS, marks=pytest.mark.kernel, id="other grids"),
        pytest.param("sat", GRIDS[::3], id="a third of the other grids by sat"),
        pytest.param("sat", POSITIONS[::8], id="an eighth by sat"),
        pytest.param("sat", POSITIONS, marks=pytest.mark.long, id="sat"),
    ],
)
def test_both_engines_agree_with_every_figure(engine: str, positions: list[str], tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_text("\n\n".join(["head", *positions]))
    run = check(file, sys.executable, "-m", "minesweeper", "answer", "--engine", engine)
    assert run.returncode == 0, run.stdout + run.stderr
    consistent = sum("\nlayouts 0\n" not in part for part in positions)
    keys = ("mines", "probabilities", "reasons", "safe")
    each = "".join(f"{consistent} {key}\n" for key in keys)
    assert run.stdout == f"{len(positions)} layouts\n{each}0 wrong\n"


@pytest.mark.parametrize(
    ("name", "count"), [("grids", len(GRIDS)), pytest.param("vectors", len(POSITIONS), marks=pytest.mark.long)]
)
def test_the_reference_solver_agrees_with_every_figure(name: str, count: int) -> None:
    run = check(VECTORS / f"{name}.txt", sys.executable, str(VECTORS / "reference_solver.py"))
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"{count} layouts" in run.stdout


def test_small_positions_have_the_figures_of_brute_force() -> None:
    """Compare with a third count that tries all placements."""
    assert len(SMALL) > 80
    for part in SMALL:
        lines = [line.split() for line in part.splitlines()]
        mines, count = (int(line[1]) for key in ("mines", "layouts") for line in lines if line[0] == key)
        fitting = layouts(View.from_text("\n".join(line[1] for line in lines if line[0] == "view"), mines))
        assert len(fitting) == count, part
        for _, chance, *cells in (line for line in lines if line[0] == "chance"):
            for row, col in (map(int, cell.split(",")) for cell in cells):
                assert Fraction(int(np.count_nonzero(fitting[:, row, col])), count) == Fraction(chance), part


PROGRAM = """
import json, runpy, sys
from fractions import Fraction
right = runpy.run_path(sys.argv[1])["answer"]

def cells(test):
    return [[r, c] for r, row in enumerate(rows) for c, chance in enumerate(row) if chance and test(chance)]

def each(change):
    a["probabilities"] = [[chance and change(chance) for chance in row] for row in rows]

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        a = {"solves": "open" not in sys.argv[2]}
    elif message["type"] == "game":
        mines = message["mines"]
        continue
    else:
        view = message["view"]
        a = {"safe": [], "mines": [], "probabilities": []} | right(view, mines)
        rows = a["probabilities"]
        if a["layouts"] == "0":
            a = {"layouts": "0"}
        exec(sys.argv[2])
    print(json.dumps(a), flush=True)
"""
"""A solver with the right answers `a`, changed by its second argument."""

FAULTS = {
    "one layout too many": "a['layouts'] = int(a['layouts']) + (len(view) == 5)",
    "layouts as rounded numbers": "a['layouts'] = float(a['layouts']) * (1 + 1e-12)",
    "a contradiction overlooked": "a['layouts'] = max(1, int(a['layouts']))",
    "a contradiction with probabilities": "a.setdefault('probabilities', [[0] * len(row) for row in view])",
    "a safe cell left out": "a['safe'] = a.get('safe', [])[1:]",
    "a safe cell too many": "a.get('safe', []).append([0, 0])",
    "a cell off the board": "a.get('safe', []).append([-1, 0])",
    "safe cells called mines": "a['mines'], a['safe'] = a.get('safe', []), a.get('mines', [])",
    "the mine count ignored": "a['safe'] = [] if len(view) == 1 else a.get('safe', [])",
    "probabilities 1e-8 too high": "each(lambda chance: float(Fraction(chance)) + 1e-8)",
    "a decimal for an exact fraction": "each(lambda chance: chance.replace('1/2', '0.5'))",
    "all cells equally likely": "each(lambda chance: str(Fraction(mines, len(cells(bool)))))",
    "rows and columns exchanged": "a['probabilities'] = [list(row) for row in zip(*rows)]",
    "a row left out": "a['probabilities'] = rows[:-1]",
    "all reasons of one clue": "a['reasons'] = [[{'0': 1, '1': 1}.get(chance) for chance in row] for row in rows]",
    "opens the first hidden cell": "a = {'open': cells(bool)[:1]}",
    "guesses although a cell is safe": "a = {'open': cells(lambda chance: chance not in '01') or a['safe']}",
    "opens mines": "a = {'open': a['mines'] or cells(bool)}",
    "opens nothing on the board": "a = {'open': [[0, 99]]}",
    "declines every position": "a = {}",
    "ends": "sys.exit()",
}


@pytest.fixture
def some_positions(tmp_path: Path) -> Path:
    """A file of every third of the first 100 positions."""
    file = tmp_path / "some.txt"
    file.write_text("\n\n".join(["head", *POSITIONS[:100:3]]))
    return file


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_solver_is_caught(fault: str, some_positions: Path) -> None:
    run = check(some_positions, sys.executable, "-c", PROGRAM, str(VECTORS / "reference_solver.py"), FAULTS[fault])
    assert run.returncode == 1, run.stdout
    assert ("WRONG" in run.stdout) == (fault not in ("declines every position", "ends")), run.stdout


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("input()", "the solver ended; expected a JSON object in one line after "),
        ("print('hi')", "the solver answered 'hi\\n'; expected a JSON object in one line after "),
        ("print([1])", "the solver answered '[1]\\n'; expected a JSON object in one line after "),
        (
            "import os; input(); os.close(0); print('{}'); print([1])",
            "the solver answered '[1]\\n'; expected a JSON object in one line after ",
        ),
        ("import time; time.sleep(600)", "the solver gave no answer in 1 s; expected a JSON object in one line after "),
    ],
)
def test_a_program_that_is_no_solver_is_named_in_one_line(program: str, words: str, some_positions: Path) -> None:
    source = (VECTORS / "check_vectors.py").read_text().replace("SECONDS = 300", "SECONDS = 1")
    command = [sys.executable, "-c", source, str(some_positions), sys.executable, "-uc", program]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith(words)
    assert run.stderr.count("\n") == 1


def test_a_missing_file_or_program_is_named(some_positions: Path) -> None:
    for run in (check(Path("missing.txt"), "cat"), check(some_positions, "missing-solver")):
        assert (run.returncode, run.stdout) == (1, "")
        assert run.stderr.startswith("[Errno 2] No such file or directory: 'missing")


def test_only_the_wrong_cells_are_named(some_positions: Path) -> None:
    change = "a = {'open': [*(a['safe'] or cells(bool))[:1], [0, 99]]}"
    run = check(some_positions, sys.executable, "-c", PROGRAM, str(VECTORS / "reference_solver.py"), change)
    named = [line.partition(": ")[2] for line in run.stdout.splitlines() if line.startswith("WRONG open")]
    assert "0,99" in named  # The first cell is right if a cell is safe.
    assert all("0,99" in cells.split("; ") for cells in named)


def test_right_solvers_and_players_pass(some_positions: Path) -> None:
    numbers = "each(lambda chance: float(Fraction(chance)))"
    moves = "a = {'open': a['safe'] or cells(lambda chance: chance != '1')}"
    for change in ("", numbers, "a = {'layouts': a['layouts']}", moves):
        run = check(some_positions, sys.executable, "-c", PROGRAM, str(VECTORS / "reference_solver.py"), change)
        assert run.returncode == 0, run.stdout + run.stderr
    player = VECTORS.parent / "examples" / "players" / "ms_toollib_player.py"
    run = check(some_positions, sys.executable, str(player))
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_disagreement_stops_the_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant a wrong figure in each of the ways in turn."""
    position = "wrong", View.from_text("1x5/2\n#1#1#")
    assert vectors.block(position).startswith("position wrong\nmines 2\nlayouts 1\nview #1#1#\n")
    for name, value in (
        ("count_layouts", lambda view: 2),
        ("reference_solve", lambda *_: (1, {(0, 0): Fraction(1), (0, 2): Fraction(1), (0, 4): Fraction(0)})),
        ("smallest_by_optux", lambda view, cell, mine: "1+count"),
    ):
        with monkeypatch.context() as change:
            change.setattr(vectors, name, value)
            with pytest.raises(vectors.Disagreement, match=r"^wrong: "):
                vectors.block(position)


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("name", "options"), [("grids", ["--grids"]), pytest.param("vectors", [], marks=pytest.mark.long)]
)
def test_a_file_is_the_output_of_its_script(name: str, options: list[str], tmp_path: Path) -> None:
    subprocess.run([sys.executable, vectors.__file__, *options, tmp_path / name], check=True)
    assert (tmp_path / name).read_bytes() == (VECTORS / f"{name}.txt").read_bytes()
