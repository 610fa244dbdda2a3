# SPDX-License-Identifier: MIT
"""What the functions of device_functions/math.txt should give for zeros, infinities, denormal and
huge numbers and for what is no number: C's Annex F, which libm follows one number at a time, and
what CUDA's documentation says of the functions that C does not have."""

import ctypes
import ctypes.util
import math

import numpy as np

LIBM = ctypes.CDLL(ctypes.util.find_library("m"))
C_TYPES = {"float": ctypes.c_float, "double": ctypes.c_double, "int": ctypes.c_int}
C_TYPES |= {"long": ctypes.c_long, "long long": ctypes.c_longlong}
INF, NAN = math.inf, math.nan


def from_libm(name, single, kinds, result):
    function = getattr(LIBM, name + "f" * single)
    function.argtypes, function.restype = [C_TYPES[kind] for kind in kinds], C_TYPES[result]
    return function


def norm(*x):
    if any(map(math.isinf, x)):
        return INF
    return NAN if any(map(math.isnan, x)) else np.sqrt(sum(np.longdouble(v) ** 2 for v in x))


def inverse(x):
    """1 / x with the sign of a zero kept."""
    return math.copysign(INF, x) if x == 0 else 1 / np.longdouble(x)


def sine_of_pi(x):
    if math.isinf(x) or math.isnan(x):
        return NAN
    turn = math.fmod(x, 2)  # exact
    if turn in (-1, 0, 1):
        return math.copysign(0, x)
    return math.sin(math.pi * turn)


def cosine_of_pi(x):
    if math.isinf(x) or math.isnan(x):
        return NAN
    turn = abs(math.fmod(x, 2))
    return 0.0 if turn in (0.5, 1.5) else math.cos(math.pi * turn)


def bessel_i(order, x):
    if math.isinf(x) or math.isnan(x):
        return abs(x) if order == 0 else x
    if abs(x) > 720:  # twice: beyond the largest double
        return math.copysign(INF, x) if order else INF
    total = term = 1.0
    for k in range(1, 1500):
        term *= (x / 2) ** 2 / (k * (k + order))
        total += term
    return total * (x / 2) ** order


def at_ends(low, low_value, high, high_value):
    """A function that is only asked at its ends: no number beyond them, None between."""

    def function(x):
        if math.isnan(x) or x < low or x > high:
            return NAN
        return {low: low_value, high: high_value}.get(x)

    return function


def erfcx(x):
    if math.isnan(x) or abs(x) < 5:
        return math.exp(x * x) * math.erfc(x)
    if x < 0 or math.isinf(x):
        return None if -30 < x < 0 else 0.0 if x > 0 else INF
    x = np.longdouble(x)  # the first terms of the series at infinity
    return (1 - 0.5 / x**2) / (x * math.sqrt(math.pi)) if x >= 1e5 else None


def of_second_kind(name):
    """y0, y1 and yn: minus infinity at zero, no number below."""

    def function(*arguments):
        x = arguments[-1]
        if x == 0 and len(arguments) == 1:
            return -INF
        return NAN if x < 0 or math.isnan(x) else None

    return function


# Values of functions that libm does not have, or has otherwise; None: any number.
DOCUMENTED = {
    "rsqrt": lambda x: inverse(math.sqrt(x)) if x > 0 else inverse(x) if x == 0 else NAN,
    "rcbrt": lambda x: inverse(float(np.cbrt(x))),
    "sinpi": sine_of_pi,
    "cospi": cosine_of_pi,
    "rhypot": lambda *x: inverse(norm(*x)),
    "norm3d": norm,
    "norm4d": norm,
    "rnorm3d": lambda *x: inverse(norm(*x)),
    "rnorm4d": lambda *x: inverse(norm(*x)),
    "erfinv": lambda x: x if x == 0 else at_ends(-1, -INF, 1, INF)(x),
    "erfcinv": lambda x: 0.0 if x == 1 else at_ends(0, INF, 2, -INF)(x),
    "normcdfinv": lambda x: 0.0 if x == 0.5 else at_ends(0, -INF, 1, INF)(x),
    "normcdf": lambda x: None if 4 < abs(x) < 40 else x if x != x else math.erfc(-x / 2**0.5) / 2,
    "erfcx": erfcx,
    "cyl_bessel_i0": lambda x: bessel_i(0, x),
    "cyl_bessel_i1": lambda x: bessel_i(1, x),
    "y0": of_second_kind("y0"),
    "y1": of_second_kind("y1"),
    "yn": of_second_kind("yn"),
    "max": lambda x, y: LIBM_MAX(x, y),
    "min": lambda x, y: LIBM_MIN(x, y),
    "ilogb": lambda x: (1 << 31) - 1 if math.isinf(x) else -(1 << 31) if x == 0 or x != x else None,
}
LIBM_MAX = from_libm("fmax", False, ["double", "double"], "double")
LIBM_MIN = from_libm("fmin", False, ["double", "double"], "double")
LIBM_REMAINDER = from_libm("remainder", False, ["double", "double"], "double")
