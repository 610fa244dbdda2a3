# SPDX-License-Identifier: MIT
"""What every operation gives, by NumPy: of exact operations in their own dtype, of the others in
more digits than they have."""

import math

import numpy as np

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
DTYPES = ["bool", *INTEGERS, *FLOATS, *COMPLEX]

# In more digits: those of a float32 are 24, of a float64 53, of x86's long double 64.
WIDER = {
    "float16": np.float64,
    "float32": np.float64,
    "float64": np.longdouble,
    "complex64": np.complex128,
    "complex128": np.clongdouble,
}


# ---- values


def integers_of(dtype):
    info = np.iinfo(dtype)
    near = [0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 63, 64, 100, 127, 128, 255]
    ends = [info.min, info.min + 1, info.max, info.max - 1, info.max // 3]
    values = [v for n in near for v in (n, -n)] + ends
    random = np.random.default_rng(14).integers(info.min, info.max, 12, dtype, endpoint=True)
    return np.array([v for v in values if info.min <= v <= info.max] + list(random), dtype)


def floats_of(dtype):
    info = np.finfo(dtype)
    plain = [0, 0.1, 0.25, 0.5, 0.7, 0.999, 1, 1.5, 2, 2.5, 3, math.pi, 5.3, 10, 31, 100.25, 1e4]
    ends = [info.tiny, info.smallest_subnormal, info.smallest_subnormal * 5, info.eps, info.max]
    values = np.array([*plain, *ends, np.inf], dtype)
    random = np.random.default_rng(14)
    scaled = random.standard_normal(20) * np.exp(random.uniform(-5, 5, 20))
    return np.concatenate([values, -values, [np.nan], scaled]).astype(dtype)


def complex_numbers_of(dtype, special):
    """Only such with a NaN or an infinity, or none of them."""
    part = np.empty(0, dtype).real.dtype
    parts = [0.0, -0.0, 0.3, -0.5, 1.0, -1.0, 1.5, -2.0, 3.7, 20.0, -1e-3, 1e6]
    if special:
        parts += [np.inf, -np.inf, np.nan]
    numbers = np.array([complex(a, b) for a in parts for b in parts], dtype)
    if special:
        return numbers[~np.isfinite(numbers)]
    random = np.random.default_rng(14)
    pairs = random.standard_normal((2, 150)) * np.exp(random.uniform(-4, 4, (2, 150)))
    info = np.finfo(part)
    small = [complex(1, 1e-5), complex(1 + 1e-4, -1e-5), complex(-0.6, 0.8), complex(1e-5, 1e-6)]
    large = [complex(info.max / 4, info.max / 4), complex(info.tiny, info.tiny)]
    return np.concatenate([numbers, (pairs[0] + 1j * pairs[1]), small, large]).astype(dtype)


def values_of(dtype, special=False):
    if dtype == "bool":
        return np.array([False, True])
    if dtype in INTEGERS:
        return integers_of(dtype)
    return complex_numbers_of(dtype, special) if dtype in COMPLEX else floats_of(dtype)


# ---- operations


def _each(function, poles):
    """A function of Python's, with what it gives where it raises."""

    def of(x):
        try:
            return function(x)
        except (ValueError, OverflowError):
            return poles(x)

    return lambda x: np.vectorize(of, otypes=[np.float64])(x.astype(np.float64)).astype(x.dtype)


def _gamma_pole(x):
    if abs(x) < 1:
        return math.copysign(math.inf, x)
    if x < 0:
        return math.nan if math.isinf(x) or x == math.floor(x) else math.copysign(0.0, x)
    return math.inf


def _divided(function):
    """NumPy's own; where C leaves the result open, what it should be."""

    def of(a, b):
        if a.dtype.kind != "i":
            return function(a, b)
        safe = function(a, np.where((b == -1) | (b == 0), 1, b).astype(a.dtype))
        by_minus_1 = np.negative(a) if function is np.floor_divide else np.zeros_like(a)
        return np.where(b == 0, 0, np.where(b == -1, by_minus_1, safe)).astype(a.dtype)

    return of


def _power(a, b):
    if a.dtype.kind == "i":
        return np.where(b < 0, 0, np.power(a, np.where(b < 0, 0, b))).astype(a.dtype)
    return np.power(a, b)


def _reciprocal(a):
    if a.dtype.kind in "iu":
        return np.where((a == 1) | ((a == -1) & (a.dtype.kind == "i")), a, 0).astype(a.dtype)
    return np.reciprocal(a)


def _log1p(a):
    if a.dtype.kind != "c":
        return np.log1p(a)
    # NumPy loses the digits of what is small.
    made = np.log(1 + a)
    made.imag = np.arctan2(a.imag, 1 + a.real)
    small = np.abs(a) < 0.5
    made.real[small] = np.log1p(a.real * (2 + a.real) + a.imag**2)[small] / 2
    return made


def _real(a):
    return a.real.copy()


OWN = {
    "floor_divide": _divided(np.floor_divide),
    "remainder": _divided(np.remainder),
    "fmod": _divided(np.fmod),
    "power": _power,
    "reciprocal": _reciprocal,
    "log1p": _log1p,
    "real": _real,
    "imag": lambda a: a.imag.copy(),
    "angle": lambda a: np.arctan2(a.imag, a.real),
    "make_complex": lambda a, b: (a + 1j * np.zeros_like(a)).real.astype(_complex_of(a)) + _i(a, b),
    "where": lambda c, a, b: np.where(c, a, b),
    "cbrt": np.cbrt,
    "rsqrt": lambda a: 1 / np.sqrt(a),
    "exp10": lambda a: np.power(a.dtype.type(10), a),
    "erf": _each(math.erf, None),
    "erfc": _each(math.erfc, None),
    "lgamma": _each(math.lgamma, lambda x: math.inf),
    "tgamma": _each(math.gamma, _gamma_pole),
    "frexp_mantissa": lambda a: np.frexp(a)[0],
    "frexp_exponent": lambda a: np.where(np.isfinite(a), np.frexp(a)[1], 0).astype(np.int32),
    "modf_fraction": lambda a: np.modf(a)[0],
    "modf_integer": lambda a: np.modf(a)[1],
}


def _complex_of(a):
    return np.complex128 if a.dtype.itemsize == 8 else np.complex64


def _i(a, b):
    made = np.zeros(len(a), _complex_of(a))
    made.imag = b
    return made


def operation(name):
    return OWN.get(name) or getattr(np, name)


# In units of the last digit: what OpenCL allows float32 functions; CUDA's are nearer.
ULPS = {
    "cbrt": 2, "rsqrt": 2, "exp": 3, "exp2": 3, "exp10": 3, "expm1": 3, "log": 3, "log2": 3,
    "log10": 3, "log1p": 2, "sin": 4, "cos": 4, "tan": 5, "arcsin": 4, "arccos": 4, "arctan": 5,
    "arctan2": 6, "sinh": 4, "cosh": 4, "tanh": 5, "arcsinh": 4, "arccosh": 4, "arctanh": 5,
    "hypot": 4, "power": 16, "erf": 16, "erfc": 16, "lgamma": 16, "tgamma": 16, "logaddexp": 8,
    "logaddexp2": 8, "angle": 6,
}  # fmt: skip
# One root and one division, correctly rounded.
ROUNDED_ONCE = {"add", "subtract", "multiply", "divide", "sqrt", "square", "reciprocal"}
