"""Whether an error means that there is no more memory. Stands alone, as it is needed while all else is loaded."""

from typing import Final

_SAID: Final = (
    "Cannot allocate memory",  # by the system
    "start new thread",  # by Python
    "error return without exception set",  # by Python's import
    "failed to map segment",  # by what loads libraries
)


def short_of_memory(error: BaseException) -> bool:
    """Whether the system has refused memory, in whoever's words."""
    return isinstance(error, MemoryError) or any(words in str(error) for words in _SAID)
