"""The command `minesweeper leaderboard` as a program of the checkout."""

from __future__ import annotations

from minesweeper.scripts.commands.leaderboard import main

if __name__ == "__main__":
    main()
