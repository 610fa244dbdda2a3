# SPDX-License-Identifier: MIT
"""Histograms.

Counts, and sums of weights, have the same bits in every run on a device. What decides a shape or a
range is waited for: the extrema of what is counted, where nobody gives a range.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from treadle._core import DTypeError, InvalidArgument, ShapeError
from treadle._core import array as _array
from treadle._core.array import Array
from treadle._core.rules import result_type

from ._creation import asarray, asarrays

__all__ = [
    "bincount",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
]


def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Array:
    """How often each number 0, 1, 2, ... is in x, or the sums of the weights that are beside it."""
    is_nothing = isinstance(x, list | tuple) and not x  # which are float64
    x = asarray(x, "i8" if is_nothing else None)
    if weights is not None:
        weights = asarrays((x, weights))[1] if x.size else None  # of nothing, NumPy's are counts
    return _array.bincount(x, weights, index(minlength))


def _bins(x: Array, bins: Any, range: Any) -> tuple[int, Any, Array | None]:
    """A number of bins and their range, or edges."""
    if range is not None:
        low, high = range
        range = (float(low), float(high))
    if isinstance(bins, str):
        bins = _array.bin_count(x, bins, range)
    if getattr(bins, "ndim", None) == 0 or not hasattr(bins, "__len__"):
        return index(bins), range, None
    return 0, None, asarrays((x, bins))[1]


def _promoted(x: Any, range: Any) -> Array:
    """Floating numbers in the dtype that typed ends of a range, such as float64(1), promote to: the
    edges are in it."""
    x = asarray(x)
    typed = [end.dtype for end in range or () if hasattr(end, "dtype")]
    return x.astype(result_type(x.dtype, *typed)) if typed and x.dtype.kind == "f" else x


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Array:
    """Edges of bins of one width, or those that are given; bins="auto" and NumPy's other rules
    choose their number."""
    a = _promoted(a, range)
    count, ends, edges = _bins(a, bins, range)
    return _array.histogram_bin_edges(a, count, ends) if edges is None else edges


def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None
) -> tuple[Array, Array]:
    """How many elements are in each bin, and the edges of the bins: a number of bins, their edges,
    or the name of one of NumPy's rules, "auto", "fd", ..."""
    a = _promoted(a, range)
    if isinstance(bins, str) and weights is not None:
        raise TypeError(f"histogram: bins={bins!r} is of elements that count alike; pass a number")
    if weights is not None:
        weights = asarrays((a, weights))[1]
    count, ends, edges = _bins(a, bins, range)
    counts, all_edges = _array.histogram(
        [a.ravel()], [count], [ends], [edges], (weights, bool(density))
    )
    if weights is not None and not density:
        counts = counts.astype(weights.dtype)  # as NumPy; sums are made in float64
    return counts, all_edges[0]


def _columns(sample: Any) -> list[Array]:
    """The coordinates of points along each axis."""
    if isinstance(sample, Sequence):
        columns = asarrays(sample)
        if any(x.ndim for x in columns):
            return columns
    x = asarray(sample)
    if x.ndim > 2:
        raise ShapeError(
            f"histogramdd: sample of shape {x.shape}; points are rows of an array with two axes"
        )
    return [x.ravel()] if x.ndim < 2 else list(x.T)


def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None
) -> tuple[Array, tuple[Array, ...]]:
    """The same of points: rows of an array, or a sequence of coordinates."""
    columns = _columns(sample)
    if not hasattr(bins, "__len__"):
        bins = [bins] * len(columns)
    ranges = [None] * len(columns) if range is None else list(range)
    if len(bins) != len(columns) or len(ranges) != len(columns):
        raise InvalidArgument(
            f"{len(bins)} bins and {len(ranges)} ranges for {len(columns)} axes: pass one for each"
        )
    wanted = [_bins(x, n, ends) for x, n, ends in zip(columns, bins, ranges, strict=True)]
    if weights is not None:
        weights = asarrays((columns[0], weights))[1]
        if weights.dtype.kind == "c":
            raise DTypeError("histogramdd: weights are complex; histogram() takes such ones")
    counts, edges = _array.histogram(
        [x.ravel() for x in columns],
        [count for count, _, _ in wanted],
        [ends for _, ends, _ in wanted],
        [edge for _, _, edge in wanted],
        (weights, bool(density)),
    )
    return counts.astype("f8"), tuple(edges)


# over 6 parameters because they are NumPy's
def histogram2d(
    x: Any,
    y: Any,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Any = None,
) -> tuple[Array, Array, Array]:
    """The same of points in a plane. `bins` is a number or edges for both axes, or two of them."""
    if hasattr(bins, "__len__") and len(bins) not in (1, 2):
        bins = [bins, bins]
    counts, edges = histogramdd([asarray(x), asarray(y)], bins, range, density, weights)
    return counts, edges[0], edges[1]
