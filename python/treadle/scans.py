# SPDX-License-Identifier: MIT
"""Scans, runs and sums of segments on a device, by any associative operation.

    import treadle.numpy as tnp
    from treadle import scans

    scans.scan(x, tnp.maximum, reverse=True)      # of all elements from the last one on
    scans.scan(x, scans.Operator("a * b % 97", neutral="1"), exclusive=True)
    keys, sums = scans.reduce_by_key(sorted_keys, values)
    values, lengths = scans.run_length_encode(pixels)
    scans.segmented_reduce(entries, offsets)      # the rows of a sparse matrix

An operation is a function of treadle.numpy, its name, or an Operator, a C text. All have the same
bits in every run. How many runs there are decides a shape, and is waited for; with capacity=n
nothing is. Results have length n then, zeros behind what was found, and are followed by the count,
an array without axes on the device.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treadle._core import array as _array
from treadle._core.array import Array
from treadle.numpy import asarray
from treadle.numpy._creation import asarrays
from treadle.numpy._ufunc_methods import places_of

__all__ = [
    "Operator",
    "combine_at",
    "reduce_by_key",
    "run_length_decode",
    "run_length_encode",
    "scan",
    "scan_by_key",
    "segmented_reduce",
    "segmented_scan",
]


@dataclass(frozen=True)
class Operator:
    """An associative operation as a C text of `a` and, behind it, `b`: Operator("a + b", "0").

    `neutral` is the text of what changes nothing: exclusive scans and empty segments give it.
    `preamble` comes before the kernels; `types` names dtypes of records that it defines.
    """

    combine: str
    neutral: str = ""
    preamble: str = ""
    types: Mapping[str, Any] = field(default_factory=dict)


def _operation(operator: Any) -> Any:
    if isinstance(operator, Operator):
        return (operator.combine, operator.neutral, operator.preamble, dict(operator.types))
    if isinstance(operator, str):
        return operator
    name = getattr(operator, "__name__", None)
    if isinstance(name, str):
        return name
    raise TypeError(
        f"an operator is a function of treadle.numpy, its name or an Operator, not a "
        f"{type(operator).__name__}"
    )


def scan(
    x: Any,
    operator: Any = "add",
    *,
    axis: int | None = None,
    exclusive: bool = False,
    reverse: bool = False,
) -> Array:
    """For each element what all up to it combine to, along an axis or in C's order of all.

    The result has the dtype of x. `exclusive` leaves each element's own out, so that the first
    result is the neutral element; `reverse` goes from the last element to the first.
    """
    return _array.scan(asarray(x), _operation(operator), axis, exclusive, reverse)


def segmented_scan(
    x: Any, starts: Any, operator: Any = "add", *, exclusive: bool = False, reverse: bool = False
) -> Array:
    """The same of one axis, beginning anew at each element whose `starts` is not 0."""
    x, starts = asarrays((x, starts))
    return _array.segmented_scan(x, starts, False, _operation(operator), exclusive, reverse)


def scan_by_key(
    keys: Any, x: Any, operator: Any = "add", *, exclusive: bool = False, reverse: bool = False
) -> Array:
    """The same, beginning anew wherever the key is another one than that of the element before."""
    keys, x = asarrays((keys, x))
    return _array.segmented_scan(x, keys, True, _operation(operator), exclusive, reverse)


def reduce_by_key(
    keys: Any, values: Any, operator: Any = "add", *, capacity: int | None = None
) -> tuple[Array, ...]:
    """The key of each run of equal neighbours, and what the values of the run combine to."""
    keys, values = asarrays((keys, values))
    made = _array.reduce_by_key(keys, values, _operation(operator), capacity)
    return made if capacity is not None else made[:2]


def run_length_encode(x: Any, *, capacity: int | None = None) -> tuple[Array, ...]:
    """The value and the length of each run of equal neighbours."""
    made = _array.run_length_encode(asarray(x), capacity)
    return made if capacity is not None else made[:2]


def run_length_decode(values: Any, lengths: Any) -> Array:
    """Each value as often as its length says. Waits for the sum of the lengths."""
    values, lengths = asarrays((values, lengths))
    return _array.run_length_decode(values, lengths)


def segmented_reduce(
    x: Any, offsets: Any, ends: Any = None, *, operator: Any = "add", axis: int = -1
) -> Array:
    """What x[offsets[k]:offsets[k + 1]] combines to along an axis; k + 1 offsets for k segments.

    With `ends`, segments are x[offsets[k]:ends[k]]. The operation has to be commutative, too; of an
    empty segment the result is the neutral element. Ends beyond the axis count as its end.
    """
    x, offsets = asarrays((x, offsets))
    if ends is not None:
        ends = asarrays((x, ends))[1]
    return _array.segmented_reduce(x, offsets, ends, _operation(operator), axis)


def combine_at(x: Array, indices: Any, values: Any, operator: Any = "add") -> None:
    """x[indices] = operator(x[indices], values); a place that comes several times changes as often.

    Values of a place are combined in their order, and then with the element.
    """
    _array.combine_at(x, places_of(x, indices), values, _operation(operator))
