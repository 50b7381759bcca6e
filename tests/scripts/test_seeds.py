"""Seeds: without one, two runs differ, or the default is 0 and documented."""

from pathlib import Path

import gymnasium
import pytest
from click.testing import CliRunner
from processes import ended

import minesweeper as ms
import minesweeper.envs
from minesweeper.scripts import commands


def output(*arguments: str) -> str:
    return ended(CliRunner().invoke(commands.main, arguments, prog_name="minesweeper")).output


@pytest.mark.parametrize(
    "command",
    [
        "generate --board 9x9/10 --count 1 --db {} --workers 1",
        "autoplay --board 16x16/40 --games 1 --json --workers 1",
        "gemhunter generate --size 12x12 --traps 30",
    ],
)
def test_commands_without_a_seed_draw_one(command: str, folder: Path, tmp_path: Path) -> None:
    runs = [output(*(word.format(tmp_path / f"{run}.db") for word in command.split())) for run in range(3)]
    if command.startswith("generate"):
        runs = [output("packs", "list", "--db", f"{tmp_path / f'{run}.db'}") for run in range(3)]
    assert len(set(runs)) == 3


@pytest.mark.parametrize("command", ["leaderboard", "match", "gain", "optimal", "tasks", "positions"])
def test_commands_that_compare_boards_say_that_their_seed_is_0(command: str) -> None:
    _, _, seed = output(command, "--help").partition("--seed N ")
    assert "[default: 0" in seed.partition("\n  --")[0]


def test_kaboom_without_a_seed_always_had_the_seed_0() -> None:
    seeds = {ms.Kaboom("9x9/10").seed for _ in range(3)}
    assert len(seeds) == 3


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
@pytest.mark.parametrize("name", [name for name in gymnasium.registry if name.startswith("Minesweeper")])
def test_environments_without_a_seed_play_other_games(make: object, name: str) -> None:
    assert callable(make)
    seeds = set()
    for _ in range(3):
        env = make(name)
        env.reset()
        seeds.add(env.unwrapped.recipe.seed)
        env.close()
    assert len(seeds) == 3
