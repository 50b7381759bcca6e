"""Positions as a terminal shows them: cells, and the chances of mines."""
