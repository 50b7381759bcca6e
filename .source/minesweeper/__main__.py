"""`python -m minesweeper` runs the command `minesweeper`."""

from minesweeper_toolkit import run

if __name__ == "__main__":
    run()
