"""Watch memory over a million puzzles and games: see `scripts.speed.soak`."""

from minesweeper.scripts.speed.soak import main

if __name__ == "__main__":
    main()
