# SPDX-License-Identifier: MIT
"""Functions on elements that are several operations, which run as one kernel."""

from __future__ import annotations

import math as _math
from collections.abc import Sequence
from typing import Any

import numpy as _numpy

from treadle._core import DTypeError
from treadle._core import array as _array
from treadle._core.array import Array

from ._creation import asarray, spread, written
from ._elementwise import angle as angle_in_radians

__all__ = [
    "angle",
    "around",
    "deg2rad",
    "degrees",
    "divmod",
    "fix",
    "float_power",
    "frexp",
    "gelu",
    "iscomplex",
    "isneginf",
    "isposinf",
    "isreal",
    "modf",
    "nan_to_num",
    "polyval",
    "rad2deg",
    "radians",
    "real_if_close",
    "round",
    "sinc",
    "spacing",
]


def round(a: Any, decimals: int = 0, out: Array | None = None) -> Array:
    """To so many decimals, and to even ones halfway; integers stay integers."""
    return written(_array.round(asarray(a), decimals), out)


around = round


def angle(z: Any, deg: bool = False, *, out: Array | None = None, **options: Any) -> Array:
    """The angles of complex numbers, in radians or degrees; of real ones 0 or pi. Takes what
    functions on elements take: out=, where=, dtype=, casting=."""
    if not deg:
        return angle_in_radians(z, out=out, **options)
    return spread(angle_in_radians(z, **options) * (180 / _math.pi), out)


def _pair(
    names: tuple[str, str], operands: tuple[Any, ...], out: Sequence[Array | None] | None
) -> tuple[Array, Array]:
    first, second = (_array.apply(name, *operands) for name in names)
    if out is None:
        return first, second
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise DTypeError("out= of a function with two results is a tuple of two arrays or None")
    return spread(first, out[0]), spread(second, out[1])


_Outs = tuple[Array | None, Array | None] | None


def modf(x: Any, /, *, out: _Outs = None) -> tuple[Array, Array]:
    """Fractions and whole parts, both of the sign of x."""
    return _pair(("modf_fraction", "modf_integer"), (asarray(x),), out)


def frexp(x: Any, /, *, out: _Outs = None) -> tuple[Array, Array]:
    """Significands from 0.5 on and below 1, and exponents of 2."""
    return _pair(("frexp_mantissa", "frexp_exponent"), (asarray(x),), out)


def divmod(x1: Any, x2: Any, /, *, out: _Outs = None) -> tuple[Array, Array]:
    """floor_divide() and remainder()."""
    return _pair(("floor_divide", "remainder"), (x1, x2), out)


def deg2rad(x: Any, /, *, out: Array | None = None) -> Array:
    """Angles in radians, of those in degrees."""
    return spread(_array.deg2rad(asarray(x)), out)


def rad2deg(x: Any, /, *, out: Array | None = None) -> Array:
    """Angles in degrees, of those in radians."""
    return spread(_array.rad2deg(asarray(x)), out)


radians, degrees = deg2rad, rad2deg


def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Array:
    """With numbers for nan and the infinities, which become the largest and the least number of the
    dtype unless it is said. With copy=False they are put into x itself."""
    x = asarray(x)
    if copy:
        return _array.nan_to_num(x, nan, posinf, neginf)
    if x.dtype.kind in "fc":
        x[...] = _array.nan_to_num(x, nan, posinf, neginf)
    return x


def fix(x: Any, out: Array | None = None) -> Array:
    """The nearest whole numbers towards 0."""
    return _array.apply("trunc", asarray(x), out=out)


def float_power(x1: Any, x2: Any, /, *, out: Array | None = None) -> Array:
    """power() in float64 at least, so that integers have negative ones, too."""
    return spread(_array.float_power(x1, x2), out)


def iscomplex(x: Any) -> Array:
    """Where the imaginary part is not 0."""
    return _array.apply("not_equal", _array.apply("imag", asarray(x)), 0)


def isreal(x: Any) -> Array:
    """Where the imaginary part is 0."""
    return _array.apply("equal", _array.apply("imag", asarray(x)), 0)


def isneginf(x: Any, out: Array | None = None) -> Array:
    """Where it is -infinity. DTypeError for complex numbers."""
    return _equals("isneginf", x, -_math.inf, out)


def isposinf(x: Any, out: Array | None = None) -> Array:
    """Where it is +infinity. DTypeError for complex numbers."""
    return _equals("isposinf", x, _math.inf, out)


def _equals(name: str, x: Any, number: float, out: Array | None) -> Array:
    x = asarray(x)
    if x.dtype.kind == "c":
        raise DTypeError(f"{name} of {x.dtype}: the sign of a complex number is not defined")
    return _array.apply("equal", x, number, out=out)


def polyval(p: Sequence[Any], x: Any) -> Array:
    """p[0] * x**(n-1) + ... + p[n-1], by Horner's rule, as one kernel for numbers of the host. Such
    numbers count as an array of them: of a list of ints and a uint8 x the values are int64."""
    x = asarray(x)
    if not isinstance(p, Array) and not any(isinstance(c, Array) for c in p):
        numbers = _numpy.asarray(p)
        if numbers.dtype.kind not in "biufc":
            raise DTypeError(f"polyval of p, coefficients of {numbers.dtype}: pass numbers")
        if numbers.ndim == 1 and numbers.size:
            dtype = _numpy.result_type(x.dtype, numbers.dtype)
            # Without fp64, x's own dtype is the most precise that there is.
            if x.device.traits.fp64 or dtype.char not in "dD":
                x = x.astype(dtype, copy=False)
        p = numbers.tolist()
    return _array.polyval(p, x)


def sinc(x: Any) -> Array:
    """sin(pi x) / (pi x), and 1 at 0."""
    return _array.sinc(asarray(x))


def gelu(x: Any, form: str = "exact", out: Array | None = None) -> Array:
    """The activation x * P(X <= x) of a standard normal X, or its usual form with tanh(): "tanh".
    Behind a product it joins that; on NVIDIA's GPUs cuBLASLt computes "tanh" of float16."""
    return written(_array.gelu(asarray(x), form), out)


def spacing(x: Any, /, out: Array | None = None) -> Array:
    """To the next number of the dtype away from 0, with the sign of x."""
    return written(_array.spacing(asarray(x)), out)


def real_if_close(a: Any, tol: float = 100) -> Array:
    """The real parts where every imaginary part is less than `tol` (times the spacing at 1, if tol
    is above 1) in magnitude; else a itself. Waits for the elements."""
    x = asarray(a)
    if x.dtype.kind != "c":
        return x
    limit = tol * float(_numpy.finfo(x.dtype).eps) if tol > 1 else tol
    return x.real if bool(_array.reduce("all", abs(x.imag) < limit)) else x
