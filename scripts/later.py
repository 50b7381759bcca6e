"""NumPy for programs: loaded when something of it is first used, as much of what they do ends before.

The library leaves that to whoever uses it.
"""

import sys
from importlib import import_module
from threading import Lock
from types import ModuleType
from typing import Any, Final

_swapping: Final = Lock()


class _Later(ModuleType):
    """A module that loads the real one, and becomes like it, when it is asked for anything.

    Unlike with ``importlib.util.LazyLoader`` in Python up to 3.11.7, other threads wait until it is loaded.
    """

    def __getattr__(self, attribute: str) -> Any:
        with _swapping:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
        real = import_module(self.__name__)
        found = getattr(real, attribute)
        vars(self).update(vars(real))
        return found


def load_later(name: str) -> None:
    """Let ``import NAME`` load nothing before the module is used; ``from NAME import`` uses it."""
    sys.modules.setdefault(name, _Later(name))
