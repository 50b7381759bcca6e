"""Minesweeper puzzles and players: see `minesweeper.player`, `minesweeper.db` and `minesweeper.generator`."""
