"""Does one strategy win more than another? See `scripts.contest.match`."""

from minesweeper.scripts.contest.match import main

if __name__ == "__main__":
    main()
