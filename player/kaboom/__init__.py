"""Kaboom: the game against an adversary, and how cruel it can be."""
