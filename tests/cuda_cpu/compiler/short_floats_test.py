# SPDX-License-Identifier: MIT
"""Every function, operator and member of __half and __nv_bfloat16, and of their pairs: compared bit
by bit. What takes one number is compared for each of the 65,536 there are."""

import device_functions
import numpy as np
import pytest
import short_float_references
from short_float_references import BFLOAT16, HALF, L, half_name

FORMATS = {"half": HALF, "bfloat16": BFLOAT16}
FUNCTIONS = [(name, k, f) for name in FORMATS for k, f in enumerate(device_functions.family(name))]
COUNT = 512
ALL = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16)
SIXTEEN = {"__half", "__nv_bfloat16", "__half_raw", "__nv_bfloat16_raw"}
PAIRS = {"__half2", "__nv_bfloat162", "__half2_raw", "__nv_bfloat162_raw"}


def edges(form):
    """Zeros, the smallest and largest of each kind, infinities, no numbers, and ordinary ones."""
    one, infinity = form.one, (1 << 15) - (1 << (form.digits - 1))
    normal = 1 << (form.digits - 1)
    bits = [0, 1, normal - 1, normal, infinity - 1, infinity, infinity + normal // 2]
    bits += [one, one + 1, one - 1, one + normal, one - 3 * normal, one + 5 * normal + 3]
    return np.array([b | sign for sign in (0, 1 << 15) for b in bits], np.uint16)


def numbers(form, random, place, count):
    """Patterns of 16 bits: the edges in every combination for two arguments, then numbers of like
    size, so that sums do not just return the larger, then any."""
    special = edges(form)
    n = len(special)
    combined = np.tile(np.repeat(special, n**place), -(-count // n ** (place + 1)))[:count]
    near = form.narrow(L(random.normal(0, 4, count)))
    wild = random.integers(0, 1 << 16, count).astype(np.uint16)
    if count < n * n:
        combined = random.permutation(combined)
    third = count // 3
    return np.concatenate([combined[: count - 2 * third], near[:third], wild[:third]])


def integers(random, dtype, count):
    limits = np.iinfo(dtype)
    values = random.integers(limits.min, limits.max, count, dtype, endpoint=True)
    values >>= random.integers(0, limits.bits, count).astype(dtype)
    special = [0, 1, 2049, 4097, 257, 65519, 65520, limits.max, limits.min, limits.max - 1]
    special = [s for s in special if s <= limits.max]
    values[: len(special)] = special
    return values


def floats(form, random, dtype, count):
    """Numbers of the format, the middles between them, and what lies just beside those."""
    base = form.widen(numbers(form, random, 0, count))
    with np.errstate(all="ignore"):
        step = abs(form.widen(form.narrow(base * (1 + L(2) ** -7))) - base) / 2
        values = (base + random.choice([0, 0.5, 1, 1], count) * step).astype(dtype)
        beside = np.nextafter(values, dtype(random.choice([-np.inf, np.inf])))
    values = np.where(random.random(count) < 0.5, values, beside)
    values[:5] = [np.finfo(dtype).max, -np.finfo(dtype).max, np.inf, np.nan, np.finfo(dtype).tiny]
    return values.astype(dtype)


def arguments_of(form, function, random):
    kinds = [device_functions.value_type(k) for k in function.inputs]
    is_step = function.name.endswith(("++", "--"))  # sums, of which fewer will do
    if set(kinds) <= SIXTEEN and len(kinds) == 1 and not is_step:
        return [ALL]
    count = 3 * 28 * 28 if len(kinds) == 2 and set(kinds) <= SIXTEEN | PAIRS else COUNT
    arrays = []
    for place, kind in enumerate(kinds):
        dtype = device_functions.DTYPES[kind]
        if kind in SIXTEEN:
            array = numbers(form, random, place, count)
        elif kind in PAIRS:
            array = np.stack([numbers(form, random, p, count) for p in (place, 1 - place % 2)], 1)
        elif "shfl" in function.name:
            array = np.full(count, (0xFFFFFFFF, 0, 0, 8)[place], dtype)
            if place == 2:
                array = np.resize(random.integers(0, 8, 32), count).astype(dtype)
        elif dtype.kind == "i" if isinstance(dtype, np.dtype) else np.issubdtype(dtype, np.integer):
            array = integers(random, dtype, count)
        elif kind == "float2":
            array = np.stack([floats(form, random, np.float32, count) for _ in "xy"], 1)
        else:
            array = floats(form, random, dtype, count)
        arrays.append(np.ascontiguousarray(array))
    return arrays


def results_for(function, count):
    def empty(kind):
        dtype = np.dtype(device_functions.DTYPES[kind])
        return np.zeros((count, *dtype.shape), dtype.base)

    return [empty(kind) for kind in function.results]


def places_off(form, result, exact):
    """How many patterns apart two numbers are, 0 between two that are no numbers."""
    order = [np.where(b >> 15, -(b & 0x7FFF).astype(int), b.astype(int)) for b in (result, exact)]
    same = (result == exact) | (form.is_nan(result) & form.is_nan(exact))
    distance = np.where(order[0] == order[1], 1, abs(order[0] - order[1]))  # -0 is not 0
    return np.where(same, 0, distance)


def allowed_places(machine, function):
    """A GPU computes functions from approximate instructions: most nearly as promised."""
    name = half_name(function.name)
    if not machine.is_gpu or not name.startswith(("h2", "h")):
        return 0
    exact = ("ceil", "floor", "trunc", "rint")
    return 0 if name.endswith(exact) else 16 if "approx" in name else 1


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("family", "number", "function"), FUNCTIONS, ids=lambda v: getattr(v, "text", None) or str(v)
)
def test_short_floats_are_exact(machine, family, number, function):
    form = FORMATS[family]
    arguments = arguments_of(form, function, np.random.default_rng(number))
    results = results_for(function, len(arguments[0]))
    machine.run(family, number, arguments, results)
    dtypes = [r.dtype.type for r in results]
    allowed = allowed_places(machine, function)
    expected = short_float_references.compute(form, function, dtypes, *arguments)
    for kind, result, exact in zip(function.results, results, expected, strict=True):
        if kind in SIXTEEN | PAIRS:
            off = places_off(form, result, exact.astype(np.uint16))
            if allowed:  # and takes denormal numbers of single precision for zero
                tiny = abs(form.widen(arguments[0])) < 2.0**-126
                off = np.where(tiny | (abs(form.widen(exact)) < 2.0**-126), 0, off)
            wrong = np.argwhere(off > allowed)
        else:
            same = result == exact
            if result.dtype.kind == "f":
                same |= np.isnan(result) & np.isnan(exact)
            wrong = np.argwhere(~same)
        if len(wrong):
            i = wrong[0][0]
            told = [f"{a[i]}" for a in arguments]
            pytest.fail(f"{len(wrong)} wrong, first of {told}: {result[i]}, not {exact[i]}")


SOURCE = """#include <cuda_bf16.h>
    #include <cuda_fp16.h>
    extern "C" __global__ void k(float* o) {
      half2 r = {}; r = {}; o[0] = __low2float(r);
      r = __floats2half2_rn(1, 2); o[1] = __high2float(r); r = {}; o[2] = __high2float(r);
      r = {__float2half(3), __float2half(4)}; o[3] = __low2float(r); __half2_raw raw = r;
      half2 all[2] = {}; all[1] = raw; o[4] = __high2float(all[1]);
      __nv_bfloat162 b = __floats2bfloat162_rn(5, 6); o[5] = __low2float(b); b = {};
      o[6] = __high2float(b); }"""


def test_pairs_are_assigned_from_braces(machine):
    out = np.ones(7, np.float32)
    machine.compile(SOURCE).kernel("k")(out, block=(1,), grid=(1,))
    assert out.tolist() == [0, 2, 0, 3, 4, 5, 0]
