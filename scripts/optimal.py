"""The best play on small boards: see `scripts.studies.optimum`."""

from minesweeper.scripts.studies.optimum import main

if __name__ == "__main__":
    main()
