# SPDX-License-Identifier: MIT
"""Medians, quantiles and percentiles: numbers at places of the order along axes."""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from treadle._core import array as _array
from treadle._core.array import Array
from treadle._core.rules import result_type

from ._creation import asarray, asarrays, written

__all__ = [
    "median",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile",
    "quantile",
]

_Axes = int | tuple[int, ...] | None


def median(
    a: Any,
    axis: _Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """The number in the middle, or the mean of the two that are; NaN where there is one."""
    return written(_array.median(asarray(a), axis, keepdims, False), out)


def nanmedian(
    a: Any,
    axis: _Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """median() of what is not NaN."""
    return written(_array.median(asarray(a), axis, keepdims, True), out)


# over 6 parameters because they are those of four functions
def _quantile(
    a: Any, q: Any, whole: int, axis: _Axes, ignores_nan: bool, options: dict[str, Any]
) -> Array:
    """Of fractions q of a whole. Of floats the dtype is that which q promotes to, unless q is one
    of Python's numbers."""
    x, fractions = asarray(a), _numpy.asarray(q)
    dtype = None
    if x.dtype.kind == "f" and type(q) not in (int, float):
        dtype = result_type(x.dtype, fractions.dtype if fractions.dtype.kind == "f" else "f8")
    out, keepdims = options.pop("out", None), options.pop("keepdims", False)
    method = options.pop("method", "linear")
    if whole == 1 and fractions.dtype.kind in "biu" and method == "linear":
        method = "lower"  # 0 and 1 as integers: the extrema, in their own dtype
    options.pop("overwrite_input", None)
    weights = options.pop("weights", None)
    if weights is not None:
        weights = asarrays((x, weights))[1]
    if options:
        raise TypeError(f"quantiles take no argument {next(iter(options))!r}")
    flat = (fractions.astype(float) / whole).ravel().tolist()
    made = _array.quantile(x, flat, axis, keepdims, (method, dtype, weights), ignores_nan)
    return written(made.reshape((*fractions.shape, *made.shape[1:])), out)


def quantile(a: Any, q: Any, axis: _Axes = None, **options: Any) -> Array:
    """Numbers below which the fractions q of the elements lie; NaN where there is one. Takes out=,
    keepdims=, method=, one of NumPy's, and weights= with method="inverted_cdf"."""
    return _quantile(a, q, 1, axis, False, options)


def nanquantile(a: Any, q: Any, axis: _Axes = None, **options: Any) -> Array:
    """quantile() of what is not NaN."""
    return _quantile(a, q, 1, axis, True, options)


def percentile(a: Any, q: Any, axis: _Axes = None, **options: Any) -> Array:
    """quantile() of q percent."""
    return _quantile(a, q, 100, axis, False, options)


def nanpercentile(a: Any, q: Any, axis: _Axes = None, **options: Any) -> Array:
    """percentile() of what is not NaN."""
    return _quantile(a, q, 100, axis, True, options)
