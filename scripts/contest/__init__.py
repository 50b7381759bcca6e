"""Strategies against each other on common boards: leaderboards and matches."""
