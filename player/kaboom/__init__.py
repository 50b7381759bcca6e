"""Kaboom: the game against an adversary, and its cruelest mode."""
