"""Race our engines against other programs: see `scripts.speed.engines`."""

from minesweeper.scripts.speed.engines import main

if __name__ == "__main__":
    main()
