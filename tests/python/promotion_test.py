# SPDX-License-Identifier: MIT
"""Every operation's dtypes against NumPy: all dtypes, pairs of them, and numbers of Python."""

import itertools
import warnings

import numpy as np
import pytest

import treadle
from treadle._core import rules

pytestmark = pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="needs the promotion of NumPy 2"
)

DTYPES = [np.dtype(character) for character in "?bhilBHILefdFD"]
WEAK = [1, 1.0, 1j]
OPERANDS = [*DTYPES, *WEAK]
OPERATIONS = dict(rules._operations())

# Operations that NumPy does not have, and how it writes them.
OF_NUMPY = {
    "rsqrt": np.cbrt,
    "exp10": np.cbrt,
    "erf": np.cbrt,
    "erfc": np.cbrt,
    "lgamma": np.cbrt,
    "tgamma": np.cbrt,
    "frexp_mantissa": lambda x: np.frexp(x)[0],
    "frexp_exponent": lambda x: np.frexp(x)[1],
    "modf_fraction": lambda x: np.modf(x)[0],
    "modf_integer": lambda x: np.modf(x)[1],
    "make_complex": lambda x, y: np.hypot(x, y) * np.complex64(1),
}
# Where Treadle differs on purpose: operation, operands, what it gives, why.
EXCEPTIONS = {
    ("ldexp", "1", dtype): (result, "NumPy makes a Python int float16, whatever it meets")
    for dtype, result in {
        "int16": "f",
        "uint16": "f",
        "int32": "d",
        "uint32": "d",
        "int64": "d",
    }.items()
}


def name_of(operand):
    return getattr(operand, "name", repr(operand))


def sample(operand):
    return np.ones(1, operand) if isinstance(operand, np.dtype) else operand


def numpy_result(name, *operands):
    """NumPy's dtype, or None if it refuses."""
    function = OF_NUMPY.get(name) or getattr(np, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*map(sample, operands)).dtype
        except TypeError:
            return None


def our_result(name, *operands):
    try:
        return rules._resolve(name, *operands)[-1]
    except treadle.DTypeError:
        return None


def check(name, *operands):
    expected = numpy_result(name, *operands)
    exception = EXCEPTIONS.get((name, *map(name_of, operands)))
    if exception:
        result, reason = exception
        assert expected != np.dtype(result), f"{name}: no exception any more: {reason}"
        expected = np.dtype(result)
    assert our_result(name, *operands) == expected, (name, *map(name_of, operands))


def of_arity(arity):
    return [name for name, count in OPERATIONS.items() if count == arity]


@pytest.mark.parametrize("name", of_arity(1))
def test_results_of_one_operand_are_numpys(name):
    for dtype in DTYPES:
        check(name, dtype)


@pytest.mark.parametrize("name", of_arity(2))
def test_results_of_two_operands_are_numpys(name):
    for a, b in itertools.product(OPERANDS, repeat=2):
        # Two numbers of Python meet no array: NumPy then has other rules for some operations.
        if isinstance(a, np.dtype) or isinstance(b, np.dtype):
            check(name, a, b)


def test_where_takes_the_common_dtype_of_its_branches():
    mask = np.ones(1, bool)
    for a, b in itertools.product(OPERANDS, repeat=2):
        expected = np.where(mask, sample(a), sample(b)).dtype
        assert rules._resolve("where", np.float32, a, b) == [np.bool_, expected, expected, expected]


@pytest.mark.parametrize("name", [name for name in of_arity(2) if hasattr(np, name)])
def test_operands_are_cast_to_what_numpy_computes_in(name):
    function = getattr(np, name)
    for a, b in itertools.product(DTYPES, repeat=2):
        if our_result(name, a, b) is None:
            continue
        ours = rules._resolve(name, a, b)
        if name.startswith("logical_"):
            assert (
                ours == [np.bool_] * 3
            )  # whether a number is 0 can be said before they are promoted
            continue
        assert ours == list(function.resolve_dtypes((a, b, None))), (name, a, b)


def test_the_exact_type_of_a_python_number_decides_whether_it_adapts():
    single = np.zeros(2, np.float32)
    assert treadle.result_type(single, 2.5) == np.float32
    assert treadle.result_type(single, np.float64(2.5)) == np.float64
    assert treadle.result_type(np.int8(1), True) == np.int8
    assert treadle.result_type(2, 3) == np.int64


def test_result_type_is_numpys():
    for operands in itertools.product(OPERANDS, repeat=3):
        ours = treadle.result_type(*operands)
        assert ours == np.result_type(*operands), operands
    for a, b in itertools.product(DTYPES, repeat=2):
        assert treadle.promote_types(a, b) == np.promote_types(a, b)


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_casts_are_allowed_as_in_numpy(casting):
    for a, b in itertools.product(DTYPES, repeat=2):
        assert treadle.can_cast(a, b, casting) == np.can_cast(a, b, casting), (a, b)


REDUCTIONS = "sum prod cumsum cumprod mean var min max any all argmin argmax count_nonzero".split()


@pytest.mark.parametrize("name", REDUCTIONS)
def test_results_of_reductions_are_numpys(name):
    for dtype in DTYPES:
        expected = np.asarray(getattr(np, name)(np.ones(2, dtype))).dtype
        assert rules._reduction_dtypes(name, dtype)[1] == expected, dtype


def test_half_precision_accumulates_in_single():
    assert rules._reduction_dtypes("sum", np.float16) == (np.float32, np.float16)
    assert rules._reduction_dtypes("mean", np.float16) == (np.float32, np.float16)


def test_faces_have_their_own_dtypes_of_comparisons_and_sums():
    assert rules._face_dtype("pycuda", "less", np.int8, np.float32) == np.float32
    assert rules._face_dtype("pycuda", "less", np.int8, 2.5) == np.int8
    assert rules._face_dtype("pyopencl", "less", np.int8, np.float32) == np.int8
    assert rules._reduction_dtypes("sum", np.int8, "pycuda")[1] == np.int8
    assert rules._reduction_dtypes("any", np.int8, "pyopencl")[1] == np.int8


@pytest.mark.parametrize("value", [-(2**100), -(2**63), -129, -1, 0, 127, 128, 300, 2**64, 2**100])
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_integers_beyond_a_dtype_are_known(value):
    for dtype in DTYPES[1:]:
        fit = rules._integer_fit(dtype, value)
        try:
            np.add(np.ones(1, dtype), value)
        except OverflowError:
            assert fit == (1 if value > 0 else -1), dtype
            for name in "less less_equal greater greater_equal equal not_equal".split():
                expected = getattr(np, name)(np.ones(1, dtype), value)[0]
                assert rules._compare_beyond(name, fit) == expected, (name, dtype)
        else:
            assert fit == 0, dtype


@pytest.mark.parametrize("dtype", ["S3", ">f4", "O", "M8[s]", [("a", "f4")]])
def test_dtypes_that_devices_do_not_have_are_refused(dtype):
    with pytest.raises(treadle.DTypeError):
        treadle.result_type(np.dtype(dtype), np.float32)


def test_refusals_name_operation_and_dtypes():
    with pytest.raises(TypeError, match="operation subtract does not take bool and bool"):
        rules._resolve("subtract", True, np.bool_)
    with pytest.raises(ValueError, match="kind of casting"):
        treadle.can_cast("f4", "f8", "sideways")
