"""Rank strategies on the same boards: see `scripts.contest.leaderboard`."""

from minesweeper.scripts.contest.leaderboard import main

if __name__ == "__main__":
    main()
