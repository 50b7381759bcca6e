"""Make a board when the player clicks."""

import minesweeper as ms

puzzle = ms.deal("16x30/99", click=(3, 20), seed=7)  # without a seed, another board each time
for row in puzzle.board.mine_map:
    print("".join("*" if mine else "." for mine in row))
