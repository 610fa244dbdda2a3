# SPDX-License-Identifier: MIT
"""Products of vectors and of matrices, and traces."""

from __future__ import annotations

import operator
import string
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as _numpy

from treadle._core import DTypeError, InvalidArgument
from treadle._core import array as _array
from treadle._core import linalg as _linalg
from treadle._core import rules as _rules
from treadle._core.array import Array

from ._creation import asarray, asarrays, of_lists, spread, written
from ._manipulation import diagonal, expand_dims
from ._manipulation import moveaxis as _moveaxis

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


class _How(NamedTuple):
    """The options of NumPy's products of matrices and vectors."""

    axes: Sequence[Any] | None
    dtype: Any
    casting: str
    order: str


_PLAIN = _How(None, None, "same_kind", "K")

PRODUCTS: dict[str, tuple[Callable[[Array, Array], Array], int, int]] = {
    # The function, and how many axes of each operand make a matrix or a vector.
    "matmul": (_linalg.matmul, 2, 2),
    "matvec": (_linalg.matvec, 2, 1),
    "vecmat": (_linalg.vecmat, 1, 2),
    "vecdot": (lambda x, y: _array.vecdot(x, y, -1), 1, 1),
}


def _product(name: str, operands: tuple[Any, Any], out: Any, how: _How) -> Array:
    function, of_x, of_y = PRODUCTS[name]
    x, y = operands
    if type(x) is Array and type(y) is Array and type(out) is not tuple and how == _PLAIN:
        return written(function(x, y), out)  # what follows costs more than the product is queued
    x, y = _in_dtype(name, asarrays(operands), how)
    counts = [min(of_x, x.ndim), min(of_y, y.ndim)] if name == "matmul" else [of_x, of_y]
    counts.append(sum(counts) - 2)
    places = None if how.axes is None else _places(name, how.axes, counts)
    if places is not None:
        x, y = (
            _moveaxis(operand, place, _last(count))
            for operand, place, count in zip((x, y), places, counts, strict=False)
        )
    made = function(x, y)
    if places is not None:
        made = _moveaxis(made, _last(counts[2]), places[2])
    if how.order == "F":
        made = made.copy("F")
    (target,) = out if type(out) is tuple else (out,)
    if target is not None and how.casting != "same_kind":
        _require_cast(name, "result", made, target.dtype, how.casting)
        made = made.astype(target.dtype)
    return written(made, target)


def _last(count: int) -> range:
    return range(-count, 0)


def _places(name: str, axes: Sequence[Any], counts: list[int]) -> list[tuple[int, ...]]:
    """Where the matrices and vectors of the operands and of the result lie: `axes` of a product."""
    given = [tuple(e) if isinstance(e, list | tuple) else (operator.index(e),) for e in axes]
    if name == "vecdot" and len(given) == 2:
        given.append(())
    if len(given) != 3:
        raise InvalidArgument(f"{name}: axes= has {len(given)} entries, not one for each operand")
    for place, count in zip(given, counts, strict=True):
        if len(place) != count:
            raise InvalidArgument(f"{name}: axes= has {place} where {count} axes are multiplied")
    return given


def _in_dtype(name: str, operands: list[Array], how: _How) -> list[Array]:
    if how.dtype is None and how.casting == "same_kind":
        return operands
    dtype = _numpy.result_type(*(x.dtype for x in operands))
    if how.dtype is not None:
        dtype = _numpy.dtype(how.dtype)
    for x in operands:
        _require_cast(name, "operand", x, dtype, how.casting)
    return [x.astype(dtype, copy=False) for x in operands]


def _require_cast(name: str, what: str, x: Array, dtype: Any, casting: str) -> None:
    if not _rules.can_cast(x.dtype, dtype, casting):
        raise DTypeError(
            f"{name}: the {what} of {x.dtype} is not cast to {dtype} with casting={casting!r}"
        )


# over 6 parameters because they are NumPy's
def vecdot(
    x1: Any,
    x2: Any,
    /,
    out: Array | None = None,
    *,
    axis: int | None = None,
    axes: Sequence[Any] | None = None,
    keepdims: bool = False,
    dtype: Any = None,
    casting: str = "same_kind",
    order: str = "K",
    subok: bool = True,
) -> Array:
    """The sum of the products along an axis, x1 conjugated, in one pass."""
    if axis is not None and axes is not None:
        raise TypeError("vecdot(): axis and axes are the same: give one of them")
    along = -1 if axis is None else axis
    made = _product(
        "vecdot",
        (x1, x2),
        None if keepdims else out,
        _How(axes if axis is None else [axis, axis], dtype, casting, order),
    )
    if not keepdims:
        return made
    if axes is not None:
        raise TypeError("vecdot(): keepdims goes with axis, not with axes")
    return written(expand_dims(made, along), out)


# over 6 parameters because they are NumPy's
def matmul(
    x1: Any,
    x2: Any,
    /,
    out: Array | None = None,
    *,
    axes: Sequence[Any] | None = None,
    dtype: Any = None,
    casting: str = "same_kind",
    order: str = "K",
    subok: bool = True,
) -> Array:
    """The matrices in the last two axes multiplied; axes before them broadcast. `axes` says where
    matrices and vectors lie instead, in both operands and in the result."""
    return _product("matmul", (x1, x2), out, _How(axes, dtype, casting, order))


# over 6 parameters because they are NumPy's
def matvec(
    x1: Any,
    x2: Any,
    /,
    out: Array | None = None,
    *,
    axes: Sequence[Any] | None = None,
    dtype: Any = None,
    casting: str = "same_kind",
    order: str = "K",
    subok: bool = True,
) -> Array:
    """Matrices times vectors, in the last axes."""
    return _product("matvec", (x1, x2), out, _How(axes, dtype, casting, order))


# over 6 parameters because they are NumPy's
def vecmat(
    x1: Any,
    x2: Any,
    /,
    out: Array | None = None,
    *,
    axes: Sequence[Any] | None = None,
    dtype: Any = None,
    casting: str = "same_kind",
    order: str = "K",
    subok: bool = True,
) -> Array:
    """Vectors, conjugated, times matrices."""
    return _product("vecmat", (x1, x2), out, _How(axes, dtype, casting, order))


def _factors(*operands: Any) -> list[Any]:
    """Numbers as they are beside an array: they have no axes."""
    if any(isinstance(x, Array) for x in operands):
        return of_lists(operands)
    return asarrays(operands)


def dot(a: Any, b: Any, out: Array | None = None) -> Array:
    """The sum over the last axis of a and the last but one of b; a * b where one is a number."""
    x, y = _factors(a, b)
    return _linalg.dot(x, y, out)


def inner(a: Any, b: Any, /) -> Array:
    """The sum over the last axis of both; a * b where one is a number."""
    x, y = _factors(a, b)
    return _linalg.inner(x, y)


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


def einsum(
    *operands: Any,
    out: Array | None = None,
    optimize: Any = False,
    dtype: Any = None,
    **options: Any,
) -> Array:
    """Einstein's sum. `optimize`, `order` and `casting` of NumPy's are taken: pairs are contracted
    in an order of its own."""
    unknown = set(options) - {"order", "casting"}
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
