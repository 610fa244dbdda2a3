# SPDX-License-Identifier: MIT
"""Pieces of the statements of random_kernels: names, and expressions that are defined whatever
their variables hold."""

import random

NAMES = ["a", "b", "c", "d"]
WITH_FLOATS = 0.25  # of the programs

# A NaN's bits are nobody's promise: all of them count as one.
PRELUDE = """
__device__ unsigned bits(float f) { return f != f ? 77u : __float_as_uint(f); }
__device__ unsigned bits(double h) {
  long long w = h != h ? 99 : __double_as_longlong(h); return (unsigned)(w ^ w >> 32); }
"""


class Expressions:
    """Words a, b, c, d, t, n, m, in[...] and the wide w; with `floats` also a float f and a double
    h, which may become anything: denormal, infinite, no number."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.count = 0
        self.floats = self.rng.random() < WITH_FLOATS

    def pick(self, *choices):
        return self.rng.choice(choices)

    def name(self):
        return self.rng.choice(NAMES)

    def unique(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def shared(self):
        return self.pick("s0", "s1")

    def e(self, depth=0):
        """Of type unsigned."""
        if depth > 1 or self.rng.random() < 0.3:
            return self.pick(
                *NAMES, *NAMES, "t", "n", "m", "blockIdx.x", f"{self.rng.randint(1, 99)}u"
            )
        if self.floats and self.rng.random() < 0.3:
            return self.word_of_floats(depth)
        x = self.e(depth + 1)
        if self.rng.random() < 0.3:
            return self.pick(
                f"(unsigned)__popc({x})",
                f"__brev({x})",
                f"(unsigned)__clz({x})",
                f"(unsigned)(short)({x})",
                f"(unsigned)((int)({x}) >> {self.rng.randint(1, 20)})",
                f"(unsigned)(w ^ {x})",
                f"(unsigned)(w >> {self.rng.randint(1, 40)})",
                f"(unsigned)((float)({x} & 0xffff) * 3)",
                f"((signed char)({x}) < 0 ? {x} : ~{x})",
                f"in[({x}) % NT]",
            )
        y = self.e(depth + 1)
        if self.rng.random() < 0.25:
            return self.pick(
                f"({x} / ({y} | 1u))",
                f"({x} % ({y} | 1u))",
                f"({x} << ({y} & 31))",
                f"({x} >> ({y} & 31))",
                f"min({x}, {y})",
                f"(unsigned)max((int)({x}), (int)({y}))",
                f"__umulhi({x}, {y})",
                f"__byte_perm({x}, {y}, 0x5140)",
                f"({x} < {y} ? {x} : {y})",
            )
        return f"({x} {self.pick('+', '-', '*', '^', '&', '|')} {y})"

    def word_of_floats(self, depth):
        real = self.pick(self.single, self.double)
        x = real(depth + 1)
        return self.pick(
            f"bits({x})",
            f"(unsigned)({x})",
            f"(unsigned)(int)({x})",
            f"(unsigned)((long long)({x}) >> 7)",
            f"({x} < {real(depth + 1)} ? {self.e(depth + 1)} : m)",
        )

    def single(self, depth=0):
        """Of type float, a few steps each of which is rounded as IEEE 754 has it."""
        if depth > 1 or self.rng.random() < 0.2:
            word = self.name()
            return self.pick(
                *["f"] * 5,
                "(float)h",
                f"(float)(int){word}",
                f"(float){word}",
                f"__uint_as_float({word})",
                f"__uint_as_float({word} & 0x807fffffu)",
                *("0.1f", "1.5f", "3e38f", "1e-39f"),
            )
        return self.step(self.single, "f", depth)

    def double(self, depth=0):
        if depth > 1 or self.rng.random() < 0.2:
            return self.pick(
                *["h"] * 5,
                "(double)f",
                f"(double)(int){self.name()}",
                "__longlong_as_double(w)",
                *("0.1", "-2.5", "1e308", "3e-310"),
            )
        return self.step(self.double, "", depth)

    def step(self, real, suffix, depth):
        x, y = real(depth + 1), real(depth + 1)
        if self.rng.random() < 0.3:
            return self.pick(
                f"sqrt{suffix}(fabs{suffix}({x}))",
                f"fma{suffix}({x}, {y}, {real(depth + 1)})",
                f"fmax{suffix}({x}, {y})",
                f"({x} < {y} ? {x} : -({y}))",
                f"rint{suffix}({x})",
            )
        return f"({x} {self.pick('+', '-', '*', '*', '/')} {y})"
