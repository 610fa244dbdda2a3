# SPDX-License-Identifier: MIT
"""treadle.sparse beside SciPy: matrices in compressed rows, products and conjugate gradients."""

import warnings

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import sparse

scipy_sparse = pytest.importorskip("scipy.sparse")

DEVICES = [d.id for d in treadle.devices() if d.traits.runs_kernels]
DTYPES = ["f4", "f8", "c8", "c16", "i4", "i8"]


@pytest.fixture(params=DEVICES)
def device(request):
    with treadle.find_device(request.param) as found:
        yield found


def drawn(rows, columns, density, dtype="f8", seed=0):
    rng = np.random.default_rng(seed)
    there = rng.random((rows, columns)) < density
    values = rng.integers(-9, 10, (rows, columns)).astype(dtype)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.integers(-9, 10, (rows, columns)).astype(dtype)
    return scipy_sparse.csr_array(np.where(there, values, 0).astype(dtype))


def poisson(n):
    line = scipy_sparse.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)],
                                    offsets=[-1, 0, 1])  # fmt: skip
    one = scipy_sparse.eye_array(n)
    return (scipy_sparse.kron(line, one) + scipy_sparse.kron(one, line)).tocsr()


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_are_scipys(device, dtype):
    rng = np.random.default_rng(1)
    for rows, columns, density in [(40, 30, 0.2), (1, 30, 0.5), (300, 7, 0.01), (5, 4000, 0.9)]:
        theirs = drawn(rows, columns, density, dtype)
        ours = sparse.csr_array(theirs)
        x = rng.integers(-4, 5, columns).astype(dtype)
        many = rng.integers(-4, 5, (columns, 3)).astype(dtype)
        left = rng.integers(-4, 5, rows).astype(dtype)
        assert np.array_equal((ours @ x).get(), theirs @ x)  # whole numbers: exact
        assert np.array_equal((ours @ many).get(), theirs @ many)
        assert np.array_equal((left @ ours).get(), left @ theirs)
        assert (ours @ x).dtype == (theirs @ x).dtype
    assert isinstance(ours @ tnp.array(x), treadle.Array)


def test_forms_and_parts_are_scipys(device):
    theirs = drawn(30, 20, 0.3)
    ours = sparse.csr_array(theirs)
    for one, other in [
        (ours.T, theirs.T), (ours + 2 * ours, theirs + 2 * theirs),
        (ours - ours / 4, 0.75 * theirs),
        (-ours, -theirs), (abs(ours), abs(theirs)), (ours[3:17], theirs[3:17]),
        (ours[:0], theirs[:0]), (ours.astype("f4"), theirs.astype("f4")), (ours.conj(), theirs),
        (sparse.csr_array(theirs.tocoo()), theirs), (sparse.csr_array(theirs.toarray()), theirs),
        (sparse.csr_array((4, 5)), scipy_sparse.csr_array((4, 5))),
    ]:  # fmt: skip
        assert one.shape == other.shape and one.dtype == other.dtype
        assert np.allclose(one.toarray().get(), other.toarray())
        assert np.allclose(one.get().toarray(), other.toarray())
    assert np.array_equal(ours.diagonal().get(), theirs.diagonal())
    for axis in (None, 0, 1):
        assert np.allclose(ours.sum(axis).get(), theirs.sum(axis))
    assert (ours.nnz, ours.ndim, ours.format) == (theirs.nnz, 2, "csr")
    assert "30 x 20" in repr(ours)


def test_entries_come_in_any_order_and_several_times(device):
    rng = np.random.default_rng(2)
    row, column = rng.integers(0, 9, 200), rng.integers(0, 11, 200)
    data = rng.integers(-5, 6, 200).astype("f8")
    theirs = scipy_sparse.coo_array((data, (row, column)), shape=(9, 11)).tocsr()
    ours = sparse.csr_array((data, (row, column)), shape=(9, 11))
    assert np.array_equal(ours.indptr.get(), theirs.indptr)
    assert np.array_equal(ours.indices.get(), theirs.indices)
    assert np.array_equal(ours.data.get(), theirs.data)
    order = np.argsort(row, kind="stable")  # columns that are not in order, and doubled
    offsets = np.searchsorted(row[order], np.arange(10))
    loose = sparse.csr_array((data[order], column[order], offsets), shape=(9, 11))
    assert np.array_equal((loose @ np.arange(11.0)).get(), theirs @ np.arange(11.0))
    assert np.array_equal(loose.toarray().get(), theirs.toarray())


def test_what_is_not_finite_counts_where_it_is_read(device):
    ours = sparse.csr_array(np.array([[1.0, 0, 0], [0, 2, 0], [0, 0, 0]]))
    x = tnp.array([np.inf, np.nan, np.inf])
    assert np.array_equal((ours @ x).get(), [np.inf, np.nan, 0], equal_nan=True)


def test_products_are_pending_and_see_the_vector_as_it_was(device):
    ours = sparse.csr_array(np.diag([1.0, 2, 3]))
    x = tnp.array([1.0, 1, 1])
    y = ours @ (x + 1) + 10
    x[...] = 0
    assert np.array_equal(y.get(), [12, 14, 16])


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_conjugate_gradients_take_as_many_iterations_as_scipys(device, dtype):
    from scipy.sparse.linalg import cg

    theirs = poisson(12).astype(dtype)
    b = np.random.default_rng(3).random(theirs.shape[0]).astype(dtype)
    seen, expected = [], []
    x, info = sparse.cg(sparse.csr_array(theirs), b, rtol=1e-4, callback=seen.append)
    cg(theirs, b, rtol=1e-4, callback=expected.append)
    assert info == 0 and x.dtype == dtype
    assert np.linalg.norm(b - theirs @ x.get()) <= 1.05e-4 * np.linalg.norm(b)
    assert abs(len(seen) - len(expected)) <= max(1, 0.02 * len(expected))


def test_preconditioners_starts_and_functions(device):
    theirs = poisson(10) + scipy_sparse.diags_array(np.linspace(1, 500, 100))
    ours, b = sparse.csr_array(theirs), np.ones(100)
    jacobi = 1 / ours.diagonal()
    exact = np.linalg.solve(theirs.toarray(), b)
    counts = []
    for M in (None, lambda r: r * jacobi, sparse.csr_array(np.diag(jacobi.get()))):
        seen = []
        x, info = sparse.cg(lambda p: ours @ p, b, rtol=1e-10, M=M, callback=seen.append)
        assert info == 0 and np.allclose(x.get(), exact, rtol=1e-8)
        counts.append(len(seen))
    assert counts[1] == counts[2] < counts[0]
    seen = []
    x, info = sparse.cg(ours, b, x0=exact, callback=seen.append)
    assert info == 0 and len(seen) <= 1
    x, info = sparse.cg(ours, b, rtol=1e-10, check_every=7)
    assert info == 0 and np.allclose(x.get(), exact, rtol=1e-8)
    x, info = sparse.cg(ours, b, rtol=1e-12, maxiter=3)
    assert info == 3
    x, info = sparse.cg(ours, np.zeros(100))
    assert info == 0 and not x.get().any()


def test_a_solver_tells_why_it_ended(device):
    with pytest.warns(sparse.SolverWarning, match="not positive definite"):
        assert sparse.cg(sparse.csr_array(np.diag([1.0, -1, 2])), np.ones(3))[1] == -1
    with pytest.warns(sparse.SolverWarning, match="NaN"):
        assert sparse.cg(sparse.csr_array(np.diag([1.0, np.nan, 2])), np.ones(3))[1] == -1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sparse.cg(sparse.csr_array(np.eye(3)), np.ones(3))


@pytest.mark.parametrize("n", [0, 1, 2, 1025])
def test_sizes_at_the_ends(device, n):
    ours = sparse.csr_array(scipy_sparse.eye_array(n, format="csr"))
    assert np.array_equal((ours @ np.arange(float(n))).get(), np.arange(float(n)))
    assert ours.T.shape == (n, n) and ours.toarray().shape == (n, n)
    x, info = sparse.cg(ours, np.ones(n))
    assert info == 0 and np.array_equal(x.get(), np.ones(n))


def test_mistakes_are_named(device):
    one = np.ones(2)
    good = sparse.csr_array(np.ones((2, 3)))
    for wrong, error, text in [
        (lambda: good @ np.ones(2), ValueError, "2 x 3 by an array of shape"),
        (lambda: good + sparse.csr_array((3, 2)), ValueError, "2 x 3 and 3 x 2"),
        (lambda: sparse.csr_array((one, [0, 5], [0, 1, 2]), shape=(2, 3)), IndexError, "5 of a"),
        (lambda: sparse.csr_array((one, [0, -1], [0, 1, 2]), shape=(2, 3)), IndexError, "-1 of a"),
        (lambda: sparse.csr_array((one, [0, 1], [0, 2, 1]), shape=(2, 3)), ValueError, "go down"),
        (lambda: sparse.csr_array((one, [0, 1], [0, 1]), shape=(2, 3)), ValueError, "offsets"),
        (lambda: sparse.csr_array((one, [0.0, 1], [0, 1, 2]), shape=(2, 3)), TypeError, "indices"),
        (lambda: sparse.csr_array((one, ([0, 9], [0, 1])), shape=(2, 3)), IndexError, "row: 9"),
        (lambda: sparse.csr_array(np.ones(3)), ValueError, "two axes"),
        (lambda: sparse.csr_array(np.ones((2, 2)), shape=(3, 2)), ValueError, "shape="),
        (lambda: good[2], IndexError, "index 2 of 2"),
        (lambda: good[None], IndexError, "None as an index"),
        (lambda: good["x"], IndexError, "numbers, slices"),
        (lambda: good @ 2, ValueError, "A \\* 2"),
        (lambda: bool(good), ValueError, "nnz"),
        (lambda: len(good), TypeError, "nnz"),
        (lambda: good < sparse.csr_array((3, 2)), ValueError, "pass one size"),
        (lambda: good[[0, 2]], IndexError, "row: 2"),
        (lambda: good[0, 3], IndexError, "index 3 of 3"),
        (lambda: good[[True]], IndexError, "a mask of 1 for 2"),
        (lambda: good @ good, ValueError, "2 x 3 by one of 2 x 3"),
        (lambda: good.asformat("lil"), ValueError, "there are csr"),
        (lambda: good.tobsr((2, 2)), ValueError, "blocks of 2 x 2"),
        (lambda: sparse.stencil_array(np.diag([1.0, 2])), ValueError, "several numbers"),
        (lambda: sparse.ell_array((np.ones((2, 1)), [[0], [3]]), shape=(2, 3)), IndexError, "3"),
        (lambda: sparse.dia_array((np.ones((2, 2)), [0, 0]), shape=(2, 2)), ValueError, "twice"),
        (lambda: sparse.coo_array((one, ([0, 9], [0, 1])), shape=(2, 3)), IndexError, "row: 9"),
        (lambda: sparse.cg(good, one), ValueError, "2 x 3"),
        (lambda: sparse.cg(np.eye(2), np.array([1, np.inf])), ValueError, "not finite"),
        (lambda: sparse.cg(np.eye(2), one, rtol=-1), ValueError, "tolerances"),
        (lambda: sparse.cg(np.eye(2), one, x0=np.ones(3)), ValueError, "start"),
        (lambda: sparse.cg(np.eye(2), one, check_every=0), ValueError, "check_every"),
        (lambda: sparse.cg(3, one), TypeError, "A is a int"),
        (lambda: sparse.cg(lambda x: x[:1], one), ValueError, "operator made shape"),
    ]:  # fmt: skip
        with pytest.raises(error, match=text):
            wrong()


def test_comparisons_extrema_and_places_are_scipys(device):
    rng = np.random.default_rng(9)
    theirs, others = (scipy_sparse.csr_array(np.round(rng.random((7, 5)) - 0.5, 1)) for _ in "ab")
    theirs.data[0] = np.nan
    ours, beside = sparse.csr_array(theirs), sparse.csr_array(others)
    for read in (
        lambda a, b: a > 0.1,
        lambda a, b: a != b,
        lambda a, b: b <= abs(b),
        lambda a, b: a.maximum(b),
        lambda a, b: a.minimum(0),
        lambda a, b: (b > 0) @ (b > 0).T,
        lambda a, b: a[np.ix_([2, 0], [1, 3])],
        lambda a, b: a[[2, 0], [1, 3]],
        lambda a, b: a[2],
        lambda a, b: a[:, 3],
        lambda a, b: a[-1, ...],
        lambda a, b: b.argmax(),
        lambda a, b: b.argmin(0),
        lambda a, b: b.argmax(1),
        lambda a, b: b.reshape(5, 7, order="F"),
        lambda a, b: round(b, 0),
        lambda a, b: b.multiply(b[:1]),
        lambda a, b: b.diagonal(-9),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SciPy says which of them take long
            expected, found = read(theirs, others), read(ours, beside)
        expected = expected.toarray() if hasattr(expected, "toarray") else expected
        found = found.toarray() if hasattr(found, "toarray") else found
        assert np.array_equal(found.get(), expected, equal_nan=True)
    product = beside.tocsc() @ beside.T.tocsc()  # cuSPARSE adds in an order of its own
    np.testing.assert_allclose(
        product.toarray().get(), (others.tocsc() @ others.T.tocsc()).toarray(), atol=1e-15
    )
    assert (ours == sparse.csr_array((2, 2))) is False
    columns = sparse.csc_array(theirs)
    assert np.array_equal(columns.indices.get(), theirs.tocsc().indices)
    assert columns.get().format == "csc" and columns.T.shape == (5, 7)


def test_copies_have_memory_of_their_own(device):
    data = np.ones((2, 3))
    held = treadle.numpy.array(data)
    copied = sparse.dia_array((held, [0, 1]), shape=(3, 3), copy=True)
    held[0] = 7
    assert copied.diagonal().get().tolist() == [1, 1, 1]


def test_what_a_function_raises_comes_through(device):
    def fails(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        sparse.cg(fails, np.ones(3))
