"""Draw the pictures of the README anew: see `scripts.pictures.shots`."""

from minesweeper.scripts.pictures.shots import main

if __name__ == "__main__":
    main()
