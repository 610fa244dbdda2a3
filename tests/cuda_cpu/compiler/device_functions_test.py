# SPDX-License-Identifier: MIT
"""Every function of CUDA's math headers, every one that works on parts of a word, and every one
that states its rounding: what it computes is what a reference computes."""

import ctypes
import re
from pathlib import Path

import device_functions
import numpy as np
import pytest
import rounding_references
import simd_references
from math_references import INVERSES, REFERENCES, L, libm, root_of_squares

ROOT = Path(__file__).resolve().parents[3]
COUNT = 512
MATH = device_functions.family("math")
SIMD = device_functions.family("simd")
ROUNDING = device_functions.family("rounding")
# Where a part of one word meets its limits: zero, the largest, the smallest, and all bits.
EDGES = np.array([0, 0x7F7F7F7F, 0x80808080, 0x7FFF8000, 0x0180FF7F, 0xFFFFFFFF], np.uint32)


def truncated(x, dtype=np.int64):
    return (x.astype(dtype),)


def rounded(x):
    return REFERENCES["round"].compute(x)


def quotient_bits(x, y):
    """remquo's second result: at least the last three bits of the quotient, with its sign."""
    quotient = np.rint(L(x) / L(y))
    return np.sign(quotient) * (abs(quotient) % 8)


# Functions of other shapes: the results in order, from arguments of the function's own types.
EXACT = {
    "abs": lambda x: (abs(x),),
    "ilogb": lambda x: truncated(np.floor(np.log2(abs(L(x))))),
    "frexp": np.frexp,
    "modf": np.modf,
    "ldexp": lambda x, n: (L(x) * L(2) ** n,),
    "rint": lambda x: truncated(np.rint(x)),
    "round": lambda x: truncated(rounded(L(x))),
    "remquo": lambda x, y: (REFERENCES["remainder"].compute(L(x), L(y)), quotient_bits(x, y)),
    "nextafter": lambda x, y: (np.nextafter(x, y),),
    "nan": lambda: (np.full(COUNT, np.nan),),
}
SAME = {"labs": "abs", "llabs": "abs", "scalbn": "ldexp", "scalbln": "ldexp"}
SAME |= {f"{prefix}{name}": name for prefix in ("l", "ll") for name in ("rint", "round")}
BESSEL = {"jn": "jnl", "yn": "ynl"}
OSCILLATING = {"j0", "j1", "y0", "y1", *BESSEL}


def base_name(function):
    """The double precision name: `sin` for sinf."""
    known = {*REFERENCES, *INVERSES, *EXACT, *SAME, *BESSEL, "norm", "rnorm", "sincos", "sincospi"}
    return function.name[:-1] if function.name not in known else function.name


def domain_of(function):
    name = base_name(function)
    if name in INVERSES:
        return INVERSES[name].domain
    if name in BESSEL:
        return (1, 8) if name == "jn" else (2, 8)
    reference = REFERENCES.get(SAME.get(name, name))
    if reference is None or name in SAME:
        return (-20, 20)
    single = "float" in function.inputs
    return reference.single if single and reference.single else reference.domain


def arguments_of(function):
    random = np.random.default_rng(len(function.text))
    low, high = domain_of(function)
    arrays = []
    for kind in function.inputs:
        dtype = device_functions.DTYPES[kind.removeprefix("const ").removesuffix("*")]
        if np.issubdtype(dtype, np.floating):
            array = random.uniform(low, high, COUNT + 4)
        elif "*" in " ".join(function.inputs) or base_name(function) in BESSEL:
            array = random.integers(1, 4, COUNT + 4)  # a count of elements, an order
        elif np.issubdtype(dtype, np.signedinteger):
            array = random.integers(-40, 40, COUNT + 4)
        else:
            array = random.integers(0, 2**32 - 1, COUNT + 4)
        arrays.append(array.astype(dtype))
    return arrays


def smaller_or_larger(function, arguments):
    """min and max: both arguments become the result's type first, as in C."""
    common = [a[:COUNT].astype(device_functions.DTYPES[function.result]) for a in arguments]
    return ((np.minimum if "min" in function.name else np.maximum)(*common),)


def norms(name, counts, vectors):
    windows = np.stack([np.where(k < counts, L(vectors[k : k + COUNT]), 0) for k in range(4)])
    length = root_of_squares(*windows)
    return (1 / length if name.startswith("r") else length,)


def most_off(function):
    """Units of the last place that a result may be off; docs/cuda-without-a-gpu.md has them too."""
    name = base_name(function)
    if name in REFERENCES and name not in SAME:
        return REFERENCES[name].ulp
    if name in INVERSES:
        single = "float" in function.inputs
        return INVERSES[name].ulp_single if single else INVERSES[name].ulp
    return {"norm": 4, "rnorm": 4, "sincos": 4, "sincospi": 4, "jn": 16, "yn": 16}.get(name, 0)


def expected(function, arguments):
    """[result, ...] for a function that has a forward reference."""
    name = base_name(function)
    cut = [a[:COUNT] for a in arguments]
    if re.fullmatch("(u|ll|ull)?(min|max)", function.name):
        return smaller_or_larger(function, arguments)
    if name in ("norm", "rnorm"):
        return norms(name, cut[0], arguments[1])
    if name in BESSEL:
        return (libm(BESSEL[name], ctypes.c_int)(cut[0], cut[1].astype("f8")),)
    if name in ("sincos", "sincospi"):
        names = ("sin", "cos") if name == "sincos" else ("sinpi", "cospi")
        return [REFERENCES[each].compute(L(cut[0])) for each in names]
    if SAME.get(name, name) in EXACT and name not in REFERENCES:
        return EXACT[SAME.get(name, name)](*cut)
    return (REFERENCES[name].compute(*[L(a) for a in cut]),)


def units_off(result, exact, amplitude=0.0):
    """The distance in units of the exact result's last place, or of the amplitude's where that is
    larger: an oscillating function is no more accurate near its zeros. 0: both are no number."""
    size = np.maximum(abs(L(exact)), amplitude).astype(result.dtype)
    spacing = np.spacing(size) if result.dtype.kind == "f" else 1
    off = abs(L(result) - L(exact)) / spacing
    return np.where(np.isnan(L(result)) & np.isnan(L(exact)), 0, off)


def run(machine, family, number, arguments):
    function = device_functions.family(family)[number]
    results = [np.zeros(COUNT, device_functions.DTYPES[kind]) for kind in function.results]
    return machine.run(family, number, arguments, results)


def ordinary(function):
    return base_name(function) not in INVERSES


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "number", [k for k, f in enumerate(MATH) if ordinary(f)], ids=lambda k: MATH[k].text
)
def test_math_is_as_close_as_promised(machine, number):
    function = MATH[number]
    arguments = arguments_of(function)
    exact, ulp = expected(function, arguments), most_off(function)
    results = run(machine, "math", number, arguments)
    if function.name.startswith("remquo"):
        results[1] = np.sign(results[1]) * (abs(results[1]) % 8)
    for result, reference in zip(results, exact, strict=True):
        off = units_off(result, reference, 0.3 if base_name(function) in OSCILLATING else 0.0)
        if machine.is_gpu and base_name(function) in OSCILLATING:  # CUDA bounds them absolutely
            bound = 2.2e-6 if result.dtype == np.float32 else 5e-12
            off = np.where(abs(L(result) - L(reference)) <= bound, 0, off)
        worst = int(np.argmax(off))
        assert off[worst] <= ulp, [a[worst] for a in arguments]


@pytest.mark.parametrize(
    "number", [k for k, f in enumerate(MATH) if not ordinary(f)], ids=lambda k: MATH[k].text
)
def test_inverses_are_as_close_as_promised(machine, number):
    function = MATH[number]
    (argument,) = arguments_of(function)
    (result,) = run(machine, "math", number, [argument])
    off = INVERSES[base_name(function)].units_off(result, argument[:COUNT])
    worst = int(np.argmax(off))
    assert off[worst] <= most_off(function), argument[worst]


ROW = re.compile(r"\| (`.+?) \| (exact|\d+|CUDA's own bounds)[^|]*\|$", re.MULTILINE)


def test_the_documented_bounds_are_those_of_these_tests():
    text = (ROOT / "docs/cuda-without-a-gpu.md").read_text()
    table = text[text.index("## Accuracy") : text.index("| family |")]
    documented = {
        name: bound for names, bound in ROW.findall(table) for name in re.findall("`(.+?)`", names)
    }
    names = {}
    for function in MATH:
        smaller_or_larger = re.fullmatch("(?:u|ll|ull)?(min|max)", function.name)
        name = smaller_or_larger[1] if smaller_or_larger else base_name(function)
        off = most_off(function)
        bound = "CUDA's own bounds" if name in INVERSES else f"{off:g}" if off > 0.51 else "exact"
        assert names.setdefault(name, bound) == bound
    operators = {operator: documented.pop(operator) for operator in "+-*/"}
    assert operators == dict.fromkeys("+-*/", "exact")  # semantics_test.py compares them
    assert documented == {name: bound for name, bound in names.items() if name != "nan"}


@pytest.mark.parametrize("number", range(len(SIMD)), ids=lambda k: SIMD[k].text)
def test_simd_in_a_word_is_exact(machine, number):
    function = SIMD[number]
    random = np.random.default_rng(number)
    arguments = []
    for k, kind in enumerate(function.inputs):
        words = random.integers(0, 1 << 32, COUNT, dtype=np.uint32)
        # Every edge meets every other, and itself.
        words[:216] = np.tile(np.repeat(EDGES, 6**k), 216 // 6 ** (k + 1))
        arguments.append(words.view(device_functions.DTYPES[kind]))
    results = run(machine, "simd", number, arguments)
    expected_results = simd_references.compute(function.name, *arguments)
    for result, exact in zip(results, expected_results, strict=True):
        np.testing.assert_array_equal(result, exact)


def numbers_to_round(function, random, kind):
    """Numbers of many sizes; quarters, so that halves are met, for what becomes an integer."""
    dtype = device_functions.DTYPES[kind]
    if not np.issubdtype(dtype, np.floating):
        limits = np.iinfo(dtype)
        return random.integers(limits.min, limits.max, COUNT, dtype, endpoint=True)
    if function.result in ("float", "double"):
        numbers = random.uniform(-1, 1, COUNT) * 2.0 ** random.integers(-20, 20, COUNT)
    else:
        numbers = random.integers(-4000, 4000, COUNT) / 4 + (random.random(COUNT) < 0.5) * 1e-3
    never_negative = "sqrt" in function.name or function.result.startswith("unsigned")
    return (abs(numbers) if never_negative else numbers).astype(dtype)


@pytest.mark.parametrize("number", range(len(ROUNDING)), ids=lambda k: ROUNDING[k].text)
def test_rounding_is_exact_in_every_mode(machine, number):
    function = ROUNDING[number]
    random = np.random.default_rng(number)
    arguments = [numbers_to_round(function, random, kind) for kind in function.inputs]
    (result,) = run(machine, "rounding", number, arguments)
    exact = rounding_references.compute(function, arguments)
    wrong = np.flatnonzero(result != exact)
    assert not wrong.size, [(a[wrong[0]], result[wrong[0]], exact[wrong[0]]) for a in arguments]


def extremes(kind, random):
    """Numbers at the ends of a type's range, each of both signs, and some in between."""
    dtype = np.dtype(device_functions.DTYPES[kind])
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        near = [0, 1, 2, 3, limits.max // 2, limits.max - 128, limits.max - 1, limits.max]
        return np.array([*near, limits.min, limits.min + 1, limits.min // 2], dtype)
    limits = np.finfo(dtype)
    sizes = [0, limits.smallest_subnormal, limits.smallest_subnormal * 3, limits.tiny, limits.max]
    sizes += [limits.tiny - limits.smallest_subnormal, 1, 1 + limits.eps, 1.5, np.inf, np.nan]
    sizes += [
        limits.tiny * 1.5,
        limits.max / 2,
        limits.max * (1 - limits.eps),
        np.sqrt(limits.tiny),
    ]
    sizes += [np.sqrt(limits.max), 2.0**24 + 1.5, 3.4028235677973366e38, 1e-45, 2.0**-149.5, 0.5]
    sizes += [2.0**31 - 0.5, 2.0**31, 2.0**32, 2.0**63, 2.0**64, 2147483647.9]
    sizes += list(2.0 ** random.uniform(-160, -120, 3))
    with np.errstate(over="ignore"):
        numbers = np.array(sizes).astype(dtype)
    return np.concatenate([numbers, -numbers])


@pytest.mark.parametrize("number", range(len(ROUNDING)), ids=lambda k: ROUNDING[k].text)
def test_rounding_is_exact_at_the_ends_of_the_range(machine, number):
    """Overflow, denormal numbers, infinities, zeros of both signs, and what is no number."""
    function, random = ROUNDING[number], np.random.default_rng(number)
    kinds = [extremes(kind, random) for kind in function.inputs]
    arguments = [random.choice(kind, COUNT) for kind in kinds]
    if len(kinds) == 1:
        arguments[0][: len(kinds[0])] = kinds[0]
    (result,) = run(machine, "rounding", number, arguments)
    if function.inputs[0] not in ("float", "double"):
        exact = rounding_references.compute(function, arguments)
        return np.testing.assert_array_equal(result, exact)
    single = function.inputs[0] == "float"
    for row, given in zip(zip(*arguments, strict=True), result, strict=True):
        row = [float(x) for x in row]
        exact = rounding_references.at_the_ends(function.name, result.dtype, row, single)
        if result.dtype.kind == "f" and np.isnan(exact):
            assert np.isnan(given), row
            continue
        exact = np.array(exact).astype(result.dtype)
        assert given.tobytes() == exact.tobytes(), (row, given, exact)
