"""Measure how fast reasons are found: see `scripts.speed.reasons`."""

from minesweeper.scripts.speed.reasons import main

if __name__ == "__main__":
    main()
