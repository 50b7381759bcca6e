"""NumPy, imported on first use: commands that need no arrays start in half the time. `NDArray` is for annotations."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    NDArray = None

    class _Numpy:
        def __getattr__(self, name: str) -> Any:
            import numpy

            vars(self).update(vars(numpy))
            return getattr(numpy, name)

    np = _Numpy()

__all__ = ["NDArray", "np"]
