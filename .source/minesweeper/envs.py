"""Registration of the environments for Gymnasium: see `minesweeper.player.envs`."""

from minesweeper.player.envs import (
    GAMES as GAMES,
    INFO as INFO,
    MinesweeperEnv as MinesweeperEnv,
    MinesweeperVectorEnv as MinesweeperVectorEnv,
)
