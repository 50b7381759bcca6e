"""NumPy, imported on first use, and values with arrays. Commands that need no arrays start in half the time.

`NDArray` is for annotations.
"""

from dataclasses import fields
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

__all__ = ["ArrayValue", "NDArray", "np"]


class ArrayValue:
    """Base of dataclasses with array fields: values are equal if all fields are, arrays by contents, NaN to NaN."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return all(_equal(getattr(self, name), getattr(other, name)) for name in names)


def _equal(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if type(one) is not type(other):
        return False
    return one == other or (one != one and other != other)  # NaN
