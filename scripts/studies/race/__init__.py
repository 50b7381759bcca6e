"""The race of the Gem Hunter algorithms."""
