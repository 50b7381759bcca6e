"""An extension of Griffe for the documentation site: examples in docstrings become blocks of code."""

from __future__ import annotations

import re
from typing import Any, Final

import griffe

_EXAMPLE: Final = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)


class Examples(griffe.Extension):  # type: ignore[misc]
    """Fences the examples of every docstring; Markdown would read ``>>>`` as quotes."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of an object once it is loaded."""
        if obj.docstring is not None:
            obj.docstring.value = _EXAMPLE.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
