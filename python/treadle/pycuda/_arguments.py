# SPDX-License-Identifier: MIT
"""Parameters of kernels that are going to be written, and the C names of their types."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle._c_names import TYPE_REGISTRY, get_or_register_dtype, parse_c_arg_backend
from treadle._c_names import dtype_to_ctype as base_dtype_to_ctype

get_or_register_dtype("pycuda::complex<float>", np.complex64)
get_or_register_dtype("pycuda::complex<double>", np.complex128)
get_or_register_dtype("size_t", np.uintp)
for _bits in (8, 16, 32, 64):
    get_or_register_dtype(f"int{_bits}_t", np.dtype(f"i{_bits // 8}"))
    get_or_register_dtype(f"uint{_bits}_t", np.dtype(f"u{_bits // 8}"))

_FP_TEX_NAMES = {
    np.dtype(np.float32): "fp_tex_float",
    np.dtype(np.float64): "fp_tex_double",
    np.dtype(np.complex64): "fp_tex_cfloat",
    np.dtype(np.complex128): "fp_tex_cdouble",
}


def dtype_to_ctype(dtype: Any, with_fp_tex_hack: bool = False) -> str:
    """The C name of a dtype. ValueError if it has none."""
    if dtype is None:
        raise ValueError("dtype may not be None")
    dtype = np.dtype(dtype)
    if with_fp_tex_hack and dtype in _FP_TEX_NAMES:
        return _FP_TEX_NAMES[dtype]
    return base_dtype_to_ctype(dtype)


class Argument:
    """One parameter of a kernel that is going to be written."""

    struct_char: str

    def __init__(self, dtype: Any, name: str) -> None:
        self.dtype = np.dtype(dtype)
        self.name = name

    def declarator(self) -> str:
        """The parameter as CUDA C declares it."""
        raise TypeError(f"{type(self).__name__} is not written: VectorArg and ScalarArg are")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.dtype})"


class VectorArg(Argument):
    """A pointer parameter."""

    struct_char = "P"

    def declarator(self) -> str:
        return f"{dtype_to_ctype(self.dtype)} *{self.name}"


class ScalarArg(Argument):
    """A parameter passed by value."""

    def __init__(self, dtype: Any, name: str) -> None:
        super().__init__(dtype, name)
        kind = self.dtype.char
        self.struct_char = f"{self.dtype.itemsize}s" if kind == "V" else kind

    def declarator(self) -> str:
        return f"{dtype_to_ctype(self.dtype)} {self.name}"


def parse_c_arg(c_arg: str) -> Argument:
    """ "const float *x" to VectorArg("x", float32)."""
    return parse_c_arg_backend(c_arg, ScalarArg, VectorArg, TYPE_REGISTRY.name_to_dtype)


def get_arg_type(c_arg: str) -> str:
    """The struct character of a C parameter."""
    return parse_c_arg(c_arg).struct_char
