"""What the server refuses, each with its HTTP status and a word that the page can tell it by."""

from __future__ import annotations

from typing import ClassVar


class Refusal(Exception):
    """A request that is answered by one sentence for people instead of what it asked for."""

    status: ClassVar[int] = 400
    code: ClassVar[str] = "bad_input"


class BadInput(Refusal):
    """Input that does not make sense."""

    status = 422


class NotFound(Refusal):
    """A game, a puzzle or a page that is not there (any more)."""

    status = 404
    code = "not_found"


class NoDatabase(Refusal):
    """A question that only a database can answer, and there is none."""

    status = 404
    code = "no_database"


class NotNow(Refusal):
    """A move that the rules do not allow in this position."""

    status = 409
    code = "conflict"


class TooBusy(Refusal):
    """More than the server has room for."""

    status = 429
    code = "too_busy"


class Broken(Refusal):
    """Work that a defect ended."""

    status = 500
    code = "broken"


class TooSlow(Refusal):
    """Work that was cut off."""

    status = 503
    code = "too_slow"
