# SPDX-License-Identifier: MIT
"""Every function of treadle.numpy beside NumPy's, of arrays without axes, without elements and with
axes of length 1."""

import inspect

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle._core import rules

IDS = [d.id for d in treadle.devices() if d.traits.runs_kernels]
SHAPES = [(), (0,), (1,), (1, 1), (1, 3), (3, 1), (0, 2), (2, 0, 1)]
REFUSALS = (TypeError, ValueError, IndexError, OverflowError)

# What takes no array, or gives another than NumPy's: other tests have it.
SKIPPED = {
    "asnumpy", "astype", "can_cast", "dtype", "empty", "empty_like", "evaluate", "finfo",
    "from_dlpack", "frombuffer", "fromfunction", "iinfo", "isdtype", "isscalar", "linalg",
    "ndarray", "newaxis", "promote_types", "random", "result_type", "broadcast_shapes", "copyto",
    "put", "put_along_axis",
    "cbrt",  # 1 ulp
    "fromfile", "genfromtxt",  # of files
    "ndenumerate",  # no array
    "roots",  # of no axes, which NumPy's dispatcher iterates over
}  # fmt: skip
# Names that NumPy does not have, by what stands for them.
THEIRS = {
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "exp10": lambda x: np.power(10.0, x),
    "erf": None,
    "erfc": None,
    "lgamma": None,
    "tgamma": None,
    "make_complex": lambda x, y: x + 1j * y,
    "frexp_mantissa": lambda x: np.frexp(x)[0],
    "frexp_exponent": lambda x: np.frexp(x)[1],
    "modf_fraction": lambda x: np.modf(x)[0],
    "modf_integer": lambda x: np.modf(x)[1],
}
INTEGERS = {"bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift",
            "bitwise_count", "gcd", "lcm", "bitwise_invert", "bitwise_left_shift", "bitwise_not",
            "bitwise_right_shift"}  # fmt: skip
OF_LISTS = {
    "append",
    "concat",
    "concatenate",
    "column_stack",
    "dstack",
    "hstack",
    "lexsort",
    "row_stack",
    "stack",
    "vstack",
}
# Further arguments, and how the array is passed where it is not the first of them.
CALLS = {
    "array_split": [lambda f, x: f(x, 2)],
    "split": [lambda f, x: f(x, 1)],
    "hsplit": [lambda f, x: f(x, 1)],
    "vsplit": [lambda f, x: f(x, 1)],
    "dsplit": [lambda f, x: f(x, 1)],
    "append": [lambda f, x: f(x, x), lambda f, x: f(x, x, 0)],
    "arange": [lambda f, x: f(0), lambda f, x: f(1), lambda f, x: f(3, 3)],
    "linspace": [lambda f, x: f(0, 1, 0), lambda f, x: f(0, 1, 1)],
    "logspace": [lambda f, x: f(0, 1, 0), lambda f, x: f(0, 1, 1)],
    "geomspace": [lambda f, x: f(1, 2, 0), lambda f, x: f(1, 2, 1)],
    "eye": [lambda f, x: f(0), lambda f, x: f(1), lambda f, x: f(0, 2)],
    "identity": [lambda f, x: f(0), lambda f, x: f(1)],
    "tri": [lambda f, x: f(0), lambda f, x: f(1), lambda f, x: f(2, 0)],
    "indices": [lambda f, x: f(x.shape), lambda f, x: f(x.shape, sparse=True)],
    "zeros": [lambda f, x: f(x.shape)],
    "ones": [lambda f, x: f(x.shape)],
    "full": [lambda f, x: f(x.shape, 2)],
    "full_like": [lambda f, x: f(x, 2)],
    "broadcast_arrays": [lambda f, x: f(x, x), lambda f, x: f()],
    "broadcast_to": [lambda f, x: f(x, (2, *x.shape)), lambda f, x: f(x, ())],
    "choose": [lambda f, x: f((x * 0).astype("i8"), [x, x])],
    "clip": [lambda f, x: f(x, 1, 2)],
    "expand_dims": [lambda f, x: f(x, 0), lambda f, x: f(x, (0, 1))],
    "meshgrid": [lambda f, x: f(x, x), lambda f, x: f(x), lambda f, x: f(),
                 lambda f, x: f(x, x, sparse=True, indexing="ij")],
    "moveaxis": [lambda f, x: f(x, 0, -1)],
    "swapaxes": [lambda f, x: f(x, 0, -1)],
    "permute_dims": [lambda f, x: f(x, tuple(range(x.ndim))[::-1])],
    "pad": [lambda f, x: f(x, 1)],
    "polyval": [lambda f, x: f([1.0, 2.0], x)],
    "repeat": [lambda f, x: f(x, 2), lambda f, x: f(x, 0)],
    "reshape": [lambda f, x: f(x, -1), lambda f, x: f(x, (1, *x.shape))],
    "roll": [lambda f, x: f(x, 1), lambda f, x: f(x, 1, 0)],
    "rot90": [lambda f, x: f(x)],
    "select": [lambda f, x: f([x > 1], [x], 5.0)],
    "take": [lambda f, x: f(x, [], mode="wrap"), lambda f, x: f(x, [0])],
    "take_along_axis": [lambda f, x: f(x, (x * 0).astype("i8"), -1)],
    "tile": [lambda f, x: f(x, 2), lambda f, x: f(x, (2, 0))],
    "where": [lambda f, x: f(x > 1, x, 0)],
    "ravel": [lambda f, x: f(x), lambda f, x: f(x, "F"), lambda f, x: x.ravel(order="F"),
              lambda f, x: x.ravel("A"), lambda f, x: x.ravel()],
    "dot": [lambda f, x: f(x, 2.0), lambda f, x: f(x.reshape(-1), x.reshape(-1))],
    "inner": [lambda f, x: f(x, 2.0), lambda f, x: f(x.reshape(-1), x.reshape(-1))],
    "outer": [lambda f, x: f(x, x)],
    "vdot": [lambda f, x: f(x, x)],
    "ldexp": [lambda f, x: f(x, 2)],
    "isclose": [lambda f, x: f(x, x)],
    "allclose": [lambda f, x: f(x, x)],
    "array_equal": [lambda f, x: f(x, x)],
    "array_equiv": [lambda f, x: f(x, x)],
    "trapezoid": [lambda f, x: f(x), lambda f, x: f(x, x)],
    "vecdot": [lambda f, x: f(x, x)],
    "resize": [lambda f, x: f(x, 3), lambda f, x: f(x, x.shape), lambda f, x: f(x, (0, 2))],
    "base_repr": [lambda f, x: f(5), lambda f, x: f(-5, 3)],
    "binary_repr": [lambda f, x: f(5), lambda f, x: f(-5, 8)],
    "common_type": [lambda f, x: f(x, x).__name__],
    "min_scalar_type": [lambda f, x: str(f(3)), lambda f, x: str(f(x))],
    "mintypecode": [lambda f, x: f(["f", "d"])],
    "typename": [lambda f, x: f("d")],
    "diag_indices": [lambda f, x: f(0), lambda f, x: f(2, 3)],
    "tril_indices": [lambda f, x: f(0), lambda f, x: f(2), lambda f, x: f(3, -1, 2)],
    "triu_indices": [lambda f, x: f(0), lambda f, x: f(2), lambda f, x: f(3, -1, 2)],
    "histogramdd": [lambda f, x: f(x.reshape(-1, 1), 2)],
    "polyder": [lambda f, x: f(x.reshape(-1))],
    "polyint": [lambda f, x: f(x.reshape(-1)), lambda f, x: f(x.reshape(-1), 2)],
    "bartlett": [lambda f, x: f(0), lambda f, x: f(1), lambda f, x: f(5)],
    "blackman": [lambda f, x: f(0), lambda f, x: f(1), lambda f, x: f(5)],
    "hamming": [lambda f, x: f(0), lambda f, x: f(1), lambda f, x: f(5)],
    "hanning": [lambda f, x: f(0), lambda f, x: f(1), lambda f, x: f(5)],
}  # fmt: skip
ARITY = {name: arity for name, arity in rules._operations()}
REDUCTIONS = {"all", "amax", "amin", "any", "average", "count_nonzero", "max", "mean", "min",
              "nanmax", "nanmean", "nanmin", "nanprod", "nansum", "prod", "ptp", "std", "sum",
              "var", "argmax", "argmin", "nanstd", "nanvar", "nanargmax", "nanargmin", "median",
              "nanmedian"}  # fmt: skip
NAMES = [
    name
    for name in tnp.__all__
    if callable(getattr(tnp, name)) and not inspect.isclass(getattr(tnp, name))
    if not name.startswith("__") and name not in SKIPPED and THEIRS.get(name, name) is not None
]


@pytest.fixture(params=IDS[:1])
def device(request):
    """One: shapes are the same code on all."""
    with treadle.find_device(request.param) as device:
        yield device


def calls_of(name):
    if name in CALLS:
        return CALLS[name]
    if name in OF_LISTS:
        return [lambda f, x: f([x, x]), lambda f, x: f([x])]
    if name in REDUCTIONS:
        calls = [lambda f, x: f(x), lambda f, x: f(x, axis=-1), lambda f, x: f(x, axis=0)]
        if name != "average":
            calls.append(lambda f, x: f(x, axis=0, keepdims=True))
        return calls
    canonical = getattr(getattr(tnp, name), "__name__", name)
    arity = ARITY.get(canonical, ARITY.get(name, 2 if name in ("divmod", "float_power") else 1))
    return [lambda f, x: f(*[x] * arity)]


def as_host(value):
    if isinstance(value, treadle.Array):
        return value.get()
    if isinstance(value, (tuple, list)):
        return [as_host(x) for x in value]
    return value


def same(ours, theirs, text):
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs), text
        for one, other in zip(ours, theirs, strict=True):
            same(one, other, text)
        return
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype), text
    if theirs.dtype.kind == "U":
        np.testing.assert_array_equal(ours, theirs, err_msg=text)
    else:
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15, err_msg=text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_arrays_of_unusual_shapes_are_treated_as_numpys(device, name):
    theirs = THEIRS.get(name) or getattr(np, name, None)
    if theirs is None:
        pytest.skip("this NumPy no longer has it")
    for shape in SHAPES:
        count = int(np.prod(shape))
        x = (np.arange(count, dtype="i8" if name in INTEGERS else "f8") + 1).reshape(shape)
        for number, call in enumerate(calls_of(name)):
            text = f"{name}, call {number}, of shape {shape}"
            try:
                with np.errstate(all="ignore"):
                    expected = call(theirs, x)
            except ZeroDivisionError:
                continue  # average() of nothing
            except REFUSALS:
                with pytest.raises(REFUSALS):
                    as_host(call(getattr(tnp, name), tnp.array(x)))
                    pytest.fail(text)
                continue
            same(as_host(call(getattr(tnp, name), tnp.array(x))), expected, text)


def test_the_list_of_what_is_skipped_is_no_longer_than_it_has_to_be():
    assert set(tnp.__all__) >= SKIPPED and len(SKIPPED) < 30


def test_lists_are_taken_where_arrays_are(device):
    def check(ours, theirs):
        same(as_host(ours), theirs, "")

    check(tnp.where([True, False], [1, 2], 0), np.where([True, False], [1, 2], 0))
    check(tnp.maximum([1, 5], tnp.array([3, 4])), np.maximum([1, 5], [3, 4]))
    check(tnp.sin([1.0, 2.0]), np.sin([1.0, 2.0]))
    check(tnp.dot([1, 2], [3, 4]), np.dot([1, 2], [3, 4]))
    check(tnp.vdot([1, 2], tnp.array([3, 4])), np.vdot([1, 2], [3, 4]))
    check(tnp.average([1, 2], weights=(3, 4)), np.average([1, 2], weights=(3, 4)))
    check(tnp.sum([[1, 2], [3, 4]], axis=0), np.sum([[1, 2], [3, 4]], axis=0))
    check(tnp.choose([0, 1], [[1, 2], [3, 4]]), np.choose([0, 1], [[1, 2], [3, 4]]))
    check(tnp.select([[True, False]], [[1, 2]], 7), np.select([[True, False]], [[1, 2]], 7))


def test_out_may_stand_behind_the_operands(device):
    x, out = tnp.array([0.0, 1.0]), tnp.zeros(2)
    assert tnp.sin(x, out) is out
    np.testing.assert_allclose(out.get(), np.sin([0.0, 1.0]))
    assert tnp.add(x, 2, out) is out
    np.testing.assert_array_equal(out.get(), [2, 3])
    with pytest.raises((TypeError, ValueError), match="2"):
        tnp.sin(x, out, out=out)


def test_one_axis_is_the_rows_of_a_triangle(device):
    for k in (-1, 0, 1):
        np.testing.assert_array_equal(tnp.tril([1, 2, 3], k).get(), np.tril([1, 2, 3], k))
        np.testing.assert_array_equal(tnp.triu([1, 2, 3], k).get(), np.triu([1, 2, 3], k))


@pytest.mark.parametrize(
    "line",
    [
        "moveaxis(x, 5, 0)", "moveaxis(x, 0, -4)", "moveaxis(x, (0, 5), (0, 1))",
        "moveaxis(x, (0, 1), (0, 5))", "swapaxes(x, 5, 0)", "swapaxes(x, 0, -4)",
        "diagonal(x, 0, 5, 0)", "diagonal(x, 0, 0, 5)", "trace(x, 0, 5, 0)", "trace(x, 0, 0, 5)",
        "cross(x, x, 5, 0, 0)", "cross(x, x, 0, 5, 0)", "cross(x, x, 0, 0, 5)", "rollaxis(x, 5)",
        "roll(x, 1, 5)", "flip(x, 5)", "expand_dims(x, 7)", "squeeze(x, 5)", "stack([x, x], 5)",
        "concatenate([x, x], 5)", "take(x, [0], 5)", "sort(x, 5)", "cumsum(x, 5)",
        "diff(x, axis=5)", "repeat(x, 2, 5)", "delete(x, 0, 5)", "insert(x, 0, 0, 5)",
        "median(x, 5)", "percentile(x, 5, 5)", "linalg.norm(x, axis=5)", "unique(x, axis=5)",
        "partition(x, 1, 5)", "argpartition(x, 1, 5)", "packbits(x.astype('u1'), 5)",
        "average(x, 5)", "ptp(x, 5)", "count_nonzero(x, 5)", "transpose(x, (0, 5))",
        "vecdot(x, x, axis=5)", "apply_along_axis(sum, 5, x)", "sum(x, 5)", "argmax(x, 5)",
    ],
)  # fmt: skip
def test_an_axis_that_is_not_there_is_refused_in_numpys_words(line):
    with pytest.raises(IndexError) as theirs:
        eval(f"xp.{line}", {"xp": np, "x": np.ones((3, 3))})
    with pytest.raises(treadle.IndexError) as ours:
        eval(f"xp.{line}", {"xp": tnp, "x": tnp.ones((3, 3))})
    assert str(theirs.value).removeprefix("axis: ") in str(ours.value)


@pytest.mark.parametrize(
    "line",
    [
        "fft.fft(x, axis=5)", "fft.fftshift(x, 5)", "split(x, 3, 5)", "array_split(x, 2, 5)",
        "linalg.cross(x, x, axis=5)", "tensordot(x, x, ((5,), (0,)))", "rot90(x, 1, (0, 5))",
    ],
)  # fmt: skip
def test_an_axis_that_is_not_there_is_refused_where_numpy_says_less(line):
    with pytest.raises(
        treadle.IndexError, match="axis 5 is out of bounds for array of dimension 2"
    ):
        eval(f"xp.{line}", {"xp": tnp, "x": tnp.ones((3, 3))})
