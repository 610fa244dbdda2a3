# SPDX-License-Identifier: MIT
"""Everyday programs with scipy.sparse.linalg, run by SciPy and by treadle.sparse.linalg: each takes
(sparse, linalg, numpy), and gives what has to be equal."""

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import sparse
from treadle.sparse import linalg

scipy_sparse = pytest.importorskip("scipy.sparse")
scipy_linalg = pytest.importorskip("scipy.sparse.linalg")

DEVICES = [d.id for d in treadle.devices() if d.traits.runs_kernels]
PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def laplace(sp, n, dtype="f8"):
    return sp.csr_array(scipy_sparse.diags_array(
        [-np.ones(n - 1), 2.1 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1], dtype=dtype
    ).tocsr())  # fmt: skip


@program
def solve_by_cg(sp, sl, xp):
    x, info = sl.cg(laplace(sp, 50), xp.ones(50))
    return info


@program
def residual_of_cg(sp, sl, xp):
    a, b = laplace(sp, 50), xp.arange(50.0)
    x, info = sl.cg(a, b, rtol=1e-10)
    return x, info, xp.linalg.norm(a @ x - b) < 1e-9 * xp.linalg.norm(b)


@program
def absolute_tolerance(sp, sl, xp):
    a, b = laplace(sp, 50), xp.arange(50.0)
    x, info = sl.cg(a, b, rtol=0, atol=1e-6)
    return info, bool(xp.linalg.norm(a @ x - b) <= 1.05e-6)


@program
def too_few_iterations(sp, sl, xp):
    return sl.cg(laplace(sp, 50), xp.ones(50) + xp.arange(50.0), maxiter=4, rtol=1e-12)[1]


@program
def history_by_callback(sp, sl, xp):
    a, b, history = laplace(sp, 30), xp.arange(30.0), []
    sl.cg(a, b, callback=lambda x: history.append(float(xp.linalg.norm(b - a @ x))))
    return np.array(history[:10])


@program
def jacobi_as_a_linear_operator(sp, sl, xp):
    a = laplace(sp, 40)
    inverse = 1 / a.diagonal()
    M = sl.LinearOperator(a.shape, matvec=lambda r: inverse * r)
    return sl.cg(a, xp.arange(40.0), M=M, rtol=1e-10)


@program
def matrix_as_a_preconditioner(sp, sl, xp):
    a = laplace(sp, 40)
    M = sp.csr_array(scipy_sparse.diags_array(np.full(40, 1 / 2.1)).tocsr())
    return sl.cg(a, xp.arange(40.0), M=M, rtol=1e-10)


@program
def matrix_free_second_difference(sp, sl, xp):
    def product(x):
        x = x.ravel()
        y = 2.5 * x
        y[1:] -= x[:-1]
        y[:-1] -= x[1:]
        return y

    a = sl.LinearOperator((60, 60), matvec=product, dtype=np.float64)
    return sl.cg(a, xp.ones(60), rtol=1e-10)


@program
def dense_matrix(sp, sl, xp):
    a = xp.eye(8) * 3 + xp.ones((8, 8))
    return sl.cg(a, xp.arange(8.0))


@program
def start_near_the_solution(sp, sl, xp):
    a = laplace(sp, 50)
    x, _ = sl.cg(a, xp.ones(50), rtol=1e-12)
    return sl.cg(a, xp.ones(50), x0=x + 1e-3, rtol=1e-10)


@program
def column_as_right_side(sp, sl, xp):
    x, info = sl.cg(laplace(sp, 20), xp.ones((20, 1)), rtol=1e-12)
    return x.shape, x


@program
def integers_on_the_right(sp, sl, xp):
    x, info = sl.cg(laplace(sp, 20), xp.arange(20), rtol=1e-12)
    return x, str(x.dtype)


@program
def single_precision(sp, sl, xp):
    a = laplace(sp, 20, "f4")
    x, info = sl.cg(a, xp.ones(20, dtype="f4"), rtol=1e-5)
    return str(x.dtype), info


@program
def convection_by_bicgstab(sp, sl, xp):
    a = laplace(sp, 50) + sp.csr_array(scipy_sparse.eye_array(50, k=1).tocsr()) * 0.3
    return sl.bicgstab(a, xp.ones(50), rtol=1e-12)


@program
def convection_by_gmres(sp, sl, xp):
    a = laplace(sp, 50) + sp.csr_array(scipy_sparse.eye_array(50, k=1).tocsr()) * 0.3
    return sl.gmres(a, xp.ones(50), rtol=1e-12, restart=30)


@program
def history_of_gmres(sp, sl, xp):
    history = []
    a = laplace(sp, 40) + sp.csr_array(scipy_sparse.eye_array(40, k=1).tocsr()) * 0.3
    sl.gmres(a, xp.arange(40.0), callback=history.append, callback_type="pr_norm")
    return np.array([float(x) for x in history[:15]])


@program
def solutions_of_gmres(sp, sl, xp):
    seen = []
    a = laplace(sp, 40)
    sl.gmres(a, xp.arange(40.0), restart=5, callback=lambda x: seen.append(x.copy()),
             callback_type="x", rtol=1e-4)  # fmt: skip
    return len(seen), seen[0]


@program
def cycles_of_gmres_that_are_too_few(sp, sl, xp):
    return sl.gmres(laplace(sp, 60), xp.arange(60.0), restart=2, maxiter=3, rtol=1e-12)[1]


@program
def indefinite_by_minres(sp, sl, xp):
    a = laplace(sp, 30) - sp.csr_array(scipy_sparse.eye_array(30).tocsr())
    return sl.minres(a, xp.arange(30.0), rtol=1e-12)


@program
def shifted_minres(sp, sl, xp):
    return sl.minres(laplace(sp, 30), xp.arange(30.0), shift=0.7, rtol=1e-12)


@program
def complex_system(sp, sl, xp):
    a = laplace(sp, 30, "c16") + sp.csr_array(scipy_sparse.eye_array(30).tocsr()) * 0.5j
    return sl.gmres(a, xp.ones(30) + 1j, rtol=1e-12), sl.bicgstab(a, xp.ones(30) + 1j, rtol=1e-12)


@program
def least_squares(sp, sl, xp):
    a = sp.csr_array(scipy_sparse.random_array((40, 10), density=0.4, rng=np.random.default_rng(1)))
    x, istop, itn, r1norm = sl.lsqr(a, xp.arange(40.0))[:4]
    return x, istop, r1norm


@program
def damped_least_squares(sp, sl, xp):
    a = sp.csr_array(scipy_sparse.random_array((30, 50), density=0.4, rng=np.random.default_rng(1)))
    return sl.lsqr(a, xp.arange(30.0), damp=0.5, atol=1e-12, btol=1e-12)[0]


@program
def least_squares_of_an_operator(sp, sl, xp):
    d = xp.arange(1.0, 21.0)
    a = sl.LinearOperator((20, 20), matvec=lambda x: d * x, rmatvec=lambda x: d * x)
    return sl.lsqr(a, xp.ones(20), atol=1e-12, btol=1e-12)[0]


@program
def largest_eigenvalues(sp, sl, xp):
    w, v = sl.eigsh(laplace(sp, 60), k=4)
    return w, v.shape, abs(v[:, 0] @ v[:, 0])


@program
def smallest_eigenvalues(sp, sl, xp):
    return xp.sort(sl.eigsh(laplace(sp, 60), k=3, which="SA", return_eigenvectors=False))


@program
def eigenvalues_near_zero(sp, sl, xp):
    return xp.sort(sl.eigsh(laplace(sp, 60).tocsc() if sp is scipy_sparse else laplace(sp, 60),
                            k=3, sigma=0, which="LM")[0])  # fmt: skip


@program
def eigenvectors(sp, sl, xp):
    a = laplace(sp, 40)
    w, v = sl.eigsh(a, k=5, which="LA")
    return xp.abs(a @ v - v * w).max() < 1e-9, (xp.abs(v.T @ v - xp.eye(5)) < 1e-9).all()


@program
def fiedler_vector(sp, sl, xp):
    path = laplace(sp, 20) - sp.csr_array(scipy_sparse.diags_array(
        np.where(np.isin(np.arange(20), (0, 19)), 1.1, 0.1)).tocsr())  # fmt: skip
    w, v = sl.eigsh(path, k=2, which="SA", tol=1e-10)
    side = v[:, 1] > 0
    return w[1], int((side[:10] == side[0]).sum()), int((side[10:] != side[0]).sum())


@program
def norm_of_an_operator(sp, sl, xp):
    a = sl.aslinearoperator(laplace(sp, 30))
    return xp.sqrt(sl.eigsh(a, k=1, return_eigenvectors=False)), a.shape


@program
def operator_products(sp, sl, xp):
    a = sl.aslinearoperator(laplace(sp, 12))
    x = xp.arange(12.0)
    return a @ x, a.matvec(x), a.dot(x), a.H @ x, a.T @ x, a(x), (2 * a) @ x, (a + a) @ x, (-a) @ x


@program
def products_of_operators(sp, sl, xp):
    a = sl.aslinearoperator(laplace(sp, 12))
    x = xp.arange(12.0)
    return (a @ a) @ x, (a * a) @ x, (a - 3 * a) @ x, (a**2) @ x, a * x


@program
def operator_of_a_class(sp, sl, xp):
    class Twice(sl.LinearOperator):
        def __init__(self, n):
            super().__init__(np.dtype("f8"), (n, n))

        def _matvec(self, x):
            return 2 * x

        def _rmatvec(self, x):
            return 2 * x

    a = Twice(5)
    x = xp.arange(5.0)
    return a @ x, a.H @ x, (a @ a) @ x, sl.cg(a, x), a @ xp.ones((5, 2)), a.shape, str(a.dtype)


@program
def heat_by_implicit_steps(sp, sl, xp):
    a = sp.csr_array(scipy_sparse.eye_array(40).tocsr()) + 0.5 * laplace(sp, 40)
    u = xp.exp(-((xp.arange(40.0) - 20) ** 2) / 10)
    for _ in range(5):
        u, info = sl.cg(a, u, x0=u, rtol=1e-12)
        assert info == 0
    return u


@program
def newton(sp, sl, xp):
    x = xp.ones(20)
    a = laplace(sp, 20)
    diagonal = np.arange(20)
    for _ in range(8):
        residual = a @ x + x**3 - 1
        extra = 3 * x**2
        jacobian = a + sp.csr_array((extra, (diagonal, diagonal)), shape=(20, 20))
        x = x - sl.cg(jacobian, residual, rtol=1e-12)[0]
    return x


@program
def norms(sp, sl, xp):
    a = laplace(sp, 12)
    return sl.norm(a), sl.norm(a, 1), sl.norm(a, np.inf), sl.norm(a, axis=0), sl.norm(a, "fro")


@program
def nothing_on_the_right(sp, sl, xp):
    a = laplace(sp, 10)
    return [f(a, xp.zeros(10)) for f in (sl.cg, sl.bicgstab, sl.gmres, sl.minres)]


def flat(value):
    if isinstance(value, tuple | list):
        return [part for one in value for part in flat(one)]
    return [value.get() if isinstance(value, treadle.Array) else value]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("device", DEVICES)
def test_programs_are_scipys(device, name):
    expected = flat(PROGRAMS[name](scipy_sparse, scipy_linalg, np))
    with treadle.find_device(device):
        found = flat(PROGRAMS[name](sparse, linalg, tnp))
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        if isinstance(other, str):
            assert one == other
        else:
            assert np.shape(one) == np.shape(other)
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-7)
