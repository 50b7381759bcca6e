"""Measure a server under load: see `scripts.speed.load`."""

from minesweeper.scripts.speed.load import main

if __name__ == "__main__":
    main()
