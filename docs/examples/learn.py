"""Learn Minesweeper from scratch with NumPy.

A network predicts the chance of a mine in each hidden cell from the 7x7 cells around it, and the agent opens the cell
with the smallest one. It learns from the positions of its own games and their mines, which a player sees in the end.
"""

from __future__ import annotations

import argparse
import itertools
import time

import gymnasium
import numpy as np

import minesweeper as ms
import minesweeper.envs
from minesweeper.player.play.stats import wilson

BOARD, ENVS, REACH = "8x8/10", 256, 3
SIDE = 2 * REACH + 1
KINDS = 11  # of cells: off the board, hidden, 0 to 8
SIZES = (SIDE * SIDE * KINDS + 1, 128, 64, 1)
LINES = 20  # of the learning curve


class Network:
    """Layers of rectified linear units and a logistic output, trained by Adam (Kingma and Ba, 2015)."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        shapes = [(ins + 1, outs) for ins, outs in itertools.pairwise(SIZES)]
        self.weights = [random.normal(0, (2 / shape[0]) ** 0.5, shape).astype(np.float32) for shape in shapes]
        self.moments = [np.zeros((2, *shape), dtype=np.float32) for shape in shapes]
        self.updates = 0

    def values(self, inputs: np.ndarray) -> list[np.ndarray]:
        """Return the values of all layers; those of the last one are logits."""
        values = [inputs]
        for weights in self.weights:
            rectified = values[-1] if len(values) == 1 else np.maximum(values[-1], 0, out=values[-1])
            values.append(rectified @ weights[:-1] + weights[-1])
        return values

    def learn(self, values: list[np.ndarray], mines: np.ndarray, rate: float) -> None:
        """Reduce the cross entropy between the outputs and the mines."""
        self.updates += 1
        slope = (1 / (1 + np.exp(-values[-1])) - mines[:, None]) / len(mines)
        for weights, moments, inputs in zip(self.weights[::-1], self.moments[::-1], values[-2::-1], strict=True):
            gradient = np.vstack([inputs.T @ slope, slope.sum(axis=0)])
            slope = (slope @ weights[:-1].T) * (inputs > 0) if inputs is not values[0] else slope
            moments[0] += 0.1 * (gradient - moments[0])
            moments[1] += 0.001 * (gradient**2 - moments[1])
            step = rate * (1 - 0.999**self.updates) ** 0.5 / (1 - 0.9**self.updates)
            weights -= step * moments[0] / (np.sqrt(moments[1]) + 1e-8)


def encode(views: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the hidden cells beside open ones as a mask, and an input of the network for each of them."""
    padded = np.pad(views + 2, ((0, 0), (REACH, REACH), (REACH, REACH)))
    around = np.lib.stride_tricks.sliding_window_view(padded, (SIDE, SIDE), axis=(1, 2))
    beside = around[..., REACH - 1 : REACH + 2, REACH - 1 : REACH + 2].max(axis=(3, 4)) > 1
    cells = (views == -1) & beside
    kinds = np.eye(KINDS, dtype=np.float32)[around[cells]].reshape(cells.sum(), -1)
    hidden = (views == -1).mean(axis=(1, 2), dtype=np.float32)[np.nonzero(cells)[0]]
    return cells, np.column_stack([kinds, hidden])


def safest(cells: np.ndarray, logits: np.ndarray) -> np.ndarray:
    """Return the action of each game: the cell with the smallest predicted chance of a mine."""
    chances = np.full(cells.shape, np.inf, dtype=np.float32)
    chances[cells] = logits[:, 0]
    return chances.reshape(len(cells), -1).argmin(axis=1)


def train(minutes: float, seed: int) -> Network:
    """Play and learn for some minutes of CPU time; print the learning curve."""
    network = Network(seed)
    envs = gymnasium.make_vec("Minesweeper-v0", num_envs=ENVS, board=BOARD, autoreset_mode="SameStep")
    views, info = envs.reset(seed=seed)
    mines, over = np.zeros(views.shape, dtype=np.float32), np.ones(ENVS, dtype=bool)
    began, games, wins, lines = time.process_time(), 0, 0, 0
    print("CPU seconds,games,won since the last line")
    while lines < LINES:
        part = (time.process_time() - began) / (60 * minutes)
        for game in np.flatnonzero(over):
            mines[game] = envs.recipe.puzzle(int(info["index"][game])).board.mine_map
        cells, inputs = encode(views)
        values = network.values(inputs)
        network.learn(values, mines[cells], rate=0.002 * max(0, 1 - part))
        views, rewards, over, _, info = envs.step(safest(cells, values[-1]))
        games, wins = games + over.sum(), wins + rewards.sum()
        if part * LINES >= lines + 1:
            lines += 1
            print(f"{time.process_time() - began:.0f},{games},{wins / games:.1%}", flush=True)
            games = wins = 0
    return network


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5, help="CPU time of the training")
    parser.add_argument("--games", type=int, default=4000, help="games of the comparison")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    network = train(options.minutes, options.seed)

    envs = gymnasium.make_vec("Minesweeper-v0", num_envs=options.games, board=BOARD, max_episode_steps=64)
    random = np.random.default_rng(options.seed)
    for name in ("random cells", "this agent"):
        views, info = envs.reset(seed=options.seed + 1)
        index, playing, wins = info["index"], np.ones(options.games, dtype=bool), 0
        while playing.any():
            if name == "this agent":
                cells, inputs = encode(views)
                actions = safest(cells, network.values(inputs)[-1])
            else:
                actions = (random.random(info["action_mask"].shape) * info["action_mask"]).argmax(axis=1)
            views, rewards, over, _, info = envs.step(actions)
            wins += int(rewards[playing].sum())
            playing &= ~over
        print(f"{name}: {wilson(wins, options.games).in_percent()}")
    puzzles = [envs.recipe.puzzle(int(number)) for number in index]
    for name in ("random", "safest", "champion"):
        wins = sum(result.won for result in ms.play_many(puzzles, len(puzzles), name))
        print(f"logic and {name}: {wilson(wins, options.games).in_percent()}")


if __name__ == "__main__":
    main()
