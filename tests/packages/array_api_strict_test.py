# SPDX-License-Identifier: MIT
"""treadle.numpy beside array-api-strict, which has of the array API standard what it says and no
more: the same lines give the same dtypes, shapes and elements, and the same are refused."""

import inspect
import itertools
import math
import warnings

import array_api_strict as strict
import numpy as np
import pytest

import treadle.numpy as tnp

strict.set_array_api_strict_flags(api_version="2025.12")
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
DTYPES = ["bool", *INTEGERS, *FLOATS, *COMPLEX]
EXTENSIONS = ["linalg", "fft"]
NEITHER_IS_OF_THE_STANDARD = {
    "get_array_api_strict_flags",
    "set_array_api_strict_flags",
    "reset_array_api_strict_flags",
}


def _functions():
    for name in strict.__all__:
        found = getattr(strict, name)
        if inspect.isfunction(found) and name not in NEITHER_IS_OF_THE_STANDARD:
            yield name
    for extension in EXTENSIONS:
        for name in getattr(strict, extension).__all__:
            yield f"{extension}.{name}"


FUNCTIONS = list(_functions())  # those of extensions as "linalg.det"


def named(space, name):
    for part in name.split("."):
        space = getattr(space, part)
    return space


# ---- signatures


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_are_those_of_the_standard(name):
    theirs = inspect.signature(named(strict, name)).parameters.values()
    try:
        ours = inspect.signature(named(tnp, name)).parameters
    except ValueError:
        pytest.skip("no signature")
    places = [p for p in ours.values() if p.kind != p.KEYWORD_ONLY]
    spread = any(p.kind == p.VAR_KEYWORD for p in ours.values())
    for place, wanted in enumerate(theirs):
        if wanted.kind == wanted.VAR_POSITIONAL:
            assert places[place].kind == wanted.VAR_POSITIONAL
            continue
        if wanted.kind in (wanted.POSITIONAL_ONLY, wanted.POSITIONAL_OR_KEYWORD):
            mine = places[place]
        if wanted.kind in (wanted.KEYWORD_ONLY, wanted.POSITIONAL_OR_KEYWORD):
            assert spread or wanted.name in ours, wanted.name
            mine = ours.get(wanted.name)
        has_default = wanted.default is not wanted.empty
        if mine is not None and has_default:
            assert mine.default is not mine.empty, wanted.name


# ---- values


def host(x):
    return np.asarray(x) if isinstance(x, strict._array_object.Array) else x.get()


def is_array(x):
    return isinstance(x, strict._array_object.Array) or hasattr(x, "get")


def compare(ours, theirs, rtol):
    if isinstance(theirs, tuple | list):
        assert isinstance(ours, tuple | list) and len(ours) == len(theirs)
        assert getattr(ours, "_fields", None) == getattr(theirs, "_fields", None)
        for mine, wanted in zip(ours, theirs, strict=True):
            compare(mine, wanted, rtol)
    elif is_array(theirs):
        assert is_array(ours)
        mine, wanted = host(ours), host(theirs)
        assert mine.dtype == wanted.dtype and mine.shape == wanted.shape
        if wanted.dtype.kind in "fc":
            finite = np.abs(wanted[np.isfinite(wanted)])
            atol = rtol * max(1, finite.max() if finite.size else 1)
            for part in ("real", "imag"):  # one may be infinite
                of_both = getattr(mine, part), getattr(wanted, part)
                np.testing.assert_allclose(*of_both, rtol=rtol, atol=atol)
        else:
            np.testing.assert_array_equal(mine, wanted)
    elif isinstance(theirs, bool | int | float | complex):
        assert type(ours) is type(theirs)
        assert ours == theirs or (math.isnan(ours) and math.isnan(theirs))
    else:
        assert str(ours).rpartition(".")[2] == str(theirs).rpartition(".")[2]


def evaluated(line, xp, operands):
    arrays = {name: xp.asarray(values) for name, values in operands.items()}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return eval(line, {"xp": xp, "dt": lambda name: getattr(xp, name), **arrays})


def same(line, operands, rtol=None):
    theirs = evaluated(line, strict, operands)
    if rtol is None:
        narrow = any(x.dtype.name in ("float32", "complex64") for x in operands.values())
        rtol = 1e-4 if narrow else 1e-10
    compare(evaluated(line, tnp, operands), theirs, rtol)


def values(dtype, shape, seed=0):
    """Small numbers, whose products and sums are exact in most dtypes."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, 2 if dtype == "bool" else 6, shape)
    if dtype in FLOATS + COMPLEX:
        drawn = drawn + rng.random(shape) - 2
    if dtype in COMPLEX:
        drawn = drawn + 1j * rng.random(shape)
    return np.asarray(drawn).astype(dtype)


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, math.inf, -math.inf, math.nan, 1e-300, 1e300]


def special(dtype):
    """Elements of which the standard says what becomes of them."""
    if dtype == "bool":
        return np.array([False, True])
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        return np.array([0, 1, 2, 3, 7, limits.min, limits.max], dtype)
    if dtype in FLOATS:
        with np.errstate(all="ignore"):
            return np.array(SPECIAL, dtype)
    parts = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan]
    return np.array([complex(a, b) for a in parts for b in parts], dtype)


def taking(*names):
    """Functions of the main namespace whose parameters have these names."""
    for name in FUNCTIONS:
        if "." not in name and tuple(inspect.signature(getattr(strict, name)).parameters) == names:
            yield name


@pytest.mark.parametrize("name", list(taking("x")))
@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_one_array(name, dtype):
    operand = values(dtype, (2, 3)) if name == "matrix_transpose" else special(dtype)
    if dtype in COMPLEX and name in LOOSE_IN_COMPLEX:
        operand = values(dtype, (2, 3))
    try:
        evaluated(f"xp.{name}(x)", strict, {"x": operand})
    except TypeError:
        return  # outside of the standard
    same(f"xp.{name}(x)", {"x": operand})


# The standard leaves a sign beside NaN open, and what the direction of an infinity is.
LOOSE_IN_COMPLEX = {"sin", "sinh", "sign"}


@pytest.mark.parametrize("name", [name for name in taking("x1", "x2") if name != "matmul"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_two_arrays(name, dtype):
    x = special(dtype)
    if dtype in COMPLEX and name in ("pow", "divide", "multiply"):
        x = values(dtype, 7) + 3
    if "shift" in name:
        x = np.arange(4).astype(dtype)
    if name in ("pow", "floor_divide", "remainder") and dtype in INTEGERS:
        x = x[1:4]  # negative powers, and 0 as a divisor, are the implementation's
    operands = {"x": x[:, None], "y": x}
    try:
        evaluated(f"xp.{name}(x, y)", strict, operands)
    except TypeError:
        return  # outside of the standard
    same(f"xp.{name}(x, y)", operands)
    number = {"b": "True", "i": "2", "u": "2", "f": "2.5", "c": "2.5j"}[x.dtype.kind]
    same(f"xp.{name}(x, {number})", operands)
    same(f"xp.{name}({number}, y)", operands)


REDUCTIONS = ["all", "any", "max", "min", "sum", "prod", "mean", "var", "std", "count_nonzero",
              "cumulative_sum", "cumulative_prod", "argmax", "argmin", "sort", "argsort",
              "unique_values", "unique_all", "unique_counts", "unique_inverse", "nonzero",
              "flip", "diff"]  # fmt: skip
LINES = [f"xp.{name}(x)" for name in REDUCTIONS]
LINES += [f"xp.{name}(a, axis={axis})" for name in REDUCTIONS[:16] + REDUCTIONS[-2:]
          for axis in (0, 1, -1)]  # fmt: skip
LINES += [f"xp.{name}(a, axis={axis}, keepdims=True)" for name in REDUCTIONS[:10]
          for axis in (None, (0, 2), -2)]  # fmt: skip
LINES += [f"xp.{name}(a, axis=1, keepdims=True)" for name in ("argmax", "argmin")]
LINES += [f"xp.{name}(a, axis=0, correction=1)" for name in ("var", "std")]
LINES += [f"xp.{name}(a, axis=2, include_initial=True)"
          for name in ("cumulative_sum", "cumulative_prod")]  # fmt: skip
LINES += [f"xp.{name}(a, axis=0, dtype=dt('complex128'))"
          for name in ("sum", "prod", "cumulative_sum", "cumulative_prod")]  # fmt: skip
LINES += [f"xp.{name}(a, axis=1, descending=True)" for name in ("sort", "argsort")]
LINES += [
    "xp.sort(a, axis=0, stable=False)", "xp.any(a[:0, ...])", "xp.all(a[:0, ...])",
    "xp.sum(a[:0, ...], axis=0)", "xp.prod(a[:0, ...], axis=0)", "xp.diff(a, axis=0, n=2)",
    "xp.diff(a, prepend=a[..., :1], append=a[..., 1:])", "xp.concat([a, a], axis=1)",
    "xp.concat([a, a[0, ...]], axis=None)", "xp.stack([a, a], axis=-1)", "xp.unstack(a)",
    "xp.unstack(a, axis=-1)", "xp.expand_dims(a, axis=-2)", "xp.expand_dims(a, axis=(0, -1))",
    "xp.squeeze(a[:1, ...], 0)", "xp.squeeze(a[:1, :1, :], (0, 1))",
    "xp.permute_dims(a, (2, 0, 1))", "xp.moveaxis(a, 0, -1)", "xp.moveaxis(a, (0, 1), (1, 2))",
    "xp.reshape(a, (4, -1))", "xp.reshape(a, (24,), copy=True)", "xp.roll(a, 2)",
    "xp.roll(a, (1, -2), axis=(0, 2))", "xp.flip(a, axis=(0, 2))", "xp.tile(a, (2, 1, 2))",
    "xp.tile(a, (2, 1, 1, 1))", "xp.tile(a, ())", "xp.repeat(a, 2)", "xp.repeat(a, 2, axis=1)",
    "xp.repeat(a, xp.asarray([1, 0, 2]), axis=1)", "xp.broadcast_to(a, (2, 2, 3, 4))",
    "xp.broadcast_arrays(a, a[0, ...])", "xp.meshgrid(x, x)", "xp.meshgrid(x, x, indexing='ij')",
    "xp.broadcast_shapes((2, 1), (3,))", "xp.take(a, xp.asarray([2, 0]), axis=1)",
    "xp.take_along_axis(a, xp.asarray([[[1], [0], [2]]]))", "xp.tril(a)", "xp.triu(a, k=1)",
    "xp.tril(a, k=-1)", "xp.where(a > a, a, a)",
    "xp.where(xp.astype(a, dt('bool')), a, a[:1, ...])", "xp.isin(x, x[:2])",
    "xp.searchsorted(xp.sort(x), x)", "xp.searchsorted(xp.sort(x), x, side='right')",
    "xp.searchsorted(x, x, sorter=xp.argsort(x))", "xp.clip(x, x[0], x[1])", "xp.clip(x, max=x[1])",
    "xp.clip(x, 1, 3)", "xp.clip(a, None, 2)", "xp.full_like(a, 1)", "xp.zeros_like(a)",
    "xp.ones_like(a, dtype=dt('float32'))", "xp.eye(3, 4, k=1, dtype=a.dtype)",
    "xp.full((2, 3), 1, dtype=a.dtype)", "xp.zeros(3, dtype=a.dtype)",
    "xp.arange(1, 5, 2, dtype=a.dtype)", "xp.linspace(0, 1, 4, dtype=a.dtype)",
    "xp.linspace(0, 3, num=3, endpoint=False)", "xp.asarray(a, dtype=a.dtype, copy=True)",
    "xp.asarray([1, 0], dtype=a.dtype)",
    "[xp.astype(a, dt(n)) for n in ('bool', 'int32', 'float32')]",
    "[xp.result_type(a, dt(n)) for n in (str(a.dtype).split('.')[-1],)]", "xp.result_type(a, 1)",
    "[xp.isdtype(a.dtype, k) for k in ('bool', 'signed integer', 'unsigned integer', 'integral',"
    " 'real floating', 'complex floating', 'numeric')]", "[bool(x[0]), a.ndim, a.size, a.shape]",
    "a.T if a.ndim == 2 else a.mT", "a[..., None, 0]", "a[1, ...]", "a[:, ::-1, 1::2]",
    "a[xp.astype(a, dt('bool'))]", "a[xp.asarray([1, 0]), xp.asarray([2, 1]), 0]", "a[0, 0, 0]",
    "xp.matmul(a, xp.matrix_transpose(a))", "xp.matmul(a, x)", "a @ a.mT",
    "xp.tensordot(a, a, axes=3)", "xp.tensordot(a, a, axes=((2, 0), (2, 0)))",
    "xp.tensordot(x, x, axes=0)", "xp.vecdot(a, a)", "xp.vecdot(a, a[:1, ...], axis=-2)",
    "xp.vecdot(a, x)", "xp.linalg.vecdot(a, a)", "xp.linalg.matmul(a, a.mT)",
    "xp.linalg.matrix_transpose(a)", "xp.linalg.tensordot(x, x, axes=1)", "xp.linalg.diagonal(a)",
    "xp.linalg.diagonal(a, offset=1)", "xp.linalg.diagonal(a, offset=-1)",
    "xp.linalg.diagonal(a, offset=9)", "xp.linalg.diagonal(a, offset=-9)", "xp.linalg.trace(a)",
    "xp.linalg.trace(a, offset=1)", "xp.linalg.trace(a, offset=-9)",
    "xp.linalg.trace(a, dtype=dt('complex128'))", "xp.linalg.outer(x, x)",
    "xp.linalg.cross(a[:, :, :3], a[:, :, 1:])", "xp.linalg.cross(a, a[:1, ...], axis=-2)",
    "xp.linalg.cross(a[:, :, :3], x[:3])",
]  # fmt: skip


OPERATORS = [
    "a + 1", "2 - a", "a * a[:1, ...]", "a / 2", "2 / (a + 7)", "a // 2", "a % 2", "7 % (a + 7)",
    "a ** 2", "a ** a", "-a", "+a", "~a", "abs(a)", "a & a", "a | 1", "1 ^ a", "a << 1", "a >> 1",
    "1 << a", "a & True", "a == a[0, ...]", "a != 1", "a < 2", "3 >= a", "a <= x", "a > a",
    "a + 1.5", "2.5 * a", "a - 1j", "a @ x", "x @ x", "[float(x[0]), int(x[1])]", "complex(x[0])",
    "x[0].__index__()", "[bool(v) for v in x]", "a.mT", "(a + x).T if a.ndim == 2 else a[0, ...].T",
    "a.to_device(a.device)", "a.__array_namespace__() is xp",
]  # fmt: skip
OPERATORS += [f"(lambda b: [b.__i{name}__({value}), b])(xp.asarray(a, copy=True))"
              for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or",
                           "xor", "lshift", "rshift")
              for value in (2, "a[:1, ...]", "True", 1.5)]  # fmt: skip
OPERATORS += [f"(lambda b: [b.__setitem__({key}, {value}), b][1])(xp.asarray(a, copy=True))"
              for key in ("...", "(0, ..., 1)", "(slice(None), 1, ...)", "(1, 2, 3)",
                          "(slice(None, None, -1), ..., slice(1, 3))",
                          "xp.astype(a, dt('bool'))")
              for value in (1, "a[0, 0, 0]")]  # fmt: skip
LINES += OPERATORS


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_lines_of_every_dtype(line, dtype):
    operands = {"a": values(dtype, (2, 3, 4)), "x": values(dtype, 4, seed=1)}
    try:
        evaluated(line, strict, operands)
    except (TypeError, ValueError):
        return  # outside of the standard, of this dtype
    same(line, operands)


@pytest.mark.parametrize("kind", [["bool"], INTEGERS, FLOATS + COMPLEX], ids=" ".join)
def test_casts_and_promotions_within_a_kind(kind):
    for a, b in itertools.product(kind, kind):
        same(f"xp.can_cast(dt('{a}'), dt('{b}'))", {})
        if "uint64" not in (a, b) or a[0] == b[0]:  # no integer is wide enough
            same(f"xp.result_type(dt('{a}'), dt('{b}'))", {})


NEW = [
    "xp.asarray(2.5)", "xp.asarray(3)", "xp.asarray(1j)", "xp.asarray(True)", "xp.asarray([])",
    "xp.asarray([[1, 2], [3, 4]])", "xp.asarray([1, 2.5])", "xp.asarray([1, 2j])",
    "xp.asarray([[True], [False]])", "xp.arange(5)", "xp.arange(2.5)", "xp.arange(0, 1, 0.25)",
    "xp.arange(5, 0, -2)", "xp.arange(3, 3)", "xp.eye(3)", "xp.eye(2, 3, k=-1)", "xp.full(3, 2.5)",
    "xp.full((), 2)", "xp.full(2, True)", "xp.full(2, 1j)", "xp.ones((2, 0))", "xp.zeros(())",
    "xp.linspace(0, 1, 5)", "xp.linspace(0, 1 + 1j, 3)", "xp.linspace(1, 1, 1)",
    "xp.linspace(0, 1, 0)", "[xp.e, xp.pi, xp.inf, xp.nan]", "xp.newaxis is None",
    "[xp.finfo(dt('float32')).eps, xp.finfo(dt('float64')).max, xp.finfo(dt('complex64')).bits]",
    "[xp.finfo(dt('float64')).smallest_normal, xp.finfo(dt('float32')).min]",
    "[xp.iinfo(dt('int8')).max, xp.iinfo(dt('uint64')).max, xp.iinfo(dt('int64')).min]",
    "sorted(xp.__array_namespace_info__().dtypes())",
    "sorted(xp.__array_namespace_info__().dtypes(kind=('bool', 'signed integer')))",
    "sorted(xp.__array_namespace_info__().default_dtypes())",
    "[xp.__array_namespace_info__().default_dtypes()[k] for k in ('integral', 'indexing',"
    " 'real floating', 'complex floating')]",
    "sorted(xp.__array_namespace_info__().capabilities())",
]  # fmt: skip


@pytest.mark.parametrize("line", NEW)
def test_lines_of_new_arrays(line):
    same(line, {})


OF_MATRICES = [
    "xp.linalg.cholesky(p)", "xp.linalg.cholesky(p, upper=True)", "xp.linalg.det(s)",
    "xp.linalg.eigvalsh(p)", "xp.linalg.eigh(p).eigenvalues",
    "(lambda r: (r.eigenvectors * r.eigenvalues[..., None, :])"
    " @ xp.conj(xp.matrix_transpose(r.eigenvectors)))(xp.linalg.eigh(p))", "xp.linalg.inv(s)",
    "xp.linalg.matrix_rank(m)", "xp.linalg.matrix_rank(m, rtol=0.3)",
    "xp.linalg.matrix_rank(m, rtol=xp.real(m[..., 0, 0]) * 0 + 0.3)", "xp.linalg.pinv(m)",
    "xp.linalg.pinv(m, rtol=0.3)", "xp.linalg.pinv(m, rtol=xp.real(m[..., 0, 0]) * 0 + 0.3)",
    "(lambda r: r.Q @ r.R)(xp.linalg.qr(m))",
    "(lambda r: r.Q @ r.R)(xp.linalg.qr(m, mode='complete'))", "xp.abs(xp.linalg.qr(m).R)",
    "xp.linalg.slogdet(s)", "xp.linalg.solve(s, s)", "xp.linalg.solve(s, m)",
    "xp.linalg.solve(s, s[..., 0][(0,) * (s.ndim - 2) + (slice(None),)])", "xp.linalg.svdvals(m)",
    "xp.linalg.svd(m).S", "xp.linalg.svd(m, full_matrices=False).S",
    "(lambda r: (r.U * xp.astype(r.S, r.U.dtype)[..., None, :]) @ r.Vh)"
    "(xp.linalg.svd(m, full_matrices=False))", "[x.shape for x in xp.linalg.svd(m)]",
    "[x.shape for x in xp.linalg.qr(m, mode='complete')]", "xp.linalg.vector_norm(m)",
    "xp.linalg.vector_norm(m, axis=-1, keepdims=True)", "xp.linalg.vector_norm(m, keepdims=True)",
    "xp.linalg.vector_norm(m, axis=(-1, -2), ord=1)", "xp.linalg.vector_norm(m[..., 0], axis=())",
]  # fmt: skip
INF = "float('inf')"
OF_MATRICES += [f"xp.linalg.matrix_power(s, {n})" for n in (0, 1, 2, 5, -1, -3)]
OF_MATRICES += [
    f"xp.linalg.vector_norm(m, axis=-2, ord={ord})"
    for ord in (0, 1, 2, 3, -1, -2, 0.5, -0.5, INF, f"-{INF}")
]
OF_MATRICES += [f"xp.linalg.matrix_norm(m, ord={ord}, keepdims={keep})"
                for ord in ("'fro'", "'nuc'", 1, -1, 2, -2, INF, f"-{INF}")
                for keep in (True, False)]  # fmt: skip


@pytest.mark.parametrize("line", OF_MATRICES)
@pytest.mark.parametrize("dtype", FLOATS + COMPLEX)
@pytest.mark.parametrize("stack", [(), (2,), (2, 3), (0,)], ids=str)
def test_lines_of_matrices(line, dtype, stack):
    m, s = values(dtype, (*stack, 3, 4)), values(dtype, (*stack, 3, 3), seed=2)
    s = s + 4 * np.eye(3, dtype=dtype)
    operands = {"m": m, "s": s, "p": s @ np.swapaxes(s.conj(), -1, -2)}
    try:
        evaluated(line, strict, operands)
    except (ValueError, IndexError):
        return
    same(line, operands, rtol=2e-3 if dtype in ("float32", "complex64") else 1e-9)


@pytest.mark.parametrize("dtype", FLOATS)
def test_matrices_without_elements(dtype):
    operands = {"m": np.zeros((2, 0, 3), dtype), "s": np.zeros((2, 0, 0), dtype)}
    for line in ("det(s)", "inv(s)", "slogdet(s)", "cholesky(s)", "eigvalsh(s)", "svdvals(m)",
                 "solve(s, m)", "pinv(m)", "matrix_norm(m)", "vector_norm(m)", "trace(m)",
                 "diagonal(m)", "matrix_power(s, 3)", "vector_norm(m, axis=-1)", "eigh(s)",
                 "qr(m)", "qr(m, mode='complete')", "svd(m)", "svd(m, full_matrices=False)",
                 "matrix_rank(m)"):  # fmt: skip
        try:
            evaluated(f"xp.linalg.{line}", strict, operands)
        except ValueError:
            continue
        same(f"xp.linalg.{line}", operands)


TRANSFORMS = [f"xp.fft.{name}(x{more})"
              for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
              for more in ("", ", n=3", ", n=7", ", axis=0", ", axis=1, n=6", ", norm='ortho'",
                           ", norm='forward', axis=-2")]  # fmt: skip
TRANSFORMS += [f"xp.fft.{name}(x{more})"
               for name in ("fftn", "ifftn", "rfftn", "irfftn")
               for more in ("", ", axes=(0, 2)", ", s=(3, 4), axes=(1, 2)", ", s=(2, 3, 5)",
                            ", axes=(-1,), norm='ortho'", ", norm='forward'", ", axes=(2, 0)",
                            ", s=[3, 6], axes=[2, 0]")]  # fmt: skip
TRANSFORMS += [f"xp.fft.{name}(x{more})"
               for name in ("fftshift", "ifftshift")
               for more in ("", ", axes=1", ", axes=(0, -1)", ", axes=[1]")]  # fmt: skip


@pytest.mark.parametrize("line", TRANSFORMS)
@pytest.mark.parametrize("dtype", FLOATS + COMPLEX)
@pytest.mark.parametrize("shape", [(2, 3, 5), (3, 4, 2), (6, 2, 8)], ids=str)
def test_transforms(line, dtype, shape):
    operands = {"x": values(dtype, shape)}
    try:
        evaluated(line, strict, operands)
    except TypeError:
        return  # outside of the standard, of this dtype
    same(line, operands, rtol=1e-5 if dtype in ("float32", "complex64") else 1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 8, 101])
@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies(name, n):
    for more in ("", ", d=0.25", ", d=2.0, dtype=dt('float32')"):
        same(f"xp.fft.{name}({n}{more})", {}, rtol=1e-6 if "32" in more else 1e-15)


# ---- what is refused

REFUSED = [
    "xp.linalg.cross(m, m)", "xp.linalg.cross(x, x)", "xp.linalg.outer(m, x)",
    "xp.linalg.outer(x, m)", "xp.linalg.diagonal(x)", "xp.linalg.trace(x)", "xp.linalg.det(m)",
    "xp.linalg.inv(m)", "xp.linalg.cholesky(m)", "xp.linalg.eigh(m)", "xp.linalg.slogdet(m)",
    "xp.linalg.solve(m, x)", "xp.linalg.svd(x)", "xp.linalg.qr(x)", "xp.linalg.pinv(x)",
    "xp.linalg.matrix_norm(x)", "xp.linalg.matrix_transpose(x)", "xp.linalg.matrix_rank(x)",
    "xp.linalg.matrix_power(m, 2)", "xp.linalg.eigvalsh(x)", "xp.linalg.svdvals(x)",
    "xp.linalg.det(x)", "xp.linalg.qr(m, mode='other')", "xp.linalg.matrix_norm(m, ord=3)",
    "xp.matmul(m, m)", "xp.matmul(m, xp.sum(x))", "xp.vecdot(m, x)", "xp.tensordot(m, x)",
    "xp.tensordot(m, m, axes=((0,), (1,)))", "xp.matrix_transpose(x)", "x.mT",
    "xp.fft.fft(x, norm='other')", "xp.fft.fft(x, axis=1)", "xp.fft.fft(x, n=0)",
    "xp.fft.fftn(m, s=(2,), axes=(0, 1))", "xp.fft.fftn(m, axes=(0, 2))", "xp.fft.fft(xp.sum(x))",
    "xp.concat([m, x])", "xp.stack([m, x])", "xp.reshape(m, (5, 2))", "xp.squeeze(m, 0)",
    "xp.expand_dims(m, axis=5)", "xp.broadcast_to(m, (2, 4))", "xp.broadcast_arrays(m, x)",
    "xp.add(m, x)", "xp.permute_dims(m, (0, 0))", "xp.sum(m, axis=2)", "xp.argmax(m, axis=2)",
    "xp.sort(m, axis=2)", "xp.take(m, xp.asarray([0]), axis=2)", "m[5, 0]", "m[0, 0, 0]",
    "xp.unstack(m, axis=2)", "xp.moveaxis(m, 2, 0)", "xp.flip(m, axis=2)", "bool(m)", "float(m)",
    "xp.tril(x)", "xp.triu(x)", "xp.nonzero(xp.sum(x))", "xp.cumulative_sum(m)",
    "xp.broadcast_shapes((2,), (3,))", "xp.argmax(x[:0])", "xp.max(x[:0])",
    "xp.isdtype(x.dtype, 'z')", "xp.linspace(0, 1, -1)", "xp.reshape(m.T, (12,), copy=False)",
]  # fmt: skip


# NumPy takes these, and so does treadle.numpy.
BEYOND_THE_STANDARD = {"xp.tril(x)", "xp.triu(x)", "xp.linalg.matrix_rank(x)"}


@pytest.mark.parametrize("line", REFUSED)
def test_lines_that_are_refused(line):
    operands = {"m": values("float64", (3, 4)), "x": values("float64", 5)}
    refusals = (ValueError, TypeError, IndexError, AttributeError, np.linalg.LinAlgError)
    with pytest.raises(refusals):
        evaluated(line, strict, operands)
    if line in BEYOND_THE_STANDARD:
        evaluated(line, tnp, operands)
        return
    with pytest.raises((ValueError, TypeError, IndexError)):
        evaluated(line, tnp, operands)
