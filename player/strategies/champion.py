"""Guess for the best chance to win: the strongest strategy here."""

from __future__ import annotations

from player.strategies.native import NativeStrategy


class Champion(NativeStrategy):
    """Solves the rest of the game exactly when few layouts are left, and looks ahead before that."""

    name = "champion"
    summary = "the strongest: exact endgame, lookahead before it"
    kernel_name = "champion"
