#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds how cuRAND's XORWOW begins from a seed, from nothing but the numbers that it draws:

    tools/xorwow_seeding.py LIBCURAND_SO

No publication has these constants, and programs want cuRAND's sequences. The generator itself is
published (Marsaglia, "Xorshift RNGs", 2003): five words of a linear xorshift, and a counter. Their
first values are read off the lowest bits of 200 draws, which are linear in the words' bits; how
they follow from the seed, off a few dozen seeds. cuRAND's host generator draws without a GPU.
"""

import argparse
import ctypes

import numpy as np

WORDS = [123456789, 362436069, 521288629, 88675123, 5783321]  # Marsaglia's first state
COUNTER, STEP = 6615241, 362437
MASK = 0xFFFFFFFF
DRAWS = 200
STREAMS = 4096  # the host generator's draws come from so many sequences in turn


def xorshift(v):
    t = v[0] ^ (v[0] >> 2)
    return [*v[1:], (v[4] ^ (v[4] << 4) ^ t ^ (t << 1)) & MASK]


def draws_from(words, counter):
    """What the published generator draws from a first state."""
    numbers = []
    for _ in range(DRAWS):
        words, counter = xorshift(words), (counter + STEP) & MASK
        numbers.append((words[4] + counter) & MASK)
    return numbers


def lowest_bits_of_states():
    """Row n: which bits of the first state make the lowest bit of the n-th draw's word."""
    rows = np.zeros((DRAWS, 160), np.uint8)
    for bit in range(160):
        words = [0] * 5
        words[bit // 32] = 1 << bit % 32
        for n in range(DRAWS):
            words = xorshift(words)
            rows[n, bit] = words[4] & 1
    return rows


def first_state(numbers):
    """(words, counter) before the first of `numbers`: a linear system over two elements."""
    n = np.arange(1, DRAWS + 1)
    # The counter's lowest bit is unknown, and alternates.
    rows = np.hstack([lowest_bits_of_states(), np.ones((DRAWS, 1), np.uint8)])
    right = ((np.array(numbers) & 1) ^ (n * STEP & 1)).astype(np.uint8)
    system = np.hstack([rows, right[:, None]])
    for column in range(161):
        pivot = column + int(np.argmax(system[column:, column]))
        system[[column, pivot]] = system[[pivot, column]]
        others = system[:, column].astype(bool)
        others[column] = False
        system[others] ^= system[column]
    bits = system[:160, 161]
    words = [sum(int(b) << k for k, b in enumerate(bits[32 * w : 32 * w + 32])) for w in range(5)]
    counter = (numbers[0] - xorshift(words)[4] - STEP) & MASK
    if draws_from(words, counter) != list(numbers):
        raise ValueError("these are no draws of XORWOW")
    return words, counter


def key_and_factor(spread):
    """(key, factor) of spread(x) = (x ^ key) factor modulo 2^32."""
    zero, one = spread(0), spread(1)
    for factor in ((one - zero) & MASK, (zero - one) & MASK):  # the key's lowest bit is 0, or 1
        key = zero * pow(factor, -1, 1 << 32) & MASK
        if all(((1 << k ^ key) * factor & MASK) == spread(1 << k) for k in range(32)):
            return key, factor
    raise ValueError("the seed is spread in another way")


def seeding(draw):
    """{"low": (key, factor), "high": (key, factor)} of a generator: draw(seed) gives its draws."""
    states = {}

    def parts(seed):
        """What the seed's halves add to Marsaglia's first state, by each word that shows it."""
        if seed not in states:
            states[seed] = first_state(draw(seed))
        words, counter = states[seed]
        low = {(words[0] - WORDS[0]) & MASK, words[1] ^ WORDS[1], (words[4] - WORDS[4]) & MASK}
        high = {(words[2] - WORDS[2]) & MASK, words[3] ^ WORDS[3]}
        if len(low) != 1 or len(high) != 1 or (counter - COUNTER - sum(low | high)) & MASK:
            raise ValueError(f"seed {seed} shows another structure")
        return low.pop(), high.pop()

    return {
        "low": key_and_factor(lambda x: parts(x)[0]),
        "high": key_and_factor(lambda x: parts(x << 32)[1]),
    }


def host_draws(library, seed):
    """The first sequence's draws by cuRAND's host generator."""
    generator, xorwow = ctypes.c_void_p(), 101
    library.curandCreateGeneratorHost(ctypes.byref(generator), xorwow)
    library.curandSetPseudoRandomGeneratorSeed(generator, ctypes.c_ulonglong(seed))
    numbers = np.zeros(DRAWS * STREAMS, np.uint32)
    address = ctypes.c_void_p(numbers.ctypes.data)
    if library.curandGenerate(generator, address, ctypes.c_size_t(numbers.size)):
        raise RuntimeError("curandGenerate failed")
    library.curandDestroyGenerator(generator)
    return [int(number) for number in numbers[::STREAMS]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libcurand")
    library = ctypes.CDLL(parser.parse_args().libcurand)
    for half, (key, factor) in seeding(lambda seed: host_draws(library, seed)).items():
        print(f"{half} half of the seed: (half ^ {key:#x}) * {factor}")


if __name__ == "__main__":
    main()
