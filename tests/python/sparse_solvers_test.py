# SPDX-License-Identifier: MIT
"""treadle.sparse.linalg beside scipy.sparse.linalg: solvers, eigenvalues, preconditioners."""

import gc
import inspect
import warnings
import weakref

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import sparse
from treadle.sparse import linalg

scipy_sparse = pytest.importorskip("scipy.sparse")
scipy_linalg = pytest.importorskip("scipy.sparse.linalg")

DEVICES = [d.id for d in treadle.devices() if d.traits.runs_kernels]


@pytest.fixture(params=DEVICES)
def device(request):
    with treadle.find_device(request.param) as found:
        yield found


def poisson(n):
    line = scipy_sparse.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)],
                                    offsets=[-1, 0, 1])  # fmt: skip
    one = scipy_sparse.eye_array(n)
    return (scipy_sparse.kron(line, one) + scipy_sparse.kron(one, line)).tocsr()


def system(name, n=12):
    """A matrix that the solver takes."""
    a = poisson(n)
    if name in ("bicgstab", "gmres"):
        a = a + scipy_sparse.diags_array([0.4 * np.ones(n * n - 1)], offsets=[1])
    if name == "minres":
        a = a - 1.5 * scipy_sparse.eye_array(n * n)
    return a.tocsr()


def counted(solver, a, b, **options):
    seen = []
    if solver.__name__ == "gmres":
        options["callback_type"] = "pr_norm"
    x, info = solver(a, b, callback=lambda _: seen.append(1), **options)
    return x, info, len(seen)


SOLVERS = ["cg", "bicgstab", "gmres", "minres"]


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_iterations_are_scipys(device, name, dtype):
    theirs = system(name).astype(dtype)
    if dtype == "c16" and name in ("cg", "minres"):  # Hermitian
        turn = scipy_sparse.diags_array([0.3j * np.ones(143)], offsets=[1])
        theirs = (theirs + turn + turn.conj().T).tocsr()
    b = np.random.default_rng(3).random(144).astype(dtype)
    tolerance = 1e-8
    reference = name
    if dtype == "c16" and name == "minres":  # SciPy's takes real matrices
        reference, theirs = "cg", system("cg").astype(dtype)
    expected = counted(getattr(scipy_linalg, reference), theirs, b, rtol=tolerance)
    x, info, count = counted(getattr(linalg, name), sparse.csr_array(theirs), b, rtol=tolerance)
    assert info == 0 and info.reason == "converged" and x.dtype == dtype
    # Sums in another order end an indefinite system some iterations sooner or later.
    assert reference != name or count - expected[2] <= max(2, 0.02 * expected[2])
    assert info.iterations == count
    residual = np.linalg.norm(b - theirs @ x.get()) / np.linalg.norm(b)
    if name == "minres":  # its measure is another one
        assert residual <= 1e-4 and np.allclose(x.get(), expected[0], rtol=1e-3)
    else:
        assert residual <= 1.05 * tolerance
    assert np.isclose(info.residual, np.linalg.norm(b - theirs @ x.get()), rtol=1e-2)


@pytest.mark.parametrize("name", SOLVERS)
def test_the_device_notes_the_iteration_that_was_good_enough(device, name):
    theirs = sparse.csr_array(system(name))
    b = np.random.default_rng(4).random(144)
    once = getattr(linalg, name)(theirs, b, rtol=1e-6)
    seldom = getattr(linalg, name)(theirs, b, rtol=1e-6, check_every=7)
    assert np.array_equal(once[0].get(), seldom[0].get())
    assert once[1].iterations == seldom[1].iterations
    again = getattr(linalg, name)(theirs, b, rtol=1e-6)
    assert np.array_equal(once[0].get(), again[0].get())  # equal calls give equal bits


@pytest.mark.parametrize("name", SOLVERS)
def test_starts_and_ends(device, name):
    theirs = system(name, 5)
    solver, ours = getattr(linalg, name), sparse.csr_array(theirs)
    exact = np.linspace(1, 2, 25)
    b = theirs @ exact
    x, info = solver(ours, b, x0=exact)
    assert info == 0 and info.iterations <= 1 and np.allclose(x.get(), exact)
    for words, start in (({}, b), ({"M": np.eye(25) / 4}, b / 4)):
        by_word, by_number = (solver(ours, b, x0=x0, **words)[0].get() for x0 in ("Mb", start))
        assert np.array_equal(by_word, by_number)
    x, info = solver(ours, np.zeros(25), x0=exact)
    assert info == 0 and not x.get().any()
    x, info = solver(ours, b[:, None], rtol=1e-10)
    assert x.shape == (25,) and np.allclose(x.get(), exact, rtol=1e-5)
    x, info = solver(ours, b, rtol=1e-10, maxiter=1, **({"restart": 2} if name == "gmres" else {}))
    assert info > 0 and info.reason == "iterations"
    x, info = solver(sparse.csr_array((0, 0)), np.zeros(0))
    assert info == 0 and x.shape == (0,)
    x, info = solver(ours, b.astype("f4"), rtol=1e-4)
    assert x.dtype == np.float64  # of the matrix
    x, info = solver(ours.astype("f4"), b.astype("f4"), rtol=1e-4)
    assert x.dtype == np.float32 and np.allclose(x.get(), exact, rtol=1e-2)


@pytest.mark.parametrize("name", SOLVERS)
def test_refused_before_anything_runs(device, name):
    solver, good = getattr(linalg, name), sparse.csr_array(system(name, 3))
    b = np.ones(9)
    for wrong, error in [
        (lambda: solver(sparse.csr_array(np.ones((2, 3))), np.ones(2)), ValueError),
        (lambda: solver(good, np.ones(8)), ValueError),
        (lambda: solver(good, np.full(9, np.nan)), ValueError),
        (lambda: solver(good, b, rtol=-1), ValueError),
        (lambda: solver(good, b, rtol=None), ValueError),
        (lambda: solver(good, b, maxiter=0), ValueError),
        (lambda: solver(good, b, x0=np.ones(8)), ValueError),
        (lambda: solver(good, b, M=np.eye(8)), ValueError),
        (lambda: solver(good, b > 0), TypeError),
        (lambda: solver(good, b, check_every=0), ValueError),
        (lambda: solver("A", b), TypeError),
    ]:
        with pytest.raises(error):
            wrong()
    with pytest.warns(sparse.SolverWarning, match="NaN"):
        info = solver(sparse.csr_array(np.diag([1.0, np.nan, 2])), np.ones(3))[1]
        assert info == -1 and info.reason == "not_a_number"


def test_what_cannot_be_solved_is_told(device):
    turn = np.array([[0.0, -1], [1, 0]])
    with pytest.warns(sparse.SolverWarning, match="vanished"):
        assert linalg.bicgstab(turn, [1.0, 0])[1] == -10
    with pytest.warns(sparse.SolverWarning, match="smaller"):
        assert linalg.gmres(turn, [1.0, 0], restart=1)[1].reason == "stagnation"
    with pytest.warns(sparse.SolverWarning, match="not positive definite"):
        assert linalg.cg(np.diag([1.0, 2, 3]), np.ones(3), M=-np.eye(3))[1] == -1
    with pytest.warns(sparse.SolverWarning, match="smaller"):
        info = linalg.cg(sparse.csr_array(poisson(8)), np.ones(64), rtol=1e-17)[1]
        assert info > 0 and info.reason == "stagnation"


def test_operators_of_any_kind(device):
    theirs = system("cg", 6)
    ours, b = sparse.csr_array(theirs), np.linspace(1, 2, 36)
    exact = np.linalg.solve(theirs.toarray(), b)
    dense = theirs.toarray()

    class Product:
        shape, dtype = (36, 36), np.dtype("f8")

        def __matmul__(self, x):
            return ours @ x

    operators = [
        ours, theirs, theirs.tocoo(), dense, tnp.array(dense), lambda x: ours @ x, Product(),
        linalg.aslinearoperator(ours), linalg.LinearOperator((36, 36), lambda x: ours @ x),
        scipy_linalg.aslinearoperator(theirs),
        scipy_linalg.LinearOperator((36, 36), lambda x: theirs @ x),
    ]  # fmt: skip
    for operator in operators:
        x, info = linalg.cg(operator, b, rtol=1e-10)
        assert info == 0 and np.allclose(x.get(), exact)
    inverse = np.linalg.inv(dense)
    for M in [inverse, lambda r: tnp.array(inverse) @ r, scipy_linalg.aslinearoperator(inverse)]:
        for name in ("cg", "bicgstab", "gmres", "minres"):
            x, info = getattr(linalg, name)(ours, b, M=M)
            assert info == 0 and info.iterations <= 2 and np.allclose(x.get(), exact, rtol=1e-4)


def operator_of_itself():
    """The function of an operator that refers to it."""
    made = []

    def product(x):
        return 2 * x if made else x

    made.append(linalg.LinearOperator((3, 3), product))
    assert np.array_equal(((made[0] + made[0]) @ np.ones(3)).get(), [4, 4, 4])
    return weakref.ref(product)


def test_an_operator_whose_function_refers_to_it_is_collected():
    watched = operator_of_itself()
    gc.collect()
    assert watched() is None


def test_linear_operators_have_scipys_methods(device):
    matrix = np.arange(12.0).reshape(3, 4) + 1j
    for ours in [
        linalg.aslinearoperator(matrix), linalg.aslinearoperator(sparse.csr_array(matrix)),
        linalg.LinearOperator((3, 4), lambda x: tnp.array(matrix) @ x,
                              rmatvec=lambda x: tnp.array(matrix.conj().T) @ x, dtype="c16"),
    ]:  # fmt: skip
        theirs = scipy_linalg.aslinearoperator(matrix)
        x, y, many = np.arange(4.0), np.arange(3.0), np.ones((4, 2))
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        assert np.allclose(ours.matvec(x).get(), theirs.matvec(x))
        assert np.allclose(ours.matvec(x[:, None]).get(), theirs.matvec(x[:, None]))
        assert np.allclose(ours.rmatvec(y).get(), theirs.rmatvec(y))
        assert np.allclose((ours @ many).get(), theirs @ many)
        assert np.allclose((ours.H @ y).get(), theirs.H @ y)
        assert np.allclose(ours.adjoint().matmat(many[:3]).get(), theirs.H @ many[:3])
        assert "3 x 4" in repr(ours)
        with pytest.raises(ValueError):
            ours.matvec(np.ones(3))


@pytest.mark.parametrize("dtype", ["f8", "c16", "f4"])
def test_several_right_hand_sides(device, dtype):
    theirs = poisson(9).astype(dtype)
    b = np.random.default_rng(5).random((81, 3)).astype(dtype)
    b[:, 1] = 0
    x, info = linalg.cg(sparse.csr_array(theirs), b, rtol=1e-5)
    assert info == 0 and x.shape == b.shape and x.dtype == dtype
    for k, column in enumerate(info.columns):
        alone = linalg.cg(sparse.csr_array(theirs), b[:, k], rtol=1e-5)
        assert abs(column.iterations - alone[1].iterations) <= 1
        assert np.linalg.norm(b[:, k] - theirs @ x.get()[:, k]) <= 1.05e-5 * np.linalg.norm(b[:, k])
    start = linalg.cg(sparse.csr_array(theirs), b, x0=x, rtol=1e-5)
    assert start[1].iterations == 0


def test_preconditioners_take_fewer_iterations(device):
    scale = scipy_sparse.diags_array(np.logspace(0, 2, 100))
    theirs = (scale @ poisson(10) @ scale).tocsr()
    ours, b = sparse.csr_array(theirs), np.ones(100)
    exact = np.linalg.solve(theirs.toarray(), b)
    count = {}
    for name, M in [
        ("none", None), ("jacobi", linalg.jacobi(ours)), ("block", linalg.block_jacobi(ours, 10)),
        ("chebyshev", linalg.chebyshev(ours, 5)), ("ragged", linalg.block_jacobi(ours, 7)),
    ]:  # fmt: skip
        x, info = linalg.cg(ours, b, M=M, rtol=1e-10)
        assert info == 0 and np.allclose(x.get(), exact, rtol=1e-4)
        count[name] = info.iterations
    assert count["none"] > 2 * count["jacobi"] > 2 * count["block"] > count["chebyshev"]
    whole = linalg.block_jacobi(ours, 100)
    assert np.allclose((whole @ b).get(), exact)
    assert np.allclose((linalg.block_jacobi(ours, 7) @ np.ones((100, 2))).get()[:, 0],
                       (linalg.block_jacobi(ours, 7) @ b).get())  # fmt: skip
    with pytest.raises(ValueError, match="diagonal"):
        linalg.jacobi(sparse.csr_array(np.array([[0.0, 1], [1, 0]])))


def test_multigrid_of_pyamg(device):
    pyamg = pytest.importorskip("pyamg")
    theirs = poisson(30)
    M = pyamg.ruge_stuben_solver(theirs.astype("f8")).aspreconditioner()
    b = np.ones(900)
    x, info = linalg.cg(sparse.csr_array(theirs), b, M=M, rtol=1e-8)
    assert info == 0 and info.iterations < 15
    assert np.linalg.norm(b - theirs @ x.get()) <= 1.05e-8 * np.linalg.norm(b)


def test_float32_iterations_reach_float64_residuals(device):
    theirs = poisson(20)
    ours, b = sparse.csr_array(theirs), np.random.default_rng(6).random(400)
    plain = linalg.cg(ours, b, rtol=1e-11)[1]
    for M in (None, linalg.jacobi(ours)):
        x, info = linalg.cg(ours, b, M=M, rtol=1e-11, inner_dtype="float32", check_every=3)
        assert info == 0 and x.dtype == np.float64
        assert np.linalg.norm(b - theirs @ x.get()) <= 1.05e-11 * np.linalg.norm(b)
        assert info.iterations <= 1.5 * plain.iterations


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_least_squares_are_scipys(device, dtype):
    rng = np.random.default_rng(7)
    for rows, columns in [(60, 20), (20, 60), (30, 30)]:
        theirs = scipy_sparse.random_array((rows, columns), density=0.3, rng=rng).tocsr()
        theirs = (theirs + scipy_sparse.eye_array(rows, columns)).astype(dtype).tocsr()
        if dtype == "c16":
            theirs = theirs * (1 + 0.5j)
        b = rng.random(rows).astype(dtype)
        for options in ({}, {"damp": 0.1}, {"atol": 1e-10, "btol": 1e-10}, {"iter_lim": 3},
                        {"x0": np.ones(columns, dtype)}):  # fmt: skip
            expected = scipy_linalg.lsqr(theirs, b, **options)
            found = linalg.lsqr(sparse.csr_array(theirs), b, **options, check_every=4)
            assert np.allclose(found[0].get(), expected[0], rtol=1e-4, atol=1e-5)
            assert found[1] == expected[1]
            assert abs(found[2] - expected[2]) <= max(2, 0.02 * expected[2])
            assert np.allclose(found[3:5], expected[3:5], rtol=1e-4, atol=1e-4)
            assert found[9] is None
    # SciPy's complex variances are not real. Of a square random matrix they are those of its
    # smallest singular values, which the rounding of each device changes.
    theirs = scipy_sparse.random_array((30, 30), density=0.3, rng=rng) + 5 * scipy_sparse.eye_array(
        30
    )
    theirs, b = theirs.tocsr(), b.real
    expected = scipy_linalg.lsqr(theirs, b, calc_var=True)
    assert np.allclose(linalg.lsqr(sparse.csr_array(theirs), b, calc_var=True)[9].get(),
                       expected[9], rtol=1e-2)  # fmt: skip
    assert linalg.lsqr(sparse.csr_array(theirs), np.zeros(30))[1] == 0
    with pytest.raises(ValueError):
        linalg.lsqr(sparse.csr_array(theirs), np.ones(29))


@pytest.mark.parametrize("which", ["LM", "SM", "LA", "SA", "BE"])
@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_eigenvalues_are_scipys(device, which, dtype):
    theirs = (poisson(8) - 2.2 * scipy_sparse.eye_array(64)).astype(dtype)
    if dtype == "c16":
        turn = scipy_sparse.diags_array([0.2j * np.ones(63)], offsets=[1])
        theirs = theirs + turn + turn.conj().T
    all_values = np.linalg.eigvalsh(theirs.toarray())
    order = {"LM": np.argsort(-abs(all_values)), "SM": np.argsort(abs(all_values)),
             "LA": np.arange(64)[::-1], "SA": np.arange(64),
             "BE": np.array([63, 0, 62, 1, 61])}[which]  # fmt: skip
    values, vectors = linalg.eigsh(sparse.csr_array(theirs.tocsr()), k=5, which=which)
    assert np.allclose(values.get(), np.sort(all_values[order[:5]]), atol=1e-10)
    vectors = vectors.get()
    assert vectors.shape == (64, 5) and vectors.dtype == dtype
    assert np.allclose(theirs @ vectors, vectors * values.get(), atol=1e-9)
    assert np.allclose(vectors.conj().T @ vectors, np.eye(5), atol=1e-10)


def test_eigenvalues_by_inverses_and_of_nothing_new(device):
    theirs = poisson(7)
    all_values = np.linalg.eigvalsh(theirs.toarray())
    near = np.sort(all_values[np.argsort(abs(all_values - 1.1))[:3]])
    ours = sparse.csr_array(theirs)
    assert np.allclose(linalg.eigsh(ours, k=3, sigma=1.1)[0].get(), near)
    inverse = np.linalg.inv(theirs.toarray() - 1.1 * np.eye(49))
    only = linalg.eigsh(ours, k=3, sigma=1.1, OPinv=inverse, return_eigenvectors=False)
    assert np.allclose(only.get(), near)
    equal = linalg.eigsh(sparse.csr_array(scipy_sparse.eye_array(30).tocsr()), k=4)[0]
    assert np.allclose(equal.get(), 1)
    with pytest.raises(linalg.ArpackNoConvergence) as caught:
        linalg.eigsh(sparse.csr_array(poisson(20)), k=4, which="SA", maxiter=1)
    assert len(caught.value.eigenvalues) < 4
    for options, error in [({"k": 0}, ValueError), ({"k": 49}, ValueError),
                           ({"which": "XX"}, ValueError), ({"ncv": 3}, ValueError)]:  # fmt: skip
        with pytest.raises(error):
            linalg.eigsh(ours, **options)


@pytest.mark.parametrize("name", [*SOLVERS, "lsqr", "eigsh"])
def test_signatures_begin_as_scipys(name):
    ours = inspect.signature(getattr(linalg, name)).parameters
    theirs = inspect.signature(getattr(scipy_linalg, name)).parameters
    assert [n for n in theirs if n not in ours] == []
    for parameter in theirs.values():
        if parameter.name in ours:
            assert ours[parameter.name].default == parameter.default
            assert ours[parameter.name].kind == parameter.kind


def test_absent_names_say_what_there_is():
    for name in ("eigs", "svds", "lsmr", "expm"):
        with pytest.raises(AttributeError, match="not part of this release"):
            getattr(linalg, name)
    with pytest.raises(AttributeError, match="no attribute"):
        _ = linalg.nothing


def test_no_warning_without_a_reason(device):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in SOLVERS:
            getattr(linalg, name)(sparse.csr_array(system(name, 4)), np.ones(16))
