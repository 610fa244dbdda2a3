# SPDX-License-Identifier: MIT
"""treadle.numpy by the array API standard 2025.12, as a library that knows only that asks."""

import inspect

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices() if d.traits.runs_kernels]
REAL = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REAL += ["float32", "float64"]
DTYPES = ["bool", *REAL, "complex64", "complex128"]


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


@pytest.fixture(params=IDS)
def other(request):
    """A device that is not the current one for somebody."""
    return treadle.find_device(request.param)


def expect(ours, theirs):
    assert isinstance(ours, treadle.Array)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    np.testing.assert_array_equal(ours.get(), theirs)


# ---- the namespace

# Names of the standard that rest on sorting, searching, products or random access come later.
CONSTANTS = ["e", "inf", "nan", "newaxis", "pi"]
CREATION = ["arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like",
            "linspace", "ones", "ones_like", "zeros", "zeros_like"]  # fmt: skip
DTYPE_FUNCTIONS = ["astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"]
ELEMENTWISE = ["abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh",
               "bitwise_and", "bitwise_left_shift", "bitwise_invert", "bitwise_or",
               "bitwise_right_shift", "bitwise_xor", "ceil", "clip", "conj", "copysign", "cos",
               "cosh", "diff", "divide", "equal", "exp", "expm1", "floor", "floor_divide",
               "greater", "greater_equal", "hypot", "imag", "isfinite", "isinf", "isnan", "less",
               "less_equal", "log", "log1p", "log2", "log10", "logaddexp", "logical_and",
               "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "multiply",
               "negative", "nextafter", "not_equal", "positive", "pow", "real", "reciprocal",
               "remainder", "round", "sign", "signbit", "sin", "sinh", "square", "sqrt",
               "subtract", "tan", "tanh", "trunc"]  # fmt: skip
# But those that take sorting, searching or products of matrices, and nonzero().
OTHERS = ["all", "any", "argmax", "argmin", "broadcast_arrays", "broadcast_to", "concat",
          "count_nonzero", "cumulative_prod", "cumulative_sum", "expand_dims", "flip",
          "matrix_transpose", "max", "mean", "meshgrid",
          "min", "moveaxis", "permute_dims", "prod", "repeat", "reshape", "roll", "squeeze",
          "stack", "std", "sum", "take", "take_along_axis", "tile", "tril", "triu", "unstack",
          "var", "vecdot", "where"]  # fmt: skip
ATTRIBUTES = ["dtype", "device", "mT", "ndim", "shape", "size", "T"]
METHODS = ["abs", "add", "and", "array_namespace", "bool", "complex", "dlpack", "dlpack_device",
           "eq", "float", "floordiv", "ge", "getitem", "gt", "index", "int", "invert", "le",
           "lshift", "lt", "matmul", "mod", "mul", "ne", "neg", "or", "pos", "pow", "rshift",
           "setitem", "sub", "truediv", "xor", "iadd", "radd", "rpow", "ipow", "imod",
           "rmatmul"]  # fmt: skip


@pytest.mark.parametrize(
    "name", CONSTANTS + CREATION + DTYPE_FUNCTIONS + ELEMENTWISE + OTHERS + DTYPES
)
def test_names_of_the_standard_are_there(name):
    assert name in tnp.__all__ and hasattr(tnp, name)


@pytest.mark.parametrize("name", tnp.__all__)
def test_every_public_name_is_there_and_says_what_it_does(name):
    value = getattr(tnp, name)
    if inspect.isfunction(value):
        assert value.__doc__


@pytest.mark.parametrize("name", ["abs", "add"])
def test_operands_are_parameters_by_place(name):
    operands = {"abs": ["x"], "add": ["x1", "x2"]}[name]
    parameters = list(inspect.signature(getattr(tnp, name)).parameters.values())
    by_place = [p.name for p in parameters if p.kind == p.POSITIONAL_ONLY]
    assert by_place == operands
    assert [p.name for p in parameters[len(by_place) :]] == ["out", "where", "dtype", "casting"]


def test_arrays_have_the_members_of_the_standard(device):
    x = tnp.ones((2, 2))
    missing = [name for name in ATTRIBUTES if not hasattr(x, name)]
    missing += [name for name in METHODS if not hasattr(x, f"__{name}__")]
    assert missing == []
    assert hasattr(x, "to_device")


def test_the_namespace_of_an_array_is_treadle_numpy(device):
    x = tnp.ones(2)
    assert x.__array_namespace__() is tnp
    for version in ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        assert x.__array_namespace__(api_version=version) is tnp
    with pytest.raises(ValueError, match=r"2019\.01.*2025\.12"):
        x.__array_namespace__(api_version="2019.01")
    assert tnp.__array_api_version__ == "2025.12"


def test_the_namespace_is_inspected(device):
    info = tnp.__array_namespace_info__()
    assert info.default_device() is device
    assert isinstance(info.devices(), tuple) and device in info.devices()
    assert info.devices() + [None] == (*info.devices(), None)  # as of the lists of 2024.12
    assert info.capabilities()["max dimensions"] == 64
    defaults = info.default_dtypes(device=device)
    assert defaults["real floating"] == tnp.zeros(1).dtype
    assert defaults["complex floating"] == tnp.full(1, 1j).dtype
    assert defaults["integral"] == tnp.arange(1).dtype == defaults["indexing"]
    assert set(info.dtypes()) == set(DTYPES)
    assert set(info.dtypes(kind="unsigned integer")) == {"uint8", "uint16", "uint32", "uint64"}
    assert set(info.dtypes(kind=("bool", "complex floating"))) == {
        "bool",
        "complex64",
        "complex128",
    }
    with pytest.raises(ValueError, match="strange.*integral"):
        info.dtypes(kind="strange")


# ---- creation


@pytest.mark.parametrize("dtype", [*DTYPES, "float16", None])
def test_new_arrays_are_of_their_dtype(device, dtype):
    for name in ("zeros", "ones", "empty"):
        made = getattr(tnp, name)((2, 3), dtype=dtype)
        assert (made.shape, made.dtype) == ((2, 3), np.dtype(dtype or "float64"))
    expect(tnp.zeros((2, 3), dtype=dtype), np.zeros((2, 3), dtype or float))
    expect(tnp.eye(3, 4, k=1, dtype=dtype), np.eye(3, 4, k=1, dtype=dtype or float))
    expect(tnp.identity(2, dtype), np.identity(2, dtype))
    expect(tnp.full((2,), True if dtype == "bool" else 3, dtype=dtype),
           np.full((2,), True if dtype == "bool" else 3, dtype=dtype))  # fmt: skip


@pytest.mark.parametrize("shape", [(), 0, 3, (0, 2), (2, 3)])
def test_new_arrays_are_of_their_shape(device, shape):
    for name in ("zeros", "ones"):
        expect(getattr(tnp, name)(shape), getattr(np, name)(shape))
    expect(tnp.full(shape, 7), np.full(shape, 7))
    like = tnp.ones(shape, dtype="f4")
    expect(tnp.zeros_like(like), np.zeros(shape, "f4"))
    expect(tnp.full_like(like, 2, dtype="i2"), np.full(shape, 2, "i2"))
    expect(tnp.ones_like(like, shape=(2, 1)), np.ones((2, 1), "f4"))


def test_orders_of_memory(device):
    host = np.arange(6.0).reshape(2, 3)
    x = tnp.zeros((2, 3), order="F")
    assert x.strides == np.zeros((2, 3), order="F").strides
    assert tnp.empty_like(x).strides == x.strides
    assert tnp.empty_like(x, order="C").strides == (24, 8)
    for order in ("C", "F", "K", "A"):
        for source in (host, host.T, host[:, ::2]):
            expect(tnp.array(source, order=order), np.array(source, order=order))
            ours = tnp.asarray(source)
            copied = tnp.array(ours, order=order)
            assert copied.strides == np.array(ours.get(), order=order).strides
            expect(copied, source)
    assert tnp.ascontiguousarray(x).strides == (24, 8)
    assert tnp.asfortranarray(tnp.asarray(host)).strides == (8, 16)
    assert tnp.asfortranarray(x) is x
    with pytest.raises(treadle.InvalidArgument, match="order"):
        tnp.zeros(3, order="Z")


def test_arrays_are_made_where_they_are_asked_for(device, other):
    for where in (other, other.id):
        for made in (
            tnp.zeros(3, device=where),
            tnp.arange(3, device=where),
            tnp.linspace(0, 1, 3, device=where),
            tnp.eye(3, device=where),
            tnp.asarray([1, 2, 3], device=where),
            tnp.asarray(tnp.ones(3), device=where),
            tnp.ones_like(tnp.ones(3), device=where),
            tnp.from_dlpack(np.arange(3), device=where),
            tnp.astype(tnp.ones(3), "f4", device=where),
        ):
            assert made.device is other and made.get().shape[0] == 3
    assert tnp.zeros_like(tnp.zeros(3, device=other)).device is other
    with pytest.raises(treadle.InvalidArgument, match="cuda:77"):
        tnp.zeros(3, device="cuda:77")


def test_asarray_copies_as_it_is_told(device):
    x = tnp.arange(4)
    assert tnp.asarray(x) is tnp.asarray(x, copy=False) is x
    assert not tnp.shares_memory(tnp.asarray(x, copy=True), x)
    assert tnp.asarray(x, "i8") is x
    assert tnp.asarray(x, "f4").dtype == np.float32
    with pytest.raises(ValueError, match="copy=False"):
        tnp.asarray(x, "f4", copy=False)
    with pytest.raises(ValueError, match="copy=False"):
        tnp.asarray([1, 2], copy=False)
    assert tnp.array(x, ndmin=3).shape == (1, 1, 4)
    for values in (3, 2.5, 1j, True, [[1, 2], [3, 4]], [], np.float32(2), range(3)):
        expect(tnp.asarray(values), np.asarray(values))
    assert not tnp.shares_memory(tnp.copy(x), x)
    assert tnp.shares_memory(x, x[1:]) and not tnp.shares_memory(x[::2], x[1::2])


def test_ranges(device):
    for arguments in ((5,), (2, 5), (5, 2, -1), (0, 1, 0.25), (3, 3), (2.5,)):
        expect(tnp.arange(*arguments), np.arange(*arguments))
    expect(tnp.arange(tnp.asarray(3)), np.arange(3))
    expect(tnp.arange(1, tnp.asarray(2.5), dtype="f4"), np.arange(1, 2.5, dtype="f4"))
    for options in ({}, {"endpoint": False}, {"dtype": "f4"}):
        np.testing.assert_allclose(tnp.linspace(2, 3, 7, **options).get(),
                                   np.linspace(2, 3, 7, **options), rtol=1e-6)  # fmt: skip
    np.testing.assert_allclose(tnp.linspace(0, 1 + 2j, 5).get(), np.linspace(0, 1 + 2j, 5))
    np.testing.assert_allclose(tnp.logspace(0, 2, 5).get(), np.logspace(0, 2, 5))
    np.testing.assert_allclose(tnp.logspace(0, 8, 9, base=2, dtype="i4").get(), 2 ** np.arange(9))
    np.testing.assert_allclose(tnp.geomspace(1, 256, 9).get(), np.geomspace(1, 256, 9))
    assert tnp.geomspace(3, 1000, 7)[-1].item() == 1000
    with pytest.raises(treadle.InvalidArgument, match="geomspace"):
        tnp.geomspace(0, 1, 3)


def test_functions_and_buffers_become_arrays(device):
    expect(tnp.fromfunction(lambda i, j: 10 * i + j, (2, 3), dtype="i4"),
           np.fromfunction(lambda i, j: 10 * i + j, (2, 3), dtype="i4"))  # fmt: skip
    expect(tnp.frombuffer(b"\x01\x02\x03\x04", "u1", 2, 1), np.uint8([2, 3]))
    assert tnp.asnumpy(tnp.ones((2, 2)), order="F").flags.f_contiguous


# ---- dtypes


def test_dtypes_are_told_and_changed(device):
    x = tnp.asarray([1.5, -2.5], dtype="f4")
    assert tnp.astype(x, "f4", copy=False) is x
    assert not tnp.shares_memory(tnp.astype(x, "f4"), x)
    expect(tnp.astype(x, "i4"), np.int32([1, -2]))
    assert tnp.can_cast(x, "f8") and not tnp.can_cast(x, "i8")
    assert tnp.can_cast("f8", "f4", "same_kind")
    assert (tnp.finfo(x).bits, tnp.finfo("f8").bits, tnp.iinfo("i2").max) == (32, 64, 32767)
    for dtype in ("f2", "f4", "f8", "c8"):
        limits, numpys = tnp.finfo(dtype), np.finfo(dtype)
        for name in ("eps", "max", "min", "smallest_normal"):
            assert type(getattr(limits, name)) is float
            assert getattr(limits, name) == getattr(numpys, name)
        assert (limits.dtype, limits.nmant, repr(limits)) == (
            numpys.dtype,
            numpys.nmant,
            repr(numpys),
        )
    with pytest.raises(AttributeError):
        limits.nothing  # noqa: B018
    assert tnp.isdtype(x.dtype, "real floating") and not tnp.isdtype(x.dtype, ("integral", "bool"))
    assert tnp.isdtype(tnp.uint8, "unsigned integer")
    assert tnp.result_type(x, 1, "i2") == np.float32
    assert tnp.iscomplexobj(x * 1j) and tnp.isrealobj(x)


@pytest.mark.parametrize("a", DTYPES)
def test_dtypes_promote_as_the_standard_has_it(a):
    for b in DTYPES:
        mixed = {np.dtype(a).kind, np.dtype(b).kind}
        if mixed & set("iu") and mixed & set("fc"):
            continue  # the standard leaves it open
        assert tnp.result_type(np.dtype(a), np.dtype(b)) == np.result_type(a, b)


def test_numbers_that_are_close(device):
    x, y = np.array([1, 1.001, np.nan, np.inf, 0]), np.array([1 + 1e-9, 1, np.nan, np.inf, 1e-9])
    for a, b in ((x, y), (x.astype("f4"), y), (np.int64([1, 2, 3]), np.int64([1, 3, 3]))):
        for options in ({}, {"equal_nan": True}, {"rtol": 0.1}, {"atol": 1}):
            expect(tnp.isclose(tnp.asarray(a), tnp.asarray(b), **options),
                   np.isclose(a, b, **options))  # fmt: skip
    expect(np.isclose(tnp.asarray(x), y), np.isclose(x, y))
    expect(tnp.isclose(tnp.asarray(x), 1), np.isclose(x, 1))


def test_arrays_that_are_close_or_equal(device):
    x, y = np.array([1, np.nan, 3]), np.array([1 + 1e-9, np.nan, 3])
    for a, b in ((x, y), (x, x), (x[::2], y[::2]), (x[:1], y[::2] * 0 + 1), (np.ones((2, 0)),) * 2):
        p, q = tnp.asarray(a), tnp.asarray(b)
        for options in ({}, {"equal_nan": True}):
            assert tnp.array_equal(p, q, **options) is np.array_equal(a, b, **options)
            assert tnp.allclose(p, q, **options) is np.allclose(a, b, **options)
        assert tnp.allclose(p, b, rtol=0, atol=0) is np.allclose(a, b, 0, 0)
        assert np.allclose(p, b) is np.allclose(a, b)
        assert np.array_equal(p, a, equal_nan=True)
    large = np.array([2**62 + 1, 5])
    p = tnp.asarray(large)
    assert not tnp.array_equal(p, large + 1, equal_nan=True)
    assert tnp.array_equal(p, large.tolist(), equal_nan=True)
    assert tnp.array_equal(tnp.arange(3), [0, 1, 2]) and tnp.allclose([1, 1], tnp.ones(2))
    assert not tnp.array_equal(p, p[:1]) and tnp.array_equal(p, p.astype("u8"))
    with pytest.raises(treadle.ShapeError):
        tnp.allclose(p, tnp.arange(3))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh",
                                  "exp", "expm1", "log", "log1p", "sin", "sinh", "sqrt", "square",
                                  "tan", "tanh"])  # fmt: skip
def test_zeros_among_the_parts_of_complex_results_have_signs(device, name, dtype):
    parts = [0.0, -0.0, 0.5, -2.5, 3.0]
    host = np.array([complex(a, b) for a in parts for b in parts], dtype)
    with np.errstate(all="ignore"):
        theirs = getattr(np, name)(host)
    ours = getattr(tnp, name)(tnp.asarray(host)).get()
    for got, wanted in ((ours.real, theirs.real), (ours.imag, theirs.imag)):
        zero = wanted == 0
        np.testing.assert_array_equal(got[zero], wanted[zero])
        np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(wanted[zero]))


# ---- functions of several operations


def same(ours, theirs):
    """As expect(), but for how the last digits are rounded."""
    assert isinstance(ours, treadle.Array)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-2 if ours.dtype == "f2" else 1e-6)


@pytest.mark.parametrize("dtype", ["bool", *REAL, "complex64"])
def test_differences_of_neighbours(device, dtype):
    host = (np.arange(24).reshape(2, 3, 4) % 7).astype(dtype)
    x = tnp.asarray(host)
    for axis in (0, 1, 2, -2):
        for n in (0, 1, 2):
            expect(tnp.diff(x, axis=axis, n=n), np.diff(host, axis=axis, n=n))
        end, value = host.take([0], axis), host.dtype.type(1)
        expect(
            tnp.diff(x, axis=axis, prepend=value, append=tnp.asarray(end)),
            np.diff(host, axis=axis, prepend=value, append=end),
        )
    for wrong in ({"n": -1}, {"axis": 3}):
        with pytest.raises(ValueError, match="diff"):
            tnp.diff(x, **wrong)


@pytest.mark.parametrize("dtype", ["bool", *REAL, "complex64"])
@pytest.mark.parametrize("decimals", [0, 1, 3, -1])
def test_numbers_are_rounded_to_decimals(device, dtype, decimals):
    host = np.asarray([0, 0.25, 1.5, 2.5, 15, 25, 33.337, 99]).astype(dtype)
    x = tnp.asarray(host)
    if dtype == "bool" and decimals:
        return  # NumPy's float16 is rounded twice
    same(tnp.round(x, decimals), np.round(host, decimals))
    out = tnp.zeros_like(tnp.round(x, decimals))
    assert tnp.around(x, decimals, out=out) is out
    same(out, np.round(host, decimals))


@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "uint64", "float32", "float64"])
def test_angles_and_parts_of_numbers(device, dtype):
    host = np.asarray([0, 1, 45, 90, 120]).astype(dtype)
    x = tnp.asarray(host)
    for name in ("deg2rad", "radians", "rad2deg", "degrees"):
        same(getattr(tnp, name)(x), getattr(np, name)(host))
    for name in ("modf", "frexp"):
        for ours, theirs in zip(getattr(tnp, name)(x), getattr(np, name)(host), strict=True):
            expect(ours, theirs)
    if dtype != "bool":
        for ours, theirs in zip(tnp.divmod(x, 7), np.divmod(host, 7), strict=True):
            expect(ours, theirs)
    with pytest.raises(TypeError):
        tnp.deg2rad(1j * tnp.ones(2))
    out = tnp.zeros(5)
    assert tnp.deg2rad(x, out=out) is out


@pytest.mark.parametrize("dtype", ["int32", "float16", "float32", "float64", "complex128"])
def test_numbers_in_the_place_of_nan(device, dtype):
    host = np.asarray([1, 2, 3, 4]).astype(dtype)
    if dtype != "int32":
        host[1:] = [np.nan, np.inf, -np.inf]
    if dtype == "complex128":
        host[0] = complex(np.inf, np.nan)
    for options in ({}, {"nan": 5.0, "posinf": 7.0, "neginf": -8.0}):
        expect(tnp.nan_to_num(tnp.asarray(host), **options), np.nan_to_num(host, **options))
    x = tnp.asarray(host)
    assert tnp.nan_to_num(x, copy=False) is x
    expect(x, np.nan_to_num(host))
    assert not tnp.shares_memory(tnp.nan_to_num(x), x)


def test_diagonals_and_products(device):
    for k in (0, 2, -1, 5):
        for host in (np.arange(1, 5), np.arange(12.0).reshape(3, 4), np.zeros(0)):
            if host.ndim == 1 or -3 < k < 4:
                expect(tnp.diag(tnp.asarray(host), k), np.diag(host, k))
    host = np.arange(24, dtype="i2").reshape(2, 3, 4)
    x = tnp.asarray(host)
    expect(tnp.trace(x), np.trace(host))
    expect(tnp.trace(x, 1, 1, 2, dtype="f4"), np.trace(host, 1, 1, 2, dtype="f4"))
    expect(tnp.outer(x, [1, 2]), np.outer(host, [1, 2]))
    with pytest.raises(ValueError, match="3 axes"):
        tnp.diag(x)
    assert tnp.shares_memory(tnp.diag(x[0]), x)


@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_shapes_in_an_order(device, order):
    for host in (np.arange(24).reshape(2, 3, 4), np.arange(24).reshape(4, 6).T):
        x = tnp.asarray(host)
        for shape in ((4, 6), -1, (2, -1, 2)):
            expect(tnp.reshape(x, shape, order), host.reshape(shape, order=order))
        expect(tnp.ravel(x, order), host.ravel(order))
        expect(tnp.ravel(x, "K"), host.ravel("K"))


def test_shapes_as_copies_and_views(device):
    x = tnp.arange(6).reshape(2, 3)
    assert tnp.shares_memory(tnp.reshape(x, 6, copy=False), x)
    assert not tnp.shares_memory(tnp.reshape(x, 6, copy=True), x)
    assert not tnp.shares_memory(tnp.reshape(x.T, 6, copy=True), x)
    assert tnp.shares_memory(tnp.reshape(x.T, 6, order="F", copy=False), x)
    with pytest.raises(ValueError, match="copy=False"):
        tnp.reshape(x.T, 6, copy=False)
    assert tnp.broadcast_shapes((2, 1), (3,)) == (2, 3)
    assert tnp.isscalar(2.5) and not tnp.isscalar(x)


# ---- arrays


def test_attributes(device):
    x = tnp.zeros((2, 3, 4), dtype="f4")
    assert (x.ndim, x.shape, x.size, x.device) == (3, (2, 3, 4), 24, device)
    assert (x.mT.shape, x.T.shape) == ((2, 4, 3), (4, 3, 2))
    with pytest.raises(treadle.ShapeError, match="mT"):
        tnp.zeros(3).mT  # noqa: B018
    assert (tnp.shape(x), tnp.ndim(x), tnp.size(x), tnp.size(x, 1)) == ((2, 3, 4), 3, 24, 3)
