# SPDX-License-Identifier: MIT
"""Random expressions of floating-point numbers as CUDA and as NumPy: each step rounded once, or,
where products may be fused with sums, what CUDA does with a sum that has one product, used once."""

import ctypes
import dataclasses
import operator
import random

import numpy as np
from short_float_references import BFLOAT16, HALF, L

VARIABLES = "abcd"


@dataclasses.dataclass(frozen=True)
class Kind:
    """A type of CUDA. `dtype` holds its numbers, 16 bits as patterns; `wide` computes with them so
    that rounding once more changes nothing."""

    name: str
    dtype: type
    wide: type
    suffix: str = ""
    form: object = None

    def widen(self, bits):
        if not self.form:
            return bits
        return self.form.widen(bits).astype(self.wide)

    def narrow(self, x):
        return self.form.narrow(L(x)) if self.form else x.astype(self.dtype)

    def number(self, digits):
        return f"({self.name})({digits}{self.suffix})"

    def operation(self, symbol, x, y):
        # --fmad tells nothing of short numbers: their operators may be fused in any case.
        name = {"+": "__hadd_rn", "-": "__hsub_rn", "*": "__hmul_rn"}.get(symbol)
        return f"{name}({x}, {y})" if self.form and name else f"({x} {symbol} {y})"


FLOAT = Kind("float", np.float32, np.float32, "f")
DOUBLE = Kind("double", np.float64, np.float64)
SHORT_FLOATS = [
    Kind("__half", np.uint16, np.float64, "f", HALF),
    Kind("__nv_bfloat16", np.uint16, np.float64, "f", BFLOAT16),
]
KINDS = {kind.name: kind for kind in (FLOAT, DOUBLE, *SHORT_FLOATS)}


def _fused(kind):
    """The C library's fma: rounded once."""
    function = getattr(ctypes.CDLL("libm.so.6"), "fma" + kind.suffix)
    function.restype = {"f": ctypes.c_float}.get(kind.suffix, ctypes.c_double)
    function.argtypes = [function.restype] * 3
    return lambda *row: np.frompyfunc(function, 3, 1)(*row).astype(kind.dtype)


FUSED = {kind.name: _fused(kind) for kind in (FLOAT, DOUBLE)}
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


@dataclasses.dataclass(frozen=True)
class Node:
    """`symbol` of `parts`: an operator, `sqrt`, `fma`, or a variable or number of no parts."""

    symbol: str
    parts: tuple = ()

    def text(self, kind):
        words = [part.text(kind) for part in self.parts]
        if self.symbol in OPERATORS:
            return kind.operation(self.symbol, *words)
        if self.symbol == "negative":
            return f"(-{words[0]})"
        if self.parts:
            return f"{self.symbol}{kind.suffix}({', '.join(words)})"
        return self.symbol if self.symbol in VARIABLES else kind.number(self.symbol)

    def value(self, kind, given, fuses):
        """Of arrays by the variables' names, of kind.dtype."""
        if self.symbol in VARIABLES:
            return given[self.symbol]
        if not self.parts:
            return np.resize(kind.narrow(np.array([float(self.symbol)])), len(given["a"]))
        if fuses and self.symbol == "+":
            for place, part in enumerate(self.parts):
                if part.symbol == "*":
                    return self.fused(place, kind, given)
        parts = [part.value(kind, given, fuses) for part in self.parts]
        if self.symbol == "fma":
            return FUSED[kind.name](*parts)
        wide = [kind.widen(part) for part in parts]
        if self.symbol == "negative":
            return kind.narrow(-wide[0])
        compute = np.sqrt if self.symbol == "sqrt" else OPERATORS[self.symbol]
        return kind.narrow(compute(*wide))

    def fused(self, place, kind, given):
        factors = [part.value(kind, given, True) for part in self.parts[place].parts]
        return FUSED[kind.name](*factors, self.parts[1 - place].value(kind, given, True))

    def products(self):
        here = [self.parts] if self.symbol == "*" else []
        return here + [product for part in self.parts for product in part.products()]


class Program:
    """One expression of a, b, c and d, of which each thread has its own."""

    def __init__(self, seed, kind, fuses):
        self.rng, self.kind, self.fuses = random.Random(f"{seed} {kind.name}"), kind, fuses
        self.tree = self.node(0)
        while not self.is_determined():
            self.tree = self.node(0)

    def is_determined(self):
        """No product occurs twice, for that may be computed once; there is a sum with a product,
        but none with two, of which either may be fused; no difference has any, for there ptxas
        chooses (an H200 computes some fused and some not)."""
        if not self.fuses:
            return bool(self.tree.parts)
        products = [frozenset(parts) for parts in self.tree.products()]
        determined = len(products) == len(set(products)) and not _leaves_a_choice(self.tree)
        return determined and _has_fused_sum(self.tree)

    def node(self, depth):
        if depth > 3 or (depth > 0 and self.rng.random() < 0.2):
            # No powers of two: a product with one may become a sum.
            number = self.rng.choice(["0.1", "3.0", "-1.7", "7.0"])
            return Node(self.rng.choice([*VARIABLES] * 2 + [number]))
        chance = self.rng.random()
        if chance < 0.1 and not self.kind.form:
            return Node("sqrt", (self.node(depth + 1),))
        if not self.fuses and chance < 0.2:
            return Node("negative", (self.node(depth + 1),))
        if not self.fuses and chance < 0.3 and not self.kind.form:
            return Node("fma", tuple(self.node(depth + 1) for _ in range(3)))
        symbol = self.rng.choice("+-**/" if not self.fuses else "+-+-**/")
        left, right = self.node(depth + 1), self.node(depth + 1)
        # Neither x - x nor x / x, nor sums of numbers: those a compiler knows beforehand.
        return Node(symbol, (left, right)) if left != right else self.node(depth)

    def kernel(self, name):
        kind = self.kind.name
        loads = " ".join(f"{kind} {v} = {v}s[i];" for v in VARIABLES)
        inputs = ", ".join(f"const {kind}* {v}s" for v in VARIABLES)
        return (
            f'extern "C" __global__ void {name}(int n, {inputs}, {kind}* o) {{\n'
            "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;\n"
            f"  {loads}\n  o[i] = {self.tree.text(self.kind)}; }}\n"
        )

    def expected(self, arrays):
        with np.errstate(all="ignore"):
            given = dict(zip(VARIABLES, arrays, strict=True))
            return self.tree.value(self.kind, given, self.fuses)


def _has_fused_sum(node):
    here = node.symbol == "+" and any(part.symbol == "*" for part in node.parts)
    return here or any(_has_fused_sum(part) for part in node.parts)


def _leaves_a_choice(node):
    products = sum(part.symbol == "*" for part in node.parts)
    here = products > {"+": 1, "-": 0}.get(node.symbol, 2)
    return here or any(_leaves_a_choice(part) for part in node.parts)
