# SPDX-License-Identifier: MIT
"""Mathematical functions of the elements of GPUArrays: those of NumPy, in the arrays' precision.

cumath.sin(x), cumath.sin(x, out=y, stream=stream)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from treadle._core import array as _array
from treadle._core.array import Array
from treadle._face_array import cast
from treadle.pycuda import driver as cuda
from treadle.pycuda._gpuarray import GPUArray, require_gpuarray

# PyCUDA's name -> NumPy's
_FUNCTIONS = {
    "fabs": "fabs",
    "ceil": "ceil",
    "floor": "floor",
    "exp": "exp",
    "log": "log",
    "log10": "log10",
    "sqrt": "sqrt",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
}


def _checked_out(array: GPUArray, out: GPUArray, result: Array) -> GPUArray:
    if require_gpuarray(out).shape != array.shape:
        raise ValueError(f"out has the shape {out.shape}, the array {array.shape}")
    if out.dtype != result.dtype:
        raise TypeError(f"out is of {out.dtype}, the result of {result.dtype}")
    return out


def _function(name: str, numpy_name: str) -> Callable[..., GPUArray]:
    def function(
        array: GPUArray,
        stream_or_out: Any = None,
        *,
        out: GPUArray | None = None,
        stream: cuda.Stream | None = None,
    ) -> GPUArray:
        if stream_or_out is not None:
            warnings.warn(
                "please use 'out' or 'stream' keyword arguments", DeprecationWarning, stacklevel=2
            )
            if isinstance(stream_or_out, cuda.Stream):
                stream = stream_or_out
            else:
                out = stream_or_out

        def compute() -> GPUArray:
            result = _array.apply(numpy_name, array)
            return array._give(
                result, out=None if out is None else _checked_out(array, out, result)
            )

        return require_gpuarray(array)._run(stream, compute)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"numpy.{numpy_name}() of each element, in `out` if there is one."
    return function


globals().update({name: _function(name, theirs) for name, theirs in _FUNCTIONS.items()})


def fmod(arg: GPUArray, mod: GPUArray, stream: cuda.Stream | None = None) -> GPUArray:
    """What is left of arg / mod, of the sign of arg; exact."""
    return require_gpuarray(arg)._run(stream, lambda: arg._apply("fmod", arg, mod))


def frexp(arg: GPUArray, stream: cuda.Stream | None = None) -> tuple[GPUArray, GPUArray]:
    """Significands from 0.5 on and below 1, and exponents of 2, both in the dtype of arg; of
    integers in the floating dtype that they become."""
    return _two(arg, stream, "frexp_mantissa", "frexp_exponent")


def ldexp(significand: GPUArray, exponent: GPUArray, stream: cuda.Stream | None = None) -> GPUArray:
    """significand * 2**exponent; exponents are whole numbers of any dtype."""
    require_gpuarray(significand)
    powers = (
        exponent
        if require_gpuarray(exponent).dtype.kind in "iu"
        else Array.astype(exponent, "int32")
    )
    return significand._run(stream, lambda: significand._apply("ldexp", significand, powers))


def modf(arg: GPUArray, stream: cuda.Stream | None = None) -> tuple[GPUArray, GPUArray]:
    """Fractions and whole parts, both of the sign of arg."""
    return _two(arg, stream, "modf_fraction", "modf_integer")


def _two(
    arg: GPUArray, stream: cuda.Stream | None, first: str, second: str
) -> tuple[GPUArray, GPUArray]:
    fraction = require_gpuarray(arg)._run(stream, lambda: arg._wrap(_array.apply(first, arg)))
    rest = arg._run(stream, lambda: arg._wrap(cast(_array.apply(second, arg), fraction.dtype)))
    return fraction, rest


def __getattr__(name: str) -> Callable[..., GPUArray]:
    """For type checkers, which do not see the functions that are made by a loop."""
    raise AttributeError(f"module 'pycuda.cumath' has no attribute {name!r}")
