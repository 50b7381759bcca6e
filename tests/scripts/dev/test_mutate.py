"""Mutation testing: the changes that are planted, and those that a test sees."""

import shlex
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from minesweeper.scripts.dev.mutate import ending, main, mutants

PYTHON = """def clip(value):  # at most 9 and not less
    return "<" if value < 9 else None
"""
OTHER = """#include <vector>
// a < b
const text = "1 + 1"; std::vector<int> x; if (y->size() <= 1 && ok) x += 2;
"""


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.py", PYTHON, ["2 < <=", "2 9 10"]),
        ("a.cpp", OTHER, ["3 <= <", "3 1 2", "3 && ||", "3 += -=", "3 2 3"]),
    ],
)
def test_operators_numbers_and_words_of_code_are_changed(
    name: str, text: str, expected: list[str], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    found = list(mutants(path))
    assert [f"{mutant.line} {mutant.old} {mutant.new}" for mutant in found] == expected
    assert len({mutant.text for mutant in found} | {text}) == len(found) + 1


def test_survivors_are_listed_and_files_restored(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(PYTHON)
    test = f"python3 -c \"import runpy; assert runpy.run_path('{path}')['clip'](8) == '<'\""
    result = CliRunner().invoke(main, [str(path), "--test", test])
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        f'{path}:2: 9 -> 10: return "<" if value < 10 else None',
        f'{path}:2: < -> <=: return "<" if value <= 9 else None',
        f"{tmp_path}: 0 of 2 mutants killed",
    ]
    assert path.read_text() == PYTHON
    sharper = test.replace("(8) ==", "(9) !=")
    assert CliRunner().invoke(main, [str(path), "--test", sharper]).exit_code == 0
    assert CliRunner().invoke(main, [str(path), "--test", "false"]).exit_code == 2


def test_no_cache_takes_a_mutant_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two mutants of the same length, written at the same time, got the same object from ccache."""
    path = tmp_path / "a.py"
    path.write_text(PYTHON)
    for name in ("CCACHE_DISABLE", "PYTHONDONTWRITEBYTECODE"):
        monkeypatch.delenv(name, raising=False)
    step = 'test "$CCACHE_DISABLE$PYTHONDONTWRITEBYTECODE" = 11'
    result = CliRunner().invoke(main, [str(path), "--build", step, "--test", step])
    assert result.output.endswith(f"{tmp_path}: 0 of 2 mutants killed\n")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc")
def test_a_mutant_that_never_ends_is_killed_with_its_children(tmp_path: Path) -> None:
    path, child = tmp_path / "a.py", tmp_path / "child"
    path.write_text(PYTHON)
    one = next(mutants(path))
    assert ending(one, ["false"], 60) == "killed"
    assert ending(one, [f"sleep 600 & echo $! > {shlex.quote(str(child))}; wait"], 1) == "endless"
    found = Path(f"/proc/{child.read_text().strip()}/stat")
    while found.exists() and found.read_text().split()[2] != "Z":
        time.sleep(0.01)
    assert path.read_text() == PYTHON
