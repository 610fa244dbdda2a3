# SPDX-License-Identifier: MIT
"""skcuda.cusolver beside NumPy: on a GPU by cuSOLVER, on the CPU device by the host's LAPACK."""

import numpy as np
import pytest

import treadle
import treadle.compat  # noqa: F401 - the tests import skcuda
import treadle.pycuda.driver as drv
from treadle.skcuda import cusolver

ALL = [("S", "f4"), ("D", "f8"), ("C", "c8"), ("Z", "c16")]


class Solver:
    """cuSOLVER's functions of one type, with arrays of the device for addresses."""

    def __init__(self, handle, gpuarray, letter, dtype):
        self.handle, self.gpuarray, self.letter = handle, gpuarray, letter
        self.dtype = np.dtype(dtype)
        self.real = np.dtype("f4" if letter in "SC" else "f8")
        self.is_complex = letter in "CZ"
        self.info = gpuarray.empty(4, "i4")
        self.rng = np.random.default_rng(7)

    def drawn(self, *shape):
        x = self.rng.standard_normal(shape)
        if self.is_complex:
            x = x + 1j * self.rng.standard_normal(shape)
        return x.astype(self.dtype)

    def sent(self, x):
        """Each matrix column by column."""
        return self.gpuarray.to_gpu(np.ascontiguousarray(x.swapaxes(-1, -2)))

    def work(self, size):
        return self.gpuarray.empty(max(size, 1), self.dtype)

    def empty(self, *shape, dtype=None):
        return self.gpuarray.empty(shape, dtype or self.dtype)

    def __call__(self, name, *arguments):
        """The function of that name, or the one that complex types have instead."""
        real, _, other = name.partition("|")
        full = f"cusolverDn{self.letter}{other if other and self.is_complex else real}"
        passed = [getattr(a, "gpudata", a) for a in arguments]
        return getattr(cusolver, full)(self.handle, *passed)

    def told(self):
        return int(self.info.get()[0])

    def near(self, ours, theirs):
        ours = ours.get().swapaxes(-1, -2) if hasattr(ours, "get") else ours
        bound = 2e-3 if self.real == "f4" else 1e-9
        np.testing.assert_allclose(ours, theirs, rtol=bound, atol=bound)


@pytest.fixture(params=ALL, ids=[letter for letter, _ in ALL])
def solver(request, context):
    import pycuda.gpuarray as gpuarray

    try:
        handle = cusolver.cusolverDnCreate()
    except treadle.LibraryNotFound as missing:
        pytest.skip(str(missing))
    yield Solver(handle, gpuarray, *request.param)
    cusolver.cusolverDnDestroy(handle)


def definite(solver, n):
    a = solver.drawn(n, n)
    return a @ a.conj().T + n * np.eye(n, dtype=a.dtype)


def test_definite_matrices(solver):
    a, b = definite(solver, 4), solver.drawn(4, 2)
    a_gpu, b_gpu = solver.sent(a), solver.sent(b)
    size = solver("potrf_bufferSize", 0, 4, a_gpu, 4)
    solver("potrf", 0, 4, a_gpu, 4, solver.work(size), size, solver.info)
    assert solver.told() == 0
    solver.near(np.tril(a_gpu.get().T), np.linalg.cholesky(a))
    solver("potrs", 0, 4, 2, a_gpu, 4, b_gpu, 4, solver.info)
    solver.near(b_gpu, np.linalg.solve(a, b))
    size = solver("potri_bufferSize", 0, 4, a_gpu, 4)
    solver("potri", 0, 4, a_gpu, 4, solver.work(size), size, solver.info)
    solver.near(np.tril(a_gpu.get().T), np.tril(np.linalg.inv(a)))
    a_gpu = solver.sent(-a)
    size = solver("potrf_bufferSize", "u", 4, a_gpu, 4)
    solver("potrf", "u", 4, a_gpu, 4, solver.work(size), size, solver.info)
    assert solver.told() == 1


def test_factors_and_solutions(solver):
    a, b = solver.drawn(4, 4) + 2 * np.eye(4, dtype=solver.dtype), solver.drawn(4, 3)
    a_gpu, pivots = solver.sent(a), solver.empty(4, dtype="i4")
    work = solver.work(solver("getrf_bufferSize", 4, 4, a_gpu, 4))
    solver("getrf", 4, 4, a_gpu, 4, work, pivots, solver.info)
    assert solver.told() == 0
    made, order = a_gpu.get().T, np.arange(4)
    for i, pivot in enumerate(pivots.get()):
        order[[i, pivot - 1]] = order[[pivot - 1, i]]
    solver.near((np.tril(made, -1) + np.eye(4)) @ np.triu(made), a[order])
    for letter, turned in (("n", a), ("T", a.T), (2, a.conj().T)):
        b_gpu = solver.sent(b)
        solver("getrs", letter, 4, 3, a_gpu, 4, pivots, b_gpu, 4, solver.info)
        solver.near(b_gpu, np.linalg.solve(turned, b))
    a_gpu, b_gpu = solver.sent(a), solver.sent(b)
    solver("getrf", 4, 4, a_gpu, 4, work, None, solver.info)
    solver("getrs", "n", 4, 3, a_gpu, 4, None, b_gpu, 4, solver.info)
    solver.near(b_gpu, np.linalg.solve(a, b))
    a_gpu = solver.sent(np.zeros((3, 3), solver.dtype))
    solver("getrf", 3, 3, a_gpu, 3, work, pivots, solver.info)
    assert solver.told() == 1


def test_symmetric_factors(solver):
    a = solver.drawn(4, 4)
    a = a + a.T
    a_gpu, pivots = solver.sent(a), solver.empty(4, dtype="i4")
    size = solver("sytrf_bufferSize", 4, a_gpu, 4)
    solver("sytrf", "l", 4, a_gpu, 4, pivots, solver.work(size), size, solver.info)
    assert solver.told() == 0
    assert np.all(abs(pivots.get()) >= 1)
    assert not np.array_equal(np.tril(a_gpu.get().T), np.tril(a))


def test_orthogonal_factors(solver):
    a, c = solver.drawn(5, 3), solver.drawn(5, 2)
    a_gpu, c_gpu, tau = solver.sent(a), solver.sent(c), solver.empty(3)
    size = solver("geqrf_bufferSize", 5, 3, a_gpu, 5)
    solver("geqrf", 5, 3, a_gpu, 5, tau, solver.work(size), size, solver.info)
    r = np.triu(a_gpu.get().T)[:3]
    letter = "c" if solver.is_complex else "t"
    size = solver(
        "ormqr_bufferSize|unmqr_bufferSize", "l", letter, 5, 2, 3, a_gpu, 5, tau, c_gpu, 5
    )
    solver(
        "ormqr|unmqr", "l", letter, 5, 2, 3, a_gpu, 5, tau, c_gpu, 5, solver.work(size), size,
        solver.info,
    )  # fmt: skip
    size = solver("orgqr_bufferSize|ungqr_bufferSize", 5, 3, 3, a_gpu, 5, tau)
    solver("orgqr|ungqr", 5, 3, 3, a_gpu, 5, tau, solver.work(size), size, solver.info)
    assert solver.told() == 0
    q = a_gpu.get().T
    solver.near(q @ r, a)
    solver.near(q.conj().T @ q, np.eye(3))
    solver.near(c_gpu.get().T[:3], q.conj().T @ c)


def test_bidiagonal_matrices(solver):
    a = solver.drawn(5, 3)
    a_gpu, tauq, taup = solver.sent(a), solver.empty(3), solver.empty(3)
    d, e = solver.empty(3, dtype=solver.real), solver.empty(2, dtype=solver.real)
    size = solver("gebrd_bufferSize", 5, 3)
    solver("gebrd", 5, 3, a_gpu, 5, d, e, tauq, taup, solver.work(size), size, solver.info)
    values = np.linalg.svd(np.diag(d.get()) + np.diag(e.get(), 1), compute_uv=False)
    solver.near(values, np.linalg.svd(a, compute_uv=False))


def test_singular_values(solver):
    a = solver.drawn(5, 3)
    s = solver.empty(3, dtype=solver.real)
    u, vt = solver.empty(5, 5), solver.empty(3, 3)
    size = solver("gesvd_bufferSize", 5, 3)
    for jobs in ("AA", "SS", "NN", "OA", "an"):
        a_gpu = solver.sent(a)
        solver(
            "gesvd", *jobs, 5, 3, a_gpu, 5, s, u, 5, vt, 3, solver.work(size), size, 0, solver.info
        )
        assert solver.told() == 0
        values = s.get()
        solver.near(values, np.linalg.svd(a, compute_uv=False))
        if "N" not in jobs.upper():
            left = a_gpu.get().T if jobs[0] == "O" else u.get().T[:, :3]
            solver.near(left * values @ vt.get().T, a)
    with pytest.raises(cusolver.CUSOLVER_STATUS_INVALID_VALUE):
        solver("gesvd", "A", "A", 3, 5, a_gpu, 3, s, u, 3, vt, 5, u, 25, 0, solver.info)
    with pytest.raises(KeyError, match="jobu='X'"):
        solver("gesvd", "X", "A", 5, 3, a_gpu, 5, s, u, 5, vt, 3, u, 25, 0, solver.info)


def test_eigenvalues(solver):
    a, b = definite(solver, 4), definite(solver, 4)
    w, expected = solver.empty(4, dtype=solver.real), np.linalg.eigvalsh(a)
    for jobz, uplo in ((1, 0), (0, 1)):
        a_gpu = solver.sent(a)
        size = solver("syevd_bufferSize|heevd_bufferSize", jobz, uplo, 4, a_gpu, 4, w)
        work = solver.work(size)
        solver("syevd|heevd", jobz, uplo, 4, a_gpu, 4, w, work, size, solver.info)
        assert solver.told() == 0
        solver.near(w.get(), expected)
        if jobz:
            v = a_gpu.get().T
            solver.near(v * expected @ v.conj().T, a)
    a_gpu, b_gpu = solver.sent(a), solver.sent(b)
    size = solver("sygvd_bufferSize|hegvd_bufferSize", 1, 1, "l", 4, a_gpu, 4, b_gpu, 4, w)
    solver("sygvd|hegvd", 1, 1, "l", 4, a_gpu, 4, b_gpu, 4, w, solver.work(size), size, solver.info)
    v = a_gpu.get().T
    solver.near(a @ v, b @ v * w.get())


def test_eigenvalues_by_jacobi(solver):
    a = np.array([definite(solver, 3) for _ in range(4)])
    params = cusolver.cusolverDnCreateSyevjInfo()
    cusolver.cusolverDnXsyevjSetTolerance(params, 1e-7 if solver.real == "f4" else 1e-14)
    cusolver.cusolverDnXsyevjSetMaxSweeps(params, 30)
    cusolver.cusolverDnXsyevjSetSortEig(params, 1)
    w, one = solver.empty(4, 3, dtype=solver.real), solver.sent(a[0])
    size = solver("syevj_bufferSize|heevj_bufferSize", "vector", "l", 3, one, 3, w, params)
    solver(
        "syevj|heevj", "CUSOLVER_EIG_MODE_VECTOR", 0, 3, one, 3, w, solver.work(size), size,
        solver.info, params,
    )  # fmt: skip
    v = one.get().T
    solver.near(v * w.get()[0] @ v.conj().T, a[0])
    residual = cusolver.cusolverDnXsyevjGetResidual(solver.handle, params)
    assert 0 <= residual < 1e-3
    assert cusolver.cusolverDnXsyevjGetSweeps(solver.handle, params) >= 1
    all_gpu = solver.sent(a)
    size = solver(
        "syevjBatched_bufferSize|heevjBatched_bufferSize", 1, 0, 3, all_gpu, 3, w, params, 4
    )
    solver(
        "syevjBatched|heevjBatched", 1, 0, 3, all_gpu, 3, w, solver.work(size), size, solver.info,
        params, 4,
    )  # fmt: skip
    assert not solver.info.get().any()
    solver.near(w.get(), np.linalg.eigvalsh(a))
    cusolver.cusolverDnDestroySyevjInfo(params)


def test_mistakes_and_statuses(solver):
    a, w = solver.sent(definite(solver, 3)), solver.empty(3, dtype=solver.real)
    invalid = cusolver.CUSOLVER_STATUS_INVALID_VALUE
    for wrong, kind, text in [
        (lambda: solver("potrf", 0, 3, a, 2, a, 9, solver.info), invalid, "lda=2"),
        (lambda: solver("potrf", 0, 3, a, 3, a, 10, solver.info), invalid, "workspace"),
        (lambda: solver("potrf", 0, 3, a, 3, a, 9, 0), invalid, "devInfo is null"),
        (lambda: solver("potrf_bufferSize", 0, -1, a, 3), invalid, "n=-1"),
        (
            lambda: cusolver.cusolverDnDestroy(12345),
            cusolver.CUSOLVER_STATUS_NOT_INITIALIZED,
            "345",
        ),
        (lambda: cusolver.cusolverCheckStatus(7), cusolver.CUSOLVER_STATUS_INTERNAL_ERROR, "^$"),
        (lambda: cusolver.cusolverCheckStatus(77), cusolver.CUSOLVER_ERROR, "^$"),
        (
            lambda: solver("syevd|heevd", "vectors", 0, 3, a, 3, w, a, 9, solver.info),
            ValueError,
            "jobz='vectors'",
        ),
    ]:
        with pytest.raises(kind, match=text):
            wrong()
    stream = drv.Stream()
    cusolver.cusolverDnSetStream(solver.handle, stream.handle)
    assert cusolver.cusolverDnGetStream(solver.handle) == stream.handle
    cusolver.cusolverDnSetStream(solver.handle, None)
    assert cusolver.cusolverDnGetStream(solver.handle) is None


def test_infos_of_jacobis_method_are_known(on_cpu):
    with pytest.raises(cusolver.CUSOLVER_STATUS_INVALID_VALUE, match="CreateSyevjInfo"):
        cusolver.cusolverDnXsyevjSetMaxSweeps(99999, 3)
