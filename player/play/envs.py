"""Environments of Gymnasium for learning agents: ``import minesweeper.envs`` registers them.

Example:

    import gymnasium
    import minesweeper.envs

    env = gymnasium.make("Minesweeper-Expert-v0")
    envs = gymnasium.make_vec("Minesweeper-v0", num_envs=1024, board="8x8/10")

The ids are ``Minesweeper-Beginner-v0``, ``Minesweeper-Intermediate-v0``, ``Minesweeper-Expert-v0`` and
``Minesweeper-v0`` for a board of any size. An observation is a view, an action opens a cell, and the reward is 1 for
the click that wins and 0 for all others, so the mean return is the win rate. Needs gymnasium and the kernel.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from operator import index as as_index
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from minesweeper.player.core.board import HIDDEN, View
from minesweeper.player.core.errors import BoardError, did_you_mean
from minesweeper.player.core.grid import CellLike
from minesweeper.player.core.limits import check_cells
from minesweeper.player.core.recipe import MAX_SEED, Recipe, RuleName
from minesweeper.player.kernel_api import kernel, native_recipe, require
from minesweeper.player.logic.bulk import solve_many
from minesweeper.player.play.judgement import Verdict

try:
    import gymnasium
    from gymnasium.spaces import Box, Discrete
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise ImportError("the environments need gymnasium: pip install 'minesweeper-toolkit[gym]'") from error

GAMES: Final = ("classic", "no-guess")
INFO: Final = ("chances", "safe_map", "verdict")
MOST_ENVS: Final = 100_000

_PLAYING, _WON, _LOST = range(3)
_VERDICT_TYPE: Final = f"U{max(map(len, Verdict))}"

Observation = NDArray[np.int8]
Info = dict[str, Any]


_PIXELS: Final = 16
_COLOURS: Final = np.array(
    [(110, 110, 110), (235, 235, 235), *((235 - 24 * clue, 235 - 12 * clue, 255) for clue in range(1, 9))],
    dtype=np.uint8,
)
"""The colours of a hidden cell, a zero and the clues 1 to 8."""


class Games:
    """Many games of one size, played at once by single clicks.

    `views` is an array of int8 with a first axis for the game, each as `View.cells`; the other arrays have n elements.
    `statuses` are 0 (playing), 1 (won) or 2 (lost), `indices` the indices of the puzzles in the recipe, and `opened`
    the numbers of cells that the last `open` opened. The methods change the arrays. Copies and pickles go on with the
    same games.
    """

    def __init__(self, recipe: Recipe, count: int) -> None:
        check_cells(recipe.grid.shape, "games")
        self._count, self._recipe, self._no_guess = count, recipe, False
        self.views: NDArray[np.int8] = np.full((count, *recipe.grid.shape), -1, dtype=np.int8)
        self.statuses = np.zeros(count, dtype=np.uint8)
        self.indices = np.zeros(count, dtype=np.int64)
        self.opened = np.zeros(count, dtype=np.int32)
        self._games = kernel.Games(native_recipe(recipe), count)

    def start(self, recipe: Recipe, which: NDArray[np.bool_], *, no_guess: bool = False) -> bool:
        """Start the games marked in `which`, an array of n elements, with puzzles of a recipe of the same size.

        The first click is made. Game i gets the puzzle ``indices[i]``, or the first one of ``indices[i] + n``,
        ``indices[i] + 2 * n``, ... if its first click wins or, with `no_guess`, logic does not solve it.

        :returns: False if 1,000,000 puzzles in a row are such
        """
        self._recipe, self._no_guess = recipe, no_guess
        return self._games.start(native_recipe(recipe), no_guess, which, self.indices, self.views, self.statuses)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_games"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        recipe, every = native_recipe(self._recipe), np.ones(self._count, dtype=np.bool_)
        self._games = kernel.Games(recipe, self._count)
        # The kernel has the mines only, those of the puzzles with these indices.
        others = self.indices.copy(), self.views.copy(), self.statuses.copy()
        self._games.start(recipe, self._no_guess, every, *others)

    def open(self, actions: NDArray[np.int64]) -> None:
        """Open cell ``actions[i]``, a number from 0 to ``rows * cols - 1``, in each game i that is not over.

        Does nothing for an open cell. Opening a mine loses the game. Raises `ValueError` for another number.
        """
        self._games.open(actions, self.views, self.statuses, self.opened)


class _Batch:
    """The games of an environment: puzzles of one recipe, each started when the one before it is over."""

    def __init__(
        self,
        count: int,
        board: str,
        click: CellLike | str,
        start: RuleName,
        game: str,
        info: Collection[str],
        rewards: Mapping[str, float] | None,
    ) -> None:
        require("an environment")
        _check_name("game", game, GAMES)
        for name in info:
            _check_name("info", name, INFO)
        for name in rewards or ():
            _check_name("verdict", name, tuple(Verdict))
        self._make_recipe = partial(Recipe, board, click=click, rule=start)
        self._no_guess = game == "no-guess"
        self.recipe = self._make_recipe()
        self.games = Games(self.recipe, count)
        self._info = {*info, *(["verdict"] if rewards else [])}
        self._rewards = rewards or {}
        self._started = False
        shape = self.games.views.shape
        self._unsolved = np.ones(count, dtype=np.bool_)
        self._safe_map, self._mine_map = np.zeros((2, *shape), dtype=np.bool_)
        self._chances = np.zeros(shape if "chances" in self._info else 0)
        self._verdicts = np.full(count, "", dtype=_VERDICT_TYPE)

    @property
    def cells(self) -> int:
        return self.recipe.rows * self.recipe.cols

    def reset(self, random: np.random.Generator, seed: int | None, index: int | None, which: NDArray[np.bool_]) -> None:
        """Start the next game wherever `which` is True, or with a seed or an index, and at first, games from there."""
        if seed is None and index is None and self._started:
            self.start(which)
            return
        if not (index is None or (isinstance(index, int | np.integer) and 0 <= index <= MAX_SEED // 2)):
            raise ValueError(f"invalid index {index!r}; expected a number from 0 to {MAX_SEED // 2}")
        if seed is None and not self._started:
            seed = int(random.integers(MAX_SEED, endpoint=True))
        if seed is not None:
            self.recipe = self._make_recipe(seed=seed)
        self._started = True
        self.games.indices[:] = np.arange(len(which)) + (index or 0)
        self._start(np.ones_like(which))

    def start(self, which: NDArray[np.bool_]) -> None:
        """Start the next game wherever `which` is True."""
        self.games.indices[which] += len(which)
        self._start(which)

    def _start(self, which: NDArray[np.bool_]) -> None:
        if not self.games.start(self.recipe, which, no_guess=self._no_guess):
            kind = "no-guess game" if self._no_guess else "game that its first click does not win"
            raise BoardError(f"no {kind} in many boards of {self.recipe.title}; expected another number of mines")
        self.games.opened[which] = 0
        self._unsolved |= which
        self._verdicts[which] = ""

    def open(self, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        """Open a cell in each game that is not over, and return the rewards."""
        if not self._started:
            raise gymnasium.error.ResetNeeded("no game has started; call reset before step")
        if "verdict" in self._info:
            self._solve()
            self._verdicts = self._judge(actions)
        self.games.open(actions)
        changed = self.games.opened > 0
        rewards: NDArray[np.float64] = (changed & (self.games.statuses == _WON)).astype(np.float64)
        if self._info:
            self._unsolved |= changed
        for verdict, reward in self._rewards.items():
            rewards[self._verdicts == verdict] += reward
        return rewards

    def _judge(self, actions: NDArray[np.int64]) -> NDArray[np.str_]:
        which = np.arange(len(actions)), *np.divmod(actions, self.recipe.cols)
        guess = np.where(self._safe_map.any(axis=(1, 2)), Verdict.NEEDLESS, Verdict.FORCED)
        verdicts = np.where(
            self._safe_map[which], Verdict.CERTAIN, np.where(self._mine_map[which], Verdict.MINE, guess)
        )
        judged = (self.games.statuses == _PLAYING) & (self.games.views[which] == HIDDEN)
        return np.where(judged, verdicts, "").astype(_VERDICT_TYPE)

    def _solve(self) -> None:
        """Update the maps of the views that changed."""
        which = self._unsolved
        if which.any():
            solved = solve_many(
                self.games.views[which], self.recipe.mines, chances="chances" in self._info, grid=self.recipe.grid
            )
            self._safe_map[which], self._mine_map[which] = solved.safe_map, solved.mine_map
            if solved.chances is not None:
                self._chances[which] = solved.chances
            self._unsolved = np.zeros_like(which)

    def info(self) -> Info:
        """Return the ``info`` of `MinesweeperEnv` for all games."""
        mask = (self.games.views == HIDDEN).view(np.int8).reshape(-1, self.cells)
        found = {"index": self.games.indices.copy(), "opened": self.games.opened.copy(), "action_mask": mask}
        if self._info:
            self._solve()
            known = {"chances": self._chances, "safe_map": self._safe_map, "verdict": self._verdicts}
            found |= {name: known[name].copy() for name in INFO if name in self._info}
        return found


class _Played:
    """The recipe of an environment."""

    _batch: _Batch

    @property
    def recipe(self) -> Recipe:
        """The recipe of the games; their ``info["index"]`` counts its puzzles."""
        return self._batch.recipe


class MinesweeperEnv(_Played, gymnasium.Env[Observation, np.int64]):
    """One game at a time.

    An observation is an array of int8 of the shape of the grid: -1 for a hidden cell, or a clue 0 to 8. Action
    ``row * cols + col`` opens a cell; it does nothing if the cell is open. ``info`` has the `index` of the game, the
    number of cells `opened` by the action, and `action_mask`, an array of int8 with 1 for each hidden cell.

    Game i after ``reset(seed=s)`` is puzzle i of ``env.unwrapped.recipe``, which has the seed s; its first click is
    made. Puzzles that the first click wins are skipped. ``reset(options={"index": i})`` goes to another game. A game is
    truncated after as many actions as it has cells, which only actions on open cells can use up.

    :param board: ``ROWSxCOLS/MINES`` or a preset
    :param click: the first click: a cell, ``"center"``, ``"corner"`` or ``"random"``
    :param start: the guarantee about it, ``"opening"`` or ``"safe"``
    :param game: ``"classic"``, or ``"no-guess"``, which skips puzzles that logic does not solve
    :param info: names of values to add to ``info``: `chances`, an array with the exact probability of a
        mine in each cell (NaN in open cells, and if the layouts cannot be counted); `safe_map`, a bool array of the
        hidden cells that are safe in every layout; `verdict` on the last action: ``certain``, ``forced guess``,
        ``needless guess``, ``known mine``, or empty if it opened nothing new
    :param rewards: numbers to add to the reward, by verdict, which also adds `verdict` to ``info``
    :param render_mode: ``"ansi"``: `render` returns the view as text; ``"rgb_array"``: as a picture, an array of uint8
        with a coloured square of 16x16 pixels for each cell
    :raises BoardError: for an impossible board or click
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        board: str = "beginner",
        *,
        click: CellLike | str = "center",
        start: RuleName = "opening",
        game: str = "classic",
        info: Collection[str] = (),
        rewards: Mapping[str, float] | None = None,
        render_mode: str | None = None,
    ) -> None:
        self._batch = _Batch(1, board, click, start, game, info, rewards)
        self.observation_space = _view_space(self.recipe)
        self.action_space = Discrete(self._batch.cells)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"unknown render mode {render_mode!r}; expected None, 'ansi' or 'rgb_array'")
        self._steps = 0
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Start the next game, or with a seed the first one of its recipe."""
        super().reset(seed=seed)
        self._batch.reset(self.np_random, seed, (options or {}).get("index"), np.ones(1, dtype=np.bool_))
        self._steps = 0
        return self._batch.games.views[0].copy(), self._info()

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, Info]:
        """Open the cell ``row * cols + col``. Raises `ValueError` for an action that is not in the action space."""
        (reward,) = self._batch.open(np.array([as_index(action)], dtype=np.int64)).tolist()
        over = bool(self._batch.games.statuses[0] != _PLAYING)
        self._steps += 1
        truncated = not over and self._steps >= self._batch.cells
        return self._batch.games.views[0].copy(), reward, over, truncated, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return an array with True for each hidden cell, as ``sb3_contrib.MaskablePPO`` needs it."""
        masks: NDArray[np.bool_] = self._batch.games.views[0].ravel() == HIDDEN
        return masks

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the view in the form of the render mode."""
        if self.render_mode is None:
            return None
        if self.render_mode == "rgb_array":
            squares: NDArray[np.uint8] = _COLOURS[self._batch.games.views[0] + 1]
            return squares.repeat(_PIXELS, axis=0).repeat(_PIXELS, axis=1)
        return View(self._batch.games.views[0], self.recipe.mines, self.recipe.grid).to_text()

    def _info(self) -> Info:
        return {key: values[0] for key, values in self._batch.info().items()}


class MinesweeperVectorEnv(_Played, VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """Many games at once, played by the kernel.

    Observations, actions and ``info`` are those of `MinesweeperEnv` with a first axis for the environments. After
    ``reset(seed=s)``, environment i of n plays the games i, i + n, i + 2n, ... of the recipe with the seed s.

    :param num_envs: 1 to 100,000
    :param autoreset_mode: as gymnasium defines it; with ``DISABLED``, ``reset(options={"reset_mask": mask})`` starts
        new games
    :param max_episode_steps: the number of actions after which a game is truncated, by default the number of cells

    The other parameters and the exceptions are those of `MinesweeperEnv`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        board: str = "beginner",
        *,
        click: CellLike | str = "center",
        start: RuleName = "opening",
        game: str = "classic",
        info: Collection[str] = (),
        rewards: Mapping[str, float] | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
    ) -> None:
        if not 1 <= num_envs <= MOST_ENVS:
            raise ValueError(f"invalid number of environments {num_envs}; expected 1 to {MOST_ENVS}")
        if max_episode_steps is not None and max_episode_steps < 1:
            raise ValueError(f"invalid max_episode_steps {max_episode_steps}; expected 1 or more, or None")
        self._batch = _Batch(num_envs, board, click, start, game, info, rewards)
        self._mode = AutoresetMode(autoreset_mode)
        self.metadata = {"autoreset_mode": self._mode}
        self.num_envs = num_envs
        self.single_observation_space = _view_space(self.recipe)
        self.single_action_space = Discrete(self._batch.cells)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._most_steps = max_episode_steps or self._batch.cells
        self._steps = np.zeros(num_envs, dtype=np.int64)
        self._over = np.zeros(num_envs, dtype=np.bool_)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Start the next game everywhere or where ``options["reset_mask"]`` is True; with a seed the first games."""
        super().reset(seed=seed)
        index = (options or {}).get("index")
        which = (options or {}).get("reset_mask", np.ones(self.num_envs, dtype=np.bool_))
        if not (isinstance(which, np.ndarray) and which.dtype == np.bool_ and which.shape == (self.num_envs,)):
            raise ValueError(f"invalid reset_mask; expected an array of {self.num_envs} bools")
        if not which.all() and (seed is not None or index is not None):
            raise ValueError("reset_mask starts the next games of some environments; expected no seed and no index")
        self._batch.reset(self.np_random, seed, index, which)
        self._clear(which)
        return self._batch.games.views.copy(), self._batch.info()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info]:
        """Open a cell in each game. Raises `ValueError` for actions that are not in the action space."""
        games, ended = self._batch.games, self._over
        if self._mode is AutoresetMode.DISABLED and ended.any():
            raise ValueError(f"game {np.argmax(ended)} is over; expected a reset with a reset_mask first")
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or not np.issubdtype(actions.dtype, np.integer):
            raise ValueError(f"actions of shape {actions.shape} and {actions.dtype}; expected {self.num_envs} integers")
        games.statuses[ended] = _LOST  # a truncated game, too, ignores this action
        rewards = self._batch.open(np.ascontiguousarray(actions, dtype=np.int64))
        self._steps += 1
        if self._mode is AutoresetMode.NEXT_STEP and ended.any():
            self._batch.start(ended)
            self._clear(ended)
        terminated = games.statuses != _PLAYING
        truncated = self._steps >= self._most_steps
        self._over = terminated | truncated
        final: Info = {}
        if self._mode is AutoresetMode.SAME_STEP and self._over.any():
            final = {"final_obs": games.views.copy(), "final_info": self._batch.info(), "_final_info": self._over}
            final["_final_obs"] = self._over
            self._batch.start(self._over)
            self._clear(self._over)
        return games.views.copy(), rewards, terminated, truncated, self._batch.info() | final

    def _clear(self, which: NDArray[np.bool_]) -> None:
        self._steps[which] = 0
        self._over = self._over & ~which


def _check_name(kind: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise ValueError(f"unknown {kind} {name!r}{did_you_mean(name, known)}; expected {', '.join(known)}")


def _view_space(recipe: Recipe) -> gymnasium.Space[Observation]:
    return cast("gymnasium.Space[Observation]", Box(HIDDEN, 8, (recipe.rows, recipe.cols), np.int8))


_CELLS: Final = {"": None, "-Beginner": 81, "-Intermediate": 256, "-Expert": 480}
for _id, _most_steps in _CELLS.items():
    gymnasium.register(
        f"Minesweeper{_id}-v0",
        f"{__name__}:MinesweeperEnv",
        max_episode_steps=_most_steps,
        vector_entry_point=f"{__name__}:MinesweeperVectorEnv",
        kwargs={"board": _id.removeprefix("-")} if _id else {},
    )
