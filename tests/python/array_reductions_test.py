# SPDX-License-Identifier: MIT
"""Reductions of arrays beside NumPy's."""

import random
import warnings

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices()]
DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
FUNCTIONS = ["sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax", "any", "all",
             "count_nonzero", "ptp", "nansum", "nanmean", "nanmax", "nanstd"]  # fmt: skip
WITH_MASK = ["sum", "prod", "mean", "var", "std", "any", "all", "nansum", "nanmean"]
REFUSALS = (TypeError, ValueError, IndexError, OverflowError)


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        if not device.traits.runs_kernels:
            pytest.skip("it computes nothing")
        yield device


def assert_like(ours, theirs, text=""):
    got, theirs = ours.get(), np.asarray(theirs)
    assert got.dtype == theirs.dtype, text
    assert got.shape == theirs.shape, text
    if theirs.dtype.kind in "fc":
        # Sums are made in another order; where the scale is NaN or huge that is compared, too.
        precision = 4 * np.finfo(theirs.dtype).eps
        np.testing.assert_allclose(got, theirs, rtol=precision, atol=precision, err_msg=text)
    else:
        np.testing.assert_array_equal(got, theirs, err_msg=text)


class Case:
    """A view of random numbers, and a reduction of it."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.function = self.random.choice(FUNCTIONS)
        shape = [self.random.choice([1, 2, 3, 5, 17]) for _ in range(self.random.randint(0, 5))]
        if self.random.random() < 0.1 and shape:
            shape[self.random.randrange(len(shape))] = 0
        self.theirs = self.values(shape)
        self.ours = tnp.array(self.theirs)
        self.view()

    def values(self, shape):
        count = int(np.prod(shape, dtype=int))
        dtype = np.dtype(self.random.choice(DTYPES))
        few = [1, 2, 1, 1] if self.function == "prod" else range(9)
        values = np.array([self.random.choice(few) for _ in range(count)]).astype(dtype)
        if dtype.kind == "c":
            values *= np.array([self.random.choice([1, 1j]) for _ in range(count)], dtype)
        if dtype.kind in "fc" and self.random.random() < 0.2 and count:
            values[self.random.randrange(count)] = np.nan
        values = values.reshape(shape)
        self.lines.append(f"{dtype} {tuple(shape)}")
        return np.asfortranarray(values) if self.random.random() < 0.3 else values

    def view(self):
        if self.theirs.ndim and self.random.random() < 0.5:
            index = tuple(self.random.choice([slice(None), slice(None, None, -1), slice(1, None),
                                              slice(None, None, 2)])
                          for _ in range(self.theirs.ndim))  # fmt: skip
            self.lines.append(str(index))
            self.theirs, self.ours = self.theirs[index], self.ours[index]
        if self.random.random() < 0.5:
            order = list(range(self.theirs.ndim))
            self.random.shuffle(order)
            self.lines.append(f"transpose {order}")
            self.theirs, self.ours = self.theirs.transpose(order), self.ours.transpose(order)

    def options(self):
        options = {}
        rank = self.theirs.ndim
        if rank and self.random.random() < 0.7:
            axes = self.random.sample(range(rank), self.random.randint(1, rank))
            axes = [axis - rank if self.random.random() < 0.3 else axis for axis in axes]
            is_one = len(axes) == 1 or self.function.startswith("arg")
            options["axis"] = axes[0] if is_one else tuple(axes)
        if self.random.random() < 0.4:
            options["keepdims"] = True
        if self.function in ("sum", "prod", "min", "max") and self.random.random() < 0.3:
            options["initial"] = self.random.choice([0, 1, 3])
        if self.function in WITH_MASK and self.random.random() < 0.3:
            mask = np.array([self.random.random() < 0.7 for _ in range(self.theirs.size)])
            options["where"] = mask.reshape(self.theirs.shape)
        if self.function in ("sum", "prod", "mean", "nansum") and self.random.random() < 0.2:
            # What integers NaN becomes is not the same everywhere.
            is_exact = self.theirs.dtype.kind in "biu"
            options["dtype"] = self.random.choice(["i4", "f4", "f8"] if is_exact else ["c16"])
        if self.function in ("var", "std", "nanstd") and self.random.random() < 0.4:
            options["ddof"] = 1
        return options

    def check(self):
        options = self.options()
        text = "\n".join([*self.lines, f"{self.function} {options}"])
        ours, theirs = getattr(tnp, self.function), getattr(np, self.function)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                expected = theirs(self.theirs, **options)
            except REFUSALS:
                with pytest.raises(REFUSALS):
                    ours(self.ours, **options)
                return
        assert_like(ours(self.ours, **options), expected, text)


@pytest.mark.parametrize("group", range(4))
def test_random_reductions_are_numpys(device, group):
    for seed in range(4 if device.id.startswith("opencl") else 16):
        Case(1000 * group + seed).check()


def test_every_function_of_every_dtype_has_numpys_dtype():
    with treadle.find_device("null"):
        for function in FUNCTIONS:
            for dtype in DTYPES:
                x = np.ones((2, 3), dtype)
                try:
                    expected = getattr(np, function)(x)
                except TypeError:
                    with pytest.raises(TypeError):
                        getattr(tnp, function)(tnp.array(x))
                    continue
                result = getattr(tnp, function)(tnp.array(x))
                assert result.dtype == expected.dtype, (function, dtype)
                assert isinstance(result, tnp.Array) and result.shape == ()


def test_methods_are_numpys(device):
    values = np.arange(12, dtype="f4").reshape(3, 4)
    x = tnp.array(values)
    for name in ["sum", "mean", "var", "std", "min", "max", "argmin", "argmax", "any", "all"]:
        assert_like(getattr(x, name)(1), getattr(values, name)(1), name)
    assert_like(x[0].dot(x[1]), values[0].dot(values[1]))
    assert_like(x.prod(0, "f8", keepdims=True), values.prod(0, "f8", keepdims=True))
    assert_like(x.std(0, None, None, 1), values.std(0, None, None, 1))


def test_an_expression_and_its_reduction(device):
    a, b = np.linspace(0, 1, 1000), np.linspace(1, 2, 1000)
    x, y = tnp.array(a), tnp.array(b)
    total = (tnp.sin(x) * y + x * x).sum()
    assert total.is_pending and total.shape == ()
    assert_like(tnp.sqrt(total) / 3, np.sqrt((np.sin(a) * b + a * a).sum()) / 3)
    assert_like(x / x.sum(), a / a.sum())
    rows = tnp.exp(x.reshape(10, 100))
    softmax = rows / rows.sum(axis=1, keepdims=True)
    expected = np.exp(a.reshape(10, 100))
    assert_like(softmax, expected / expected.sum(axis=1, keepdims=True))


def test_the_same_bits_in_every_run(device):
    x = tnp.array(np.random.default_rng(1).random(300_000, np.float32))
    first = x.sum().get().tobytes()
    assert all(x.sum().get().tobytes() == first for _ in range(100))


def test_out_receives_the_result(device):
    values = np.arange(6.0).reshape(2, 3)
    x, out = tnp.array(values), tnp.zeros(3)
    assert x.sum(axis=0, out=out) is out
    assert tnp.max(x, 0, out) is out
    np.testing.assert_array_equal(out.get(), values.max(0))
    with pytest.raises(ValueError, match="shape"):
        x.sum(axis=1, out=out)
    with pytest.raises(TypeError, match="int32"):
        x.sum(axis=0, out=tnp.zeros(3, "i4"))
    with pytest.raises(TypeError, match="out="):
        x.sum(axis=0, out=values)


def test_nan_and_infinity(device):
    values = np.array([[1, np.nan, 3], [np.nan, np.nan, -np.inf]], "f4")
    x = tnp.array(values)
    names = ["min", "max", "argmin", "argmax", "nanmin", "nanmax", "nansum", "nanprod", "nanvar"]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for name in names:
            for axis in (None, 0, 1):
                assert_like(getattr(tnp, name)(x, axis), getattr(np, name)(values, axis), name)


def test_averages_and_products(device):
    values, weights = np.arange(6.0).reshape(2, 3), np.array([1.0, 0, 3])
    x, w = tnp.array(values), tnp.array(weights)
    assert_like(tnp.average(x), np.average(values))
    assert_like(tnp.average(x, 1, w), np.average(values, 1, weights))
    assert_like(tnp.average(x, weights=x), np.average(values, weights=values))
    z = weights * (1 + 2j)
    assert_like(tnp.vdot(tnp.array(z), x[1]), np.vdot(z, values[1]))
    assert_like(tnp.dot(x[0], w), np.dot(values[0], weights))
    assert_like(tnp.dot(x, 2), np.dot(values, 2))
    with pytest.raises(treadle.ShapeError, match="dot"):
        tnp.dot(x, x)


def test_wrong_arguments_are_refused_before_anything_runs():
    with treadle.find_device("null"):
        x = tnp.zeros((2, 3))
        with pytest.raises(IndexError, match="axis 2"):
            x.sum(axis=2)
        with pytest.raises(ValueError, match="twice"):
            x.sum(axis=(0, -2))
        with pytest.raises(ValueError, match="no elements"):
            tnp.zeros((0, 3)).max(axis=0)
        with pytest.raises(ValueError, match="initial"):
            x.max(where=x > 0)
        with pytest.raises(TypeError, match="bool"):
            x.sum(where=x)
        with pytest.raises(ValueError, match="larger shape"):
            x.sum(where=np.ones((4, 2, 3), bool))
        with pytest.raises(TypeError, match="keyword argument 'dtype'"):
            x.max(dtype="f4")
        with pytest.raises(TypeError, match="several values"):
            x.sum(0, axis=1)
        with pytest.raises(TypeError, match="at most 3"):
            x.argmax(0, None, False, 1)
        with pytest.raises(ValueError, match="correction"):
            tnp.var(x, ddof=1, correction=1)
        with pytest.raises(OverflowError):
            tnp.zeros(2, "u1").max(initial=300)
        with pytest.raises(TypeError, match="set"):
            tnp.sum({1, 2})


def test_results_lie_as_numpys():
    values = np.asfortranarray(np.zeros((3, 4, 5), "f4"))
    with treadle.find_device("null"):
        x = tnp.array(values)
        assert x.sum(axis=0).strides == values.sum(axis=0).strides
        assert x.T.max(axis=1).strides == values.T.max(axis=1).strides


@pytest.mark.parametrize("dtype", ["i1", "u2", "?", "f4"])
def test_reductions_of_what_reads_no_memory(device, dtype):
    """The loop that looks for places in blocks was taken for every fold of narrow constants."""
    for count in (3, 300):
        x, host = tnp.ones(count, dtype), np.ones(count, dtype)
        for name in ("sum", "max", "argmax"):
            options = {"dtype": dtype} if name == "sum" else {}
            ours, theirs = (getattr(of, name)(v, **options) for of, v in ((tnp, x), (np, host)))
            assert ours.dtype == theirs.dtype
            assert ours.get() == theirs


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2"])
def test_places_of_narrow_integers_are_those_of_the_first(device, dtype):
    """Processors look for them in blocks that have a new winner: many blocks, and their ends."""
    limits = np.iinfo(dtype)
    generator = np.random.default_rng(3)
    for count in [511, 4097, 40_000, 200_001]:
        few = generator.integers(0, 5, count).astype(dtype)
        alone = np.zeros(count, dtype)
        alone[count - 1] = alone[count // 2] = 1
        rising = np.linspace(limits.min, limits.max, count).astype(dtype)
        for host in [few, alone, np.full(count, limits.min, dtype), rising, rising[::-1].copy()]:
            x = tnp.asarray(host, device=device)
            places = [int(x.argmax()), int(x.argmin()), int((x | 1).argmin())]
            assert places == [host.argmax(), host.argmin(), (host | 1).argmin()], count
