"""Drawings of positions and probabilities for a terminal."""
