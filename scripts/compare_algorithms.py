"""Race the algorithms of Gem Hunter: see `scripts.studies.race`."""

from minesweeper.scripts.studies.race import main

if __name__ == "__main__":
    main()
