"""The handle `kernel` of the compiled code of ``player/kernel``, for values that it can take as they are.

No other module imports `_kernel`. Installation builds it only if it finds a C++ compiler; without it every use of
`kernel` raises `EngineError`. Long calls release the GIL, react to Ctrl-C and raise `OutOfTime` at the end of a
`player.limits.time_limit`. The kernel checks its arguments and raises `ValueError` or `TypeError`. Cells are numbered
``row * cols + col``; ``_kernel.pyi`` lists the functions.
"""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from minesweeper.player.errors import EngineError
from minesweeper.player.limits import check_time

if TYPE_CHECKING:
    from minesweeper.player import _kernel

    kernel = _kernel

    failure: ImportError | None
else:

    class _MissingKernel:
        def __getattr__(self, _: str) -> NoReturn:
            raise EngineError(f"this needs the native engine, which {why_missing()}")

    try:
        from minesweeper.player import _kernel as kernel
    except ImportError as error:
        kernel, failure = _MissingKernel(), error
    else:
        failure = None
        kernel.set_interrupt_check(check_time)


def why_missing() -> str:
    """Return the reason why the kernel is missing, to follow "the native engine"."""
    from importlib import metadata

    here = Path(__file__)
    if any((here.parent / f"_kernel{suffix}").exists() for suffix in EXTENSION_SUFFIXES):
        return f"cannot be loaded ({failure})"
    try:
        installed = Path(str(metadata.distribution("minesweeper-toolkit").locate_file("minesweeper/player/native.py")))
    except metadata.PackageNotFoundError:
        installed = None
    if installed is not None and installed.exists() and installed.samefile(here):
        return "was not built at installation: no C++ compiler was found"
    return f"was not built for the source tree in {here.parents[1]}"
