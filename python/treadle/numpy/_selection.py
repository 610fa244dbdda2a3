# SPDX-License-Identifier: MIT
"""The elements that a mask chooses, and where they are.

How many there are decides a shape: these functions, like x[mask], copy one number of 8 bytes from
the device and wait for it. With capacity=n they do not wait. Results have length n then, zeros
behind what was found, and are followed by the count, an array without axes on the device.
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from treadle._core import array as _array
from treadle._core.array import Array

from ._creation import asarray, asarrays, written
from ._elementwise import where as where_of_three

__all__ = [
    "argwhere",
    "compress",
    "extract",
    "flatnonzero",
    "nonzero",
    "where",
]


def nonzero(a: Any, *, capacity: int | None = None) -> Any:
    """Places along each axis of the elements that are not 0, in C's order."""
    if capacity is None:
        return asarray(a).nonzero()
    places, count = _array.nonzero_counted(asarray(a), capacity)
    return tuple(places), count


def flatnonzero(a: Any, *, capacity: int | None = None) -> Any:
    """Places in C's order of the elements that are not 0."""
    if capacity is None:
        return _array.flatnonzero(asarray(a))
    return _array.flatnonzero_counted(asarray(a), capacity)


def argwhere(a: Any) -> Array:
    """A row for each element that is not 0: its places along the axes."""
    return _array.argwhere(asarray(a))


def where(
    condition: Any,
    x: Any = _numpy._NoValue,
    y: Any = _numpy._NoValue,
    /,
    out: Array | None = None,
    **options: Any,
) -> Any:
    """x where the condition is true, elsewhere y, element by element; of the condition alone
    nonzero(). Takes what functions on elements take: out=, where=, dtype=, casting=."""
    if x is _numpy._NoValue and y is _numpy._NoValue:
        return nonzero(condition)
    if x is _numpy._NoValue or y is _numpy._NoValue:
        raise TypeError("where() takes both x and y, or neither")
    return where_of_three(condition, x, y, out=out, **options)


def extract(condition: Any, arr: Any, *, capacity: int | None = None) -> Any:
    """Elements in C's order where a condition of as many is not 0."""
    condition, arr = asarrays((condition, arr))
    if capacity is None:
        return _array.extract(condition, arr)
    return _array.extract_counted(condition, arr, capacity)


def compress(condition: Any, a: Any, axis: int | None = None, out: Array | None = None) -> Array:
    """Parts along an axis, or elements in C's order, where a condition of one axis is not 0."""
    condition, a = asarrays((condition, a))
    return written(_array.compress(condition, a, axis), out)
