"""Win rates against mine density: see `scripts.studies.density`."""

from minesweeper.scripts.studies.density.study import main

if __name__ == "__main__":
    main()
