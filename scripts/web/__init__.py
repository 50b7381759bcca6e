"""The play page: a server that holds the truth, and plain ES modules that show what the player may see."""
