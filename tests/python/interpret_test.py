# SPDX-License-Identifier: MIT
"""The reference interpreter against NumPy: each operation in each dtype, casts, and random
expressions. Exact where one rounding is all there is, else within a few units in the last place."""

import math
import random

import numpy as np
import pytest

import treadle
from treadle._core import rules

pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning"),
    pytest.mark.skipif(
        np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="needs the promotion of NumPy 2"
    ),
]


def interpret(steps, *rest):
    reference = pytest.importorskip("treadle_reference", reason="built with the C++ tests")
    reference.interpret([(op, np.dtype(dtype).str, of) for op, dtype, of in steps], *rest)


DTYPES = [np.dtype(character) for character in "?bhilBHILefdFD"]
ARITY = dict(rules._operations())


def steps_of(name, *dtypes):
    """Casts to what the operation computes in, and the operation."""
    *computed, result = rules._resolve(name, *dtypes)
    count = len(dtypes)
    steps = [("leaf", dtype, [i]) for i, dtype in enumerate(dtypes)]
    steps += [("cast", dtype, [i]) for i, dtype in enumerate(computed)]
    return [*steps, (name, result, [count + i for i in range(count)])], result


def compute(name, *arrays):
    steps, dtype = steps_of(name, *(a.dtype for a in arrays))
    out = np.empty(np.broadcast_shapes(*(a.shape for a in arrays)), dtype)
    interpret(steps, list(arrays), [], [(len(steps) - 1, out)])
    return out


def numbers(dtype, seed=0):
    """The edges of a dtype, and numbers of all sizes between."""
    draw = np.random.default_rng(seed)
    if dtype == np.bool_:
        return np.array([False, True, True, False])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        edges = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3, 5, 7, 8, 31, 63]
        edges += [-1, -2, -3, -7] if dtype.kind == "i" else [info.max // 2, info.max // 2 + 1]
        return np.array([*edges, *draw.integers(info.min, info.max, 10, dtype)], dtype)
    if dtype.kind == "f":
        info = np.finfo(dtype)
        edges = [0.0, 1.0, 0.5, 1.5, 2.0, 2.5, 3.0, 10.0, float(info.max), float(info.tiny)]
        edges += [float(info.smallest_subnormal), math.inf, math.pi, 0.25, 100.0, 7.75]
        some = [*edges, *np.exp(draw.normal(0, 3, 10)), *draw.uniform(0, 1, 6)]
        return np.array([*some, *(-x for x in some), math.nan], dtype)
    parts = numbers(np.dtype("f" if dtype == np.complex64 else "d"), seed)
    return (draw.choice(parts, 60) + 1j * draw.choice(parts, 60)).astype(dtype)


def units_apart(ours, theirs):
    """Distance in units in the last place of what NumPy has; 0 where both are equal or NaN."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    unit = np.abs(np.spacing(theirs)).astype(np.float64)
    apart = np.abs(ours.astype(np.float64) - theirs.astype(np.float64)) / unit
    return np.where(same, 0.0, np.where(np.isnan(apart), np.inf, apart))


def assert_near(ours, theirs, units, what):
    assert ours.dtype == theirs.dtype, what
    if ours.dtype.kind == "c":
        # Of the whole number: a part that cancels out has no digits of its own.
        finite = np.isfinite(ours) & np.isfinite(theirs)
        assert (np.isfinite(ours) == np.isfinite(theirs)).all(), what
        size = np.maximum(np.abs(theirs[finite]), np.finfo(ours.dtype).tiny)
        apart = np.abs(ours[finite] - theirs[finite]) / (size * np.finfo(ours.dtype).eps)
    elif ours.dtype.kind == "f":
        apart = units_apart(ours, theirs)
    else:
        apart = np.where(ours == theirs, 0.0, np.inf)
    worst = np.max(apart, initial=0)
    assert worst <= units, (*what, f"{worst} units")


# What NumPy does not have, or does in another way: how to write it there.
OF_NUMPY = {
    "rsqrt": lambda x: (1 / np.sqrt(x.astype("d"))).astype(np.sqrt(x).dtype),
    "exp10": lambda x: (10.0 ** x.astype("d")).astype(np.sqrt(x).dtype),
    "erf": lambda x: np.vectorize(math.erf)(x.astype("d")).astype(np.sqrt(x).dtype),
    "erfc": lambda x: np.vectorize(math.erfc)(x.astype("d")).astype(np.sqrt(x).dtype),
    # In float32 NumPy's cancels where the result is near 0.
    "logaddexp": lambda x, y: np.logaddexp(x, y, dtype="d").astype(np.hypot(x, y).dtype),
    "logaddexp2": lambda x, y: np.logaddexp2(x, y, dtype="d").astype(np.hypot(x, y).dtype),
    "frexp_mantissa": lambda x: np.frexp(x)[0],
    "frexp_exponent": lambda x: np.where(np.isfinite(x), np.frexp(x)[1], 0).astype(np.int32),
    "modf_fraction": lambda x: np.modf(x)[0],
    "modf_integer": lambda x: np.modf(x)[1],
    "make_complex": lambda x, y: (
        (c := np.empty(np.broadcast_shapes(x.shape, y.shape), np.result_type(np.hypot(x, y), 1j))),
        c.real.__setitem__(..., x),
        c.imag.__setitem__(..., y),
    )[0],
}
EXACT = (
    "add subtract multiply divide floor_divide remainder fmod minimum maximum fmin fmax negative "
    "positive absolute fabs sign square reciprocal conjugate real imag copysign nextafter "
    "heaviside ldexp sqrt floor ceil trunc rint frexp_mantissa frexp_exponent modf_fraction "
    "modf_integer make_complex where"
).split()
# Units in the last place; NumPy's own functions are no better.
UNITS = {"e": 1, "f": 4, "d": 4}


def near_values(dtype):
    """Finite, and not so large that functions differ for reasons of range."""
    if dtype.kind == "c":
        draw = np.random.default_rng(1)
        return (draw.normal(0, 2, 60) + 1j * draw.normal(0, 2, 60)).astype(dtype)
    return numbers(dtype)


def takes(name, *dtypes):
    try:
        rules._resolve(name, *dtypes)
    except treadle.DTypeError:
        return False
    return True


def expected_of(name, *arrays):
    return (OF_NUMPY.get(name) or getattr(np, name))(*arrays)


def grids(name, dtype, values=numbers):
    """Every number with every other."""
    if ARITY[name] == 1:
        return (values(dtype),)
    if name == "where":
        return np.array([[[True]], [[False]]]), values(dtype)[:, None], values(dtype)[None, :]
    second = np.dtype(np.int32) if name == "ldexp" else dtype
    return values(dtype)[:, None], values(second)[None, :]


def assert_exact(ours, theirs, what):
    assert ours.dtype == theirs.dtype, what
    theirs = np.broadcast_to(theirs, ours.shape)
    if ours.dtype.kind == "c":
        assert_exact(ours.real, theirs.real, what)
        assert_exact(ours.imag, theirs.imag, what)
        return
    same = ours == theirs
    if ours.dtype.kind == "f":
        same |= np.isnan(ours) & np.isnan(theirs)
    assert same.all(), (*what, np.argwhere(~same)[:3], ours[~same][:3], theirs[~same][:3])


# NumPy contracts products where the processor can; the others have several roundings.
NEAR_OF_COMPLEX = ("multiply", "square", "sqrt", "sign", "divide", "reciprocal", "absolute")


@pytest.mark.parametrize("name", EXACT)
def test_what_is_rounded_once_equals_numpy(name):
    for dtype in DTYPES:
        arrays = grids(name, dtype)
        if not takes(name, *(a.dtype for a in arrays)):
            continue
        if dtype.kind == "c" and name in NEAR_OF_COMPLEX:
            arrays = grids(name, dtype, near_values)
            assert_near(compute(name, *arrays), expected_of(name, *arrays), 4, (name, dtype))
        else:
            assert_exact(compute(name, *arrays), expected_of(name, *arrays), (name, dtype))


RULES_WITHOUT_ROUNDING = (
    "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor "
    "logical_not isnan isinf isfinite signbit bitwise_and bitwise_or bitwise_xor invert left_shift "
    "right_shift bitwise_count gcd lcm"
).split()


@pytest.mark.parametrize("name", RULES_WITHOUT_ROUNDING)
def test_comparisons_logic_and_bits_equal_numpy(name):
    for dtype in DTYPES:
        arrays = grids(name, dtype)
        if takes(name, *(a.dtype for a in arrays)):
            assert_exact(compute(name, *arrays), expected_of(name, *arrays), (name, dtype))


FUNCTIONS = [
    name
    for name in ARITY
    if name not in EXACT and name not in RULES_WITHOUT_ROUNDING and name not in ("lgamma", "tgamma")
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_near_numpys(name):
    for dtype in DTYPES:
        arrays = grids(name, dtype, near_values)
        if name == "power" and dtype.kind in "iu":
            arrays = arrays[0], np.abs(arrays[1])[arrays[1] >= 0][None, :]
        if not takes(name, *(a.dtype for a in arrays)):
            continue
        ours, theirs = compute(name, *arrays), expected_of(name, *arrays)
        units = {"e": 1, "f": 4, "d": 4, "F": 16, "D": 64}.get(ours.dtype.char, 0)
        assert_near(ours, theirs, units, (name, dtype))


@pytest.mark.parametrize("name", ["lgamma", "tgamma"])
def test_gamma_functions_are_pythons(name):
    x = np.array([0.5, 1.0, 2.5, 10.25, -0.5, -3.75, 20.0])
    theirs = [(math.lgamma if name == "lgamma" else math.gamma)(value) for value in x]
    assert_near(compute(name, x), np.array(theirs), 8, (name,))


def test_integer_powers_with_negative_exponents_are_zero():
    for dtype in "bhil":
        base = np.array([-2, -1, 0, 1, 2], dtype)
        assert not compute("power", base, np.array([-1], dtype)).any()


@pytest.mark.parametrize("name", ["add", "multiply", "less", "equal", "maximum"])
def test_operands_of_any_two_dtypes(name):
    for a in DTYPES:
        for b in DTYPES:
            arrays = numbers(a)[:, None], numbers(b, seed=1)[None, :]
            if name in NEAR_OF_COMPLEX and "c" in (a.kind, b.kind):
                continue
            assert_exact(compute(name, *arrays), expected_of(name, *arrays), (name, a, b))


def cast(array, dtype):
    out = np.empty(array.shape, dtype)
    interpret([("leaf", array.dtype, [0]), ("cast", dtype, [0])], [array], [], [(1, out)])
    return out


def test_casts_equal_numpys_where_it_has_an_answer():
    for a in DTYPES:
        for b in DTYPES:
            values = numbers(a)
            if a.kind in "fc" and b.kind in "iu":
                # Out of range, what NumPy gives depends on the processor.
                info = np.iinfo(b)
                real = values.real.astype("d")
                values = values[(real > max(info.min, -(2.0**31))) & (real < info.max)]
                values = values[values.real >= 0] if b.kind == "u" else values
            assert_exact(cast(values, b), values.astype(b), (a, b))


def test_numbers_beyond_an_integer_dtype_take_its_nearest_value():
    x = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, -1.5, 300.7])
    for dtype in "ilIL":
        info = np.iinfo(dtype)
        low, minus = info.min, max(info.min, -1)
        expected = [0, info.max, low, info.max, low, minus, 300]
        assert cast(x, dtype).tolist() == expected
    # The narrow ones keep the low bits of an int32.
    assert cast(x, "b").tolist() == [0, -1, 0, -1, 0, -1, 44]
    assert cast(x, "H").tolist() == [0, 65535, 0, 65535, 0, 65535, 300]


def test_int64_and_uint64_are_compared_as_numbers():
    signed = np.array([-1, 0, 2**62, 2**63 - 1])[:, None]
    unsigned = np.array([0, 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1], np.uint64)[None, :]
    for name in ("less", "equal", "greater_equal"):
        for pair in ((signed, unsigned), (unsigned.T, signed.T)):
            assert_exact(compute(name, *pair), expected_of(name, *pair), (name,))


def test_every_step_is_rounded_to_its_dtype():
    """float16: 2048 + 1 is 2048, so that adding 1 twice does not reach 2050."""
    x = np.array([2048, 1], np.float16)
    steps = [("leaf", "e", []), ("scalar", "e", []), ("add", "e", [0, 1]), ("add", "e", [2, 1])]
    out = np.empty(2, np.float16)
    interpret(steps, [x], [np.float16(1)], [(3, out)])
    assert out.tolist() == [2048, 3]


def test_leaves_have_any_strides_and_outputs_may_be_several():
    base = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    a, row = base.transpose(2, 0, 1)[::-1], np.arange(3, dtype=np.int32)[::-1]
    total, product = np.empty((4, 2, 3), np.int32), np.empty((4, 3, 2), np.int32).swapaxes(1, 2)
    steps = [("leaf", "i", []), ("leaf", "i", []), ("add", "i", [0, 1]), ("multiply", "i", [0, 1])]
    interpret(steps, [a, row], [], [(2, total), (3, product)])
    assert (total == a + row).all()
    assert (product == a * row).all()


def test_an_output_may_be_its_own_input_and_positions_count_in_c_order():
    x = np.ones((3, 2), np.int64, order="F")
    interpret([("leaf", "l", []), ("iota", "l", []), ("add", "l", [0, 1])], [x], [], [(2, x)])
    assert x.tolist() == [[1, 2], [3, 4], [5, 6]]
    empty = np.empty((0, 3))
    interpret([("leaf", "d", [])], [np.ones(3)], [], [(0, empty)])


def test_what_does_not_fit_is_refused_before_anything_is_written():
    out = np.zeros(3, np.float32)
    leaf = ("leaf", "f", [])
    with pytest.raises(treadle.ShapeError, match=r"\(2,\) and \(3,\)"):
        interpret([leaf], [np.ones(2, "f")], [], [(0, out)])
    with pytest.raises(treadle.ShapeError, match="outputs of shapes"):
        interpret([leaf], [np.ones(1, "f")], [], [(0, out), (0, np.zeros(4, "f"))])
    with pytest.raises(treadle.InvalidArgument, match="0 inputs for an expression that has 1"):
        interpret([leaf], [], [], [(0, out)])
    with pytest.raises(treadle.InvalidArgument, match="0 scalars"):
        interpret([("scalar", "f", [])], [], [], [(0, out)])
    with pytest.raises(treadle.DTypeError, match="cast to float64, not float32 of float32"):
        interpret([leaf, ("cast", "d", [0]), ("add", "f", [0, 1])], [out], [], [(2, out)])
    with pytest.raises(treadle.DTypeError, match="does not take bool"):
        mask = np.ones(3, bool)
        interpret([("leaf", "?", []), ("negative", "?", [0])], [mask], [], [(1, mask)])
    assert not out.any()


EXACT_STEPS = (
    "add subtract multiply divide minimum maximum negative absolute square less equal where "
    "bitwise_and left_shift sqrt floor conjugate logical_not power"
).split()


@pytest.mark.parametrize("seed", range(30))
def test_random_expressions_equal_numpy(seed):
    draw = random.Random(seed)
    for _ in range(30):
        shape = [draw.randint(1, 4) for _ in range(draw.randint(0, 3))]
        arrays, steps, values = [], [], []
        for _ in range(draw.randint(1, 3)):
            dtype = draw.choice(DTYPES)
            array = np.random.default_rng(draw.randrange(2**32)).choice(numbers(dtype), shape)
            arrays.append(np.asarray(array[..., ::-1] if shape else array))
            steps.append(("leaf", dtype, []))
            values.append((len(steps) - 1, arrays[-1]))
        for _ in range(draw.randint(1, 8)):
            name = draw.choice(EXACT_STEPS)
            chosen = [draw.choice(values) for _ in range(ARITY[name])]
            dtypes = [value.dtype for _, value in chosen]
            inexact = any(d.kind == "c" for d in dtypes) and name in NEAR_OF_COMPLEX
            if inexact or name == "power" and dtypes[0].kind not in "u":
                continue
            if name == "power" and dtypes[1].kind not in "u?" or not takes(name, *dtypes):
                continue
            *computed, result = rules._resolve(name, *dtypes)
            operands = []
            for (number, _), dtype in zip(chosen, computed, strict=True):
                steps.append(("cast", dtype, [number]))
                operands.append(len(steps) - 1)
            steps.append((name, result, operands))
            expected = np.asarray(expected_of(name, *(value for _, value in chosen)))
            values.append((len(steps) - 1, expected))
        outputs = [(number, np.empty(shape, value.dtype)) for number, value in values]
        interpret(steps, arrays, [], outputs)
        for (number, ours), (_, theirs) in zip(outputs, values, strict=True):
            assert_exact(ours, theirs, (seed, steps[: number + 1]))
