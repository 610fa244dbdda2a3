# SPDX-License-Identifier: MIT
"""Products of vectors and traces of matrices, each in one pass."""

from __future__ import annotations

from typing import Any

from treadle._core import array as _array
from treadle._core.array import Array

from ._creation import asarray, asarrays, spread
from ._manipulation import diagonal

__all__ = ["outer", "trace", "vecdot"]


def outer(a: Any, b: Any, out: Array | None = None) -> Array:
    """The products of each element of a with each of b."""
    return spread(_array.outer(*asarrays((a, b))), out)


# over 6 parameters because they are NumPy's
def trace(
    x: Any,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: Any = None,
    out: Array | None = None,
) -> Array:
    """The sum of elements (i, i + offset) of two axes."""
    chosen = diagonal(asarray(x), offset, axis1, axis2)
    return _array.reduce("sum", chosen, axis=-1, dtype=dtype, out=out)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """The sum of the products along an axis, x1 conjugated, in one pass."""
    return _array.vecdot(asarray(x1), asarray(x2), axis)
