"""The commands that installation puts on the path."""
