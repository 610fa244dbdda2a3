# SPDX-License-Identifier: MIT
"""Strides of dense arrays, their flags, and the dtype that two operands have in common."""

from treadle._contiguity import (
    ArrayFlags,
    as_strided,
    c_contiguous_strides,
    equal_strides,
    f_contiguous_strides,
    get_common_dtype,
    is_c_contiguous_strides,
    is_f_contiguous_strides,
)

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
