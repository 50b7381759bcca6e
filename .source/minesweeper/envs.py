"""Registration of the environments for Gymnasium: see `minesweeper.player.play.envs`."""

from minesweeper.player.play.envs import (
    GAMES as GAMES,
    INFO as INFO,
    MinesweeperEnv as MinesweeperEnv,
    MinesweeperVectorEnv as MinesweeperVectorEnv,
)
