"""The command `packs`: puzzles listed, shown, shared and checked."""
