# SPDX-License-Identifier: MIT
"""Products of vectors and of matrices, and traces."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as _numpy

from treadle._core import InvalidArgument
from treadle._core import array as _array
from treadle._core import linalg as _linalg
from treadle._core.array import Array

from ._creation import asarray, asarrays, spread, written
from ._manipulation import diagonal

__all__ = [
    "dot",
    "einsum",
    "einsum_path",
    "inner",
    "matmul",
    "matvec",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
    "vecmat",
]


def outer(a: Any, b: Any, out: Array | None = None) -> Array:
    """The products of each element of a with each of b."""
    return spread(_array.outer(*asarrays((a, b))), out)


# over 6 parameters because they are NumPy's
def trace(
    a: Any,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: Any = None,
    out: Array | None = None,
) -> Array:
    """The sum of elements (i, i + offset) of two axes."""
    chosen = diagonal(asarray(a), offset, axis1, axis2)
    return _array.reduce("sum", chosen, axis=-1, dtype=dtype, out=out)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """The sum of the products along an axis, x1 conjugated, in one pass."""
    return _array.vecdot(asarray(x1), asarray(x2), axis)


def _is_number(x: Any) -> bool:
    return not isinstance(x, Array) and _numpy.ndim(x) == 0


def dot(a: Any, b: Any, out: Array | None = None) -> Array:
    """The sum over the last axis of a and the last but one of b; a * b where one is a number."""
    if _is_number(a) or _is_number(b):
        result = _array.dot(a, b)
    else:
        result = _linalg.dot(*asarrays((a, b)))
    return _into(result, out, "dot")


def inner(a: Any, b: Any, /) -> Array:
    """The sum over the last axis of both; a * b where one is a number."""
    if _is_number(a) or _is_number(b):
        return _array.dot(a, b)
    return _linalg.inner(*asarrays((a, b)))


def _into(result: Array, out: Array | None, name: str) -> Array:
    """NumPy's rule for out= of dot: the very dtype."""
    if out is not None and getattr(out, "dtype", None) != result.dtype:
        raise InvalidArgument(f"{name}() gives {result.dtype}: out= is no array of that")
    return written(result, out)


def matmul(x1: Any, x2: Any, /, out: Array | None = None) -> Array:
    """The matrices in the last two axes multiplied; axes before them broadcast."""
    return written(_linalg.matmul(*asarrays((x1, x2))), out)


def matvec(x1: Any, x2: Any, /, out: Array | None = None) -> Array:
    """Matrices times vectors, in the last axes."""
    return written(_linalg.matvec(*asarrays((x1, x2))), out)


def vecmat(x1: Any, x2: Any, /, out: Array | None = None) -> Array:
    """Vectors, conjugated, times matrices."""
    return written(_linalg.vecmat(*asarrays((x1, x2))), out)


def tensordot(a: Any, b: Any, axes: int | Sequence[Any] = 2) -> Array:
    """The sum over pairs of axes, or over the last `axes` of a and the first of b."""
    a, b = asarrays((a, b))
    if isinstance(axes, int | _numpy.integer):
        return _linalg.tensordot_of_neighbours(a, b, int(axes))
    of_a, of_b = ([int(e) for e in _numpy.atleast_1d(part)] for part in axes)
    return _linalg.tensordot(a, b, of_a, of_b)


def _subscripts(operands: Sequence[Any]) -> tuple[str, list[Any]]:
    """Of einsum's two forms, a text and arrays, or arrays each with a list of numbers."""
    if isinstance(operands[0], str):
        return operands[0], list(operands[1:])
    letters = string.ascii_letters

    def text(axes: Sequence[Any]) -> str:
        return "".join("..." if axis is Ellipsis else letters[axis] for axis in axes)

    pairs = len(operands) // 2
    inputs = ",".join(text(operands[2 * i + 1]) for i in range(pairs))
    output = f"->{text(operands[-1])}" if len(operands) % 2 else ""
    return inputs + output, [operands[2 * i] for i in range(pairs)]


def einsum(*operands: Any, out: Array | None = None, dtype: Any = None, **options: Any) -> Array:
    """Einstein's sum. `optimize`, `order` and `casting` of NumPy's are taken: pairs are contracted
    in an order of its own."""
    unknown = set(options) - {"optimize", "order", "casting"}
    if unknown:
        raise TypeError(f"einsum() got an unexpected keyword argument {unknown.pop()!r}")
    subscripts, given = _subscripts(operands)
    arrays = list(asarrays(given))
    if dtype is not None:
        arrays = [x.astype(dtype) for x in arrays]
    return written(_linalg.einsum(subscripts, arrays), out)


def einsum_path(*operands: Any, optimize: Any = "greedy", **options: Any) -> tuple[Any, str]:
    """NumPy's, of the arrays' shapes alone: no element is read."""
    subscripts, given = _subscripts(operands)
    shapes = [_numpy.broadcast_to(_numpy.empty(()), _numpy.shape(x)) for x in given]
    path, text = _numpy.einsum_path(subscripts, *shapes, optimize=optimize, **options)
    return path, text
