# SPDX-License-Identifier: MIT
"""Few numbers of many: sums, extrema and their places, of all elements or along axes.

Each is lazy: what is computed for the elements before, and of the results afterwards, is the same
kernel. `axis` is an int, several, or None for all; `keepdims` leaves axes of length 1; `where` says
by a mask which elements count; `out` receives the result.
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from treadle._core import InvalidArgument, ShapeError
from treadle._core import array as _array
from treadle._core.array import Array
from treadle._division import DivisionByZero

from ._creation import asarray, asarrays, full_like, of_lists, written
from ._joining import concatenate
from ._manipulation import as_list, broadcast_to, checked_axes

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "average",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "max",
    "mean",
    "min",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "prod",
    "ptp",
    "std",
    "sum",
    "trapezoid",
    "var",
    "vdot",
]


def reduced(name: str, x: Any, **options: Any) -> Array:
    """A reduction of an array, or of a list or number."""
    is_made = isinstance(x, list | tuple | int | float | complex | _numpy.generic)
    return _array.reduce(name, asarray(x) if is_made else x, **options)


_Axes = int | tuple[int, ...] | None


# over 6 parameters because they are NumPy's
def sum(
    a: Any,
    axis: _Axes = None,
    dtype: Any = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    """The sum; of small integers in int64 or uint64, unless a dtype is given."""
    return reduced(
        "sum", a, axis=axis, dtype=dtype, out=out, keepdims=keepdims, initial=initial, where=where
    )


# over 6 parameters because they are NumPy's
def prod(
    a: Any,
    axis: _Axes = None,
    dtype: Any = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    """The product; of small integers in int64 or uint64, unless a dtype is given."""
    return reduced(
        "prod", a, axis=axis, dtype=dtype, out=out, keepdims=keepdims, initial=initial, where=where
    )


def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array:
    """For each element the sum of all up to and with it, along an axis or (None) in C's order of
    all."""
    return reduced("cumsum", a, axis=axis, dtype=dtype, out=out)


def cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array:
    """The same of products."""
    return reduced("cumprod", a, axis=axis, dtype=dtype, out=out)


def nancumsum(
    a: Any, axis: int | None = None, dtype: Any = None, out: Array | None = None
) -> Array:
    """cumsum() in which NaN counts as 0."""
    return reduced("cumsum", a, axis=axis, dtype=dtype, out=out, ignores_nan=True)


def nancumprod(
    a: Any, axis: int | None = None, dtype: Any = None, out: Array | None = None
) -> Array:
    """cumprod() in which NaN counts as 1."""
    return reduced("cumprod", a, axis=axis, dtype=dtype, out=out, ignores_nan=True)


def cumulative_sum(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    out: Array | None = None,
    include_initial: bool = False,
) -> Array:
    """The array API's cumsum(): arrays of several axes need one to be named. With include_initial
    the result begins with 0, and is one longer."""
    initial = 0 if include_initial else None
    return _cumulative("cumsum", x, axis, dtype=dtype, out=out, initial=initial)


def cumulative_prod(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    out: Array | None = None,
    include_initial: bool = False,
) -> Array:
    """The same of products, which begins with 1."""
    initial = 1 if include_initial else None
    return _cumulative("cumprod", x, axis, dtype=dtype, out=out, initial=initial)


def _cumulative(name: str, x: Any, axis: int | None, **options: Any) -> Array:
    x = asarray(x) if isinstance(x, list | tuple) else x
    if axis is None:
        axes = getattr(x, "ndim", 1)
        if axes > 1:
            raise ShapeError(f"the array has {axes} axes: name the one along which to go")
        axis = 0
    return reduced(name, x, axis=axis, **options)


def mean(
    a: Any,
    axis: _Axes = None,
    dtype: Any = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> Array:
    """The mean; of integers in float64."""
    return reduced("mean", a, axis=axis, dtype=dtype, out=out, keepdims=keepdims, where=where)


# over 6 parameters because they are those of var()
def _about(
    mean: Any,
    a: Any,
    axis: _Axes,
    dtype: Any,
    out: Array | None,
    ddof: float,
    keepdims: bool,
    where: Any,
    is_root: bool,
) -> Array:
    """var() and std() about a mean that is known, so that it is not computed again."""
    a = asarray(a)
    (mean,) = of_lists([mean])
    if axis is not None:
        checked_axes(as_list(axis), a.ndim, "std" if is_root else "var")
    if dtype is not None or a.dtype.kind in "biu":
        a = a.astype("f8" if dtype is None else dtype)
    distances = abs(a - mean)
    total = reduced("sum", distances * distances, axis=axis, keepdims=keepdims, where=where)
    counted = broadcast_to(asarrays((a, where))[1], a.shape)
    count = reduced("count_nonzero", counted, axis=axis, keepdims=keepdims)
    made = total / (count - ddof).clip(0).astype(total.dtype)
    return written(made**0.5 if is_root else made, out)


# over 6 parameters because they are NumPy's
def var(
    a: Any,
    axis: _Axes = None,
    dtype: Any = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float = 0,
) -> Array:
    """The sum of squared distances from the mean, by n - ddof; `correction` is the same as ddof."""
    if mean is not None:
        return _about(mean, a, axis, dtype, out, ddof or correction, keepdims, where, False)
    return reduced(
        "var",
        a,
        axis=axis,
        dtype=dtype,
        out=out,
        ddof=ddof,
        keepdims=keepdims,
        where=where,
        correction=correction,
    )


# over 6 parameters because they are NumPy's
def std(
    a: Any,
    axis: _Axes = None,
    dtype: Any = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float = 0,
) -> Array:
    """The root of var()."""
    if mean is not None:
        return _about(mean, a, axis, dtype, out, ddof or correction, keepdims, where, True)
    return reduced(
        "std",
        a,
        axis=axis,
        dtype=dtype,
        out=out,
        ddof=ddof,
        keepdims=keepdims,
        where=where,
        correction=correction,
    )


def min(
    a: Any,
    axis: _Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    """The least element; NaN if there is one."""
    return reduced("min", a, axis=axis, out=out, keepdims=keepdims, initial=initial, where=where)


def max(
    a: Any,
    axis: _Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    """The largest element; NaN if there is one."""
    return reduced("max", a, axis=axis, out=out, keepdims=keepdims, initial=initial, where=where)


amin, amax = min, max


def ptp(a: Any, axis: _Axes = None, out: Array | None = None, keepdims: bool = False) -> Array:
    """max - min, in one pass."""
    return reduced("ptp", a, axis=axis, out=out, keepdims=keepdims)


def argmin(
    a: Any, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False
) -> Array:
    """Where the least element is along an axis, or in C's order of all; the first of several."""
    return reduced("argmin", a, axis=axis, out=out, keepdims=keepdims)


def argmax(
    a: Any, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False
) -> Array:
    """Where the largest element is along an axis, or in C's order of all; the first of several."""
    return reduced("argmax", a, axis=axis, out=out, keepdims=keepdims)


def any(
    a: Any,
    axis: _Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> Array:
    """Whether an element is not zero."""
    return reduced("any", a, axis=axis, out=out, keepdims=keepdims, where=where)


def all(
    a: Any,
    axis: _Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> Array:
    """Whether all elements are not zero."""
    return reduced("all", a, axis=axis, out=out, keepdims=keepdims, where=where)


def count_nonzero(a: Any, axis: _Axes = None, *, keepdims: bool = False) -> Array:
    """How many elements are not zero."""
    return reduced("count_nonzero", a, axis=axis, keepdims=keepdims)


def average(
    a: Any,
    axis: int | None = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """The mean of elements that count by weights of their shape, or of one axis. NaN where weights
    sum to 0. With `returned` a pair of it and the sums of weights."""
    if weights is None:
        a = asarray(a)
        made = mean(a, axis, keepdims=keepdims)
        if not made.size:
            raise DivisionByZero(f"average: no elements along axis {axis} of shape {a.shape}")
        count = a.size / made.size
        return (made, full_like(made, count)) if returned else made
    a, weights = asarrays((a, weights))
    made = _array.average(a, weights, axis=axis, keepdims=keepdims)
    if not returned:
        return made
    along = {"axis": axis, "keepdims": keepdims} if weights.shape == a.shape else {}
    return made, broadcast_to(weights.sum(dtype=made.dtype, **along), made.shape).copy()


def vdot(a: Any, b: Any, /) -> Array:
    """The same of all elements in C's order, the first conjugated."""
    return _array.vdot(*asarrays((a, b)))


def nansum(a: Any, axis: _Axes = None, dtype: Any = None, **options: Any) -> Array:
    """sum() of what is not NaN, with its options."""
    return reduced("sum", a, axis=axis, dtype=dtype, ignores_nan=True, **options)


def nanprod(a: Any, axis: _Axes = None, dtype: Any = None, **options: Any) -> Array:
    """prod() of what is not NaN, with its options."""
    return reduced("prod", a, axis=axis, dtype=dtype, ignores_nan=True, **options)


def nanmean(a: Any, axis: _Axes = None, dtype: Any = None, **options: Any) -> Array:
    """mean() of what is not NaN, with its options."""
    return reduced("mean", a, axis=axis, dtype=dtype, ignores_nan=True, **options)


def nanvar(a: Any, axis: _Axes = None, dtype: Any = None, **options: Any) -> Array:
    """var() of what is not NaN, with its options."""
    return reduced("var", a, axis=axis, dtype=dtype, ignores_nan=True, **options)


def nanstd(a: Any, axis: _Axes = None, dtype: Any = None, **options: Any) -> Array:
    """std() of what is not NaN, with its options."""
    return reduced("std", a, axis=axis, dtype=dtype, ignores_nan=True, **options)


def nanmin(a: Any, axis: _Axes = None, **options: Any) -> Array:
    """min() of what is not NaN, with its options."""
    return reduced("min", a, axis=axis, ignores_nan=True, **options)


def nanmax(a: Any, axis: _Axes = None, **options: Any) -> Array:
    """max() of what is not NaN, with its options."""
    return reduced("max", a, axis=axis, ignores_nan=True, **options)


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    """Differences of neighbours along an axis, n times; of bool, whether they differ. What is put
    before or behind is an array, or a number, which stands for one element."""
    a = asarray(a)
    if n < 0:
        raise InvalidArgument(f"diff: n is how many times, {n}; it is 0 or more")
    if n == 0:
        return a
    if a.ndim == 0:
        raise ShapeError("diff: an array without axes has no neighbours; reshape(1) gives it one")
    axis = _array.checked_axis(axis, a.ndim, "diff")
    edge = [1 if k == axis else length for k, length in enumerate(a.shape)]
    ends = [None if end is None else asarrays((a, end))[1] for end in (prepend, append)]
    first, last = (end if end is None or end.ndim else broadcast_to(end, edge) for end in ends)
    parts = [part for part in (first, a, last) if part is not None]
    if len(parts) > 1:
        a = concatenate(parts, axis)
    return _array.diff(a, n, axis)


def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Array:
    """The integral along an axis by the trapezoidal rule, of places x or dx apart."""
    if x is None:
        return _array.trapezoid(asarray(y), dx, axis)
    return _array.trapezoid_at(asarray(y), asarray(x), axis)


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
