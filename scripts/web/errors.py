"""What the server refuses."""

from __future__ import annotations

from enum import Enum


class Kind(Enum):
    """Why a request is refused: a word that the page can tell it by, and its HTTP status."""

    BAD_INPUT = "bad_input", 422
    NOT_FOUND = "not_found", 404
    NO_DATABASE = "no_database", 404
    NOT_NOW = "conflict", 409
    TOO_BUSY = "too_busy", 429
    BROKEN = "broken", 500
    TOO_SLOW = "too_slow", 503

    def __init__(self, code: str, status: int) -> None:
        self.code = code
        self.status = status


class Refusal(Exception):
    """A request that is answered by one sentence for people instead of what it asked for."""

    def __init__(self, kind: Kind, words: str) -> None:
        super().__init__(kind, words)
        self.kind = kind
        self.words = words

    def __str__(self) -> str:
        return self.words
