"""Why a cell is known, in words: smallest reasons, layouts that prove a guess, the analysis of a position."""
