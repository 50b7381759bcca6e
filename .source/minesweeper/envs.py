"""Registration of the environments for Gymnasium: see `minesweeper.player.envs`."""

from minesweeper.player.envs import MinesweeperEnv as MinesweeperEnv, MinesweeperVectorEnv as MinesweeperVectorEnv
