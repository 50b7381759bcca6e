"""Measure the page in a browser: see `scripts.speed.page`."""

from minesweeper.scripts.speed.page import main

if __name__ == "__main__":
    main()
