# SPDX-License-Identifier: MIT
"""numpy.linalg beside NumPy's: dtypes, batches, empty matrices, singular ones and NaN."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices() if d.traits.runs_kernels]


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


def draw(shape, dtype="d", seed=0):
    random = np.random.default_rng(seed)
    x = random.standard_normal(shape)
    return (x + 1j * random.standard_normal(shape) if dtype in "FD" else x).astype(dtype)


def same(ours, expected, tolerance=None):
    expected = np.asarray(expected)
    assert (ours.dtype, ours.shape) == (expected.dtype, expected.shape)
    if tolerance is None:
        tolerance = 2e-3 if expected.dtype.char in "fF" else 1e-9
    np.testing.assert_allclose(ours.get(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", list("fdFD"))
@pytest.mark.parametrize("batch", [(), (3,), (0,)])
def test_square_matrices(device, dtype, batch):
    x = draw((*batch, 5, 5), dtype)
    b = draw((*batch, 5, 2), dtype, 1)
    a = tnp.asarray(x)
    same(tnp.linalg.solve(a, tnp.asarray(b)), np.linalg.solve(x, b))
    same(tnp.linalg.inv(a), np.linalg.inv(x))
    same(tnp.linalg.det(a), np.linalg.det(x))
    for ours, theirs in zip(tnp.linalg.slogdet(a), np.linalg.slogdet(x), strict=True):
        same(ours, theirs)
    same(tnp.linalg.cond(a), np.linalg.cond(x))
    same(tnp.linalg.matrix_rank(a), np.linalg.matrix_rank(x))
    same(tnp.linalg.svdvals(a), np.linalg.svdvals(x))
    h = x @ np.conj(np.swapaxes(x, -1, -2)) + 5 * np.eye(5, dtype=dtype)
    same(tnp.linalg.cholesky(tnp.asarray(h)), np.linalg.cholesky(h))
    same(tnp.linalg.cholesky(tnp.asarray(h), upper=True), np.linalg.cholesky(h, upper=True))
    w, v = tnp.linalg.eigh(tnp.asarray(h))
    same(w, np.linalg.eigh(h)[0])
    same(tnp.matmul(tnp.asarray(h), v), (v * w[..., None, :]).get())
    same(tnp.linalg.eigvalsh(tnp.asarray(h), "U"), np.linalg.eigvalsh(h, "U"))


@pytest.mark.parametrize("dtype", list("fDi"))
@pytest.mark.parametrize("batch", [(), (2,), (2, 1)])
def test_matrices_lie_in_the_last_two_axes_of_linalg(device, dtype, batch):
    x, v = draw((*batch, 3, 4), dtype), draw(3, dtype, 1)
    a, b = tnp.asarray(x), tnp.asarray(v)
    for offset in (0, 1, -2, 9, -9):
        same(tnp.linalg.trace(a, offset=offset), np.linalg.trace(x, offset=offset))
        same(tnp.linalg.diagonal(a, offset=offset), np.linalg.diagonal(x, offset=offset))
    same(tnp.linalg.trace(a, dtype="D"), np.linalg.trace(x, dtype="D"))
    same(tnp.linalg.cross(a[..., :3], b), np.linalg.cross(x[..., :3], v))
    same(tnp.linalg.cross(a, a * 2 + 1, axis=-2), np.linalg.cross(x, x * 2 + 1, axis=-2))
    same(tnp.linalg.outer(b, b[:2]), np.linalg.outer(v, v[:2]))


def test_vectors_of_linalg_are_of_one_axis_or_three_elements(device):
    x, v = tnp.ones((3, 4)), tnp.ones(3)
    for call in (
        lambda: tnp.linalg.outer(x, v),
        lambda: tnp.linalg.outer(v, tnp.ones(())),
        lambda: tnp.linalg.cross(x, x),
        lambda: tnp.linalg.cross(v[:2], v[:2]),
        lambda: tnp.linalg.cross(v, v, axis=1),
        lambda: tnp.linalg.trace(v),
        lambda: tnp.linalg.diagonal(v),
    ):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize("dtype", list("fdFDi"))
@pytest.mark.parametrize("batch", [(), (3,), (0,)])
def test_exponentials(device, dtype, batch):
    scipy = pytest.importorskip("scipy.linalg")
    for size in (1e-3, 0.05, 0.3, 0.7, 2, 8):  # each approximant, and squares
        x = (draw((*batch, 4, 4), "d" if dtype == "i" else dtype) * size).astype(dtype)
        expected = np.zeros(x.shape, np.result_type(dtype, "f"))
        for place in np.ndindex(batch):
            expected[place] = scipy.expm(x[place])
        scale = max(1, abs(expected).max(initial=0))
        same(tnp.linalg.expm(tnp.asarray(x)) / scale, (expected / scale).astype(expected.dtype))
    same(tnp.linalg.expm(np.zeros((0, 0))), np.zeros((0, 0)))
    assert np.isnan(tnp.linalg.expm(tnp.asarray([[0, np.nan], [0, 0]])).get()).all()
    with pytest.raises(ValueError, match="expm"):
        tnp.linalg.expm(np.zeros((2, 3)))


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (2, 5, 3), (3, 0), (0, 3), (1, 1)])
def test_matrices_of_any_shape(device, shape):
    x = draw(shape)
    a = tnp.asarray(x)
    for mode in ("reduced", "complete"):
        q, r = tnp.linalg.qr(a, mode)
        assert (q.shape, r.shape) == tuple(f.shape for f in np.linalg.qr(x, mode))
        same(q @ r, x)
    same(tnp.linalg.qr(a, "r"), np.linalg.qr(x, "r"))
    for ours, theirs in zip(tnp.linalg.qr(a, "raw"), np.linalg.qr(x, "raw"), strict=True):
        same(ours, theirs)
    for full in (False, True):
        u, s, vh = tnp.linalg.svd(a, full_matrices=full)
        expected = np.linalg.svd(x, full_matrices=full)
        assert (u.shape, s.shape, vh.shape) == tuple(f.shape for f in expected)
        same(s, expected[1])
        if not full:
            same((u * s[..., None, :]) @ vh, x)
    same(tnp.linalg.pinv(a), np.linalg.pinv(x))


def test_eigenvalues_are_complex(device):
    for x in (draw((4, 4)), np.diag([1.0, 2.0]), np.array([[0.0, -1], [1, 0]]), draw((3, 3), "D")):
        w, v = tnp.linalg.eig(tnp.asarray(x))
        same(w, np.linalg.eig(x)[0] + 0j)  # NumPy before 2.5 gives real ones where all are
        assert v.dtype == w.dtype
        same(tnp.asarray(x).astype(v.dtype) @ v, (v * w).get())
        same(tnp.linalg.eigvals(tnp.asarray(x)), np.linalg.eigvals(x) + 0j)


def test_least_squares(device):
    for shape in ((7, 3), (3, 7), (4, 4)):
        x, b = draw(shape), draw((shape[0], 2), seed=1)
        for ours, theirs in zip(
            tnp.linalg.lstsq(tnp.asarray(x), tnp.asarray(b)),
            np.linalg.lstsq(x, b),
            strict=True,
        ):
            if isinstance(ours, int):
                assert ours == theirs
            else:
                same(ours, theirs)


def test_solve_broadcasts_and_casts(device):
    x, b = draw((2, 1, 3, 3)), draw((4, 3, 2), seed=1)
    same(tnp.linalg.solve(tnp.asarray(x), tnp.asarray(b)), np.linalg.solve(x, b))
    n = np.array([[2, 1], [1, 3]])
    same(tnp.linalg.solve(tnp.asarray(n), tnp.asarray([1, 2])), np.linalg.solve(n, [1, 2]))
    same(tnp.linalg.matrix_power(tnp.asarray(n), -2), np.linalg.matrix_power(n, -2))


@pytest.mark.parametrize("ord", [2, -2, "nuc", "fro", 1, np.inf])
def test_norms_of_matrices(device, ord):
    x = draw((2, 3, 4))
    ours = tnp.linalg.norm(tnp.asarray(x), ord, axis=(0, 2), keepdims=True)
    same(ours, np.linalg.norm(x, ord, axis=(0, 2), keepdims=True))


def test_errors_are_numpys(device):
    singular = tnp.asarray([[1.0, 2], [2, 4]])
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        tnp.linalg.inv(singular)
    with pytest.raises(tnp.linalg.LinAlgError, match="not positive definite"):
        tnp.linalg.cholesky(tnp.asarray([[1.0, 2], [2, 1]]))
    with pytest.raises(treadle.InvalidArgument, match="did not converge"):
        tnp.linalg.svd(tnp.asarray([[np.nan, 1], [1, 1]]))
    with pytest.raises(treadle.ShapeError, match="one length"):
        tnp.linalg.det(tnp.ones((2, 3)))
    with pytest.raises(treadle.DTypeError, match="float16"):
        tnp.linalg.inv(tnp.ones((2, 2), "e"))


@pytest.mark.parametrize("dtype", list("fDi"))
def test_unknowns_along_several_axes(device, dtype):
    x = draw((6, 4, 2, 3, 4), dtype) + (24 * np.eye(24)).astype(dtype).reshape(6, 4, 2, 3, 4)
    b = draw((6, 4), dtype, 1)
    a = tnp.asarray(x)
    same(tnp.linalg.tensorsolve(a, b), np.linalg.tensorsolve(x, b))
    same(np.linalg.tensorsolve(a, tnp.asarray(b)), np.linalg.tensorsolve(x, b))
    y, axes = np.moveaxis(x, (2, 3), (0, 1)), (0, 1)
    expected = np.linalg.tensorsolve(y, b, axes)
    same(tnp.linalg.tensorsolve(tnp.asarray(y), b, axes=axes), expected)
    same(tnp.linalg.tensorinv(a), np.linalg.tensorinv(x))
    square = x[:, :, 0, 0, 0]
    same(tnp.linalg.tensorinv(square[:4], ind=1), np.linalg.tensorinv(square[:4], ind=1))
    for name, *arguments in [
        ("tensorinv", a, 0),
        ("tensorinv", a, 1),
        ("tensorinv", a, 9),
        ("tensorsolve", a, b[:5]),
        ("tensorsolve", a, np.ones((6, 4, 3))),
        ("tensorsolve", a[:5], b[:5]),
    ]:
        host = [x.get() if isinstance(x, treadle.Array) else x for x in arguments]
        with pytest.raises(ValueError) as theirs:
            getattr(np.linalg, name)(*host)
        with pytest.raises(theirs.type):
            getattr(tnp.linalg, name)(*arguments)


@pytest.mark.parametrize("ord", [None, 2, -1, 1, np.inf, "nuc", "fro"])
def test_norms_of_nothing_are_zero(device, ord):
    for shape in ((0, 3), (2, 0, 3), (0, 2, 3)):
        x = np.zeros(shape, "f")
        same(tnp.linalg.norm(x, ord, (-2, -1)), np.linalg.norm(x, ord, (-2, -1)))
    if ord in (2, 1, np.inf):
        same(tnp.linalg.norm(np.zeros(0), ord), np.linalg.norm(np.zeros(0), ord))
        same(tnp.linalg.norm(np.zeros((2, 0)), ord, 1), np.linalg.norm(np.zeros((2, 0)), ord, 1))


def test_conditions_of_nan_are_nan(device):
    x = np.array([[[np.nan, 1], [1, 1]], [[0, 0], [0, 0]], [[2, 0], [0, 1]]])
    same(tnp.linalg.cond(tnp.asarray(x), 1), np.linalg.cond(x, 1))


NO_SQUARE = ["solve(a, a)", "inv(a)", "det(a)", "slogdet(a)", "cholesky(a)", "eig(a)", "eigvals(a)",
             "eigh(a)", "eigvalsh(a)", "expm(a)", "matrix_power(a, 2)", "matrix_power(a, -1)",
             "cond(a, 1)"]  # fmt: skip
NO_MATRIX = ["solve(a[0], a[0])", "inv(a[0])", "det(a[0])", "slogdet(a[0])", "cholesky(a[0])",
             "eigvals(a[0])", "eigh(a[0])", "qr(a[0])", "svd(a[0])", "svdvals(a[0])", "pinv(a[0])",
             "cond(a[0])", "lstsq(a[0], a[0])", "lstsq(a, a[0])", "lstsq(a, a[None])",
             "matrix_power(a[0], 2)", "multi_dot([a, a[0], a.T])", "multi_dot([a, a.T[None], a])",
             "expm(a[0])"]  # fmt: skip


@pytest.mark.parametrize("call", NO_SQUARE + NO_MATRIX)
def test_what_is_no_matrix_is_an_error_of_both_classes(call):
    with treadle.find_device("cpu"):
        if "expm" not in call:
            with pytest.raises(np.linalg.LinAlgError):
                eval(f"np.linalg.{call}", {"np": np, "a": np.ones((2, 3))})
        with pytest.raises(treadle.MatrixShapeError) as caught:
            eval(f"tnp.linalg.{call}", {"tnp": tnp, "a": tnp.ones((2, 3))})
    for kind in (np.linalg.LinAlgError, treadle.LinAlgError, treadle.ShapeError, ValueError):
        assert isinstance(caught.value, kind)
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, treadle.MatrixShapeError) and str(again) == str(caught.value)


def test_least_squares_of_what_is_no_number(device):
    for value in (np.nan, np.inf):
        x, b = np.full((3, 2), value), np.ones(3)
        with pytest.raises(np.linalg.LinAlgError, match="did not converge"):
            np.linalg.lstsq(x, b)
        with pytest.raises(treadle.LinAlgError, match="did not converge"):
            tnp.linalg.lstsq(tnp.asarray(x), b)
        x[:] = draw((3, 2))
        for ours, theirs in zip(
            tnp.linalg.lstsq(tnp.asarray(x), b * value), np.linalg.lstsq(x, b * value), strict=True
        ):
            if isinstance(ours, treadle.Array):
                same(ours, theirs)


@pytest.mark.parametrize("dtype", list("fdFD"))
def test_long_matrices(device, dtype):
    """A vendor's library takes these over, on its devices."""
    n = 200
    x = draw((n, n), dtype) + 3 * np.sqrt(n).astype("f") * np.eye(n, dtype=dtype)
    b = draw((n, 7), dtype, 1)
    a = tnp.asarray(x)
    same(tnp.linalg.solve(a, tnp.asarray(b)), np.linalg.solve(x, b))
    same(tnp.linalg.solve(a.T, tnp.asarray(b)[:, 0]), np.linalg.solve(x.T, b[:, 0]))
    same(tnp.linalg.inv(a), np.linalg.inv(x))
    sign, log = np.linalg.slogdet(x)
    ours = tnp.linalg.slogdet(a)
    assert abs(ours[0].get() - sign) < 1e-3
    assert abs(ours[1].get() - log) < 1e-4 * abs(log)
    h = x @ np.conj(x.T) / n
    same(tnp.linalg.cholesky(tnp.asarray(h)), np.linalg.cholesky(h))
    same(tnp.linalg.cholesky(tnp.asarray(h), upper=True), np.linalg.cholesky(h, upper=True))
    w, v = tnp.linalg.eigh(tnp.asarray(h))
    scale = abs(h).max() * (1e-3 if dtype in "fF" else 1e-9)
    assert np.allclose(w.get(), np.linalg.eigh(h)[0], atol=scale)
    assert np.allclose(h @ v.get(), v.get() * w.get(), atol=scale)
    with pytest.raises(tnp.linalg.LinAlgError):
        tnp.linalg.solve(tnp.zeros_like(a), tnp.asarray(b))
    with pytest.raises(tnp.linalg.LinAlgError):
        tnp.linalg.cholesky(-a)
    with pytest.raises(tnp.linalg.LinAlgError):
        tnp.linalg.svd(a * np.nan)


@pytest.mark.parametrize(("dtype", "shape"), [("f", (420, 400)), ("D", (400, 420))])
def test_long_factors(device, dtype, shape):
    x = draw(shape, dtype)
    a = tnp.asarray(x)
    for mode in ("reduced", "complete"):
        q, r = tnp.linalg.qr(a, mode)
        expected = np.linalg.qr(x, mode)
        assert (q.shape, r.shape) == (expected[0].shape, expected[1].shape)
        same(q @ r, x)
        same(tnp.conj(q.T) @ q, np.eye(q.shape[1], dtype=dtype))
        assert not np.tril(r.get(), -1).any()
    same(abs(tnp.linalg.qr(a, "r")), abs(np.linalg.qr(x, "r")))
    for full in (False, True):
        u, s, vh = tnp.linalg.svd(a, full_matrices=full)
        same(s, np.linalg.svd(x, compute_uv=False))
        same(u[:, :400] * s @ vh[:400], x)
        same(tnp.conj(u.T) @ u, np.eye(u.shape[1], dtype=dtype))
    same(tnp.linalg.svdvals(a), np.linalg.svd(x, compute_uv=False))


@pytest.mark.parametrize(
    ("dtype", "shape"), [("f", (70, 32, 32)), ("D", (70, 5, 8)), ("F", (70, 8, 5))]
)
def test_many_small_matrices(device, dtype, shape):
    """A vendor's library takes these by one call, on its devices."""
    x = draw(shape, dtype)
    a, least = tnp.asarray(x), min(shape[1:])
    for full in (False, True):
        u, s, vh = tnp.linalg.svd(a, full_matrices=full)
        same(s, np.linalg.svd(x, compute_uv=False))
        same(u[..., :least] * s[:, None] @ vh[:, :least], x)
        same(
            tnp.conj(u.mT) @ u,
            np.broadcast_to(np.eye(u.shape[2], dtype=dtype), (70, *u.shape[2:] * 2)),
        )
    same(tnp.linalg.svdvals(a), np.linalg.svd(x, compute_uv=False))
    h = x @ np.conj(x.swapaxes(1, 2))
    w, v = tnp.linalg.eigh(tnp.asarray(h))
    scale = abs(h).max() * (1e-3 if dtype in "fF" else 1e-9)
    assert np.allclose(w.get(), np.linalg.eigh(h)[0], atol=scale)
    assert np.allclose(h @ v.get(), v.get() * w.get()[:, None], atol=scale)
    x[40, 2, 3] = np.nan
    with pytest.raises(tnp.linalg.LinAlgError):
        tnp.linalg.svd(tnp.asarray(x))


STACKS = {
    "solve": lambda xp, x, h: xp.linalg.solve(x, h[..., :2]),
    "inv": lambda xp, x, h: xp.linalg.inv(x),
    "det": lambda xp, x, h: xp.linalg.det(x),
    "slogdet": lambda xp, x, h: xp.linalg.slogdet(x)[1],
    "cholesky": lambda xp, x, h: xp.linalg.cholesky(h),
    "qr": lambda xp, x, h: xp.linalg.qr(x)[1],
    "svd": lambda xp, x, h: xp.linalg.svd(x)[1],
    "svdvals": lambda xp, x, h: xp.linalg.svdvals(x),
    "eigh": lambda xp, x, h: xp.linalg.eigh(h)[0],
    "eigvalsh": lambda xp, x, h: xp.linalg.eigvalsh(h),
    "eig": lambda xp, x, h: abs(xp.linalg.eig(x)[0]),
    "eigvals": lambda xp, x, h: abs(xp.linalg.eigvals(x)),
    "pinv": lambda xp, x, h: xp.linalg.pinv(x),
    "matrix_rank": lambda xp, x, h: xp.linalg.matrix_rank(x),
    "cond": lambda xp, x, h: xp.linalg.cond(x),
    "norm": lambda xp, x, h: xp.linalg.norm(x, 2, (-2, -1)),
    "matrix_norm": lambda xp, x, h: xp.linalg.matrix_norm(x, ord=2),
    "matrix_power": lambda xp, x, h: xp.linalg.matrix_power(x, -2),
}


@pytest.mark.parametrize("name", STACKS)
@pytest.mark.parametrize("shape", [(900, 6, 6), (3, 2, 70, 70), (4, 0, 3, 3), (3, 0, 0), (0, 0)])
def test_stacks_of_matrices(device, name, shape):
    """Many are shared among threads."""
    x = draw(shape) + 3 * np.eye(shape[-1])
    h = x @ np.swapaxes(x, -1, -2)
    try:
        expected = STACKS[name](np, x, h)
    except (ValueError, np.linalg.LinAlgError):  # extrema of no elements
        with pytest.raises(ValueError):
            STACKS[name](tnp, tnp.asarray(x), tnp.asarray(h))
        return
    ours = STACKS[name](tnp, tnp.asarray(x), tnp.asarray(h))
    assert (ours.dtype, ours.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(ours.get(), expected, rtol=1e-6, atol=1e-9)


def test_condition_numbers_of_singular_matrices(device):
    x = np.stack(
        [np.eye(3), np.ones((3, 3)), np.zeros((3, 3)), np.full((3, 3), np.nan), draw((3, 3))]
    )
    for p in (1, -1, np.inf, "fro"):
        found = tnp.linalg.cond(tnp.asarray(x), p)
        np.testing.assert_allclose(found.get(), np.linalg.cond(x, p), rtol=1e-9)
    for p in (None, 2):
        found = tnp.linalg.cond(tnp.asarray(x[[0, 2, 4]]), p)
        np.testing.assert_allclose(found.get(), np.linalg.cond(x[[0, 2, 4]], p), rtol=1e-9)
    with pytest.raises(np.linalg.LinAlgError):
        tnp.linalg.cond(tnp.ones((2, 0, 3)))


def test_the_first_matrix_that_fails_is_named(device):
    x = draw((900, 6, 6))
    x[[411, 37, 899]] = 0
    with pytest.raises(tnp.linalg.LinAlgError, match="matrix 37,"):
        tnp.linalg.inv(tnp.asarray(x))
    with pytest.raises(tnp.linalg.LinAlgError, match="cholesky of matrix 0,"):
        tnp.linalg.cholesky(tnp.asarray(-x @ x.swapaxes(1, 2)))


def test_explain_tells_that_the_host_computes(device):
    a = tnp.asarray(draw((4, 4)) + 4 * np.eye(4))
    made = {
        "svd": [*tnp.linalg.svd(a), tnp.linalg.svdvals(a)],
        "solve": [tnp.linalg.solve(a, a)],
        "inv": [tnp.linalg.inv(a)],
        "det": [tnp.linalg.det(a)],
        "slogdet": [*tnp.linalg.slogdet(a)],
        "cholesky": [tnp.linalg.cholesky(a @ a.T)],
        "qr": [*tnp.linalg.qr(a)],
        "eigh": [*tnp.linalg.eigh(a), tnp.linalg.eigvalsh(a)],
        "eig": [*tnp.linalg.eig(a), tnp.linalg.eigvals(a)],
        "lstsq": [tnp.linalg.lstsq(a, a)[0]],
        "expm": [tnp.linalg.expm(a)],
    }
    for name, arrays in made.items():
        for x in arrays:
            text = x.explain()
            assert f"was computed by kernel {name} of " in text
            assert "a library of the host computes it" in text and "LAPACK of the host" in text
            is_copied = "copied from the device to the host" in text
            assert is_copied == (device.id != "cpu")
    assert "svd of " in (tnp.linalg.svdvals(a) + 1).explain()


@pytest.mark.parametrize(
    "function",
    [
        tnp.linalg.solve,
        tnp.linalg.lstsq,
        lambda x, y: tnp.linalg.tensorsolve(x, y[0]),
        tnp.matmul,
        tnp.tensordot,
        lambda x, y: tnp.einsum("ij,jk", x, y),
        lambda x, y: tnp.linalg.multi_dot([x, y]),
        tnp.kron,
        tnp.vdot,
        tnp.fft.convolve_fft,
        lambda x, y: tnp.matmul(x, x, out=y),
        lambda x, y: tnp.fft.fft(x, out=y.astype("F")),
    ],
)
def test_arrays_of_two_devices_are_refused(function):
    if len(IDS) < 2:
        pytest.skip("one device")
    one, other = (tnp.eye(2, dtype="f4", device=name) for name in IDS[:2])
    with pytest.raises(treadle.InvalidArgument, match="arrays of .* and "):
        function(one, other)
    with pytest.raises(treadle.InvalidArgument, match="arrays of .* and "):
        function(other, one)
