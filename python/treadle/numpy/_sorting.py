# SPDX-License-Identifier: MIT
"""Elements in their order.

NaN is behind all numbers, -0 equal to 0, complex numbers go by their real parts first. Sorts are
stable, whatever `kind` says. With descending=True the order is the reverse, NaN first; equal
elements stay in their order. Axis None is all elements in C's order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle._core import InvalidArgument
from treadle._core import array as _array
from treadle._core.array import Array

from ._creation import asarray, asarrays

__all__ = [
    "argpartition",
    "argsort",
    "lexsort",
    "partition",
    "sort",
    "sort_complex",
]


def sort(
    a: Any,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Array:
    """The elements along an axis, in a new array."""
    _array.require_kind(kind, order, stable)
    return _array.sorted(asarray(a), axis, descending)


def argsort(
    a: Any,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Array:
    """Where the sorted elements are along an axis."""
    return asarray(a).argsort(axis, kind, order, stable=stable, descending=descending)


def _require_introselect(name: str, kind: str, order: None) -> None:
    if kind != "introselect":
        raise InvalidArgument(f"{name}: kind={kind!r}; it is 'introselect'")
    _array.require_kind(None, order, None)


def partition(
    a: Any,
    kth: int | Sequence[int],
    axis: int | None = -1,
    kind: str = "introselect",
    order: None = None,
) -> Array:
    """With the elements at kth where a sort has them, lesser ones before and larger ones behind."""
    _require_introselect("partition", kind, order)
    return _array.partitioned(asarray(a), kth, axis)


def argpartition(
    a: Any,
    kth: int | Sequence[int],
    axis: int | None = -1,
    kind: str = "introselect",
    order: None = None,
) -> Array:
    """Where the elements of partition() are."""
    _require_introselect("argpartition", kind, order)
    return asarray(a).argpartition(kth, axis)


def sort_complex(a: Any) -> Array:
    """The elements as complex numbers in their order."""
    return _array.sort_complex(asarray(a))


def lexsort(keys: Any, axis: int = -1) -> Array:
    """The order by several keys, of which the last one counts first; an array's rows are keys."""
    if getattr(keys, "ndim", 1) == 0 or not len(keys):
        raise TypeError("lexsort: keys is a sequence of arrays, one for each key at least")
    return _array.lexsort(asarrays(keys), axis)
