"""With how few clicks are games won? See `scripts.studies.efficiency`."""

from minesweeper.scripts.studies.efficiency import main

if __name__ == "__main__":
    main()
