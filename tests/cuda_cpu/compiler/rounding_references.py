# SPDX-License-Identifier: MIT
"""What the functions of device_functions/rounding.txt should give: exact fractions, and of the
numbers around them the one that the mode asks for."""

import math
import re
from fractions import Fraction

import numpy as np

OPERATIONS = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "rcp": lambda x: 1 / x,
    "fma": lambda x, y, z: x * y + z,
}
INTEGERS = {
    "rn": round,  # halves to the even neighbour
    "rd": math.floor,
    "ru": math.ceil,
    "rz": math.trunc,
}


def choose(candidates, exact, mode):
    """Of neighbouring numbers in rising order, the one for `exact`; `exact` only has to compare."""
    below = [c for c in candidates if Fraction(float(c)) <= exact][-1]
    above = [c for c in candidates if Fraction(float(c)) >= exact][0]
    if mode == "rz":
        mode = "rd" if exact >= 0 else "ru"
    return below if mode == "rd" else above


def to_floating(exact, dtype, mode):
    """`exact`, a fraction, in a mode of rounding."""
    near = dtype(float(exact))
    candidates = [np.nextafter(near, dtype(-np.inf)), near, np.nextafter(near, dtype(np.inf))]
    if mode != "rn":
        return choose(candidates, exact, mode)
    even = {c: int(c.view(f"u{c.itemsize}")) % 2 for c in candidates}
    return min(candidates, key=lambda c: (abs(Fraction(float(c)) - exact), even[c]))


class Root:
    """The root of a fraction, as far as comparing non-negative numbers with it goes."""

    def __init__(self, square):
        self.square = square

    def __ge__(self, other):
        return self.square >= other * other

    def __le__(self, other):
        return self.square <= other * other


def square_root(x, dtype, mode):
    near = dtype(math.sqrt(x))
    if mode == "rn":  # the processor's, which is right by its standard
        return np.sqrt(dtype(x))
    candidates = [np.nextafter(near, dtype(-np.inf)), near, np.nextafter(near, dtype(np.inf))]
    return choose(candidates, Root(x), mode)


def compute(function, arguments):
    """The result of a DeviceFunction for arrays of arguments."""
    operation, mode = re.fullmatch(r"__(\w+)_(r[nduz])", function.name).groups()
    result = np.dtype({"float": "f4", "double": "f8"}.get(function.result, "i8")).type
    operation = operation.removesuffix("_ieee").removeprefix("d" if "fma" not in operation else "")
    operation = operation.removeprefix("f") if operation not in ("fma", "fmaf") else "fma"
    rows = [tuple(Fraction(v.item()) for v in row) for row in zip(*arguments, strict=True)]
    if function.result not in ("float", "double"):
        return np.array([INTEGERS[mode](row[0]) for row in rows], object)
    if operation == "sqrt":
        return np.array([square_root(row[0], result, mode) for row in rows])
    if operation == "rsqrt":
        return np.array([1 / np.sqrt(np.longdouble(float(row[0]))) for row in rows]).astype(result)
    exact = OPERATIONS.get(operation, lambda x: x)
    return np.array([to_floating(exact(*row), result, mode) for row in rows])


# ---- at the ends of the range: overflow, denormal numbers, infinities, zeros, what is no number

PRECISION = {"f4": (24, -126), "f8": (53, -1022)}  # bits of a number, exponent of the least normal


def to_floating_anywhere(exact, dtype, mode):
    """`exact`, a fraction other than zero: to_floating() beyond the ends of the range as well."""
    digits, least = PRECISION[dtype.str[1:]]
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    step = Fraction(2) ** (max(exponent, least) - digits + 1)
    away = {"rd": "ru", "ru": "rd"}.get(mode, mode) if exact < 0 else mode
    size = INTEGERS[away](size / step) * step
    largest = Fraction(float(np.finfo(dtype).max))
    if size > largest:
        size = math.inf if away in ("rn", "ru") else largest
    return math.copysign(float(size), -1 if exact < 0 else 1)


def signed_zero(operation, row, mode):
    """A sum that is exactly zero: terms of one sign keep it, others give +0, or -0 downwards."""
    if operation not in ("add", "sub", "fma"):
        return math.copysign(0.0, math.prod(math.copysign(1.0, x) for x in row))
    first = row[0] if len(row) == 2 else math.copysign(1.0, row[0]) * math.copysign(1.0, row[1])
    if len(row) == 3 and 0 in row[:2]:
        first *= 0.0
    terms = [first, -row[-1] if operation == "sub" else row[-1]]
    negative = [math.copysign(1.0, term) < 0 for term in terms]
    if all(term == 0 for term in terms) and negative[0] == negative[1]:
        return -0.0 if negative[0] else 0.0
    return -0.0 if mode == "rd" else 0.0


def to_integer_anywhere(x, dtype, mode, single):
    """A GPU's limits, and its integers for what is no number."""
    limits = np.iinfo(dtype)
    if math.isnan(x):
        return 0 if single and dtype.itemsize == 4 else 1 << (dtype.itemsize * 8 - 1)
    rounded = x if math.isinf(x) else INTEGERS[mode](Fraction(x))
    return int(min(max(rounded, limits.min), limits.max))


def of_extremes(operation, row):
    """Where an argument is infinite, no number, or a divisor of zero: the same in every mode."""
    x = [np.longdouble(value) for value in row]
    with np.errstate(all="ignore"):
        if operation == "sqrt":
            return float(np.sqrt(x[0]))
        if operation == "rsqrt":
            return float(1 / np.sqrt(x[0]))
        return float((OPERATIONS.get(operation) or (lambda value: value))(*x))


def at_the_ends(name, result, row, single):
    """What function `name` gives for one row of floating-point arguments; `result` is its dtype."""
    operation, mode = re.fullmatch(r"__(\w+)_(r[nduz])", name).groups()
    if result.kind in "iu":
        return to_integer_anywhere(row[0], result, mode, single)
    operation = operation.removesuffix("_ieee")
    operation = "fma" if operation.startswith("fma") else operation[1:]  # without its f or d
    if "2" in name:
        operation = "convert"
    divides_by_zero = operation in ("div", "rcp", "rsqrt") and row[-1] == 0
    root_of_less = operation.endswith("sqrt") and row[0] <= 0
    if not all(map(math.isfinite, row)) or divides_by_zero or root_of_less:
        return of_extremes(operation, row)
    fractions = [Fraction(x) for x in row]
    if operation == "sqrt":
        return float(square_root(fractions[0], result.type, mode))
    if operation == "rsqrt":
        return float(result.type(1 / np.sqrt(np.longdouble(row[0]))))
    exact = OPERATIONS.get(operation, lambda x: x)(*fractions)
    return to_floating_anywhere(exact, result, mode) if exact else signed_zero(operation, row, mode)
