"""Gem Hunter: a static grid of clues and unknown cells, where every unknown cell hides a trap or a gem.

A clue counts the traps around it; the number of traps is not given. `text` reads and writes puzzles, `puzzle` splits
them into independent parts, four algorithms with one interface solve the parts, and `solving` combines their solutions.
"""
