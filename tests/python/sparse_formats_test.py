# SPDX-License-Identifier: MIT
"""Formats of sparse matrices beside SciPy: products, conversions, storage."""

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import sparse

scipy_sparse = pytest.importorskip("scipy.sparse")

DEVICES = [d.id for d in treadle.devices() if d.traits.runs_kernels]
FORMATS = ["csr", "coo", "ell", "sell", "hyb", "dia", "bsr", "stencil"]


@pytest.fixture(params=DEVICES)
def device(request):
    with treadle.find_device(request.param) as found:
        yield found


def random(rows, columns, density, seed=0):
    rng = np.random.default_rng(seed)
    made = scipy_sparse.random_array((rows, columns), density=density, rng=rng, format="csr")
    made.data = np.round(made.data * 16) + 1
    return made


def poisson(n):
    line = scipy_sparse.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)],
                                    offsets=[-1, 0, 1])  # fmt: skip
    one = scipy_sparse.eye_array(n)
    return (scipy_sparse.kron(line, one) + scipy_sparse.kron(one, line)).tocsr()


def one_dense_row():
    made = random(400, 600, 0.01).tolil()
    made[7, :] = 1.5
    made[9, :] = 0
    return made.tocsr()


MATRICES = {
    "nothing": lambda: scipy_sparse.csr_array((0, 0)),
    "one": lambda: scipy_sparse.csr_array(np.array([[3.0]])),
    "zero": lambda: scipy_sparse.csr_array((5, 7)),
    "random": lambda: random(64, 48, 0.1),
    "dense row": one_dense_row,
    "poisson": lambda: poisson(20),
}


def in_format(ours, name):
    if name == "bsr" and ours.shape[0] % 4 == 0 and ours.shape[1] % 4 == 0 and ours.shape[0]:
        return ours.tobsr((4, 2))
    if name == "hyb":
        return sparse.hyb_array(ours, depth=2)
    if name == "sell":
        return ours.tosell(16)
    return ours.asformat(name)


def fits(theirs, name):
    if name != "stencil":
        return True
    diagonals = theirs.todia()
    return len(diagonals.offsets) <= 32 and all(
        len(set(theirs.diagonal(k)) - {0}) <= 1 for k in diagonals.offsets
    )


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i4"])
@pytest.mark.parametrize("name", MATRICES)
def test_products_and_conversions_of_every_format_are_scipys(device, name, dtype):
    theirs = MATRICES[name]().astype(dtype)
    rng = np.random.default_rng(1)
    ours = sparse.csr_array(theirs)
    for format in FORMATS:
        if not fits(theirs, format) or (name == "dense row" and format == "dia"):
            continue
        made = in_format(ours, format)
        if format == "csr":
            made = made.by_length()
        assert (made.format, made.shape, made.dtype) == (format, theirs.shape, theirs.dtype)
        for width in (None, 1, 5, 33):
            shape = theirs.shape[1] if width is None else (theirs.shape[1], width)
            x = rng.integers(-4, 5, shape).astype(dtype)
            assert np.array_equal((made @ x).get(), theirs @ x), format  # whole numbers: exact
        assert np.array_equal(made.toarray().get(), theirs.toarray()), format
        assert np.array_equal(made.get().toarray(), theirs.toarray()), format


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
def test_errors_are_within_the_componentwise_bound(device, format, dtype):
    theirs = poisson(17).astype(dtype)
    if format != "stencil":
        theirs.data *= np.random.default_rng(2).random(theirs.nnz).astype(dtype)
    x = np.random.default_rng(3).standard_normal(theirs.shape[1]).astype(dtype)
    wide = "c16" if dtype == "c8" else "f8"
    exact = theirs.astype(wide) @ x.astype(wide)
    bound = 4 * np.finfo(dtype).eps * (abs(theirs) @ abs(x))
    y = (sparse.csr_array(theirs).asformat(format) @ x).get()
    assert (abs(y - exact) <= bound).all()


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_not_finite_counts_where_it_is_read(device, format):
    theirs = poisson(6)
    x = np.ones(36)
    x[4], x[20] = np.inf, np.nan
    y = (sparse.csr_array(theirs).asformat(format) @ x).get()
    touched = np.zeros(36, bool)
    for k in (4, 20):
        touched[theirs[:, [k]].toarray().ravel() != 0] = True
    assert np.array_equal(~np.isfinite(y), touched)


def test_halves_are_stored_and_added_in_float32(device):
    theirs = random(70, 50, 0.2).astype("f4")
    x = np.random.default_rng(4).integers(-4, 5, 50).astype("f4")
    for dtype in ("f2", "bfloat16"):
        if dtype == "bfloat16":
            pytest.importorskip("ml_dtypes")
        half = sparse.csr_array(theirs).astype(dtype)
        assert half.nbytes < sparse.csr_array(theirs).nbytes
        for format in FORMATS[:-1]:
            made = in_format(half, format)
            assert made.dtype == half.dtype
            y = made @ x
            assert y.dtype == np.float32 and np.array_equal(y.get(), theirs @ x), format


@pytest.mark.parametrize("index", ["i4", "i8"])
def test_indices_have_32_or_64_bits(device, index):
    theirs = random(30, 40, 0.2)
    parts = (theirs.data, theirs.indices.astype(index), theirs.indptr.astype(index))
    ours = sparse.csr_array(parts, shape=theirs.shape)
    assert ours.indices.dtype == index
    for format in FORMATS[:-1]:
        assert np.array_equal((ours.asformat(format) @ np.arange(40.0)).get(),
                              theirs @ np.arange(40.0))  # fmt: skip


def test_dtypes_of_matrix_and_vector_are_promoted(device):
    theirs = random(30, 40, 0.2)
    for own, other in [("f4", "f8"), ("f8", "f4"), ("i4", "f8"), ("f4", "c8"), ("c8", "f8")]:
        x = np.arange(40).astype(other)
        y, expected = sparse.ell_array(theirs.astype(own)) @ x, theirs.astype(own) @ x
        assert y.dtype == expected.dtype and np.array_equal(y.get(), expected)
        y = sparse.csr_array(theirs.astype(own)) @ x
        assert y.dtype == expected.dtype and np.array_equal(y.get(), expected)


def test_entries_of_coo_are_in_any_order(device):
    rng = np.random.default_rng(5)
    row, column = rng.integers(0, 9, 200), rng.integers(0, 11, 200)
    data = rng.integers(-5, 6, 200).astype("f8")
    theirs = scipy_sparse.coo_array((data, (row, column)), shape=(9, 11))
    ours = sparse.coo_array((data, (row, column)), shape=(9, 11))
    assert ours.nnz == 200 and np.array_equal(ours.row.get(), row)
    assert np.array_equal((ours @ np.arange(11.0)).get(), theirs @ np.arange(11.0))
    assert np.array_equal(ours.T.toarray().get(), theirs.T.toarray())
    ours.sum_duplicates()
    theirs.sum_duplicates()
    assert ours.nnz == theirs.nnz
    for format in FORMATS[:-1]:
        made = ours.asformat(format)
        assert np.array_equal(made.toarray().get(), theirs.toarray())


def test_scipys_forms_of_diagonals_and_blocks_are_read(device):
    theirs = scipy_sparse.dia_array((np.arange(15.0).reshape(3, 5) + 1, [2, 0, -1]), shape=(4, 5))
    for ours in (
        sparse.dia_array(theirs),
        sparse.dia_array((theirs.data, theirs.offsets), shape=theirs.shape),
    ):
        assert np.array_equal(ours.toarray().get(), theirs.toarray())
        assert np.array_equal((ours @ np.arange(5.0)).get(), theirs @ np.arange(5.0))
        assert np.array_equal(ours.get().toarray(), theirs.toarray())
    blocks = random(12, 8, 0.1).tobsr((3, 2))
    ours = sparse.bsr_array(blocks)
    assert ours.blocksize == (3, 2) and ours.T.blocksize == (2, 3)
    assert np.array_equal(ours.toarray().get(), blocks.toarray())
    assert np.array_equal((2 * ours).T.get().toarray(), (2 * blocks).T.toarray())


def test_stencils_read_few_bytes(device):
    ours = sparse.csr_array(poisson(10)).tostencil()
    assert ours.offsets == [-10, -1, 0, 1, 10] and ours.nbytes == 100  # a byte for each row
    line = sparse.diags_array([1.0, -2, 1], offsets=[-1, 0, 1], shape=(50, 50)).tostencil()
    assert line.nbytes == 0
    assert np.array_equal((line @ np.ones(50)).get()[[0, 1, -1]], [-1, 0, -1])


def test_the_fastest_format_is_chosen_and_explained(device):
    ours = sparse.csr_array(poisson(30))
    x = np.arange(900.0)
    for made in (
        ours.fastest(keep=False), ours.fastest(timed=False), ours.asformat("auto"), ours.fastest()
    ):  # fmt: skip
        assert isinstance(made, sparse.sparray)
        assert np.array_equal((made @ x).get(), poisson(30) @ x)
    assert ours.fastest(timed=False).format == "stencil"
    text = ours.explain_formats(timed=False)
    assert "-> stencil" in text and "csr" in text and "known" not in text
    assert "known from the store" in ours.explain_formats()
    assert "sparse product, dia" in treadle.explain(ours.todia() @ x)


def test_extrema_counts_and_shapes_are_scipys(device):
    theirs = random(20, 30, 0.3) - random(20, 30, 0.3, seed=9)
    ours = sparse.csr_array(theirs)
    for axis in (None, 0, 1):
        for name in ("max", "min"):
            expected = getattr(theirs, name)(axis=axis)
            expected = expected.toarray() if axis is not None else expected
            assert np.array_equal(getattr(ours, name)(axis=axis).get(), expected), (name, axis)
        assert np.array_equal(np.asarray(ours.count_nonzero(axis)), theirs.count_nonzero(axis))
    full = sparse.csr_array(np.array([[-1.0, -2], [3, 4]]))
    assert full.max(axis=1).tolist() == [-1, 4] and full.min() == -2
    for shape in ((30, 20), (6, -1), (600, 1)):
        assert np.array_equal(ours.reshape(shape).toarray().get(), theirs.toarray().reshape(shape))
    for one, other in zip(sparse.find(ours), scipy_sparse.find(theirs), strict=True):
        assert np.array_equal(np.sort(one.get()), np.sort(other))
    with pytest.raises(ValueError, match="size 600 into shape"):
        ours.reshape(7, 7)
    with pytest.raises(ValueError, match="no elements"):
        sparse.csr_array((0, 3)).max()


def test_files_of_matrix_market_are_read_and_written(device, tmp_path):
    theirs = random(9, 7, 0.3)
    file = tmp_path / "a.mtx"
    sparse.mmwrite(file, sparse.csr_array(theirs))
    ours = sparse.mmread(file)
    assert ours.format == "coo" and np.array_equal(ours.toarray().get(), theirs.toarray())


def test_data_and_indices_on_the_device_are_not_copied(device):
    theirs = random(9, 7, 0.3)
    data, indices, offsets = (tnp.asarray(x) for x in (theirs.data, theirs.indices, theirs.indptr))

    class TorchsCsr:
        shape = theirs.shape

        def values(self):
            return data

        def col_indices(self):
            return indices

        def crow_indices(self):
            return offsets

    for given, shape in ((TorchsCsr(), None), ((data, indices, offsets), theirs.shape)):
        ours = sparse.csr_array(given, shape=shape)
        assert tnp.may_share_memory(ours.data, data)
        assert tnp.may_share_memory(ours.indices, indices)
        assert np.array_equal(ours.toarray().get(), theirs.toarray())
