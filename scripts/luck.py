"""What is lost to luck alone: see `scripts.studies.luck`."""

from minesweeper.scripts.studies.luck import main

if __name__ == "__main__":
    main()
