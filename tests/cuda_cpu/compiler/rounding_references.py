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
