# SPDX-License-Identifier: MIT
"""What the PTX manual says of instructions on bits and on parts of words, in Python's integers."""

M32 = 2**32 - 1


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def highest_bit(value, bits, is_signed, as_shift=False):
    if is_signed and (value := signed(value, bits)) < 0:
        value = ~value
    if value == 0:
        return M32
    place = value.bit_length() - 1
    return bits - 1 - place if as_shift else place


def nth_bit(mask, base, offset):
    if offset == 0:
        return base if mask >> base & 1 else M32
    places = range(base, 32) if offset > 0 else range(base, -1, -1)
    found = [place for place in places if mask >> place & 1]
    return found[abs(offset) - 1] if len(found) >= abs(offset) else M32


def extended(value, count, is_signed, wraps):
    count = count & 31 if wraps else min(count, 32)
    if count == 0:
        return 0
    low = value & ((1 << count) - 1)
    return signed(low, count) if is_signed else low


def mask(first, count, wraps):
    first, count = (x & 31 if wraps else min(x, 32) for x in (first, count))
    return ((1 << count) - 1) << first


def parts(word, bits, is_signed):
    pieces = [word >> first & ((1 << bits) - 1) for first in range(0, 32, bits)]
    return [signed(piece, bits) if is_signed else piece for piece in pieces]


def packed(numbers, bits):
    return sum((number & ((1 << bits) - 1)) << (i * bits) for i, number in enumerate(numbers))


def limited(value, bits, is_signed):
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else (0, (1 << bits) - 1)
    return max(low, min(high, value))


def by_parts(operation, bits, is_signed, saturates=False):
    """The instruction as a function of two words and a third that it does not look at."""

    def combine(a, b, _):
        pairs = zip(parts(a, bits, is_signed), parts(b, bits, is_signed), strict=True)
        results = [operation(x, y) for x, y in pairs]
        if saturates:
            results = [limited(result, bits, is_signed) for result in results]
        return packed(results, bits)

    return combine


def byte_mode(mode):
    """prmt.b32 with one of its modes."""
    orders = {
        "f4e": lambda i, c: c + i,
        "b4e": lambda i, c: (c - i) % 8,
        "rc8": lambda i, c: c,
        "ecl": lambda i, c: max(i, c),
        "ecr": lambda i, c: min(i, c),
        "rc16": lambda i, c: 2 * (c & 1) + (i & 1),
    }

    def permuted(a, b, selector):
        octets = (b << 32 | a).to_bytes(8, "little")
        return packed([octets[orders[mode](i, selector & 3)] for i in range(4)], 8)

    return permuted


def dot(a, b, c, a_signed, b_signed):
    pairs = zip(parts(a, 8, a_signed), parts(b, 8, b_signed), strict=True)
    return c + sum(x * y for x, y in pairs)


def dot_of_two(a, b, c, start):
    halves, octets = parts(a, 16, True), parts(b, 8, True)
    return c + sum(x * y for x, y in zip(halves, octets[start : start + 2], strict=True))


def product_of_24_bits(a, b, is_signed):
    a, b = ((signed(x, 24) if is_signed else x & (2**24 - 1)) for x in (a, b))
    return a * b
