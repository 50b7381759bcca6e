"""The public names of a package, each imported on first use."""

from __future__ import annotations

import lazy_loader

TYPE_CHECKING = False  # `typing` takes longer than all the rest.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def attach_names(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package, from the imports in the stub of its `file`.

    `lazy_loader.attach_stub` does the same, but it imports a parser of Python, which takes 7 ms.
    """
    names: dict[str, list[str]] = {}
    with open(f"{file}i", encoding="utf-8") as stub:
        statements = stub.read().split("from .")[1:]
    for statement in statements:
        module, _, listed = statement.partition(" import ")
        names[module] = [name.split()[0] for name in listed.partition(")")[0].strip("( ,\n").split(",")]
    attached: tuple[Callable[[str], Any], Callable[[], list[str]], list[str]] = lazy_loader.attach(
        package, submod_attrs=names
    )
    return attached
