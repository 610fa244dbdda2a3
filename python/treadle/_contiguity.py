# SPDX-License-Identifier: MIT
"""Strides of dense arrays, their flags, and the dtype that two operands have in common."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from treadle._required import required

__all__ = [
    "ArrayFlags",
    "as_strided",
    "c_contiguous_strides",
    "equal_strides",
    "f_contiguous_strides",
    "get_common_dtype",
    "is_c_contiguous_strides",
    "is_f_contiguous_strides",
]


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


class ArrayFlags:
    """Whether an array's memory is dense, and in which order."""

    def __init__(self, ary: Any) -> None:
        required(ary, "ary", "an array", "strides", "dtype", "shape")
        layout = ary.strides, ary.dtype.itemsize, ary.shape
        self.f_contiguous = is_f_contiguous_strides(*layout)
        self.c_contiguous = is_c_contiguous_strides(*layout)
        self.forc = self.f_contiguous or self.c_contiguous

    def __repr__(self) -> str:
        return f"  C_CONTIGUOUS : {self.c_contiguous}\n  F_CONTIGUOUS : {self.f_contiguous}"


_SINGLE = {
    np.dtype(np.float64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.complex64),
}


def get_common_dtype(obj1: Any, obj2: Any, allow_double: bool) -> np.dtype:
    """The dtype of the sum: of arrays, of anything with a dtype, and of Python's numbers, whose
    own type is weaker. Without `allow_double` what would be double is single."""
    operands = [
        np.zeros(1, operand.dtype) if hasattr(operand, "dtype") else operand
        for operand in (obj1, obj2)
    ]
    common = np.asarray(operator.add(*operands)).dtype
    return common if allow_double else _SINGLE.get(common, common)
