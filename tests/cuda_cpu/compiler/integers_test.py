# SPDX-License-Identifier: MIT
"""Intrinsics on integers and bits, compared bit by bit; conversions of numbers that do not fit, of
infinities and of what is no number; and the fast forms of functions, as close as CUDA says."""

import re

import device_functions
import integer_references
import numpy as np
import pytest
from integer_references import L
from short_float_references import to_integer

COUNT = 1024
INTEGER = device_functions.family("integer")
CONVERSION = device_functions.family("conversion")
FAST = device_functions.family("fast")
ROUNDING = device_functions.family("rounding")


def results_for(function, count):
    return [np.zeros(count, device_functions.DTYPES[kind]) for kind in function.results]


def integers(random, kind, place):
    """All ones, the top bit, zero and their neighbours in every combination, then numbers of every
    length."""
    dtype = np.dtype(device_functions.DTYPES[kind])
    base, columns = dtype.base, int(np.prod(dtype.shape, dtype=int))
    limits = np.iinfo(base)
    values = random.integers(limits.min, limits.max, COUNT * columns, base, endpoint=True)
    values >>= random.integers(0, limits.bits, COUNT * columns).astype(base)
    if columns > 1:
        return values.reshape(COUNT, columns)
    edges = [0, 1, 31, 33, limits.max, limits.max - 1, limits.min, limits.max // 2 + 1]
    edges = np.array(edges, base)
    values[:512] = np.tile(np.repeat(edges, 8**place), 512 // 8 ** (place + 1))
    return values


@pytest.mark.parametrize("number", range(len(INTEGER)), ids=lambda k: INTEGER[k].text)
def test_integer_intrinsics_are_exact(machine, number):
    function = INTEGER[number]
    random = np.random.default_rng(number)
    arguments = [integers(random, kind, place) for place, kind in enumerate(function.inputs)]
    if function.name == "__fns":  # CUDA says nothing of a base beyond the word
        arguments[1] %= 32
        arguments[2] = random.integers(-34, 34, COUNT).astype(np.int32)
    if function.name == "__byte_perm":  # nor of what is above the four nibbles
        arguments[2] &= 0xFFFF
    (result,) = machine.run("integer", number, arguments, results_for(function, COUNT))
    exact = integer_references.integer(function, result.dtype, *arguments)
    wrong = np.flatnonzero(result != exact)
    assert not wrong.size, [a[wrong[0]] for a in [*arguments, result, exact]]


@pytest.mark.parametrize("number", range(len(CONVERSION)), ids=lambda k: CONVERSION[k].text)
def test_reinterpreted_bits_are_the_same(machine, number):
    function = CONVERSION[number]
    random = np.random.default_rng(number)
    arguments = []
    for kind in function.inputs:
        dtype = np.dtype(device_functions.DTYPES[kind])
        words = random.integers(0, 1 << 32, COUNT * dtype.itemsize // 4, dtype=np.uint32)
        words[:8] = [0, 0x80000000, 0x7F800000, 0xFF800000, 1, 0x7FC00000, 0x7FF00000, 0]
        arguments.append(words.view(dtype))
    results = results_for(function, COUNT)
    machine.run("conversion", number, arguments, results)
    exact = integer_references.conversion(function, results[0].dtype, *arguments)
    assert results[0].tobytes() == np.ascontiguousarray(exact).tobytes()


def special_numbers(dtype):
    """What does not fit an integer, what just does, halves, and what is no number."""
    numbers = [np.inf, -np.inf, np.nan, -np.nan, 0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e30, -1e30]
    for power in (7, 8, 15, 16, 31, 32, 63, 64):
        for sign in (1, -1):
            limit = dtype(sign * 2.0**power)
            numbers += [limit, np.nextafter(limit, dtype(0)), np.nextafter(limit, limit * 2)]
    tiny = np.finfo(dtype).smallest_subnormal
    return np.array([*numbers, tiny, -tiny, np.finfo(dtype).max, np.finfo(dtype).min], dtype)


TO_INTEGER = [k for k, f in enumerate(ROUNDING) if re.fullmatch(r"__\w+2u?(int|ll)_r.", f.name)]


@pytest.mark.parametrize("number", TO_INTEGER, ids=lambda k: ROUNDING[k].text)
def test_conversions_to_integers_saturate(machine, number):
    function = ROUNDING[number]
    argument = special_numbers(device_functions.DTYPES[function.inputs[0]])
    (result,) = machine.run("rounding", number, [argument], results_for(function, len(argument)))
    exact = to_integer(result.dtype.type, L(argument), function.name[-2:])
    if "double" in function.inputs:  # PTX: zero only where neither side has 64 bits
        top_bit = np.array([1 << (8 * result.itemsize - 1)], f"u{result.itemsize}")
        exact = np.where(np.isnan(argument), top_bit.view(result.dtype), exact)
    wrong = np.flatnonzero(result != exact)
    assert not wrong.size, (argument[wrong], result[wrong], exact[wrong])


@pytest.mark.parametrize("kind", ["float", "double"])
@pytest.mark.parametrize("to", ["int", "unsigned int", "long long", "unsigned long long"])
def test_casts_do_what_the_conversions_towards_zero_do(machine, kind, to):
    argument = special_numbers(device_functions.DTYPES[kind])
    short = {"int": "int", "unsigned int": "uint", "long long": "ll", "unsigned long long": "ull"}
    source = f"""extern "C" __global__ void k(const {kind}* a, {to}* cast, {to}* called) {{
        cast[threadIdx.x] = ({to})a[threadIdx.x];
        called[threadIdx.x] = __{kind}2{short[to]}_rz(a[threadIdx.x]);
    }}"""
    cast, called = np.zeros((2, len(argument)), device_functions.DTYPES[to])
    machine.compile(source).kernel("k")(
        argument, cast, called, block=(len(argument), 1, 1), grid=(1, 1, 1)
    )
    np.testing.assert_array_equal(cast, called)


FAST_DOMAINS = {"sin": (-3, 3), "cos": (-3, 3), "tan": (-1.4, 1.4), "pow": (0.1, 8)}
FAST_DOMAINS["sincos"] = FAST_DOMAINS["sin"]
FAST_DOMAINS |= dict.fromkeys(["log", "log2", "log10"], (1e-3, 1e3))


@pytest.mark.parametrize("number", range(len(FAST)), ids=lambda k: FAST[k].text)
def test_fast_functions_are_as_close_as_cuda_says(machine, number):
    function = FAST[number]
    name = function.name.removeprefix("__").removesuffix("f")
    random = np.random.default_rng(number)
    low, high = FAST_DOMAINS.get(name, (-20, 20))
    dtype = device_functions.DTYPES[function.inputs[0]]
    arguments = [random.uniform(low, high, COUNT).astype(dtype) for _ in function.inputs]
    results = machine.run("fast", number, arguments, results_for(function, COUNT))
    if dtype is np.float64:
        np.testing.assert_array_equal(results[0], arguments[0] / arguments[1])
        return
    for part, result in zip(["sin", "cos"] if name == "sincos" else [name], results, strict=True):
        exact = integer_references.FAST[part](*[L(a) for a in arguments])
        allowed = integer_references.fast_error(part, exact, *[L(a) for a in arguments])
        off = abs(L(result) - exact) - allowed
        worst = int(np.argmax(off))
        assert off[worst] <= 0, [a[worst] for a in [*arguments, result, exact]]


def test_saturatef_of_special_numbers(machine):
    number = next(k for k, f in enumerate(FAST) if f.name == "__saturatef")
    argument = np.array([np.nan, np.inf, -np.inf, -0.0, 1.0, 1e-40], np.float32)
    (result,) = machine.run("fast", number, [argument], [np.zeros(6, np.float32)])
    assert result.tolist() == [0, 1, 0, 0, 1, argument[5]]
