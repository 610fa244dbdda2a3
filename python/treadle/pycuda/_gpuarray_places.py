# SPDX-License-Identifier: MIT
"""Indices and shapes as programs give them to a GPUArray."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from treadle._core.array import Array
from treadle._face_array import is_mask


def is_basic(index: Any) -> bool:
    """Whether indices are positions and slices, which give a view."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(
        part is None or part is Ellipsis or isinstance(part, slice | int | np.integer)
        for part in parts
    )


def require_integers(index: Any) -> None:
    """Raises IndexError for an array of other numbers, which is no mask either."""
    for part in index if isinstance(index, tuple) else ():
        require_integers(part)
    if isinstance(index, Array) and not is_mask(index) and index.dtype.kind not in "iu":
        raise IndexError(
            f"an index that is an array of {index.dtype}: it is to be of integers, or a mask, "
            "which a comparison is itself, and any array as x.astype(bool)"
        )


def resolved_shape(shape: tuple[Any, ...], size: int) -> tuple[int, ...]:
    """The arguments of reshape() as lengths, -1 replaced."""
    if len(shape) == 1 and not hasattr(shape[0], "__index__"):
        shape = tuple(shape[0])
    lengths = [operator.index(length) for length in shape]
    if lengths.count(-1) > 1:
        raise ValueError("can only specify one unknown dimension")
    known = 1
    for length in lengths:
        known *= length if length != -1 else 1
    if -1 in lengths:
        if known == 0 or size % known:
            raise ValueError(f"total size of new array must be unchanged: {size} elements")
        lengths[lengths.index(-1)] = size // known
    elif known != size:
        raise ValueError(
            f"total size of new array must be unchanged: {size} elements as {tuple(lengths)}"
        )
    return tuple(lengths)
