# SPDX-License-Identifier: MIT
"""The CPU device and a GPU in one process, the same kernels on both, bit by bit: where CUDA
promises the bits. What is close instead, functions of math.h, has bounds in
device_functions_test.py."""

import device_functions
import machines
import numpy as np
import pytest
import random_kernels_test
import short_floats_test
from short_floats_test import FORMATS, PAIRS, SIXTEEN

COUNT = 4096
# Whole numbers, conversions, arithmetic rounded as IEEE 754 has it, parts of words, numbers of 16
# bits.
FAMILIES = ["integer", "conversion", "rounding", "simd", *FORMATS]
FUNCTIONS = {name: device_functions.family(name) for name in FAMILIES}
# Zeros, one, the ends of each kind of number, infinities, no number, denormals at both ends.
EDGES = {
    1: [0, 1, 0x7F, 0x80, 0xFF],
    2: [0, 1, 0x7FFF, 0x8000, 0xFFFF, 0x3C00, 0x7C00, 0xFC00, 0x0400, 0x7BFF, 0x8001, 0x03FF,
        0x3F80, 0x7F80, 0xFF80, 0x0080, 0x7F7F, 0x007F, 0xBF80, 0xBC01, 0x3F81],
    4: [0, 1, 2**31 - 1, 2**31, 2**32 - 1, 0x3F800000, 0x7F800000, 0xFF800000, 0x00800000,
        0x7F7FFFFF, 0x4F000000, 0xCF000001, 0x80000001, 0x007FFFFF, 0x7FC00000],
    8: [0, 1, 2**63 - 1, 2**63, 2**64 - 1, 0x3FF << 52, 0x7FF << 52, 0xFFF << 52, 1 << 52,
        (0x7FF << 52) - 1, 0x41E << 52, 0x43E << 52, 2**63 + 1, (1 << 52) - 1,
        0x7FF8 << 48],
}  # fmt: skip


@pytest.fixture(scope="module")
def gpu():
    found = machines.gpu()
    return machines.Gpu(found) if found else pytest.skip("no GPU to compare with")


def numbers(family, kind, seed):
    """Any bits, behind them numbers of like size; in front edges, every pair of them once where two
    arrays are side by side."""
    kind = device_functions.value_type(kind)
    dtype = np.dtype(device_functions.DTYPES[kind])
    word, parts = dtype.base.itemsize, int(np.prod(dtype.shape, dtype=int))
    random = np.random.default_rng(seed)
    bits = random.integers(0, 256, COUNT * parts * word, np.uint8).view(f"u{word}")
    near = random.normal(0, 4, len(bits) // 3)
    if dtype.base.kind == "f":
        bits[-len(near) :] = near.astype(dtype.base).view(bits.dtype)
    elif kind in SIXTEEN | PAIRS:
        bits[-len(near) :] = FORMATS[family].narrow(np.longdouble(near))
    edges = np.array(EDGES[word], f"u{word}")
    places = np.arange(len(edges) ** 2)
    chosen = edges[places % len(edges) if seed % 2 else places // len(edges)]
    bits[: len(chosen)] = chosen
    return bits.view(dtype.base).reshape(COUNT, *dtype.shape)


def is_promised(gpu, function):
    """Not the functions of 16-bit numbers that a GPU approximates; short_floats_test has their
    bounds. Shuffles have masks that must be right, and are compared there, too."""
    return short_floats_test.allowed_places(gpu, function) == 0 and "shfl" not in function.name


def outcome(machine, family, number, arguments):
    function = FUNCTIONS[family][number]
    results = [np.zeros(COUNT, device_functions.DTYPES[kind]) for kind in function.results]
    with machine.current():
        return machine.run(family, number, [a.copy() for a in arguments], results)


def bits_of(family, kind, array):
    """All NaNs alike: which one comes out is nobody's promise."""
    if kind in SIXTEEN | PAIRS:
        array = np.where(FORMATS[family].is_nan(array), np.uint16(0x7FFF), array)
    elif array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
    return array.view(f"u{array.dtype.itemsize}")


@pytest.mark.parametrize("family", FAMILIES)
def test_functions_give_the_same_bits(opened_device, gpu, family):
    cpu, different = machines.Machine(opened_device), []
    for number, function in enumerate(FUNCTIONS[family]):
        if family in FORMATS and not is_promised(gpu, function):
            continue
        arguments = [numbers(family, kind, k) for k, kind in enumerate(function.inputs)]
        if function.name == "__fns":  # CUDA says nothing of a base beyond the word,
            arguments[1] %= 32
            # and an H200 finds bit 0 as the -2^31-th, where the manual says that none is found.
            arguments[2] = np.maximum(arguments[2], 1 - 2**31)
        here, there = (outcome(m, family, number, arguments) for m in (cpu, gpu))
        for kind, mine, theirs in zip(function.results, here, there, strict=True):
            differs = bits_of(family, kind, mine) != bits_of(family, kind, theirs)
            unlike = np.flatnonzero(differs.reshape(COUNT, -1).any(1))
            if len(unlike):
                i = unlike[0]
                given = ", ".join(str(a[i]) for a in arguments)
                different.append(
                    f"{function.text}: of ({given}) {mine[i]}, on the GPU {theirs[i]};"
                    f" {len(unlike)} of {COUNT}"
                )
    assert not different, "\n".join(different)


def compiled(gpu, programs):
    """Their module on the GPU; None where the toolkit that has cooperative_groups.h is missing."""
    try:
        return gpu.compile(random_kernels_test.text_of(programs), *random_kernels_test.OPTIONS)
    except Exception as error:
        if "cannot open source file" not in str(error):
            raise
        return None


def test_random_kernels_give_the_same_bits(device, gpu):
    wrong = []
    for first in range(0, 200, random_kernels_test.BATCH):
        batch = random_kernels_test.Batch(range(first, first + random_kernels_test.BATCH), "-G")
        programs = [program for program in batch.programs if program.portable]
        here = batch.answers(batch.compile(device).load(device).module, programs)
        with gpu.current():
            module = compiled(gpu, programs)
            there = batch.answers(module, programs) if module else here
        wrong += [p for p in programs if here[p.seed] != there[p.seed]]
    assert not wrong, "\n".join(f"seed {p.seed}, n = {p.seed % 7}\n{p.text()}" for p in wrong)
