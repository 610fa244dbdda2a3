# SPDX-License-Identifier: MIT
"""Mathematical functions of arrays, element by element.

    y = pyopencl.clmath.sin(x)      # x: a pyopencl.array.Array

A result has its argument's dtype; of integers it has NumPy's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from treadle import _face_array
from treadle._core import NotSupported
from treadle._core import array as _native
from treadle._core.array import Array as NativeArray
from treadle.pyopencl._array_class import Array
from treadle.pyopencl._array_creation import queue_of, require_array
from treadle.pyopencl._array_functions import computed
from treadle.pyopencl._clmath_several import (  # noqa: F401
    abs_diff,
    clamp,
    clz,
    copysign,
    fdim,
    fma,
    fmax,
    fmin,
    fract,
    hypot,
    lgamma_r,
    mad,
    maxmag,
    minmag,
    nextafter,
    popcount,
    pow,  # noqa: A004 - OpenCL's name
    pown,
    powr,
    remainder,
    remquo,
    rootn,
    rsqrt,
    sincos,
)
from treadle.pyopencl._splay import splay as _splay
from treadle.pyopencl.elementwise import (
    get_bessel_kernel,
    get_hankel_01_kernel,
    get_unary_func_kernel,
)

# {OpenCL's name: NumPy's}
_UNARY = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atanh": "arctanh",
    "cbrt": "cbrt",
    "ceil": "ceil",
    "cos": "cos",
    "cosh": "cosh",
    "erf": "erf",
    "erfc": "erfc",
    "exp": "exp",
    "exp10": "exp10",
    "exp2": "exp2",
    "expm1": "expm1",
    "fabs": "fabs",
    "floor": "floor",
    "lgamma": "lgamma",
    "log": "log",
    "log10": "log10",
    "log1p": "log1p",
    "log2": "log2",
    "rint": "rint",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "tan": "tan",
    "tanh": "tanh",
    "tgamma": "tgamma",
    "trunc": "trunc",
}


# Functions that OpenCL C has and NumPy does not have.
_OF_OPENCL = (
    "acospi",
    "asinpi",
    "atanpi",
    "cospi",
    "ilogb",
    "logb",
    "round",
    "sinpi",
    "tanpi",
)


def _unary(name: str) -> Callable[..., Array]:
    def function(array: Array, queue: Any = None) -> Array:
        require_array(array)
        theirs = _UNARY.get(name)
        if theirs is not None:
            return computed(lambda x: _native.apply(theirs, x), array, queue=queue)
        return _run(name, _floating(array), queue=queue)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}() of OpenCL C, of every element."
    return function


def _floating(array: Array) -> Array:
    """Elements in a dtype that OpenCL C's functions take."""
    if array.dtype.kind == "c":
        raise TypeError(f"OpenCL C has no such function of {array.dtype}")
    if array.dtype in (np.float32, np.float64):
        return array
    return array.astype(np.float32 if array.dtype == np.float16 else np.float64)


def _run(name: str, array: Array, queue: Any) -> Array:
    """Applies a function of OpenCL C to an array of a floating dtype."""
    get = get_unary_func_kernel
    return _launched(lambda context: get(context, name, array.dtype), 1, array, queue)[0]


# over 6 parameters because a kernel has as many
def _launched(
    kernel_of: Callable[[Any], Any], outputs: int, array: Array, queue: Any, *scalars: Any
) -> list[Array]:
    """Launches a kernel of PyOpenCL's with outputs, scalars and the array. Returns new arrays like
    this one."""
    queue = queue_of(array, queue=queue)
    if not array.flags.c_contiguous:
        array = _dense(array)
    made = [
        Array(queue, array.shape, array.dtype, allocator=array.allocator) for _ in range(outputs)
    ]
    if array.size:
        kernel = kernel_of(array.context)
        kernel(queue, *_splay(queue.device, array.size), *made, *scalars, array, array.size)
    for out in made:
        out._changed()
    return made


def _dense(array: Array) -> Array:
    with array._work():
        made = array._wrap(_native.empty(array.shape, array.dtype, array.device))
        _face_array.assign(made, array)
    return made


for _name in (*_UNARY, *_OF_OPENCL):
    globals()[_name] = _unary(_name)


def nan(array: Array, queue: Any = None) -> Array:
    """Not a number, for every element; of uint in float32, of ulong in float64."""
    require_array(array)
    dtype = array.dtype
    if dtype.kind in "iu":
        dtype = np.dtype(np.float64 if dtype.itemsize == 8 else np.float32)
    return computed(lambda x: _native.full(x.shape, np.nan, dtype, x.device), array, queue=queue)


# --- of two arrays -------------------------------------------------------------------------------


def _binary(theirs: str, x: Any, y: Any, queue: Any) -> Array:
    return computed(lambda a, b: _native.apply(theirs, a, b), x, y, queue=queue)


def atan2(y: Any, x: Any, queue: Any = None) -> Array:
    """The angle of (x, y)."""
    return _binary("arctan2", y, x, queue)


def atan2pi(y: Any, x: Any, queue: Any = None) -> Array:
    """The same in half turns: divided by pi."""
    angle = atan2(y, x, queue)
    return computed(lambda a: _native.apply("divide", a, a.dtype.type(math.pi)), angle, queue=queue)


def fmod(arg: Any, mod: Any, queue: Any = None) -> Array:
    """The remainder of division, with the sign of `arg`."""
    return _binary("fmod", arg, mod, queue)


def frexp(arg: Array, queue: Any = None) -> tuple[Array, Array]:
    """Significands from 0.5 to below 1, and exponents of 2, in int32."""
    require_array(arg)
    return (
        computed(lambda x: _native.apply("frexp_mantissa", x), arg, queue=queue),
        computed(lambda x: _native.apply("frexp_exponent", x), arg, queue=queue),
    )


def ldexp(significand: Any, exponent: Any, queue: Any = None) -> Array:
    """significand * 2 ** exponent, in the dtype of the significand."""

    def compute(x: Any, e: Any) -> NativeArray:
        if isinstance(e, NativeArray):
            e = NativeArray.astype(e, np.int32)
        return _native.apply("ldexp", x, e)

    return computed(compute, significand, exponent, queue=queue)


def modf(arg: Array, queue: Any = None) -> tuple[Array, Array]:
    """What is behind the point, and what stands before it, both with the sign of `arg`."""
    require_array(arg)
    return (
        computed(lambda x: _native.apply("modf_fraction", x), arg, queue=queue),
        computed(lambda x: _native.apply("modf_integer", x), arg, queue=queue),
    )


# --- of Bessel's and Hankel's --------------------------------------------------------------------


def _bessel(which: str, n: int, x: Array, queue: Any) -> Array:
    require_array(x)
    if x.dtype.kind == "c" and (which != "j" or x.dtype != np.complex128):
        raise NotSupported(f"bessel_{which}n() of {x.dtype}")
    if x.dtype.kind == "c" and n < 0:
        raise NotSupported(f"bessel_{which}n() of complex numbers and the order {n}")
    x = x if x.dtype.kind == "c" else x.astype(np.float64)
    dtype = x.dtype

    def kernel_of(context: Any) -> Any:
        return get_bessel_kernel(context, which, dtype, np.dtype(np.int32), dtype)

    return _launched(kernel_of, 1, x, queue, np.int32(n))[0]


def bessel_jn(n: int, x: Array, queue: Any = None) -> Array:
    """Bessel's function of the first kind, of an integer order; in double."""
    return _bessel("j", n, x, queue)


def bessel_yn(n: int, x: Array, queue: Any = None) -> Array:
    """The same of the second kind."""
    return _bessel("y", n, x, queue)


def hankel_01(x: Array, queue: Any = None) -> tuple[Array, Array]:
    """Hankel's functions of the first kind, of orders 0 and 1, of complex128."""
    require_array(x)
    if x.dtype != np.complex128:
        raise NotSupported(f"hankel_01() of {x.dtype}: convert it to complex128")
    h0, h1 = _launched(lambda c: get_hankel_01_kernel(c, x.dtype, x.dtype), 2, x, queue)
    return h0, h1
