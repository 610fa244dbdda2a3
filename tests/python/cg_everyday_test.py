# SPDX-License-Identifier: MIT
"""treadle.sparse.linalg.cg as programs call it; residuals are computed again by NumPy."""

import warnings

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import sparse
from treadle.sparse import linalg

scipy_sparse = pytest.importorskip("scipy.sparse")

DEVICES = [d.id for d in treadle.devices() if d.traits.runs_kernels]
# Rows of a matrix of three diagonals, on both sides of what src/kernel/conjugate_steps.cpp gives to
# one group: of a GPU (4096 rows), and of a processor (entries and 8 vectors within 100,000).
SIZES = [1, 2, 31, 1025, 4096, 4097, 9091, 9092, 12000]
BOTH_FORMS = [40, 12000]


@pytest.fixture(params=DEVICES)
def device(request):
    with treadle.find_device(request.param) as found:
        yield found


def line(n, middle=4.0, dtype="f8"):
    """A matrix of three diagonals, definite for a middle above 2; that of 2 is slow."""
    beside = -np.ones(n - 1)
    made = scipy_sparse.diags_array([beside, np.full(n, middle), beside], offsets=[-1, 0, 1])
    return made.tocsr().astype(dtype)


def right_side(n, dtype="f8"):
    made = np.random.default_rng(n).random(n)
    return (made + 1j * made[::-1] if np.dtype(dtype).kind == "c" else made).astype(dtype)


def residual(a, x, b):
    wide = np.result_type(b.dtype, np.float64)
    return np.linalg.norm(b.astype(wide) - a.astype(wide) @ x.get().astype(wide))


def textbook(a, b, steps):
    """x after so many steps of Hestenes and Stiefel's, from 0."""
    x, r = np.zeros_like(b), b.copy()
    p, rr = r.copy(), r @ r
    for _ in range(steps):
        q = a @ p
        alpha = rr / (p @ q)
        x, r = x + alpha * p, r - alpha * q
        rr, before = r @ r, rr
        p = r + rr / before * p
    return x


def test_sizes_around_the_switch_of_forms(device):
    for n in SIZES:
        theirs, b = line(n), right_side(n)
        ours = sparse.csr_array(theirs)
        x, info = linalg.cg(ours, b, rtol=1e-9)
        assert info == 0 and info.reason == "converged" and 1 <= info.iterations <= 40, n
        found = residual(theirs, x, b)
        assert found <= 1.05e-9 * np.linalg.norm(b), n
        assert info.residual == pytest.approx(found, rel=1e-3, abs=1e-13), n
        again, other = linalg.cg(ours, b, rtol=1e-9)
        assert np.array_equal(x.get(), again.get()) and other.iterations == info.iterations, n
        wanted = textbook(theirs, b, info.iterations)
        assert np.allclose(x.get(), wanted, rtol=1e-7, atol=1e-12), n


# A launch does 256 steps of one group, and 16 where three kernels take turns.
@pytest.mark.parametrize("n", BOTH_FORMS)
def test_the_most_iterations_are_done_exactly(device, n):
    theirs, b = line(n, 2.0), right_side(n)
    for maxiter in (1, 15, 16, 17):
        x, info = linalg.cg(sparse.csr_array(theirs), b, rtol=1e-13, maxiter=maxiter)
        assert info == maxiter and info.iterations == maxiter and info.reason == "iterations"
        assert np.allclose(x.get(), textbook(theirs, b, maxiter), rtol=1e-9)
        assert info.residual == pytest.approx(residual(theirs, x, b), rel=1e-6)


def test_iterations_go_on_over_launches(device):
    theirs, b = line(700, 2.0), right_side(700)
    for maxiter in (255, 256, 257):
        x, info = linalg.cg(sparse.csr_array(theirs), b, rtol=1e-13, maxiter=maxiter)
        assert info == maxiter and info.iterations == maxiter
        assert np.allclose(x.get(), textbook(theirs, b, maxiter), rtol=1e-5)


@pytest.mark.parametrize("n", BOTH_FORMS)
def test_how_often_the_host_looks_changes_nothing(device, n):
    theirs, b = sparse.csr_array(line(n)), right_side(n)
    once, info = linalg.cg(theirs, b, rtol=1e-8)
    for check_every in (2, 5, 16, 300):
        x, other = linalg.cg(theirs, b, rtol=1e-8, check_every=check_every)
        assert other == 0 and other.iterations == info.iterations
        assert np.array_equal(x.get(), once.get())


@pytest.mark.parametrize("n", BOTH_FORMS)
def test_callbacks_see_every_iteration(device, n):
    theirs, b = line(n), right_side(n)
    seen = []
    x, info = linalg.cg(sparse.csr_array(theirs), b, rtol=1e-8, callback=seen.append)
    assert info == 0 and len(seen) == info.iterations
    residuals = [residual(theirs, each, b) for each in seen]
    assert all(after < before for before, after in zip(residuals, residuals[1:], strict=False))
    assert np.array_equal(seen[-1].get(), x.get())
    assert np.allclose(seen[1].get(), textbook(theirs, b, 2), rtol=1e-12)
    silent, other = linalg.cg(sparse.csr_array(theirs), b, rtol=1e-8)
    assert other.iterations == info.iterations
    assert np.allclose(silent.get(), x.get(), rtol=1e-12)


def test_an_error_of_a_callback_comes_through(device):
    calls = []

    def callback(x):
        calls.append(float(x[0]))
        if len(calls) == 3:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        linalg.cg(sparse.csr_array(line(50, 2.0)), right_side(50), rtol=1e-12, callback=callback)
    assert len(calls) == 3


@pytest.mark.parametrize("n", BOTH_FORMS)
def test_starts_are_used_and_stay(device, n):
    theirs, exact = line(n), right_side(n)
    b = theirs @ exact
    ours, start = sparse.csr_array(theirs), tnp.array(exact)
    x, info = linalg.cg(ours, b, x0=start)
    assert info == 0 and info.iterations == 0 and np.array_equal(x.get(), exact)
    far = linalg.cg(ours, b, rtol=1e-8)[1]
    near, info = linalg.cg(ours, b, x0=exact + 1e-6, rtol=1e-8)
    assert info == 0 and 0 < info.iterations < far.iterations
    assert residual(theirs, near, b) <= 1.05e-8 * np.linalg.norm(b)
    linalg.cg(ours, 2 * b, x0=start, rtol=1e-8)
    assert np.array_equal(start.get(), exact)
    half = linalg.cg(ours, b, rtol=1e-12, maxiter=4)[0]
    x, info = linalg.cg(ours, b, x0=half, rtol=1e-12)  # goes on from there
    assert info == 0 and residual(theirs, x, b) <= 1.05e-12 * np.linalg.norm(b)


def test_starts_of_lists_and_columns(device):
    theirs, b = line(3), np.array([1.0, 2, 3])
    exact = np.linalg.solve(theirs.toarray(), b)
    for start in (exact, exact.tolist(), exact[:, None], exact.astype("f4")):
        x, info = linalg.cg(sparse.csr_array(theirs), b, x0=start)
        assert info == 0 and info.iterations <= 1 and np.allclose(x.get(), exact, rtol=1e-5)


@pytest.mark.parametrize("n", BOTH_FORMS)
def test_a_right_side_of_zeros(device, n):
    ours = sparse.csr_array(line(n))
    for start in (None, np.ones(n)):
        x, info = linalg.cg(ours, np.zeros(n), x0=start)
        assert info == 0 and info.iterations == 0 and info.residual == 0
        assert x.shape == (n,) and not x.get().any()


@pytest.mark.parametrize("dtype", ["f4", "c16"])
def test_one_equation(device, dtype):
    x, info = linalg.cg(sparse.csr_array(np.array([[4]], dtype)), np.array([2], dtype))
    assert info == 0 and info.iterations == 1
    assert x.dtype == dtype and x.get().tolist() == [0.5]


@pytest.mark.parametrize("n", [7, 12000])
def test_as_many_iterations_as_eigenvalues_that_differ(device, n):
    values = np.array([1.0, 3.0, 10.0])[np.arange(n) % 3]
    ours, b = sparse.csr_array(scipy_sparse.diags_array(values).tocsr()), right_side(n)
    x, info = linalg.cg(ours, b, rtol=1e-10)
    assert info == 0 and info.iterations == 3 and np.allclose(x.get(), b / values, rtol=1e-8)
    x, info = linalg.cg(ours, b, rtol=1e-10, M=linalg.jacobi(ours))
    assert info == 0 and info.iterations == 1 and np.allclose(x.get(), b / values, rtol=1e-14)


@pytest.mark.parametrize(("n", "dtype"), [(40, "f4"), (12000, "f8")])
def test_jacobi_mends_scales(device, n, dtype):
    scale = np.logspace(0, 2, n)
    theirs = (line(n).multiply(scale[:, None]).multiply(scale[None, :])).tocsr().astype(dtype)
    ours, b = sparse.csr_array(theirs), right_side(n, dtype)
    plain = linalg.cg(ours, b, rtol=1e-4, maxiter=30)[1]
    x, info = linalg.cg(ours, b, rtol=1e-4, M=linalg.jacobi(ours))
    assert plain == 30 and info == 0 and info.iterations < 30
    assert x.dtype == dtype and residual(theirs, x, b) <= 1.2e-4 * np.linalg.norm(b)
    other = scipy_sparse.diags_array(1 / theirs.diagonal()).tocsr()
    y, same = linalg.cg(ours, b, rtol=1e-4, M=sparse.csr_array(other))
    assert same == 0 and abs(same.iterations - info.iterations) <= 1
    assert np.allclose(x.get(), y.get(), rtol=1e-2, atol=1e-3 * abs(y.get()).max())


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_dtypes_stay(device, dtype):
    theirs = line(60, 5.0, dtype)
    if np.dtype(dtype).kind == "c":
        turn = scipy_sparse.diags_array([np.full(59, 1j), np.full(59, -1j)], offsets=[-1, 1])
        theirs = (theirs + turn).tocsr().astype(dtype)  # Hermitian
    b = right_side(60, dtype)
    small = 1e-4 if dtype in ("f4", "c8") else 1e-11
    x, info = linalg.cg(sparse.csr_array(theirs), b, rtol=small)
    assert info == 0 and x.dtype == dtype and x.shape == (60,)
    assert residual(theirs, x, b) <= 1.05 * small * np.linalg.norm(b)
    exact = np.linalg.solve(theirs.toarray().astype("c16"), b)
    assert np.allclose(x.get(), exact, rtol=0, atol=10 * small * np.linalg.norm(b))


def test_an_absolute_tolerance(device):
    theirs, b = line(500), right_side(500)
    ours = sparse.csr_array(theirs)
    x, info = linalg.cg(ours, b, rtol=0, atol=1e-3)
    assert info == 0 and 1e-5 < residual(theirs, x, b) <= 1.05e-3
    assert linalg.cg(ours, b, rtol=0, atol=2 * np.linalg.norm(b))[1].iterations == 0
    assert linalg.cg(ours, b, rtol=1e-9, atol=1e-3)[1].iterations == info.iterations


def test_an_ill_conditioned_matrix_is_not_said_to_be_solved(device):
    n = 10
    hilbert = 1 / (np.arange(n)[:, None] + np.arange(n) + 1.0)
    b = hilbert @ np.ones(n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sparse.SolverWarning)
        for rtol in (1e-6, 1e-10, 1e-15):
            x, info = linalg.cg(sparse.csr_array(hilbert), b, rtol=rtol)
            found = residual(hilbert, x, b)
            assert info.iterations <= 10 * n
            assert info != 0 or found <= 1.1 * rtol * np.linalg.norm(b) + 1e-15
            assert info.residual == pytest.approx(found, rel=0.1, abs=2e-15)
    assert linalg.cg(sparse.csr_array(hilbert), b, rtol=1e-6)[1] == 0


@pytest.mark.parametrize("n", BOTH_FORMS)
def test_indefinite_matrices_are_reported(device, n):
    negative = sparse.csr_array(-line(n))
    mixed = sparse.csr_array(scipy_sparse.diags_array(1.0 - 2 * (np.arange(n) % 2)).tocsr())
    singular = sparse.csr_array((n, n))
    for ours in (negative, mixed, singular):
        for options in ({}, {"check_every": 9}, {"callback": lambda x: None}):
            with pytest.warns(sparse.SolverWarning, match="not positive definite"):
                x, info = linalg.cg(ours, np.ones(n), **options)
            assert info == -1 and info.reason == "not_definite" and info.iterations <= 2
            assert np.isfinite(x.get()).all()


def test_a_preconditioner_that_is_not_definite_is_reported(device):
    for size in BOTH_FORMS:
        ours = sparse.csr_array(line(size))
        wrong = sparse.csr_array(scipy_sparse.diags_array(-np.ones(size)).tocsr())
        with pytest.warns(sparse.SolverWarning, match="not positive definite"):
            info = linalg.cg(ours, np.ones(size), M=wrong)[1]
        assert info == -1 and info.iterations <= 1


@pytest.mark.parametrize("n", BOTH_FORMS)
def test_what_is_not_a_number_is_reported(device, n):
    theirs = line(n)
    theirs.data[n // 2] = np.nan
    with pytest.warns(sparse.SolverWarning, match="NaN"):
        info = linalg.cg(sparse.csr_array(theirs), np.ones(n))[1]
    assert info == -1 and info.reason == "not_a_number" and info.iterations <= n


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "dia", "ell", "sell", "hyb"])
def test_every_format_is_solved(device, format):
    theirs, b = line(90), right_side(90)
    ours = getattr(sparse, f"{format}_array")(theirs)
    x, info = linalg.cg(ours, b, rtol=1e-10)
    assert info == 0 and residual(theirs, x, b) <= 1.05e-10 * np.linalg.norm(b)
    assert np.array_equal(ours.toarray().get(), theirs.toarray())


def test_columns_end_by_themselves(device):
    theirs = line(80, 2.5)
    b = np.stack([right_side(80), np.zeros(80), theirs @ np.ones(80)], 1)
    x, info = linalg.cg(sparse.csr_array(theirs), b, rtol=1e-9)
    assert info == 0 and x.shape == (80, 3) and len(info.columns) == 3
    assert info.columns[1].iterations == 0 and not x.get()[:, 1].any()
    assert info.iterations == max(one.iterations for one in info.columns)
    for k in (0, 2):
        assert residual(theirs, x[:, k], b[:, k]) <= 1.05e-9 * np.linalg.norm(b[:, k])


def test_arguments_stay_what_they_are(device):
    theirs, values = line(200), right_side(200)
    ours, b = sparse.csr_array(theirs), tnp.array(values)
    x = linalg.cg(ours, b, rtol=1e-10)[0]
    x[...] = 0
    assert np.array_equal(b.get(), values)
    assert np.array_equal(ours.data.get(), theirs.data)
