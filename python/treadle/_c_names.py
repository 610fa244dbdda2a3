# SPDX-License-Identifier: MIT
"""NumPy dtypes and the C names by which kernels call them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from treadle._core.codegen import parse_declaration


class TypeNameNotKnown(RuntimeError):  # noqa: N818 - the name is PyCUDA's
    """Raised by callers that look up C names; kept for programs that catch it."""


class DTypeRegistry:
    """Two-way table; the first name given for a dtype is the one used in generated C."""

    def __init__(self) -> None:
        self.dtype_to_name: dict[np.dtype, str] = {}
        self.name_to_dtype: dict[str, np.dtype] = {}

    def get_or_register_dtype(self, names: str | Iterable[str], dtype: Any = None) -> np.dtype:
        """Without `dtype` looks the name up (KeyError), or several that stand for the same; with
        it, binds the names to it."""
        names = [names] if isinstance(names, str) else list(names)
        if dtype is None:
            found = {self.name_to_dtype[name] for name in names}
            if len(found) != 1:
                raise RuntimeError(f"C type names {names} stand for {len(found)} dtypes, not one")
            return found.pop()
        dtype = np.dtype(dtype)
        for known in self.dtype_to_name:
            if known == dtype:
                dtype = known  # equal structs share the object that was registered first
                break
        for name in names:
            bound = self.name_to_dtype.get(name, dtype)
            if bound != dtype:
                raise RuntimeError(f"C type name {name!r} already stands for {bound}, not {dtype}")
        self.name_to_dtype.update((name, dtype) for name in names if name not in self.name_to_dtype)
        if names:
            self.dtype_to_name.setdefault(dtype, names[0])
        return dtype

    def dtype_to_ctype(self, dtype: Any) -> str:
        """The first name that `dtype` was given. Raises ValueError if it has none."""
        if dtype is None:
            raise ValueError("dtype may not be None")
        dtype = np.dtype(dtype)
        try:
            return self.dtype_to_name[dtype]
        except KeyError:
            raise ValueError(
                f"unable to map dtype '{dtype}' to a C type; register_dtype or "
                "get_or_register_dtype gives it a name"
            ) from None


def fill_registry_with_c_types(
    reg: DTypeRegistry, respect_windows: bool, include_bool: bool = True
) -> None:
    """Registers C's arithmetic types. `respect_windows`: long has 32 bits there."""
    if include_bool:
        reg.get_or_register_dtype("bool", np.bool_)
    reg.get_or_register_dtype(["signed char", "char"], np.int8)
    reg.get_or_register_dtype("unsigned char", np.uint8)
    reg.get_or_register_dtype(
        ["short", "signed short", "signed short int", "short signed int"], np.int16
    )
    reg.get_or_register_dtype(
        ["unsigned short", "unsigned short int", "short unsigned int"], np.uint16
    )
    reg.get_or_register_dtype(["int", "signed int"], np.int32)
    reg.get_or_register_dtype(["unsigned", "unsigned int"], np.uint32)
    if not respect_windows or np.dtype("l").itemsize == 8:
        reg.get_or_register_dtype(
            ["long", "long int", "signed long int", "long signed int"], np.int64
        )
        reg.get_or_register_dtype(
            ["unsigned long", "unsigned long int", "long unsigned int"], np.uint64
        )
    # The spellings with two longs, and stdint's, are further names of the same dtypes.
    reg.get_or_register_dtype(["long long", "long long int", "signed long long"], np.int64)
    reg.get_or_register_dtype(["unsigned long long", "unsigned long long int"], np.uint64)
    reg.get_or_register_dtype(["float"], np.float32)
    reg.get_or_register_dtype(["double"], np.float64)


def fill_registry_with_c99_stdint_types(reg: DTypeRegistry) -> None:
    """Registers int8_t ... uint64_t, size_t and ptrdiff_t."""
    for bits in (8, 16, 32, 64):
        reg.get_or_register_dtype(f"int{bits}_t", np.dtype(f"i{bits // 8}"))
        reg.get_or_register_dtype(f"uint{bits}_t", np.dtype(f"u{bits // 8}"))
    reg.get_or_register_dtype("size_t", np.uintp)
    reg.get_or_register_dtype("ptrdiff_t", np.intp)


def fill_registry_with_opencl_c_types(reg: DTypeRegistry) -> None:
    """Registers OpenCL C's arithmetic types, whose long always has 64 bits."""
    for name, dtype in (
        ("char", np.int8),
        ("short", np.int16),
        ("int", np.int32),
        ("long", np.int64),
    ):
        reg.get_or_register_dtype([name, f"signed {name}"], dtype)
    for name, unsigned in (
        ("char", np.uint8),
        ("short", np.uint16),
        ("int", np.uint32),
        ("long", np.uint64),
    ):
        reg.get_or_register_dtype([f"u{name}", f"unsigned {name}"], unsigned)
    reg.get_or_register_dtype("bool", np.bool_)
    reg.get_or_register_dtype("half", np.float16)
    reg.get_or_register_dtype("float", np.float32)
    reg.get_or_register_dtype("double", np.float64)


def fill_registry_with_c99_complex_types(reg: DTypeRegistry) -> None:
    """Registers C99's complex types."""
    reg.get_or_register_dtype("float complex", np.complex64)
    reg.get_or_register_dtype("double complex", np.complex128)


TYPE_REGISTRY = DTypeRegistry()
DTYPE_TO_NAME = TYPE_REGISTRY.dtype_to_name
NAME_TO_DTYPE = TYPE_REGISTRY.name_to_dtype
dtype_to_ctype = TYPE_REGISTRY.dtype_to_ctype
get_or_register_dtype = TYPE_REGISTRY.get_or_register_dtype


def _fill_dtype_registry(respect_windows: bool, include_bool: bool = True) -> None:
    fill_registry_with_c_types(TYPE_REGISTRY, respect_windows, include_bool)


def register_dtype(dtype: Any, c_names: str | Iterable[str], alias_ok: bool = False) -> None:
    """The older, strict form of get_or_register_dtype."""
    warnings.warn(
        "register_dtype is deprecated; use get_or_register_dtype", DeprecationWarning, stacklevel=2
    )
    dtype = np.dtype(dtype)
    if not alias_ok and dtype in TYPE_REGISTRY.dtype_to_name:
        raise RuntimeError(
            f"dtype {dtype} is already registered as {TYPE_REGISTRY.dtype_to_name[dtype]!r}"
        )
    TYPE_REGISTRY.get_or_register_dtype(c_names, dtype)


def parse_c_arg_backend(
    c_arg: str,
    scalar_arg_factory: Callable[[np.dtype, str], Any],
    vec_arg_factory: Callable[[np.dtype, str], Any],
    name_to_dtype: Callable[[str], np.dtype] | dict[str, np.dtype] | None = None,
) -> Any:
    """Reads one C parameter, such as "const float *x", and calls the factory that fits."""
    lookup = NAME_TO_DTYPE if name_to_dtype is None else name_to_dtype
    declaration = parse_declaration(c_arg)
    name = declaration.type
    try:
        dtype = lookup(name) if callable(lookup) else lookup[name]
    except KeyError:
        raise ValueError(f"unknown type '{name}' in argument declaration {c_arg!r}") from None
    factory = vec_arg_factory if declaration.is_pointer else scalar_arg_factory
    return factory(dtype, declaration.name)


_fill_dtype_registry(respect_windows=True)
