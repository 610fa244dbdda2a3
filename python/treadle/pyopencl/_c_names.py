# SPDX-License-Identifier: MIT
"""NumPy dtypes and OpenCL C's names for them: a registry of this face's own."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from treadle._c_names import (  # noqa: F401
    DTypeRegistry,
    TypeNameNotKnown,
    fill_registry_with_c99_complex_types,
    fill_registry_with_c99_stdint_types,
    fill_registry_with_c_types,
    parse_c_arg_backend,
)

_INTEGERS = (("char", 8), ("short", 16), ("int", 32), ("long", 64))


def fill_registry_with_opencl_c_types(reg: DTypeRegistry) -> None:
    """OpenCL C's types, whose long has 64 bits everywhere; bool is none a kernel can take."""
    for name, bits in _INTEGERS:
        signed = [name, f"signed {name}"]
        unsigned = [f"u{name}", f"unsigned {name}"]
        if name in ("short", "long"):
            signed += [f"{name} int", f"signed {name} int", f"{name} signed int"]
            unsigned += [f"unsigned {name} int", f"{name} unsigned int"]
        if name == "int":
            unsigned += ["unsigned"]
        reg.get_or_register_dtype(signed, np.dtype(f"i{bits // 8}"))
        reg.get_or_register_dtype(unsigned, np.dtype(f"u{bits // 8}"))
    reg.get_or_register_dtype("intptr_t", np.intp)
    reg.get_or_register_dtype("uintptr_t", np.uintp)
    reg.get_or_register_dtype("float", np.float32)
    reg.get_or_register_dtype("double", np.float64)


TYPE_REGISTRY = DTypeRegistry()
DTYPE_TO_NAME = TYPE_REGISTRY.dtype_to_name
NAME_TO_DTYPE = TYPE_REGISTRY.name_to_dtype
dtype_to_ctype = TYPE_REGISTRY.dtype_to_ctype


class _UnknownTypeName(TypeNameNotKnown, KeyError):
    """What programs catch by either name: PyOpenCL documents the first and raises the second."""

    __str__ = Exception.__str__


def get_or_register_dtype(c_names: str | Iterable[str], dtype: Any = None) -> np.dtype:
    """The dtype of a C name; with `dtype`, binds the names to it. Raises TypeNameNotKnown."""
    try:
        return TYPE_REGISTRY.get_or_register_dtype(c_names, dtype)
    except KeyError:
        raise _UnknownTypeName(
            f"{c_names!r} is the name of no type here: get_or_register_dtype({c_names!r}, dtype) "
            "makes it one"
        ) from None


fill_registry_with_opencl_c_types(TYPE_REGISTRY)
get_or_register_dtype("cfloat_t", np.complex64)
get_or_register_dtype("cdouble_t", np.complex128)


def register_dtype(dtype: Any, c_names: str | Iterable[str], alias_ok: bool = False) -> None:
    """The older, strict form of get_or_register_dtype."""
    warnings.warn(
        "register_dtype is deprecated; use get_or_register_dtype", DeprecationWarning, stacklevel=2
    )
    dtype = np.dtype(dtype)
    if not alias_ok and dtype in DTYPE_TO_NAME:
        raise RuntimeError(f"dtype {dtype} is already registered as {DTYPE_TO_NAME[dtype]!r}")
    get_or_register_dtype(c_names, dtype)
