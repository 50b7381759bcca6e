"""The commands of the protocol: `answer`, whose figures tests/test_vectors.py checks, and `conform`."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from processes import ended

from minesweeper.player.play.judgement import judge
from minesweeper.scripts.commands.answer import main
from minesweeper.scripts.commands.conform import DOES_NOT_CONFORM, main as conform

PLAYERS = Path(__file__).parents[3] / "docs" / "examples" / "players"
VIEW = ["#121#", "#####"]


def answers(*messages: object) -> list[dict[str, Any]]:
    lines = "".join(f"{message if isinstance(message, str) else json.dumps(message)}\n" for message in messages)
    run = ended(CliRunner().invoke(main, [], input=lines))
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_judges_as_the_library_does() -> None:
    game = {"type": "game", "rows": 2, "cols": 5, "mines": 2, "seed": 0}
    found = answers(game, *({"type": "judge", "view": VIEW, "open": [cell]} for cell in ([0, 0], [1, 1])))
    text = "2x5/2\n" + "\n".join(VIEW)
    assert found == [json.loads(json.dumps(judge(text, cell).to_json())) for cell in ((0, 0), (1, 1))]
    assert [one["verdict"] for one in found] == ["certain", "known mine"]
    (own,) = answers({"type": "judge", "view": ["#1####"], "mines": 2, "open": [[0, 0]]})
    assert own["verdict"] == "forced guess"


def test_a_wrong_message_has_an_error_and_the_next_one_an_answer() -> None:
    good = {"type": "judge", "view": VIEW, "mines": 2, "open": [[0, 0]]}
    wrong = [
        "[1", "7", {}, {"type": "jugde"}, {**good, "mines": None}, {**good, "view": "##"}, {**good, "open": 3},
        {**good, "open": [[0, True]]}, {**good, "open": []}, {**good, "open": [[0, 1]]}, {**good, "view": ["#8#"]},
    ]  # fmt: skip
    *errors, last = answers(*wrong, good)
    assert [list(error) for error in errors] == [["error"]] * len(wrong)
    assert errors[1] == {"error": "the message is '7'; expected a JSON object"}
    assert last["verdict"] == "certain"


@pytest.mark.parametrize("player", [f"{sys.executable} -m minesweeper answer", f"sh {PLAYERS / 'random.sh'}"])
def test_our_players_follow_the_protocol(player: str) -> None:
    assert ended(CliRunner().invoke(conform, [f"exec:{player}"])).output.endswith("follows the protocol\n")


def test_reports_invalid_cells(tmp_path: Path) -> None:
    script = tmp_path / "wrong.sh"
    script.write_text('while read -r line; do echo \'{"plays": "moves", "open": [[0, 900]]}\'; done\n')
    run = ended(CliRunner().invoke(conform, [f"exec:sh {shlex.quote(str(script))}"]), DOES_NOT_CONFORM)
    assert "WRONG known mines: strategy exec chose" in run.output
    assert max(map(len, run.output.splitlines())) < 400, "a view of 50x60 was printed in full"
