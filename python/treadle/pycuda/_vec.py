# SPDX-License-Identifier: MIT
"""CUDA's short vectors as structured dtypes, which pycuda.gpuarray has as `vec`: vec.float4,
vec.make_float4(1, 2, 3, 4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle._c_names import get_or_register_dtype

_FIELDS = "xyzw"
_BASES = {
    "char": np.int8,
    "uchar": np.uint8,
    "short": np.int16,
    "ushort": np.uint16,
    "int": np.int32,
    "uint": np.uint32,
    "long": np.int64,
    "ulong": np.uint64,
    "longlong": np.int64,
    "ulonglong": np.uint64,
    "float": np.float32,
    "double": np.float64,
}
_UP_TO_TWO = ("longlong", "ulonglong", "double")


class vec:  # noqa: N801 - the name is PyCUDA's
    """Dtypes of CUDA's vectors with fields x, y, z and w, and functions that make one."""


def _define(name: str, dtype: np.dtype) -> None:
    def make(*values: Any, **fields: Any) -> np.ndarray:
        """A vector, as an array of no dimensions; components that are not given are 0."""
        names = dtype.names or ()
        if len(values) > len(names):
            raise TypeError(f"make_{name} takes {len(names)} components, not {len(values)}")
        result = np.zeros((), dtype)
        for field, value in (dict(zip(names, values, strict=False)) | fields).items():
            result[field] = value
        return result

    make.__name__ = f"make_{name}"
    setattr(vec, name, dtype)
    setattr(vec, make.__name__, staticmethod(make))


for _name, _base in _BASES.items():
    for _count in range(1, 3 if _name in _UP_TO_TWO else 5):
        _vector = np.dtype([(field, _base) for field in _FIELDS[:_count]])
        _define(f"{_name}{_count}", get_or_register_dtype(f"{_name}{_count}", _vector))
