# SPDX-License-Identifier: MIT
"""Strides of dense arrays."""

from __future__ import annotations

from collections.abc import Sequence


def f_contiguous_strides(itemsize: int, shape: Sequence[int]) -> tuple[int, ...]:
    """Strides in bytes, first axis fastest; an axis of length 0 counts as 1."""
    strides = []
    step = itemsize
    for length in shape:
        strides.append(step)
        step *= max(length, 1)
    return tuple(strides)


def c_contiguous_strides(itemsize: int, shape: Sequence[int]) -> tuple[int, ...]:
    """Strides in bytes, last axis fastest; an axis of length 0 counts as 1."""
    return f_contiguous_strides(itemsize, tuple(shape)[::-1])[::-1]


def equal_strides(strides1: Sequence[int], strides2: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether both walk memory alike: the stride of an axis of length 1 does not matter."""
    if len(strides1) != len(strides2) or len(strides1) != len(shape):
        return False
    return all(
        length == 1 or a == b for a, b, length in zip(strides1, strides2, shape, strict=True)
    )


def is_f_contiguous_strides(strides: Sequence[int], itemsize: int, shape: Sequence[int]) -> bool:
    """Whether the first axis runs fastest; those of no elements are so too."""
    return 0 in shape or equal_strides(strides, f_contiguous_strides(itemsize, shape), shape)


def is_c_contiguous_strides(strides: Sequence[int], itemsize: int, shape: Sequence[int]) -> bool:
    """Whether the last axis runs fastest; those of no elements are so too."""
    return 0 in shape or equal_strides(strides, c_contiguous_strides(itemsize, shape), shape)
