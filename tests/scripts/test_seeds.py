"""Seeds: without one, two runs differ, or the default is 0 and documented."""

from pathlib import Path

import gymnasium
import pytest
from click.testing import CliRunner
from processes import ended
from starlette.testclient import TestClient

import minesweeper as ms
import minesweeper.envs
from minesweeper.scripts import commands
from minesweeper.scripts.web.app import create_app
from minesweeper.scripts.web.settings import Settings


def output(*arguments: str) -> str:
    return ended(CliRunner().invoke(commands.main, arguments, prog_name="minesweeper")).output


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database of 100 puzzles."""
    database = tmp_path_factory.mktemp("stored") / "stored.db"
    output(*f"generate --board 9x9/10 --count 100 --seed 1 --workers 1 --db {database}".split())
    return database


@pytest.mark.parametrize(
    "command",
    [
        "generate --board 9x9/10 --count 1 --db {new} --workers 1",
        "autoplay --board 16x16/40 --games 1 --json --workers 1",
        "autoplay --from {view} --json --workers 1",
        "packs list --random --csv --db {stored}",
        "packs export - --random --db {stored}",
        "gemhunter generate --size 12x12 --traps 30",
    ],
)
def test_commands_without_a_seed_draw_one(command: str, stored: Path, folder: Path) -> None:
    (folder / "view.txt").write_text("16x30/99\n" + f"{'#' * 30}\n" * 16)
    runs = []
    for run in range(3):
        new = f"{run}.db"
        runs.append(output(*command.format(new=new, stored=stored, view="view.txt").split()))
        if "{new}" in command:
            runs[-1] = output("packs", "list", "--db", new)
    assert len(set(runs)) == 3


@pytest.mark.parametrize("command", ["leaderboard", "match", "gain", "optimal", "tasks", "positions"])
def test_commands_that_compare_boards_say_that_their_seed_is_0(command: str) -> None:
    _, _, seed = output(command, "--help").partition("--seed N ")
    assert "[default: 0" in seed.partition("\n  --")[0]


def test_a_deal_without_a_seed_draws_one() -> None:
    assert len({ms.deal("expert").id for _ in range(3)}) == 3


def test_the_server_offers_any_of_its_puzzles(stored: Path) -> None:
    with TestClient(create_app(Settings(database=stored)), base_url="http://127.0.0.1") as client:
        puzzles = {client.get("/api/puzzle").json()["id"] for _ in range(12)}
    assert len(puzzles) > 1


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
