"""The environments of Gymnasium: every step equals that of a `Game`, and the autoreset modes those of Gymnasium."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from numpy.typing import NDArray

from minesweeper.envs import GAMES, INFO, MinesweeperEnv
from minesweeper.generator.screening import screen
from minesweeper.player import View, closure, judge, probabilities
from minesweeper.player.core.game import Game, Status

pytestmark = [pytest.mark.kernel, pytest.mark.filterwarnings("error")]

NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED
make: Callable[..., Any] = gymnasium.make
make_vec: Callable[..., Any] = gymnasium.make_vec


@pytest.mark.parametrize("name", ["-Beginner", "-Intermediate", "-Expert", ""])
@pytest.mark.parametrize("game", GAMES)
def test_passes_the_checker_of_gymnasium(name: str, game: str) -> None:
    check_env(make(f"Minesweeper{name}-v0", render_mode="ansi", game=game).unwrapped)


def compare_with_games(steps: int, envs: int, mode: AutoresetMode, seed: int, **settings: Any) -> None:
    """Take random steps in environments and in a `Game` for each of them; both must always agree."""
    env = make_vec("Minesweeper-v0", num_envs=envs, autoreset_mode=mode, max_episode_steps=10**6, **settings)
    observations, info = env.reset(seed=seed)
    games = [Game(env.recipe.puzzle(index)) for index in info["index"].tolist()]
    views = np.array([game.view.cells for game in games])
    over = np.zeros(envs, dtype=np.bool_)
    random = np.random.default_rng(seed)

    def restart(which: NDArray[np.bool_], earlier: NDArray[np.int64]) -> None:
        """Start the games that the environment started, which follow the earlier ones."""
        assert np.array_equal(which, info["index"] != earlier)
        assert ((info["index"][which] - earlier[which]) % envs == 0).all()
        for i in np.flatnonzero(which):
            games[i] = Game(env.recipe.puzzle(info["index"][i]))
            views[i] = games[i].view.cells

    for _ in range(steps // envs):
        actions, index = random.integers(env.single_action_space.n, size=envs), info["index"]
        if mode is DISABLED and over.any():
            observations, info = env.reset(options={"reset_mask": over})
            restart(over, index)
            index, over = info["index"], np.zeros_like(over)
        observations, rewards, terminated, truncated, info = env.step(actions)
        opened = np.zeros(envs, dtype=np.int32)
        if over.any() and mode is NEXT_STEP:
            restart(over, index)
            index = info["index"]
        for i, action in enumerate(actions.tolist()):
            if not over[i]:
                opened[i] = len(games[i].open(divmod(action, env.recipe.cols)))
                if opened[i]:
                    views[i] = games[i].view.cells
        assert not truncated.any()
        assert terminated.tolist() == [game.status is not Status.PLAYING for game in games]
        assert rewards.tolist() == [game.status is Status.WON for game in games]
        over = terminated if mode is not SAME_STEP else np.zeros_like(terminated)
        if mode is SAME_STEP and terminated.any():
            assert np.array_equal(info["final_obs"][terminated], views[terminated])
            assert np.array_equal(info["final_info"]["opened"][terminated], opened[terminated])
            assert np.array_equal(info["final_info"]["index"][terminated], index[terminated])
            restart(terminated, index)
            opened[terminated] = 0
        assert np.array_equal(observations, views)
        assert np.array_equal(info["opened"], opened)
        assert np.array_equal(info["action_mask"], views.reshape(envs, -1) < 0)
        assert env.observation_space.dtype == observations.dtype


SETTINGS: list[dict[str, Any]] = [
    {"board": "9x9/10"},
    {"board": "16x16/40", "start": "safe", "click": "random"},
    {"board": "16x30/99", "click": (0, 29), "game": "no-guess"},
    {"board": "3x2/1", "start": "safe", "click": "corner"},
    {"board": "1x9/2", "start": "safe"},
    {"board": "7x70/60", "game": "no-guess", "start": "safe"},
]


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_random_steps_equal_those_of_games(mode: AutoresetMode, settings: dict[str, Any]) -> None:
    compare_with_games(400, 8, mode, 7, **settings)


@pytest.mark.long
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_million_random_steps_equal_those_of_games(settings: dict[str, Any]) -> None:
    for seed, mode in enumerate(AutoresetMode):
        compare_with_games(1_000_000 // len(SETTINGS) // 3 + 100, 100, mode, seed, **settings)


def same(left: Any, right: Any) -> bool:
    """Compare results of two environments, nested in dictionaries and arrays of objects."""
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, tuple | list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(right, np.ndarray) and right.dtype == object:
        return all(b is None or same(a, b) for a, b in zip(left, right, strict=True))
    left, right = np.asarray(left), np.asarray(right)
    return np.array_equal(left, right, equal_nan=left.dtype.kind == right.dtype.kind == "f")


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_vectorized_environment_equals_that_of_gymnasium(mode: AutoresetMode) -> None:
    settings = {"board": "5x5/3", "max_episode_steps": 3, "info": INFO, "rewards": {"needless guess": -2}}
    theirs: Any = SyncVectorEnv([partial(make, "Minesweeper-v0", **settings)], autoreset_mode=mode)
    ours = make_vec("Minesweeper-v0", autoreset_mode=mode, **settings)
    assert (ours.observation_space, ours.action_space) == (theirs.observation_space, theirs.action_space)
    assert same(shown(ours.reset(seed=7)), shown(theirs.reset(seed=7)))
    ends = set()
    for action in np.random.default_rng(7).integers(25, size=200):
        results = [env.step(np.array([action])) for env in (ours, theirs)]
        assert same(*map(shown, results))
        _, (reward,), (terminated,), (truncated,), _ = results[0]
        ends.add((reward, terminated, truncated))
        if mode is DISABLED and (terminated or truncated):
            assert same(*(shown(env.reset(options={"reset_mask": np.array([True])})) for env in (ours, theirs)))
    assert {(1, True, False), (0, True, False), (-2, True, False), (0, False, True)} <= ends


def shown(results: tuple[Any, ...]) -> tuple[Any, ...]:
    """Leave out the masks of ``info``: an absent mask and one that is all True have the same meaning."""

    def without_masks(info: dict[str, Any]) -> dict[str, Any]:
        return {
            key: without_masks(value) if isinstance(value, dict) else value
            for key, value in info.items()
            if not key.startswith("_")
        }

    return (*results[:-1], without_masks(results[-1]))


@pytest.mark.parametrize("game", GAMES)
def test_infos_and_rewards_equal_those_of_single_views(game: str) -> None:
    bonus = {"certain": 0.25, "forced guess": -0.5, "known mine": -2}
    settings = {"board": "5x6/7", "start": "safe", "game": game, "info": INFO, "rewards": bonus}
    envs = make_vec("Minesweeper-v0", num_envs=4, autoreset_mode=DISABLED, **settings)
    views, info = envs.reset(seed=7)
    met = set()
    for actions in np.random.default_rng(7).integers(30, size=(60, 4)):
        before = views
        views, rewards, over, _, info = envs.step(actions)
        for i, action in enumerate(actions.tolist()):
            cell, view = divmod(action, 6), View(views[i], 7)
            verdict = judge(View(before[i], 7), cell).verdict if before[i][cell] < 0 else ""
            assert (info["verdict"][i], info["safe_map"][i].tolist()) == (verdict, closure(view).safe_map.tolist())
            np.testing.assert_allclose(info["chances"][i], probabilities(view).chances, atol=1e-12)
            won = over[i] and np.count_nonzero(views[i] < 0) == 7 and not same(before, views)
            assert rewards[i] == won + bonus.get(verdict, 0)
            met.add((verdict, bool(over[i] and not won)))
        if over.any():
            views, _ = envs.reset(options={"reset_mask": over})
    assert {("", False), ("certain", False), ("needless guess", True), ("known mine", True)} <= met
    assert ("certain", True) not in met
    assert ("needless guess", False) in met


def test_no_guess_games_are_those_that_logic_solves() -> None:
    env = make("Minesweeper-Intermediate-v0", game="no-guess", start="safe", click="corner").unwrapped
    indices = [env.reset(seed=7 if number == 0 else None)[1]["index"] for number in range(30)]
    solvable = [screen(env.recipe.puzzle(index)).solved for index in range(indices[-1] + 1)]
    assert indices == np.flatnonzero(solvable).tolist()


def test_seeds_and_indices_reproduce_games() -> None:
    env = make("Minesweeper-Beginner-v0")
    games = [env.reset(seed=7)[0], *(env.reset()[0] for _ in range(4))]
    env.reset(seed=8)
    observation, info = env.reset(seed=7, options={"index": 3})
    assert same([observation, info["index"]], [games[3], 3])
    assert same(env.reset()[0], games[4])
    assert not same(env.reset(seed=8)[0], games[0])
    vector = make_vec("Minesweeper-Beginner-v0", num_envs=5)
    assert same(vector.reset(seed=7)[0], games)
    observations, info = vector.reset(options={"index": 2})
    assert same(observations[:3], games[2:])
    assert info["index"].tolist() == [2, 3, 4, 5, 6]
    # Without a seed, the games of two environments differ.
    assert not same(*(make_vec("Minesweeper-Expert-v0", num_envs=9).reset()[0] for _ in range(2)))


def test_action_masks_are_those_of_the_info() -> None:
    env = make("Minesweeper-v0", board="9x9/10")
    _, info = env.reset(seed=7)
    masks = env.unwrapped.action_masks()  # type: ignore[attr-defined]
    assert masks.dtype == bool
    assert masks.tolist() == info["action_mask"].astype(bool).tolist()


def test_renders_the_view_as_text() -> None:
    env = make("Minesweeper-v0", board="2x3/2", start="safe", click=(0, 0), render_mode="ansi")
    env.reset(seed=7)
    head, *rows = env.render().splitlines()
    assert (head, len(rows), rows[0][0] in "012", rows[0][1:]) == ("2x3/2", 2, True, "##")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"board": "expret"}, "unknown preset 'expret' .*did you mean 'expert'"),
        ({"board": "9x9/80"}, "do not fit 9x9"),
        ({"board": "9x9/10", "game": "noguess"}, "unknown game 'noguess'.*did you mean 'no-guess'"),
        ({"info": ["chance"]}, "unknown info 'chance'.*did you mean 'chances'"),
        ({"rewards": {"sure": 1}}, "unknown verdict 'sure'; expected first click, certain"),
        ({"rewards": {"needless gues": 1}}, "unknown verdict 'needless gues'.*did you mean 'needless guess'"),
        ({"click": "middle"}, "unknown first click 'middle'"),
        ({"start": "open"}, "unknown start rule 'open'"),
        ({"board": "3x3/0"}, "no game that its first click does not win"),
        ({"board": "2x2/1", "start": "safe", "game": "no-guess", "click": (0, 0)}, "^no no-guess game"),
    ],
)
def test_impossible_games_are_refused(settings: dict[str, Any], message: str) -> None:
    for create in (make, make_vec):
        with pytest.raises(ValueError, match=message):
            create("Minesweeper-v0", **settings).reset(seed=7)


def test_names_the_missing_extra() -> None:
    program = "import sys; sys.modules['gymnasium'] = None; import minesweeper.envs"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert result.stderr.splitlines()[-1].endswith("need gymnasium: pip install 'minesweeper-toolkit[gym]'")


@pytest.mark.parametrize("game", GAMES)
def test_bad_actions_are_refused(game: str) -> None:
    env = make("Minesweeper-Beginner-v0", game=game).unwrapped
    vector = make_vec("Minesweeper-Beginner-v0", num_envs=2, game=game)
    for one, actions in ((env, 1), (vector, [1, 2])):
        with pytest.raises(gymnasium.error.ResetNeeded, match="call reset before step"):
            one.step(actions)
    env.reset(seed=7)
    vector.reset(seed=7)
    for action in (81, -1):
        with pytest.raises(ValueError, match=f"invalid {action}; expected actions from 0 to 80"):
            env.step(action)
    with pytest.raises(TypeError):
        env.step(1.5)
    for actions in ([1], [[1, 2]], [1.0, 2.0], 1):
        with pytest.raises(ValueError, match="expected 2 integers"):
            vector.step(actions)
    for options in ({"reset_mask": [True, False]}, {"index": -1}, {"index": "a"}):
        with pytest.raises(ValueError, match="invalid"):
            vector.reset(options=options)
    with pytest.raises(ValueError, match="no seed and no index"):
        vector.reset(seed=7, options={"reset_mask": np.array([True, False])})
    with pytest.raises(ValueError, match="expected 1 to 100000"):
        make_vec("Minesweeper-Beginner-v0", num_envs=100_001)
    with pytest.raises(ValueError, match="invalid max_episode_steps 0"):
        make_vec("Minesweeper-Beginner-v0", max_episode_steps=0)


def test_actions_on_open_cells_use_up_a_game() -> None:
    # The game of a policy that repeats its action never ended.
    env = MinesweeperEnv("5x5/3")
    env.reset(seed=1)
    ends = [env.step(12)[2:4] for _ in range(25)]
    assert ends == [(False, False)] * 24 + [(False, True)]
    env.reset()
    assert env.step(12)[2:4] == (False, False)


def test_a_vector_of_games_ends_for_a_policy_that_repeats_itself() -> None:
    envs = make_vec("Minesweeper-v0", board="5x5/3", num_envs=2, autoreset_mode=SAME_STEP)
    envs.reset(seed=1)
    ends = [envs.step(np.array([12, 12]))[3].tolist() for _ in range(50)]
    assert [step for step, over in enumerate(ends, 1) if any(over)] == [25, 50]


@pytest.mark.parametrize(("name", "cells"), [("-Beginner", 81), ("-Intermediate", 256), ("-Expert", 480), ("", None)])
def test_the_specs_limit_the_steps_to_the_number_of_cells(name: str, cells: int | None) -> None:
    env = make(f"Minesweeper{name}-v0")
    assert env.spec.max_episode_steps == cells
    assert env.action_space.n == cells or cells is None


@pytest.mark.parametrize("duplicate", [deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
@pytest.mark.parametrize("game", GAMES)
def test_a_copy_goes_on_with_the_same_game(game: str, duplicate: Callable[[Any], Any]) -> None:
    env = make("Minesweeper-v0", board="6x6/6", game=game, info=INFO)
    random = np.random.default_rng(1)
    assert same(duplicate(env).reset(seed=3), env.reset(seed=3))
    over = 0
    for _ in range(60):
        action = int(random.integers(36))
        copied = duplicate(env)
        results = [one.step(action) for one in (copied, env)]
        assert same(*results)
        if results[0][2] or results[0][3]:
            over += 1
            assert same(copied.reset(), env.reset())
    assert over > 2
    envs = make_vec("Minesweeper-v0", board="6x6/6", num_envs=5, game=game)
    envs.reset(seed=4)
    for _ in range(20):
        actions = random.integers(36, size=5)
        assert same(duplicate(envs).step(actions), envs.step(actions))


def test_a_picture_has_a_square_for_each_cell() -> None:
    env = gymnasium.make("Minesweeper-v0", board="5x6/3", render_mode="rgb_array")
    view, _ = env.reset(seed=1)
    picture: Any = env.render()
    assert picture.shape == (80, 96, 3)
    assert picture.dtype == np.uint8
    colours = {tuple(picture[16 * row + 5, 16 * col + 5]): view[row, col] for row in range(5) for col in range(6)}
    assert len(colours) == len(np.unique(view))


def test_the_known_cells_of_a_torus_are_those_of_its_grid() -> None:
    env = MinesweeperEnv("6x6/5 torus", info=["safe_map"])
    for seed in range(5):
        view, info = env.reset(seed=seed)
        assert (info["safe_map"] == closure(View(view, 5, "torus")).safe_map).all()
