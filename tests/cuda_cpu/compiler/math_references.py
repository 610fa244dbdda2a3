# SPDX-License-Identifier: MIT
"""What the functions of device_functions/math.txt should give: computed in long double, by NumPy
or by libm. The key is the double precision name; single precision is held to the same figures."""

import ctypes
import ctypes.util
import dataclasses
import typing

import numpy as np

L = np.longdouble
PI = L("3.14159265358979323846264338327950288")


def libm(name, *first):
    """A long double function of libm that NumPy does not have, on doubles."""
    function = getattr(ctypes.CDLL(ctypes.util.find_library("m")), name)
    function.restype = ctypes.c_longdouble
    function.argtypes = [*first, ctypes.c_longdouble]
    return np.vectorize(lambda *x: function(*x), otypes=[L])


erf, erfc, gamma = libm("erfl"), libm("erfcl"), libm("tgammal")


def sine_of_pi(x, shift=0):
    """sin(pi (x + shift / 2)): x = k / 2 + r exactly, the rest is a quadrant's sine or cosine."""
    k = np.rint(2 * x)
    angle = PI * (L(x) - L(k) / 2)
    quadrant = (k.astype(np.int64) + shift) % 4
    value = np.where(quadrant % 2, np.cos(angle), np.sin(angle))
    return np.where(quadrant >= 2, -value, value)


def erfc_near(x):
    """erfc of a long double: at the double next to it, and a first-order step from there."""
    near = x.astype(np.float64)
    return erfc(near) - 2 / np.sqrt(PI) * np.exp(-(x * x)) * (x - near)


def bessel_i(order, x):
    total = term = np.ones_like(x)
    for k in range(1, 400):
        term = term * (x / 2) ** 2 / (k * (k + order))
        total = total + term
    return total * (x / 2) ** order


def root_of_squares(*x):
    return np.sqrt(sum(v * v for v in x))


@dataclasses.dataclass(frozen=True)
class Reference:
    """`domain`: the interval of each argument. `ulp`: the most the result may be off, in units of
    the last place; 4 is what glibc promises of functions computed for many threads at once."""

    compute: typing.Callable
    domain: tuple = (-20, 20)
    ulp: float = 4
    single: tuple = ()  # the domain in single precision, where it differs


R = Reference
positive, unit = (1e-3, 50), (-1, 1)
REFERENCES = {
    **{name: R(getattr(np, name)) for name in "sin cos tan exp exp2 cbrt sinh cosh tanh".split()},
    **{name: R(getattr(np, name), positive) for name in "log log2 log10".split()},
    "sqrt": R(np.sqrt, positive, ulp=0.51),
    **{name: R(getattr(np, name), ulp=0) for name in "fabs ceil floor rint trunc".split()},
    **{name: R(getattr(np, "arc" + name[1:]), unit) for name in "acos asin atanh".split()},
    "atan": R(np.arctan),
    "asinh": R(np.arcsinh),
    "acosh": R(np.arccosh, (1, 50)),
    "atan2": R(np.arctan2),
    "exp10": R(lambda x: L(10) ** x),
    "expm1": R(np.expm1),
    "log1p": R(np.log1p, (-0.99, 50)),
    "nearbyint": R(np.rint, ulp=0),
    "round": R(lambda x: np.copysign(np.floor(abs(x) + L(0.5)), x), ulp=0),
    "logb": R(lambda x: np.floor(np.log2(abs(x))), ulp=0),
    "copysign": R(np.copysign, ulp=0),
    "fdim": R(lambda x, y: np.where(x > y, x - y, 0), ulp=0.5),
    "fmax": R(np.fmax, ulp=0),
    "fmin": R(np.fmin, ulp=0),
    "fmod": R(np.fmod, ulp=0),
    "hypot": R(root_of_squares),
    "rhypot": R(lambda *x: 1 / root_of_squares(*x)),
    "norm3d": R(root_of_squares),
    "norm4d": R(root_of_squares),
    "rnorm3d": R(lambda *x: 1 / root_of_squares(*x)),
    "rnorm4d": R(lambda *x: 1 / root_of_squares(*x)),
    "pow": R(lambda x, y: x**y, (1e-3, 20)),
    "fma": R(lambda x, y, z: x * y + z, ulp=0.51),
    "remainder": R(lambda x, y: x - y * np.rint(x / y), (0.5, 20), ulp=0),
    "rsqrt": R(lambda x: 1 / np.sqrt(x), positive),
    "rcbrt": R(lambda x: 1 / np.cbrt(x), positive),
    "sinpi": R(sine_of_pi),
    "cospi": R(lambda x: sine_of_pi(x, 1)),
    "erf": R(lambda x: erf(x.astype("f8")), (-5, 5)),
    "erfc": R(lambda x: erfc(x.astype("f8")), (-5, 9), 8),
    "erfcx": R(lambda x: np.exp(x * x) * erfc(x.astype("f8")), (-5, 24), 8, (-5, 9)),
    "normcdf": R(lambda x: erfc_near(-x / np.sqrt(L(2))) / 2, (-12, 6), 8),
    "tgamma": R(lambda x: gamma(x.astype("f8")), (0.1, 30), 10),
    "lgamma": R(lambda x: libm("lgammal")(x.astype("f8")), (3, 50), 6),
    "cyl_bessel_i0": R(lambda x: bessel_i(0, x), (-80, 80), 8),
    "cyl_bessel_i1": R(lambda x: bessel_i(1, x), (-80, 80), 8),
    "j0": R(lambda x: libm("j0l")(x.astype("f8")), (0, 20), 8),
    "j1": R(lambda x: libm("j1l")(x.astype("f8")), (0, 20), 8),
    "y0": R(lambda x: libm("y0l")(x.astype("f8")), (0.1, 20), 8),
    "y1": R(lambda x: libm("y1l")(x.astype("f8")), (0.1, 20), 8),
}


@dataclasses.dataclass(frozen=True)
class Inverse:
    """A function known by what it inverts. `forward(x, y)`: f(x) - y, without cancellation where f
    is flat; `slope`: |f'(x)|. `ulp` and `ulp_single` are CUDA's own bounds."""

    forward: typing.Callable
    slope: typing.Callable
    domain: tuple
    ulp: float
    ulp_single: float

    def units_off(self, result, y):
        """How far `result` is from the inverse of y, in units of its last place: to first order,
        which is enough, since the second is smaller by as much as the result is off."""
        x = result.astype("f8")
        return abs(self.forward(x, L(y))) / (self.slope(L(x)) * np.spacing(abs(result)))


def slope_of_erf(x):
    return 2 / np.sqrt(PI) * np.exp(-x * x)


def slope_of_normcdf(x):
    return np.exp(-x * x / 2) / np.sqrt(2 * PI)


def erf_minus(x, y):
    """1 - |y| is exact, and erfc has all its digits where erf has lost them."""
    near_one = np.sign(y) * ((1 - abs(y)) - erfc(abs(x)))
    return np.where(abs(y) > 0.5, near_one, erf(x) - y)


INVERSES = {
    "erfinv": Inverse(erf_minus, slope_of_erf, unit, 5, 2),
    "erfcinv": Inverse(lambda x, y: erfc(x) - y, slope_of_erf, (1e-3, 1.999), 6, 4),
    "normcdfinv": Inverse(
        lambda x, y: erfc_near(-L(x) / np.sqrt(L(2))) / 2 - y,
        slope_of_normcdf, (1e-3, 0.999), 8, 5,
    ),
}  # fmt: skip
