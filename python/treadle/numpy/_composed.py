# SPDX-License-Identifier: MIT
"""Functions that are made of several operations, which run as one kernel where they can."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle._core import DTypeError, IndexError, InvalidArgument, ShapeError
from treadle._core import array as _array
from treadle._core.array import Array

from ._creation import asarray, asarrays, spread, written
from ._joining import concatenate
from ._manipulation import broadcast_to, diagonal

__all__ = [
    "around",
    "deg2rad",
    "degrees",
    "diff",
    "divmod",
    "frexp",
    "modf",
    "nan_to_num",
    "outer",
    "rad2deg",
    "radians",
    "round",
    "trace",
]


def round(x: Any, decimals: int = 0, out: Array | None = None) -> Array:
    """To so many decimals, and to even ones halfway; integers stay integers."""
    return written(_array.round(asarray(x), decimals), out)


around = round


def _pair(
    names: tuple[str, str], operands: tuple[Any, ...], out: Sequence[Array | None] | None
) -> tuple[Array, Array]:
    first, second = (_array.apply(name, *operands) for name in names)
    if out is None:
        return first, second
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise DTypeError("out= of a function with two results is a tuple of two arrays or None")
    return spread(first, out[0]), spread(second, out[1])


_Outs = tuple[Array | None, Array | None] | None


def modf(x: Any, /, *, out: _Outs = None) -> tuple[Array, Array]:
    """Fractions and whole parts, both of the sign of x."""
    return _pair(("modf_fraction", "modf_integer"), (asarray(x),), out)


def frexp(x: Any, /, *, out: _Outs = None) -> tuple[Array, Array]:
    """Significands from 0.5 on and below 1, and exponents of 2."""
    return _pair(("frexp_mantissa", "frexp_exponent"), (asarray(x),), out)


def divmod(x1: Any, x2: Any, /, *, out: _Outs = None) -> tuple[Array, Array]:
    """floor_divide() and remainder()."""
    return _pair(("floor_divide", "remainder"), (x1, x2), out)


def deg2rad(x: Any, /, *, out: Array | None = None) -> Array:
    """Angles in radians, of those in degrees."""
    return spread(_array.deg2rad(asarray(x)), out)


def rad2deg(x: Any, /, *, out: Array | None = None) -> Array:
    """Angles in degrees, of those in radians."""
    return spread(_array.rad2deg(asarray(x)), out)


radians, degrees = deg2rad, rad2deg


def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Array:
    """With numbers for nan and the infinities, which become the largest and the least number of the
    dtype unless it is said. With copy=False they are put into x itself."""
    x = asarray(x)
    if copy:
        return _array.nan_to_num(x, nan, posinf, neginf)
    if x.dtype.kind in "fc":
        x[...] = _array.nan_to_num(x, nan, posinf, neginf)
    return x


def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    """Differences of neighbours along an axis, n times; of bool, whether they differ. What is put
    before or behind is an array, or a number, which stands for one element."""
    x = asarray(x)
    if n < 0:
        raise InvalidArgument(f"diff: n is how many times, {n}; it is 0 or more")
    if x.ndim == 0:
        raise ShapeError("diff: an array without axes has no neighbours; reshape(1) gives it one")
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"diff: axis {axis} of an array of {x.ndim} axes")
    if n == 0:
        return x
    axis %= x.ndim
    edge = [1 if k == axis else length for k, length in enumerate(x.shape)]
    ends = [None if end is None else asarrays((x, end))[1] for end in (prepend, append)]
    first, last = (end if end is None or end.ndim else broadcast_to(end, edge) for end in ends)
    parts = [part for part in (first, x, last) if part is not None]
    if len(parts) > 1:
        x = concatenate(parts, axis)
    return _array.diff(x, n, axis)


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
