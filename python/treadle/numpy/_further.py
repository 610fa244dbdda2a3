# SPDX-License-Identifier: MIT
"""NumPy's smaller functions: each is an expression of others, and runs as they do."""

from __future__ import annotations

import math as _math
from collections.abc import Sequence
from typing import Any

import numpy as _numpy

from treadle._core import DTypeError, ShapeError
from treadle._core import array as _array
from treadle._core import rules as _rules
from treadle._core.array import Array

from ._creation import arange, asarray, asarrays, require_target, spread, written, zeros
from ._manipulation import meshgrid

__all__ = [
    "array_equiv",
    "copyto",
    "fill_diagonal",
    "fix",
    "float_power",
    "indices",
    "iscomplex",
    "isin",
    "isneginf",
    "isposinf",
    "isreal",
    "nanargmax",
    "nanargmin",
    "polyval",
    "sinc",
    "trapezoid",
    "tri",
    "vecdot",
]


def array_equiv(a1: Any, a2: Any) -> bool:
    """Whether two arrays broadcast together and are equal then. Waits."""
    return _array.array_equiv(*asarrays((a1, a2)))


def copyto(dst: Array, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """dst[...] = src, where the mask `where` is True. DTypeError unless `casting` allows it."""
    if type(src) is int and require_target("copyto", dst).dtype == bool:
        _numpy.asarray(src, bool)  # refuses what has more than 64 bits
    if not _is_storable(src, require_target("copyto", dst).dtype, casting):
        given = getattr(src, "dtype", type(src).__name__)
        raise DTypeError(f"copyto: {given} is not cast to {dst.dtype} as casting={casting!r}")
    is_whole = isinstance(src, complex | list | tuple) and casting == "unsafe"
    if is_whole or isinstance(src, _numpy.generic):
        src = _numpy.asarray(src)  # whose elements are cast, whatever they are
    if where is True:
        dst[...] = src
    else:
        mask = asarray(where, device=None if isinstance(where, Array) else dst.device)
        _array.assign_where(dst, mask, src)


def _is_storable(value: Any, dtype: _numpy.dtype, casting: str) -> bool:
    """Python's numbers are of every dtype that has such numbers, whatever its precision."""
    if casting == "unsafe":
        return True
    if not isinstance(value, Array | _numpy.ndarray | _numpy.generic):
        if type(value) in _ORDER_OF_KINDS:
            found = _ORDER_OF_KINDS[type(value)]
            return found <= _ORDER_OF_KINDS[_numpy.dtype(dtype).kind]
        value = _numpy.asarray(value)
        if value.dtype.kind not in _ORDER_OF_KINDS:
            return False
    return _rules.can_cast(value.dtype, dtype, casting)


_ORDER_OF_KINDS: dict[Any, int] = {
    **{bool: 0, int: 1, float: 2, complex: 3},
    **{"b": 0, "i": 1, "u": 1, "f": 2, "c": 3, "V": -1},
}


def fill_diagonal(a: Array, val: Any) -> None:
    """Assigns to the diagonal of a matrix."""
    if require_target("fill_diagonal", a).ndim != 2:
        raise ShapeError(
            f"fill_diagonal() of an array of shape {a.shape}: it takes two axes; assign to "
            "diagonal() of more"
        )
    a.diagonal()[...] = val


def fix(x: Any, out: Array | None = None) -> Array:
    """The nearest whole numbers towards 0."""
    return _array.apply("trunc", asarray(x), out=out)


def float_power(x1: Any, x2: Any, /, *, out: Array | None = None) -> Array:
    """power() in float64 at least, so that integers have negative ones, too."""
    return spread(_array.float_power(x1, x2), out)


def indices(dimensions: Sequence[int], dtype: Any = int, sparse: bool = False) -> Any:
    """Of each element of such an array its place along axis 0, along axis 1, ...: one array, or
    (sparse) a tuple of arrays that broadcast."""
    if sparse:
        lines = [arange(length, dtype=dtype) for length in dimensions]
        return meshgrid(*lines, copy=False, sparse=True, indexing="ij")
    if len(dimensions) == 0:
        return zeros((0,), dtype=dtype)
    return asarray(_array.indices(dimensions), dtype)


def iscomplex(x: Any) -> Array:
    """Where the imaginary part is not 0."""
    return _array.apply("not_equal", _array.apply("imag", asarray(x)), 0)


def isreal(x: Any) -> Array:
    """Where the imaginary part is 0."""
    return _array.apply("equal", _array.apply("imag", asarray(x)), 0)


def isneginf(x: Any, out: Array | None = None) -> Array:
    """Where it is -infinity. DTypeError for complex numbers."""
    return _equals("isneginf", x, -_math.inf, out)


def isposinf(x: Any, out: Array | None = None) -> Array:
    """Where it is +infinity. DTypeError for complex numbers."""
    return _equals("isposinf", x, _math.inf, out)


def _equals(name: str, x: Any, number: float, out: Array | None) -> Array:
    x = asarray(x)
    if x.dtype.kind == "c":
        raise DTypeError(f"{name} of {x.dtype}: the sign of a complex number is not defined")
    return _array.apply("equal", x, number, out=out)


def isin(element: Any, test_elements: Any, *, invert: bool = False) -> Array:
    """Whether each element is equal to any of the others: all pairs are compared, in one kernel."""
    x = asarray(element)
    is_there = isinstance(test_elements, Array)
    few = asarray(test_elements, device=None if is_there else x.device).ravel()
    pairs = x.reshape((*x.shape, 1))
    return (pairs != few).all(axis=-1) if invert else (pairs == few).any(axis=-1)


def nanargmax(
    a: Any, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False
) -> Array:
    """argmax() of what is not NaN. Of floats it looks, and waits: ValueError where all is NaN."""
    return written(_array.nanargmax(asarray(a), axis, bool(keepdims)), out)


def nanargmin(
    a: Any, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False
) -> Array:
    """argmin() of what is not NaN. Of floats it looks, and waits: ValueError where all is NaN."""
    return written(_array.nanargmin(asarray(a), axis, bool(keepdims)), out)


def polyval(p: Sequence[Any], x: Any) -> Array:
    """p[0] * x**(n-1) + ... + p[n-1], by Horner's rule, as one kernel for numbers of the host."""
    return _array.polyval(p.tolist() if isinstance(p, _numpy.ndarray) else p, asarray(x))


def sinc(x: Any) -> Array:
    """sin(pi x) / (pi x), and 1 at 0."""
    return _array.sinc(asarray(x))


def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Array:
    """The integral along an axis by the trapezoidal rule, of places x or dx apart."""
    if x is None:
        return _array.trapezoid(asarray(y), dx, axis)
    return _array.trapezoid_at(asarray(y), asarray(x), axis)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = float) -> Array:  # noqa: N803
    """Ones at and below a diagonal, zeros above."""
    return _array.tri(N, N if M is None else M, k, dtype)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """The sum of the products along an axis, x1 conjugated, in one pass."""
    return _array.vecdot(asarray(x1), asarray(x2), axis)
