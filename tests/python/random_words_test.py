# SPDX-License-Identifier: MIT
"""The words of Philox and Threefry under tests of bits, as long as `make random words=words` likes:
sequences, the first words of many streams, of many seeds and of children."""

import math
import os

import numpy as np
import pytest

import treadle
from treadle.random import Generator, RandomDraw, RandomGenerator, RandomState

SEED = int(os.environ.get("TREADLE_RANDOM_SEED", "1"))
MANY = int(os.environ.get("TREADLE_RANDOM_CASES", str(1 << 18)))
LARGEST_DEVIATION = 5.5  # of a normal number: one test in 10^7 of a right generator
WORDS = RandomDraw.words("u4")


def words_of(state, count):
    return Generator(state, device=treadle.find_device("cpu")).draw(WORDS, count).get()


def sequence(generator):
    return words_of(RandomState(SEED, generator=generator), MANY)


def many(states):
    """The first 64 words of each."""
    device = treadle.find_device("cpu")  # kept until all are drawn
    assert device.id == "cpu"
    return np.concatenate([words_of(state, 64) for state in states])


def starts(generator):
    count = max(MANY >> 10, 64)
    streams = [RandomState(SEED, stream, 0, generator) for stream in range(count)]
    seeds = [RandomState(SEED + seed, 0, 0, generator) for seed in range(count)]
    return streams, seeds, RandomState(SEED, generator=generator).spawn(count)


def sources():
    for generator in RandomGenerator:
        yield pytest.param(lambda g=generator: sequence(g), id=generator.name)
        for place, name in enumerate(("streams", "seeds", "children")):
            yield pytest.param(
                lambda g=generator, place=place: many(starts(g)[place]),
                id=f"{generator.name}-{name}",
            )


@pytest.fixture(scope="module", params=sources())
def words(request):
    return request.param()


def chi_square(observed, expected):
    """In deviations of a normal number, by the cube root of Wilson and Hilferty (1931)."""
    freedom = len(observed) - 1
    chi = ((observed - expected) ** 2 / expected).sum()
    variance = 2 / (9 * freedom)
    return ((chi / freedom) ** (1 / 3) - (1 - variance)) / math.sqrt(variance)


def test_each_bit_is_set_as_often_as_not(words):
    for bit in range(32):
        ones = (words >> np.uint32(bit) & np.uint32(1)).sum(dtype="i8")
        assert abs(2 * ones - len(words)) < LARGEST_DEVIATION * math.sqrt(len(words)), bit


def test_bytes_and_pairs_of_neighbours_come_equally_often(words):
    octets = words.view(np.uint8)
    assert (
        abs(chi_square(np.bincount(octets, minlength=256), len(octets) / 256)) < LARGEST_DEVIATION
    )
    for lag in (1, 4):  # bytes of the words, and the same byte of the next word
        pairs = (octets[:-lag] >> 2).astype(np.int64) << 6 | octets[lag:] >> 2
        pairs = pairs[:: lag + 1]
        counts = np.bincount(pairs, minlength=1 << 12)
        assert abs(chi_square(counts, len(pairs) / (1 << 12))) < LARGEST_DEVIATION, lag


def test_words_do_not_remember_earlier_ones(words):
    x = words / 2.0**32 - 0.5
    for lag in (*range(1, 17), 32, 64, 100, 256, 1000, 4096):
        product = 12 * (x[lag:] * x[:-lag]).sum()
        assert abs(product) < LARGEST_DEVIATION * math.sqrt(len(x) - lag), lag
        same = np.bitwise_count(words[lag:] ^ words[:-lag]).sum(dtype="i8")
        bits = 32 * (len(words) - lag)
        assert abs(2 * same - bits) < LARGEST_DEVIATION * math.sqrt(bits), lag


def test_distances_of_birthdays_repeat_as_poisson_says(words):
    """G. Marsaglia, W. W. Tsang: Some difficult-to-pass tests of randomness, JSS 7:3 (2002)."""
    rows = words[: len(words) // 4096 * 4096].reshape(-1, 4096)
    distances = np.sort(np.diff(np.sort(rows, axis=1).astype(np.int64), axis=1), axis=1)
    repeats = (np.diff(distances, axis=1) == 0).sum()
    expected = len(rows) * 4096**3 / 2**34
    assert abs(repeats - expected) < LARGEST_DEVIATION * math.sqrt(expected) + 1


def test_square_matrices_of_bits_have_their_ranks(words):
    """The same paper: 32 words are independent with a probability of 0.2888."""
    count = min(len(words) // 32, 1 << 14)
    rows = words[: 32 * count].reshape(count, 32).copy()
    ranks = np.zeros(count, int)
    for bit in range(31, -1, -1):
        has = (rows >> np.uint32(bit) & np.uint32(1)).astype(bool)
        pivot = has.argmax(axis=1)
        found = has.any(axis=1)
        value = np.where(found, rows[np.arange(count), pivot], 0).astype(np.uint32)
        rows = np.where(has & found[:, None], rows ^ value[:, None], rows)
        ranks += found
    full = (ranks == 32).sum()
    p = np.prod(1 - 0.5 ** np.arange(1, 33))
    assert abs(full - count * p) < LARGEST_DEVIATION * math.sqrt(count * p * (1 - p))
