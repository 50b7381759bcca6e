"""Keep puzzles, games and their statistics in SQLite, and share them as packs."""
