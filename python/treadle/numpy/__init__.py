# SPDX-License-Identifier: MIT
"""NumPy's names for arrays on a device.

    import treadle.numpy as tnp

    x = tnp.linspace(0, 1, 1000)
    y = 5 * x + 6 * tnp.sin(x)      # one kernel, when y is looked at
    print(y)

Functions take arrays, NumPy's numbers, and Python's, which take on the dtype of arrays they meet.
They return at once: shape and dtype are known, and are refused where they do not fit.
"""

from __future__ import annotations

from collections.abc import Callable

from numpy import (
    bool_,
    complex64,
    complex128,
    e,
    euler_gamma,
    float16,
    float32,
    float64,
    inf,
    int8,
    int16,
    int32,
    int64,
    nan,
    newaxis,
    pi,
    uint8,
    uint16,
    uint32,
    uint64,
)

from treadle import random
from treadle._core.array import Array, evaluate
from treadle._core.rules import can_cast, promote_types, result_type

from . import _creation, _elementwise, _manipulation, _statistics
from ._creation import *
from ._elementwise import *
from ._manipulation import *
from ._statistics import *

ndarray = Array


def __getattr__(name: str) -> Callable[..., Array]:
    """For type checkers, which do not see the functions that are made by a loop."""
    raise AttributeError(f"module 'treadle.numpy' has no attribute {name!r}")


__all__ = [
    "Array",
    "bool_",
    "complex64",
    "complex128",
    "e",
    "euler_gamma",
    "float16",
    "float32",
    "float64",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "nan",
    "newaxis",
    "pi",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "can_cast",
    "evaluate",
    "ndarray",
    "promote_types",
    "random",
    "result_type",
    *_creation.__all__,
    *_elementwise.__all__,
    *_manipulation.__all__,
    *_statistics.__all__,
]
