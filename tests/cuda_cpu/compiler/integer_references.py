# SPDX-License-Identifier: MIT
"""What the functions of device_functions/integer.txt, conversion.txt and fast.txt should give: on
Python's integers, which never overflow, then cut to the result's width; on bits; in long double."""

import re
import struct

import numpy as np

L = np.longdouble
WORD = (1 << 32) - 1


def reversed_bits(x, width):
    return int(f"{x & ((1 << width) - 1):0{width}b}"[::-1], 2)


def leading_zeros(x, width):
    return width - (x & ((1 << width) - 1)).bit_length()


def first_set(x, width):
    x &= (1 << width) - 1
    return (x & -x).bit_length()


def nth_set_bit(mask, base, offset):
    """Of __fns: the place of the |offset|-th set bit from `base` on, up or down."""
    places = range(base, 32) if offset >= 0 else range(base, -1, -1)
    found = [k for k in places if mask >> k & 1]
    if offset == 0:
        return base if mask >> base & 1 else WORD
    return found[abs(offset) - 1] if len(found) >= abs(offset) else WORD


def low24(x, signed):
    x &= 0xFFFFFF
    return x - (1 << 24) if signed and x >> 23 else x


def bytes_of_two(low, high, selector):
    source = low.to_bytes(4, "little") + high.to_bytes(4, "little")
    result = 0
    for k in range(4):
        result |= source[selector >> 4 * k & 7] << 8 * k
    return result


def shifted_left(low, high, count):
    return ((high << 32 | low) << count) >> 32


def shifted_right(low, high, count):
    return (high << 32 | low) >> count


def parts(value, code):
    """An integer of 32 bits, or a vector that is one already, as numbers by struct's code."""
    if isinstance(value, np.ndarray):
        return [int(v) for v in value]
    size = {"b": 4, "B": 4, "h": 2, "H": 2}[code]
    return list(struct.unpack(f"<{size}{code}", (value & WORD).to_bytes(4, "little")))


def dot(name, signed, a, b, c):
    bytes_of_b = parts(b, "b" if signed else "B")
    if name == "__dp4a":
        return c + sum(
            x * y for x, y in zip(parts(a, "b" if signed else "B"), bytes_of_b, strict=True)
        )
    half = bytes_of_b[:2] if name.endswith("lo") else bytes_of_b[2:]
    return c + sum(x * y for x, y in zip(parts(a, "h" if signed else "H"), half, strict=True))


INTEGER = {
    "popc": lambda x: (x & WORD).bit_count(),
    "popcll": lambda x: x.bit_count(),
    "clz": lambda x: leading_zeros(x, 32),
    "clzll": lambda x: leading_zeros(x, 64),
    "ffs": lambda x: first_set(x, 32),
    "ffsll": lambda x: first_set(x, 64),
    "brev": lambda x: reversed_bits(x, 32),
    "brevll": lambda x: reversed_bits(x, 64),
    "fns": nth_set_bit,
    "mul24": lambda x, y: low24(x, True) * low24(y, True),
    "umul24": lambda x, y: low24(x, False) * low24(y, False),
    "mulhi": lambda x, y: x * y >> 32,
    "umulhi": lambda x, y: x * y >> 32,
    "mul64hi": lambda x, y: x * y >> 64,
    "umul64hi": lambda x, y: x * y >> 64,
    "hadd": lambda x, y: (x + y) >> 1,
    "uhadd": lambda x, y: (x + y) >> 1,
    "rhadd": lambda x, y: (x + y + 1) >> 1,
    "urhadd": lambda x, y: (x + y + 1) >> 1,
    "sad": lambda x, y, z: abs(x - y) + z,
    "usad": lambda x, y, z: abs(x - y) + z,
    "byte_perm": bytes_of_two,
    "funnelshift_l": lambda low, high, n: shifted_left(low, high, n & 31),
    "funnelshift_r": lambda low, high, n: shifted_right(low, high, n & 31),
    "funnelshift_lc": lambda low, high, n: shifted_left(low, high, min(n, 32)),
    "funnelshift_rc": lambda low, high, n: shifted_right(low, high, min(n, 32)),
}


def integer(function, dtype, *arguments):
    rows = [
        [v if isinstance(v, np.ndarray) else int(v) for v in row]
        for row in zip(*arguments, strict=True)
    ]
    if function.name.startswith("__dp"):
        signed = function.result == "int"
        values = [dot(function.name, signed, *row) for row in rows]
    else:
        compute = INTEGER[function.name.removeprefix("__")]
        values = [compute(*row) for row in rows]
    bits = np.dtype(dtype).itemsize * 8
    cut = np.array([v & ((1 << bits) - 1) for v in values], f"u{bits // 8}")
    return cut.view(dtype)


def conversion(function, dtype, *arguments):
    if found := re.fullmatch(r"__double2(hi|lo)int", function.name):
        return arguments[0].view(np.int32)[1 if found[1] == "hi" else 0 :: 2]
    if function.name == "__hiloint2double":
        return np.ascontiguousarray(np.stack(arguments[::-1], axis=1)).view(np.float64)[:, 0]
    return arguments[0].view(dtype)


def fast_error(name, result, *arguments):
    """By how much a fast function may miss `result`, as the CUDA programming guide's table of
    intrinsic functions bounds it: in units of the last place, or absolutely near a zero."""
    ulp = np.spacing(abs(result).astype(np.float32)).astype(L)
    x = arguments[0]
    near_one = (x >= 0.5) & (x <= 2)
    return {
        "sin": lambda: L(2) ** -21.41,
        "cos": lambda: L(2) ** -21.19,
        "tan": lambda: abs(result) * 1e-5 + 1e-6,  # the quotient of the two
        "exp": lambda: (2 + np.floor(abs(L(1.173) * x))) * ulp,
        "exp10": lambda: (2 + np.floor(abs(L(2.97) * x))) * ulp,
        "log": lambda: np.where(near_one, L(2) ** -21.41, 3 * ulp),
        "log2": lambda: np.where(near_one, L(2) ** -22, 2 * ulp),
        "log10": lambda: np.where(near_one, L(2) ** -24, 3 * ulp),
        "pow": lambda: abs(result) * L(2) ** -17,  # exp2 of a product that is large where y is
        "tanh": lambda: abs(result) * L(2) ** -10.9,
        "fdivide": lambda: 2 * ulp,
        "saturate": lambda: 0 * ulp,
    }[name]()


FAST = {
    **{name: getattr(np, name) for name in "sin cos tan exp log log2 log10 tanh".split()},
    "exp10": lambda x: L(10) ** x,
    "pow": lambda x, y: x**y,
    "fdivide": lambda x, y: x / y,
    "saturate": lambda x: np.clip(np.where(np.isnan(x), 0, x), 0, 1),
}
