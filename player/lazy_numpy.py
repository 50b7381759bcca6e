"""NumPy, imported on first use: commands that need no arrays start in half the time."""

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    import numpy

    value = globals()[name] = getattr(numpy, name)
    return value
