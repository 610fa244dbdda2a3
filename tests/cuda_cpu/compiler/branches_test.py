# SPDX-License-Identifier: MIT
"""What stands behind a branch is computed for the threads that come there, and for them rightly,
whatever the vectoriser makes of it: random kernels (random_branches) against the same ones without
optimisation. TREADLE_RANDOM_BRANCHES=FIRST:LAST takes other seeds than the usual ones."""

import itertools
import os
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import random_branches

BATCH, BLOCKS = 40, 3
AT_ONCE = "--treadle-disable=kernels-on-demand"
USUAL = "0:40" if os.environ.get("TREADLE_SAMPLE_CASES") == "1" else "0:120"
FIRST, LAST = map(int, os.environ.get("TREADLE_RANDOM_BRANCHES", USUAL).split(":"))


def test_an_address_behind_a_branch_is_that_of_the_threads_that_take_it(device):
    """Of threads 0 to 30 nobody divides."""
    operands = {"n": 77, "m": 40, "q": 2, "z": 0}
    forms = {
        "n / m": 1,
        "n % m": 37,
        "n / m / q": 0,
        "n / m + n % q": 2,
        "(unsigned)(int)(n / m)": 1,
        "n / m * 31 + 1": 32,
        "t / q * q + t % q": 31,
        "t + n / m": 32,
        "z ? n / z : q": 2,
    }
    elements = ["unsigned", "unsigned char", "short", "double"]
    texts = [
        f"""extern "C" __global__ void k{i}_{j}(int* o, const {element}* in, unsigned n, unsigned m,
            unsigned q, unsigned z) {{ const unsigned t = threadIdx.x; int v = -1;
          if (t == 31) v = (int)in[{form}];
          o[t] = v; if (t == 31) o[64 + ({form})] = 5; }}"""
        for (i, form), (j, element) in itertools.product(enumerate(forms), enumerate(elements))
    ]
    module = device.compile("".join(texts), AT_ONCE)
    dtypes = [np.uint32, np.uint8, np.int16, np.float64]
    for (i, form), (j, dtype) in itertools.product(enumerate(forms), enumerate(dtypes)):
        out, expected = np.zeros(128, np.int32), np.zeros(128, np.int32)
        expected[:64] = -1
        expected[31], expected[64 + forms[form]] = forms[form] + 3, 5
        numbers = [np.uint32(value) for value in operands.values()]
        module.kernel(f"k{i}_{j}")(out, np.arange(3, 67).astype(dtype), *numbers, block=(64,))
        assert out.tolist() == expected.tolist(), f"{form} of {elements[j]}"


def answers(module, kernels):
    found = {}
    for seed, (threads, text) in kernels.items():
        words = np.random.default_rng(seed).integers(0, 2**32, 8 * threads, np.uint32)
        for n in (seed % 7, (seed + 3) % 7):
            out, written = np.zeros(BLOCKS * threads, np.uint32), np.zeros(128, np.uint32)
            shape = {"block": (threads,), "grid": (BLOCKS,)}
            try:
                module.kernel(f"k{seed}")(out, words, written, np.uint32(n), **shape)
            except RuntimeError as fault:
                pytest.fail(f"{fault}, n = {n}, block {threads}\n{text}")
            found[seed, n] = out.tolist() + written.tolist()
    return found


def differing(device, first):
    seeds = range(first, min(first + BATCH, LAST))
    kernels = {
        seed: random_branches.kernel(seed, random.Random(f"branches {seed}"), f"k{seed}")
        for seed in seeds
    }
    text = random_branches.PRELUDE + "".join(text for _, text in kernels.values())
    with ThreadPoolExecutor(2) as pool:
        fast, slow = pool.map(lambda option: device.image(text, AT_ONCE, *option), ([], ["-G"]))
    by_vectors = answers(device.load(fast), kernels)
    by_threads = answers(device.load(slow), kernels)
    return [
        f"n = {n}, block {kernels[seed][0]}\n{kernels[seed][1]}"
        for seed, n in by_vectors
        if by_vectors[seed, n] != by_threads[seed, n]
    ]


def test_random_kernels_compute_behind_branches_what_they_do_unoptimised(device):
    wrong = [text for first in range(FIRST, LAST, BATCH) for text in differing(device, first)]
    assert not wrong, f"{len(wrong)} differ\n" + "\n".join(wrong[:5])
