# SPDX-License-Identifier: MIT
"""Direct solvers, files, bandwidths and powers of sparse matrices beside SciPy's, and operations on
products."""

import io

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import sparse
from treadle.sparse import linalg

scipy_sparse = pytest.importorskip("scipy.sparse")
scipy_linalg = pytest.importorskip("scipy.sparse.linalg")
DEVICES = [d.id for d in treadle.devices() if d.traits.runs_kernels]
pytestmark = pytest.mark.usefixtures("device")


@pytest.fixture(params=DEVICES)
def device(request):
    with treadle.find_device(request.param) as found:
        yield found


def system(n=12):
    """A square matrix that is not symmetric."""
    return scipy_sparse.diags_array(
        [np.full(n - 1, -1.0), np.arange(4.0, 4 + n), np.full(n - 2, 0.5)], offsets=[-1, 0, 2]
    ).tocsr()


def dense_of(x):
    return x.toarray().get() if hasattr(x, "toarray") else x.get()


def test_direct_solvers(device):
    theirs, b = system(), np.linspace(1, 2, 12)
    ours, B = sparse.csr_array(theirs), np.stack([b, b * b], axis=1)
    x = linalg.spsolve(ours, tnp.array(b))
    assert isinstance(x, tnp.ndarray) and x.device == device
    assert np.allclose(x.get(), scipy_linalg.spsolve(theirs, b))
    assert np.allclose(dense_of(linalg.spsolve(ours.tocoo(), b)), x.get())
    assert np.allclose(dense_of(linalg.spsolve(theirs, B)), np.linalg.solve(theirs.toarray(), B))
    made = linalg.spsolve(ours, sparse.csr_array(theirs))
    assert isinstance(made, sparse.csr_array) and np.allclose(dense_of(made), np.eye(12))
    assert np.allclose(dense_of(linalg.inv(ours) @ ours), np.eye(12))
    solve, factors = linalg.factorized(ours), linalg.splu(ours)
    assert np.allclose(solve(tnp.array(b)).get(), x.get())
    assert np.allclose((ours.T @ factors.solve(b, "T")).get(), b)
    assert factors.shape == (12, 12) and factors.nnz >= ours.nnz
    product = dense_of(factors.L @ factors.U)[np.ix_(factors.perm_r, factors.perm_c)]
    assert np.allclose(product, theirs.toarray())
    lower = scipy_sparse.tril(theirs).tocsr()
    assert np.allclose(
        linalg.spsolve_triangular(sparse.csr_array(lower), b).get(),
        scipy_linalg.spsolve_triangular(lower, b),
    )
    rough = linalg.spilu(ours, drop_tol=0.5)
    x, info = linalg.gmres(ours, b, rtol=1e-10, M=linalg.LinearOperator((12, 12), rough.solve))
    assert info == 0 and np.allclose((ours @ x).get(), b)


def test_direct_solvers_refuse_what_does_not_fit(device):
    ours = sparse.csr_array(system())
    for wrong in (
        lambda: linalg.spsolve(ours, np.ones(11)),
        lambda: linalg.spsolve(ours[:5], np.ones(5)),
        lambda: linalg.splu(ours[:5]),
        lambda: linalg.splu(ours).solve(np.ones(11)),
        lambda: linalg.matrix_power(ours[:5], 2),
        lambda: linalg.matrix_power(ours, -1),
        lambda: sparse.permute_dims(ours, (0, 0)),
    ):
        with pytest.raises(ValueError):
            wrong()
    for solve in (linalg.spsolve, linalg.spsolve_triangular, lambda A, b: linalg.splu(A).solve(b)):
        for b in (tnp.array(1.0), np.float64(1), 1.0, np.ones((12, 1, 1))):
            with pytest.raises(treadle.ShapeError, match=r"b has the shape \("):
                solve(ours, b)
    with pytest.raises(IndexError):
        sparse.swapaxes(ours, 0, 2)
    for axes in ((2, 1), (1, -4), (3, 2)):
        with pytest.raises(IndexError, match="permute_dims"):
            sparse.permute_dims(ours, axes)
    with pytest.warns(Warning, match="singular"):
        assert np.isnan(linalg.spsolve(sparse.csr_array((2, 2)), np.ones(2)).get()).all()


def test_names_of_linalg(device):
    theirs = system(9)
    ours = sparse.csr_array(theirs)
    assert linalg.spbandwidth(ours) == scipy_linalg.spbandwidth(theirs) == (1, 2)
    assert linalg.spbandwidth(sparse.csr_array((3, 3))) == (0, 0)
    for matrix in (theirs, scipy_sparse.tril(theirs), scipy_sparse.triu(theirs)):
        found = linalg.is_sptriangular(sparse.csr_array(matrix))
        assert found == scipy_linalg.is_sptriangular(matrix)
    for power in (0, 1, 2, 5):
        expected = scipy_linalg.matrix_power(theirs, power).toarray()
        made = linalg.matrix_power(ours, power)
        assert made is not ours and np.allclose(dense_of(made), expected)
    size, v, w = linalg.onenormest(ours, compute_v=True, compute_w=True)
    assert np.isclose(float(size), scipy_linalg.onenormest(theirs))
    assert np.allclose(w.get(), theirs @ v.get()) and np.isclose(abs(w.get()).sum(), float(size))
    assert float(linalg.onenormest(ours)) == float(size)


def test_names_of_matrices(device):
    ours = sparse.csr_array(system(5))
    dense = dense_of(ours)
    for made in (sparse.swapaxes(ours, 0, -1), sparse.permute_dims(ours)):
        assert np.array_equal(dense_of(made), dense.T)
    for made in (sparse.swapaxes(ours, 1, 1), sparse.permute_dims(ours, (0, 1))):
        assert np.array_equal(dense_of(made), dense)
    for matrix in (ours, ours.tocsc(), ours.tocoo()):
        file = io.BytesIO()
        sparse.save_npz(file, matrix)
        file.seek(0)
        assert np.array_equal(scipy_sparse.load_npz(file).toarray(), dense)
        file.seek(0)
        assert np.array_equal(dense_of(sparse.load_npz(file)), dense)
    for name in ("csr_matrix", "eye", "lil_array", "csgraph"):
        with pytest.raises(AttributeError, match="not part of this release"):
            getattr(sparse, name)


OPERATIONS = {
    "bias": lambda p, A, x, b, d: 2 * (A @ x) + 3 * b,
    "jacobi": lambda p, A, x, b, d: d * (A @ x),
    "residual": lambda p, A, x, b, d: b - A @ x,
    "function": lambda p, A, x, b, d: p.exp(p.minimum(A @ x, 1)) / d,
    "one for all": lambda p, A, x, b, d: A @ x - b.sum(),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_on_a_product_are_its_kernel(device, name):
    theirs, operation = system(30), OPERATIONS[name]
    vectors = np.random.default_rng(0).random((3, 30)) + 0.5
    expected = operation(np, theirs, *vectors)
    for format in ("csr", "ell"):
        A = sparse.csr_array(theirs).asformat(format)
        made = operation(tnp, A, *map(tnp.array, vectors))
        told = made.explain().splitlines()[1]
        assert "kernel sparse_" in told and ", then" not in told
        assert np.allclose(made.get(), expected)
        assert "was computed by kernel sparse_" in made.explain()
