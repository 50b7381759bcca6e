"""Every public name of ``import minesweeper as ms`` has an example in its docstring, with the right output."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import minesweeper

CONSTANTS = {"Cell", "HIDDEN", "__version__"}
"""Names without a docstring of their own."""


@pytest.mark.parametrize("name", sorted(set(minesweeper.__all__) - CONSTANTS))
def test_examples_show_their_output(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestFinder().find(getattr(minesweeper, name), name, globs={"ms": minesweeper})
    own = next((test for test in examples if test.name == name), None)
    assert own is not None
    assert own.examples, f"the docstring of {name} has no example"
    report: list[str] = []
    failed = [doctest.DocTestRunner().run(test, out=report.append).failed for test in examples]
    assert not any(failed), "".join(report)
