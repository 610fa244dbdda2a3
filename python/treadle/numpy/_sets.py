# SPDX-License-Identifier: MIT
"""Arrays as sets, and places among what is sorted.

Of each value there is one, in the order of sort(). How many there are is a shape: those functions
copy one number of 8 bytes from the device and wait for it, as x[mask] does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from treadle._core import InvalidArgument
from treadle._core import array as _array
from treadle._core.array import Array

from ._creation import asarray, asarrays

__all__ = [
    "digitize",
    "interp",
    "intersect1d",
    "isin",
    "searchsorted",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Array:
    """Where elements of v would stand in a, which is sorted, or is by the order `sorter`."""
    a, v = asarrays((a, v))
    if sorter is not None:
        sorter = asarrays((a, sorter))[1]
    return _array.searchsorted(a, v, side, sorter)


def digitize(x: Any, bins: Any, right: bool = False) -> Array:
    """Which of the bins between these edges, which go up or down, each element is in. Looks at the
    edges, and waits."""
    x, bins = asarrays((x, bins))
    return _array.digitize(x, bins, right)


# over 6 parameters because they are NumPy's
def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: float | None = None
) -> Array:
    """Values at x on the line through fp at the places xp."""
    x, xp, fp = asarrays((x, xp, fp))
    return _array.interp(x, xp, fp, left, right, period)


# over 6 parameters because they are NumPy's
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Each value once; and where it is first, which of them each element is, how often it is
    there. They are always sorted. With an axis the values are parts of ar along it."""
    ar = asarray(ar)
    if axis is not None and ar.ndim == 1 and axis in (0, -1):
        axis = None  # whose elements are the parts
    wanted = (True, return_index, return_inverse, return_counts)
    made = _array.unique(ar, return_index, return_inverse, return_counts, equal_nan, axis)
    results = tuple(x for x, is_wanted in zip(made, wanted, strict=True) if is_wanted)
    return results[0] if len(results) == 1 else results


class UniqueAllResult(NamedTuple):
    """Of unique_all()."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """Of unique_counts()."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """Of unique_inverse()."""

    values: Array
    inverse_indices: Array


def unique_all(x: Any) -> UniqueAllResult:
    """Each value once, where it is first, which of them each element is, how often it is there."""
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x: Any) -> UniqueCountsResult:
    """Each value once, and how often it is there."""
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x: Any) -> UniqueInverseResult:
    """Each value once, and which of them each element is."""
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x: Any) -> Array:
    """Each value once."""
    return unique(x, equal_nan=False)


def union1d(ar1: Any, ar2: Any) -> Array:
    """Values that one of both has."""
    return _array.union1d(*asarrays((ar1, ar2)))


def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """Values that both have, and where they are first in both."""
    x, y = asarrays((ar1, ar2))
    made = _array.intersect1d(x, y, assume_unique)
    return made if return_indices else made[0]


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Array:
    """Values of ar1 that ar2 does not have."""
    x, y = asarrays((ar1, ar2))
    return _array.setdiff1d(x, y, assume_unique)


def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Array:
    """Values that one of both has, and the other has not."""
    x, y = asarrays((ar1, ar2))
    return _array.setxor1d(x, y, assume_unique)


def isin(
    element: Any,
    test_elements: Any,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> Array:
    """Whether each element is equal to any of the others. `kind` is None, "sort" or "table", which
    say how NumPy searches; here they are one."""
    if kind not in (None, "sort", "table"):
        raise InvalidArgument(f"isin: kind={kind!r}; it is None, 'sort' or 'table'")
    x = asarray(element)
    is_there = isinstance(test_elements, Array)
    few = asarray(test_elements, device=None if is_there else x.device)
    return _array.isin(x, few, invert)
