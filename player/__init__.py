"""Play, solve and explain Minesweeper."""
