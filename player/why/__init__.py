"""Explanations in words: smallest reasons, counterexamples, unavoidable guesses, the analysis of a position."""
