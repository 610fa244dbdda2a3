# SPDX-License-Identifier: MIT
"""OpenCL C's scalar and vector types as NumPy's: float4, make_float4(1, 2, 3, 4)."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.pyopencl._c_names import get_or_register_dtype

char = np.int8
uchar = np.uint8
short = np.int16
ushort = np.uint16
int = np.int32  # noqa: A001 - OpenCL C's names
uint = np.uint32
long = np.int64
ulong = np.uint64
half = np.float16
float = np.float32  # noqa: A001
double = np.float64

_BASES = {
    "char": char,
    "uchar": uchar,
    "short": short,
    "ushort": ushort,
    "int": int,
    "uint": uint,
    "long": long,
    "ulong": ulong,
    "float": float,
    "double": double,
}
_COUNTS = (2, 3, 4, 8, 16)
_TITLES = "xyzw"

# {(scalar dtype, count): vector dtype} and back.
vec_types: dict[tuple[np.dtype, Any], np.dtype] = {}
vec_type_to_scalar_and_count: dict[np.dtype, tuple[np.dtype, Any]] = {}


def _vector_dtype(base: np.dtype, count: Any) -> np.dtype:
    """A dtype with the fields s0, s1 ... The first four fields are also called x, y, z, w. Vectors
    of three take the room of four."""
    names = [f"s{i}" for i in range(count)] + (["padding0"] if count == 3 else [])
    titles = [_TITLES[i] if i < min(4, count) and count <= 4 else None for i in range(len(names))]
    if count > 4:
        titles[:4] = _TITLES
    return np.dtype({"names": names, "formats": [base] * len(names), "titles": titles})


def _component_count(dtype: np.dtype) -> Any:
    return vec_type_to_scalar_and_count[dtype][1]


def _make(name: str, dtype: np.dtype, values: tuple, fields: dict[str, Any]) -> np.ndarray:
    count = _component_count(dtype)
    if len(values) > count:
        raise TypeError(f"make_{name} takes {count} components, not {len(values)}")
    if len(values) < count:
        warnings.warn(
            f"make_{name} was given {len(values)} of {count} components by position; the others "
            "are 0 unless their names are given",
            DeprecationWarning,
            stacklevel=3,
        )
    vector = np.zeros((), dtype)
    for index, value in enumerate(values):
        vector[f"s{index}"] = value
    for field, value in fields.items():
        vector[field] = value
    return vector


def _filled(dtype: np.dtype, value: Any) -> np.ndarray:
    vector = np.zeros((), dtype)
    for index in range(_component_count(dtype)):
        vector[f"s{index}"] = value
    return vector


def _define(name: str, base: Any, count: Any) -> None:
    dtype = get_or_register_dtype(name, _vector_dtype(np.dtype(base), count))
    vec_types[np.dtype(base), count] = dtype
    vec_type_to_scalar_and_count[dtype] = (np.dtype(base), count)
    globals().update(
        {
            name: dtype,
            f"make_{name}": lambda *values, **fields: _make(name, dtype, values, fields),
            f"filled_{name}": lambda value: _filled(dtype, value),
            f"zeros_{name}": lambda: _filled(dtype, 0),
            f"ones_{name}": lambda: _filled(dtype, 1),
        }
    )


for _name, _base in _BASES.items():
    for _count in _COUNTS:
        _define(f"{_name}{_count}", _base, _count)

if TYPE_CHECKING:  # the vectors are made in a loop

    def __getattr__(name: str) -> Any: ...
