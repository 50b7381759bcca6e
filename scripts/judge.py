"""How much stronger is one strategy than another? See `scripts.contest.judge`."""

from minesweeper.scripts.contest.judge import main

if __name__ == "__main__":
    main()
