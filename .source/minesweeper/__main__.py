"""`python -m minesweeper` runs the command `minesweeper`."""

from minesweeper.scripts.main import run

if __name__ == "__main__":
    run()
