# SPDX-License-Identifier: MIT
"""Functions of clmath that take or give several arrays, and those of integers.

What NumPy's operations make up is written with them and becomes part of other kernels; what only
OpenCL C rounds as it should (fma, remainder, ...) is a kernel that calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import treadle.numpy as _numpy
from treadle import _face_array
from treadle._core import array as _native
from treadle._core.array import Array as NativeArray
from treadle.pyopencl._arguments import Argument, ScalarArg, VectorArg
from treadle.pyopencl._array_class import Array
from treadle.pyopencl._array_creation import queue_of, require_array
from treadle.pyopencl._array_functions import computed, require_lead
from treadle.pyopencl._caches import context_dependent_memoize
from treadle.pyopencl._elementwise_programs import get_elwise_kernel
from treadle.pyopencl._splay import splay as _splay

_apply = _native.apply


def _by_numpy(name: str, theirs: str, doc: str) -> Callable[..., Array]:
    def function(x: Any, y: Any, queue: Any = None) -> Array:
        return computed(lambda a, b: _apply(theirs, a, b), x, y, queue=queue)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


copysign = _by_numpy("copysign", "copysign", "x with the sign of y.")
fmax = _by_numpy("fmax", "fmax", "The larger of two elements; the other one where one is nan.")
fmin = _by_numpy("fmin", "fmin", "The smaller of two elements; the other one where one is nan.")
hypot = _by_numpy("hypot", "hypot", "sqrt(x * x + y * y), without overflow on the way.")
nextafter = _by_numpy("nextafter", "nextafter", "The number next to x towards y.")
pow = _by_numpy("pow", "power", "x to the power of y.")  # noqa: A001 - OpenCL's name


def rsqrt(array: Array, queue: Any = None) -> Array:
    """1 / sqrt(x)."""
    require_array(array)
    return computed(lambda x: _apply("rsqrt", x), array, queue=queue)


def sincos(array: Array, queue: Any = None) -> tuple[Array, Array]:
    """The sine and the cosine."""
    require_array(array)
    return (
        computed(lambda x: _apply("sin", x), array, queue=queue),
        computed(lambda x: _apply("cos", x), array, queue=queue),
    )


def fdim(x: Any, y: Any, queue: Any = None) -> Array:
    """x - y where x is more, else 0; nan if one is."""
    return computed(
        lambda a, b: _apply("where", _apply("less_equal", a, b), 0, _apply("subtract", a, b)),
        x,
        y,
        queue=queue,
    )


def mad(a: Any, b: Any, c: Any, queue: Any = None) -> Array:
    """a * b + c, rounded as is fastest."""
    return computed(
        lambda x, y, z: _apply("add", _apply("multiply", x, y), z), a, b, c, queue=queue
    )


def clamp(x: Any, minval: Any, maxval: Any, queue: Any = None) -> Array:
    """x, or the limit that it is beyond."""
    return computed(
        lambda a, low, high: _apply("minimum", _apply("maximum", a, low), high),
        x,
        minval,
        maxval,
        queue=queue,
    )


def _by_magnitude(name: str, further: str, on_ties: str) -> Callable[..., Array]:
    def compute(a: Any, b: Any) -> NativeArray:
        sizes = [_apply("absolute", v) if isinstance(v, NativeArray) else abs(v) for v in (a, b)]
        return _apply(
            "where",
            _apply(further, *sizes),
            a,
            _apply("where", _apply(further, *sizes[::-1]), b, _apply(on_ties, a, b)),
        )

    def function(x: Any, y: Any, queue: Any = None) -> Array:
        return computed(compute, x, y, queue=queue)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The element of {further} magnitude; {on_ties}() where they are equal."
    return function


maxmag = _by_magnitude("maxmag", "greater", "fmax")
minmag = _by_magnitude("minmag", "less", "fmin")


def fract(array: Array, queue: Any = None) -> tuple[Array, Array]:
    """(x - floor(x), which stays below 1, and floor(x))."""
    require_array(array)
    below = array.dtype.type(1) - np.finfo(array.dtype).epsneg if array.dtype.kind == "f" else 0
    return (
        computed(
            lambda x: _apply("minimum", _apply("subtract", x, _apply("floor", x)), below),
            array,
            queue=queue,
        ),
        computed(lambda x: _apply("floor", x), array, queue=queue),
    )


def lgamma_r(array: Array, queue: Any = None) -> tuple[Array, Array]:
    """(the logarithm of the gamma function's magnitude, the function's sign in int32)."""
    require_array(array)

    def sign(x: NativeArray) -> NativeArray:
        is_odd = _apply("not_equal", _apply("remainder", _apply("floor", x), 2), 0)
        is_negative = _apply("logical_and", _apply("less", x, 0), is_odd)
        return _apply("where", is_negative, np.int32(-1), np.int32(1))

    return (
        computed(lambda x: _apply("lgamma", x), array, queue=queue),
        computed(sign, array, queue=queue),
    )


# --- of integers ---------------------------------------------------------------------------------


def _require_integers(name: str, *operands: Any) -> np.dtype:
    """Returns the common dtype of the arrays. Raises if it is no integer."""
    dtypes = [operand.dtype for operand in operands if isinstance(operand, Array)]
    if not dtypes:
        raise TypeError(f"{name}() of no array on a device: to_device(queue, x) makes one")
    for dtype in dtypes:
        if dtype.kind not in "iu":
            raise TypeError(f"{name}() takes integers, not {dtype}: x.astype(numpy.int32)")
    return np.result_type(*dtypes)


def popcount(array: Array, queue: Any = None) -> Array:
    """How many bits are set, in the dtype of the integers."""
    dtype = _require_integers("popcount", array)
    bits = np.dtype(f"u{dtype.itemsize}")  # NumPy counts the bits of the magnitude
    return computed(
        lambda x: NativeArray.astype(_apply("bitwise_count", NativeArray.astype(x, bits)), dtype),
        array,
        queue=queue,
    )


def abs_diff(x: Any, y: Any, queue: Any = None) -> Array:
    """|x - y| of integers, without overflow: in their dtype without a sign."""
    dtype = np.dtype(f"u{_require_integers('abs_diff', x, y).itemsize}")

    def compute(a: Any, b: Any) -> NativeArray:
        differences = _apply("subtract", a, b), _apply("subtract", b, a)
        return NativeArray.astype(_apply("where", _apply("greater", a, b), *differences), dtype)

    return computed(compute, x, y, queue=queue)


# --- of OpenCL C ---------------------------------------------------------------------------------


@context_dependent_memoize
def _kernel(
    context: Any,
    operation: str,
    results: tuple[np.dtype, ...],
    operands: tuple[tuple[bool, Any], ...],
) -> Any:
    """Makes a kernel. The operation calls results r0[i] and r1[i], and operands x0, x1, ..."""
    parameters: list[Argument] = [
        VectorArg(dtype, f"r{k}", with_offset=True) for k, dtype in enumerate(results)
    ]
    for k, (is_array, dtype) in enumerate(operands):
        name = f"x{k}"
        parameters.append(
            VectorArg(dtype, name, with_offset=True) if is_array else ScalarArg(dtype, name)
        )
        if is_array:
            operation = operation.replace(name, f"{name}[i]")
    return get_elwise_kernel(context, parameters, operation, name="clmath_kernel")


def _as_operand(operand: Any, dtype: np.dtype, shape: tuple[int, ...], lead: Array) -> Any:
    """Converts an operand for the kernel: to a number, or to a dense array of the shape."""
    if not isinstance(operand, Array):
        return dtype.type(operand)
    if operand.dtype == dtype and operand.shape == shape and operand.flags.c_contiguous:
        return operand
    made = lead._wrap(_native.empty(shape, dtype, lead._place.device))
    _face_array.assign(made, _numpy.broadcast_to(operand, shape))
    return made


def _called(
    operation: str, operands: Sequence[tuple[Any, Any]], results: Sequence[Any], queue: Any
) -> list[Array]:
    """Calls a function of OpenCL C with pairs of an operand and its dtype. Returns new arrays of
    the results' dtypes."""
    values = [value for value, _ in operands]
    lead = require_lead(*values)
    queue = queue_of(*values, queue=queue)
    shape = np.broadcast_shapes(*(value.shape for value in values if isinstance(value, Array)))
    with lead._work(*values, queue=queue):
        given = [_as_operand(value, np.dtype(d), shape, lead) for value, d in operands]
    made = [Array(queue, shape, dtype, allocator=lead.allocator) for dtype in results]
    if made[0].size:
        kinds = tuple((isinstance(v, Array), np.dtype(d)) for v, d in operands)
        kernel = _kernel(lead.context, operation, tuple(out.dtype for out in made), kinds)
        size = made[0].size
        kernel(queue, *_splay(queue.device, size), *made, *given, size)
    for out in made:
        out._changed()
    return made


def _floating(name: str, *operands: Any) -> np.dtype:
    """The dtype in which OpenCL C computes: the arrays' dtype, and float64 for integers."""
    dtypes = [operand.dtype for operand in operands if isinstance(operand, Array)]
    if not dtypes:
        raise TypeError(f"{name}() of no array on a device: to_device(queue, x) makes one")
    dtype = np.result_type(*dtypes)
    if dtype.kind == "c":
        raise TypeError(f"OpenCL C has no {name}() of {dtype}")
    if dtype in (np.float32, np.float64):
        return dtype
    return np.dtype(np.float32 if dtype == np.float16 else np.float64)


def fma(a: Any, b: Any, c: Any, queue: Any = None) -> Array:
    """a * b + c, rounded once."""
    dtype = _floating("fma", a, b, c)
    return _called("r0[i] = fma(x0, x1, x2)", [(a, dtype), (b, dtype), (c, dtype)], [dtype], queue)[
        0
    ]


def remainder(x: Any, y: Any, queue: Any = None) -> Array:
    """x - n * y with n the whole number next to x / y, as IEEE 754 has it."""
    dtype = _floating("remainder", x, y)
    return _called("r0[i] = remainder(x0, x1)", [(x, dtype), (y, dtype)], [dtype], queue)[0]


def remquo(x: Any, y: Any, queue: Any = None) -> tuple[Array, Array]:
    """(remainder(x, y), the lowest seven bits and the sign of n in int32)."""
    dtype = _floating("remquo", x, y)
    operation = "int n; r0[i] = remquo(x0, x1, &n); r1[i] = n"
    rest, quotient = _called(operation, [(x, dtype), (y, dtype)], [dtype, np.int32], queue)
    return rest, quotient


def rootn(x: Any, n: Any, queue: Any = None) -> Array:
    """x to the power of 1 / n, an integer."""
    dtype = _floating("rootn", x)
    return _called("r0[i] = rootn(x0, x1)", [(x, dtype), (n, np.int32)], [dtype], queue)[0]


def pown(x: Any, n: Any, queue: Any = None) -> Array:
    """x to the power of n, an integer."""
    dtype = _floating("pown", x)
    return _called("r0[i] = pown(x0, x1)", [(x, dtype), (n, np.int32)], [dtype], queue)[0]


def powr(x: Any, y: Any, queue: Any = None) -> Array:
    """x to the power of y, where x is not negative: nan elsewhere."""
    dtype = _floating("powr", x, y)
    return _called("r0[i] = powr(x0, x1)", [(x, dtype), (y, dtype)], [dtype], queue)[0]


def clz(array: Array, queue: Any = None) -> Array:
    """How many bits above the highest that is set are 0, in the dtype of the integers."""
    dtype = _require_integers("clz", array)
    return _called("r0[i] = clz(x0)", [(array, dtype)], [dtype], queue)[0]
