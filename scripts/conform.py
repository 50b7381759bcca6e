"""Does a program keep to the protocol of players? See `scripts.contest.conform`."""

from minesweeper.scripts.contest.conform import main

if __name__ == "__main__":
    main()
