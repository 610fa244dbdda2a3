# SPDX-License-Identifier: MIT
"""How far CUDA's documentation lets each function be off, and what it should give of any argument
at all: NaN, infinities, zeros, denormals and huge numbers included."""

import dataclasses
import typing

import numpy as np
from math_references import PI, L, erf, erfc, gamma, sine_of_pi


@dataclasses.dataclass(frozen=True)
class Bound:
    """`compute`: of long doubles. `single`, `double`: CUDA's bounds in units of the last place."""

    compute: typing.Callable
    single: float
    double: float
    arguments: int = 1


def of_doubles(function):
    return lambda x: function(x.astype(np.float64))


def of_turns(x, shift=0):
    """The sine of pi x, where IEEE 754 has the sign of a zero."""
    turn = np.fmod(np.where(np.isfinite(x), x, 0), 2)
    zero = L(0) if shift else np.copysign(L(0), x)
    value = np.where(np.fmod(turn + L(shift) / 2, 1) == 0, zero, sine_of_pi(turn, shift))
    return np.where(np.isfinite(x), value, np.nan)


def erfcx(x):
    """Of a long double; beyond 25 by its asymptotic series, as erfc() is about to underflow."""
    s = L(0.5) / (x * x)
    far = 1 - 7 * s * (1 - 9 * s * (1 - 11 * s * (1 - 13 * s * (1 - 15 * s))))
    far = (1 - s * (1 - 3 * s * (1 - 5 * s * far))) / (x * np.sqrt(PI))
    near = np.exp(x * x) * erfc(np.minimum(x, 25).astype(np.float64))
    return np.where(x > 25, far, near)


def normcdf(x):
    """erfc at the double beside -x / sqrt(2), and a step of first order from there."""
    t = -x / np.sqrt(L(2))
    near = t.astype(np.float64)
    step = 2 / np.sqrt(PI) * np.exp(-(t * t)) * (t - near)
    return np.maximum(erfc(near) - np.where(np.isfinite(t), step, 0), 0) / 2


B = Bound
BOUNDS = {
    "sin": B(np.sin, 2, 2),
    "cos": B(np.cos, 2, 2),
    "tan": B(np.tan, 4, 2),
    "sinpi": B(of_turns, 1, 2),
    "cospi": B(lambda x: of_turns(x, 1), 1, 2),
    "asin": B(np.arcsin, 2, 2),
    "acos": B(np.arccos, 2, 2),
    "atan": B(np.arctan, 2, 2),
    "sinh": B(np.sinh, 3, 2),
    "cosh": B(np.cosh, 2, 1),
    "tanh": B(np.tanh, 2, 1),
    "asinh": B(np.arcsinh, 3, 3),
    "acosh": B(np.arccosh, 4, 3),
    "atanh": B(np.arctanh, 3, 2),
    "exp": B(np.exp, 1, 1),
    "exp2": B(np.exp2, 2, 1),
    "exp10": B(lambda x: L(10) ** x, 2, 1),
    "expm1": B(np.expm1, 1, 1),
    "log": B(np.log, 1, 1),
    "log2": B(np.log2, 1, 1),
    "log10": B(np.log10, 2, 1),
    "log1p": B(np.log1p, 1, 1),
    "cbrt": B(np.cbrt, 1, 1),
    "rcbrt": B(lambda x: 1 / np.cbrt(x), 1, 1),
    "sqrt": B(np.sqrt, 0.5, 0.5),
    "rsqrt": B(lambda x: 1 / np.sqrt(x), 2, 1),
    "erf": B(of_doubles(erf), 2, 2),
    "erfc": B(of_doubles(erfc), 4, 5),
    "erfcx": B(erfcx, 4, 4),
    "normcdf": B(normcdf, 5, 5),
    "tgamma": B(of_doubles(gamma), 5, 10),
    "pow": B(lambda x, y: x**y, 4, 2, 2),
    "hypot": B(np.hypot, 3, 2, 2),
    "atan2": B(np.arctan2, 3, 2, 2),
}

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, -2, 3, 0.5, -0.5, 1e-45, -1e-45]
SPECIAL += [2**-126, 3.4e38, -3.4e38, 88.7, 89, -103.9, -104, 16777217, 6562.5, np.pi / 2]
SPECIAL += [37.17160569834627, -37.5]  # e^x and 1 are a unit of the other one's last digit


# Where exponentials overflow and vanish, in either precision, and where they change a sum of two.
MOST = (800, 110, 40, 12, 1)


def arguments(dtype, count, seed):
    """`count` numbers in steps of equal width over all bit patterns, or as many on each of the
    intervals of `MOST` around 0, in an order without pattern; pairs meet what is special with what
    is special."""
    random = np.random.default_rng(seed)
    bits, unsigned = np.dtype(dtype).itemsize * 8, np.dtype(f"u{np.dtype(dtype).itemsize}")
    step = 2**bits // count
    patterns = np.arange(count, dtype=np.uint64) * np.uint64(step)
    patterns = (patterns + random.integers(step, dtype=np.uint64)).astype(unsigned).view(dtype)
    drawn = [random.uniform(-most, most, count).astype(dtype) for most in MOST]
    pairs = np.array(np.meshgrid(SPECIAL, SPECIAL)).reshape(2, -1).astype(dtype)
    x = np.concatenate([pairs[0], patterns, *drawn])
    y = np.concatenate([pairs[1], random.permutation(x[pairs.shape[1] :])])
    return x, y


def units_off(result, exact):
    """In units of the last place that `exact` has in the result's precision; infinite where one is
    a NaN and the other is not, or zeros have other signs."""
    kind = np.finfo(result.dtype)
    with np.errstate(all="ignore"):
        nearest = exact.astype(result.dtype)
        size = np.clip(abs(exact), kind.tiny, kind.max)
        unit = np.exp2(np.floor(np.log2(size)) - kind.nmant)
        off = abs(result.astype(L) - exact) / unit
        same = (result == nearest) | (np.isnan(result) & np.isnan(nearest))
        off = np.where(same & ~np.isfinite(nearest), 0, np.where(np.isnan(off), np.inf, off))
        other_sign = (np.signbit(result) != np.signbit(nearest)) & ~np.isnan(result)
    return np.where(other_sign, np.inf, off)


def kernel(dtype):
    """All functions of BOUNDS in one kernel: row j of the result is function j."""
    kind, suffix = ("float", "f") if dtype == np.float32 else ("double", "")
    stores = "".join(
        f"o[{row}L * n + i] = {name}{suffix}(x[i]{', y[i]' * (bound.arguments - 1)});\n"
        for row, (name, bound) in enumerate(BOUNDS.items())
    )
    return f"""extern "C" __global__ void k({kind}* o, const {kind}* x, const {kind}* y, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;\n{stores}}}"""


def exact_values(name, x, y):
    with np.errstate(all="ignore"):
        return BOUNDS[name].compute(*(L(x), L(y))[: BOUNDS[name].arguments])
