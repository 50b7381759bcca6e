"""Build the reference of the toolkit as a site. See `scripts.docs.reference`."""

from minesweeper.scripts.docs.reference import main

if __name__ == "__main__":
    main()
