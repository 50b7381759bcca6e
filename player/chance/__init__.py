"""Exact counts, probabilities and samples of the layouts that fit a view."""
