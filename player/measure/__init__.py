"""Facts of a puzzle: 3BV and its kin, clues at once, difficulty."""
