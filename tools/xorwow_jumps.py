#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes kernels/cuda/treadle/curand_xorwow_jumps.h, or with --check says whether it is up to date.

The xorshift of XORWOW is linear over two elements, so n steps of it are a polynomial of its matrix:
x^n modulo the characteristic polynomial, which is found from 320 bits of output (Massey, 1969).
"""

from __future__ import annotations

import functools
import pathlib
import sys

HEADER = pathlib.Path(__file__).parents[1] / "kernels/cuda/treadle/curand_xorwow_jumps.h"
BITS = 160  # of the state, and the degree of the polynomial
MASK = 0xFFFFFFFF
COLUMNS = 118
SEQUENCE = 67  # a sequence has 2^67 numbers

TOP = """// SPDX-License-Identifier: MIT
// Written by tools/xorwow_jumps.py. Polynomials over two elements, lowest coefficient first, five
// words each: for k = 0 .. 15 and j = 1 .. 15, x^(j 16^k) modulo the characteristic polynomial of
// XORWOW's xorshift; and the same for x^(2^67 j 16^k), which begins a sequence.
#pragma once

// clang-format off
"""


def step(v: list[int]) -> list[int]:
    t = v[0] ^ (v[0] >> 2)
    return [*v[1:], (v[4] ^ (v[4] << 4) ^ t ^ (t << 1)) & MASK]


def shortest_recurrence(bits: list[int]) -> int:
    """Berlekamp's and Massey's algorithm: bit i is the coefficient of the bit i places back."""
    current, previous, length, since = 1, 1, 0, 1
    for n, bit in enumerate(bits):
        wrong = bit
        for i in range(1, length + 1):
            wrong ^= (current >> i & 1) & bits[n - i]
        if not wrong:
            since += 1
        elif 2 * length <= n:
            current, previous = current ^ previous << since, current
            length, since = n + 1 - length, 1
        else:
            current ^= previous << since
            since += 1
    return current


@functools.cache
def characteristic() -> int:
    state, bits = [1, 2, 3, 4, 5], []
    for _ in range(2 * BITS):
        bits.append(state[4] & 1)
        state = step(state)
    recurrence = shortest_recurrence(bits)
    return sum((recurrence >> i & 1) << (BITS - i) for i in range(BITS + 1))


def product(a: int, b: int) -> int:
    modulus, result = characteristic(), 0
    for bit in range(b.bit_length()):
        if b >> bit & 1:
            result ^= a
        a <<= 1
        if a >> BITS:
            a ^= modulus
    return result


def polynomials(doublings: int) -> list[int]:
    """x^(2^doublings j 16^k), digit by digit, place by place."""
    base = 2  # x
    for _ in range(doublings):
        base = product(base, base)
    found = []
    for _ in range(16):
        digit = 1
        for _ in range(15):
            digit = product(digit, base)
            found.append(digit)
        base = product(digit, base)
    return found


def table(name: str, doublings: int) -> str:
    lines, line = [], "   "
    for polynomial in polynomials(doublings):
        for word in range(BITS // 32):
            text = f" {polynomial >> 32 * word & MASK:#x}u,"
            if len(line) + len(text) > COLUMNS + 1:
                lines.append(line)
                line = "   "
            line += text
    lines.append(line)
    head = f"static const __device__ unsigned int {name}[16 * 15 * 5] = {{\n"
    return head + "\n".join(lines) + "\n};\n"


def main() -> int:
    tables = (table("__treadle_xorwow_steps", 0), table("__treadle_xorwow_sequences", SEQUENCE))
    text = TOP + "\n".join(tables) + "// clang-format on\n"
    if sys.argv[1:] == ["--check"]:
        if HEADER.read_text() == text:
            return 0
        print(f"{HEADER} is not what this program writes")
        return 1
    HEADER.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
