# SPDX-License-Identifier: MIT
"""Arrays that sparse matrices are made of: read, written to and assigned to, as SciPy's are."""

import copy
import pickle

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import sparse
from treadle.sparse import linalg

scipy_sparse = pytest.importorskip("scipy.sparse")
DEVICES = [d.id for d in treadle.devices() if d.traits.runs_kernels]
pytestmark = pytest.mark.usefixtures("device")

OF_SCIPY = ("csr", "csc", "coo", "bsr", "dia")
OF_OURS = ("ell", "hyb", "sell", "stencil")


@pytest.fixture(params=DEVICES)
def device(request):
    with treadle.find_device(request.param) as found:
        yield found


def theirs_of(format):
    """Two rows in each block of two, and diagonals."""
    made = scipy_sparse.diags_array(
        [np.arange(1.0, 9), np.arange(2.0, 9)], offsets=[0, 1], shape=(8, 8)
    )
    return made.asformat(format)


def ours_of(format):
    if format == "stencil":
        return sparse.stencil_array(
            scipy_sparse.diags_array([1.0, 2.0], offsets=[0, 1], shape=(8, 8))
        )
    return getattr(sparse, f"{format}_array")(theirs_of("csr"))


X = np.arange(8) - 2.5


def check(ours, dense):
    """Products of all kinds know what was written."""
    assert np.allclose((ours @ X).get(), dense @ X)
    assert np.allclose((X @ ours).get(), X @ dense)
    assert np.allclose(ours.toarray().get(), dense)
    assert np.allclose(ours.get().toarray(), dense)
    assert np.allclose((ours.T @ X).get(), dense.T @ X)


@pytest.mark.parametrize("format", OF_SCIPY + OF_OURS)
def test_data_are_changed_in_place(format):
    ours = ours_of(format)
    dense = ours.toarray().get()
    check(ours, dense)  # products may keep something
    operator = linalg.aslinearoperator(ours)
    seen = ours.data
    ours.data *= 2
    check(ours, 2 * dense)
    seen[...] = 2 * seen
    check(ours, 4 * dense)
    ours.data = ours.data / 4
    check(ours, dense)
    ours.data = ours.data.get().astype(np.float32) * 2
    assert ours.dtype == np.float32
    check(ours, 2 * dense)
    assert np.allclose(operator.matvec(X).get(), 2 * dense @ X)


@pytest.mark.parametrize("format", OF_SCIPY)
def test_parts_are_those_of_scipy(format):
    ours, theirs = ours_of(format), theirs_of(format)
    names = {"coo": ("row", "col"), "dia": ("offsets",)}.get(format, ("indices", "indptr"))
    for name in ("data", *names):
        assert np.array_equal(getattr(ours, name).get(), getattr(theirs, name)), name
    for made in (ours, theirs):
        made.data[0] = 77
    check(ours, theirs.toarray())


def test_places_are_changed():
    for format, names in (
        ("csr", ("indices",)),
        ("csc", ("indices",)),
        ("coo", ("row", "col")),
        ("bsr", ("indices",)),
        ("dia", ("offsets",)),
    ):
        ours, theirs = ours_of(format), theirs_of(format)
        ours @ X
        for name in names:
            for made in (ours, theirs):
                getattr(made, name)[0] = 3
            check(ours, theirs.toarray())
            for made in (ours, theirs):
                setattr(made, name, getattr(made, name)[::-1].copy())
            check(ours, theirs.toarray())


def test_all_parts_are_assigned_one_by_one():
    other = scipy_sparse.random_array((8, 8), density=0.5, rng=np.random.default_rng(1))
    for format in ("csr", "csc", "coo"):
        ours, wanted = ours_of(format), other.asformat(format)
        for name in ("data", "row", "col") if format == "coo" else ("data", "indices", "indptr"):
            setattr(ours, name, getattr(wanted, name))
        check(ours, other.toarray())


def test_what_does_not_fit_is_refused_when_it_is_used():
    for format, name, value, error in (
        ("csr", "data", [1.0, 2.0], ValueError),
        ("csr", "indices", [99] * 15, IndexError),
        ("csc", "indptr", [1] * 9, ValueError),
        ("coo", "row", [99] * 15, IndexError),
        ("sell", "data", [1.0], ValueError),
    ):
        ours = ours_of(format)
        setattr(ours, name, value)
        with pytest.raises(error):
            ours @ X
    ours = ours_of("csr")
    ours.indices[0] = 99
    with pytest.raises(IndexError, match="column: 99 of a matrix with 8"):
        ours @ X


@pytest.mark.parametrize("format", OF_SCIPY)
def test_matrices_made_of_others_are_apart(format):
    """Whichever is written to, before or after the other was made."""
    kind = getattr(sparse, f"{format}_array")
    makes = {
        "scaled": lambda a: 2 * a,
        "magnitudes": abs,
        "transposed": lambda a: a.T,
        "copied": lambda a: a.copy(),
        "copy=True": lambda a: kind(a, copy=True),
        "rows": lambda a: a[0:8],
        "csr": lambda a: a.tocsr(copy=True),
        "coo": lambda a: a.tocoo(copy=True),
        "csc": lambda a: a.tocsc(copy=True),
        "sorted": lambda a: a.tocsr(copy=True).sorted_indices(),
        "larger": lambda a: a.maximum(0),
        "by dense": lambda a: a.multiply(np.ones((8, 8))),
        "real": lambda a: a.real,
        "cast to the same": lambda a: a.astype(a.dtype, copy=False),
    }
    for name, make in makes.items():
        for is_seen_first in (False, True):
            ours = ours_of(format)
            dense = ours.toarray().get()
            if is_seen_first:
                seen = ours.data
            made = make(ours)
            before = made.toarray().get()
            if not is_seen_first:
                seen = ours.data
            seen[...] = 7
            assert np.allclose(made.toarray().get(), before), name
            ours = ours_of(format)
            made = make(ours)
            made.data[...] = 7
            if made.format != "dia":
                places = made.row if made.format == "coo" else made.indices
                places[...] = 0
            check(ours, dense)


def test_arrays_of_the_program_are_shared():
    data, indices, indptr = (
        tnp.asarray(x) for x in (np.ones(3), np.arange(3), np.arange(4, dtype=np.int64))
    )
    for kind in (sparse.csr_array, sparse.csc_array):
        ours = kind((data, indices, indptr), shape=(3, 3))
        twin = kind(ours)
        data[...] = 5
        assert (ours @ np.ones(3)).tolist() == (twin @ np.ones(3)).tolist() == [5, 5, 5]
        data[...] = 1


def test_found_elements_are_apart():
    ours = ours_of("csr")
    for x in sparse.find(ours) + ours.nonzero():
        x[...] = 0
    check(ours, theirs_of("csr").toarray())


def test_fastest_is_apart_where_compressed_rows_win(monkeypatch):
    def choose(matrix, is_timed, is_kept):
        return matrix.to_csr(), "csr", "", False

    monkeypatch.setattr(sparse._matrices, "_choose_format", choose)
    ours = ours_of("csr")
    dense = ours.toarray().get()
    seen = ours.indices
    made = ours.fastest()
    seen[...] = 99
    ours.data[...] = 7
    check(made, dense)


def test_what_is_in_order_stays_that_of_the_program():
    ours = ours_of("csr")
    dense = ours.toarray().get()
    parts = ours.data, ours.indices, ours.indptr
    for method in ("sort_indices", "sum_duplicates", "eliminate_zeros"):
        getattr(ours, method)()
        parts[0][...] = 2 * parts[0]
        dense = 2 * dense
        check(ours, dense)
    parts[1][0] = 99
    with pytest.raises(IndexError, match="column: 99"):
        ours @ X


def test_what_is_put_in_order_is_apart():
    ours = sparse.csr_array(
        (np.array([1.0, 2, 0]), np.array([2, 1, 0]), np.array([0, 2, 3, 3])), shape=(3, 3)
    )
    dense = ours.toarray().get()
    for method in ("sort_indices", "eliminate_zeros"):
        seen = ours.data, ours.indices, ours.indptr
        getattr(ours, method)()
        for x in seen:
            x[...] = 99
        assert np.array_equal(ours.toarray().get(), dense)
    assert ours.has_sorted_indices and ours.nnz == 2


def test_blocks_of_the_program_are_looked_after():
    data, indices, indptr = (
        tnp.asarray(x) for x in (np.ones((2, 2, 2)), np.arange(2), np.arange(3, dtype=np.int64))
    )
    ours = sparse.bsr_array((data, indices, indptr), shape=(4, 4))
    data[...] = 5
    assert (ours @ np.ones(4)).tolist() == [10] * 4
    indices[0] = 99
    with pytest.raises(IndexError, match="column of blocks: 99"):
        ours @ np.ones(4)


@pytest.mark.parametrize("device", ["cpu"], indirect=True)
@pytest.mark.parametrize("told", ["row", "data"])
def test_an_assignment_tells_of_writes_that_are_not_seen(told):
    ours, theirs = ours_of("coo"), theirs_of("coo")
    host = np.from_dlpack(getattr(ours, told))
    check(ours, theirs.toarray())  # which is kept
    for made in (host, getattr(theirs, told)):
        made[0] = 3
    setattr(ours, told, getattr(ours, told))
    check(ours, theirs.toarray())


def test_blocks_that_do_not_fill_another_shape_leave_the_matrix():
    ours = sparse.bsr_array(theirs_of("csr"), blocksize=(2, 4))
    dense, seen = ours.toarray().get(), ours.data
    for shape in ((7, 8), (8, 6)):
        with pytest.raises(ValueError, match="pass a shape that blocks fill"):
            ours.resize(*shape)
        seen[...] = 2 * seen
        dense = 2 * dense
        assert np.array_equal(ours.toarray().get(), dense)
    ours.resize((4, 4))
    assert ours.blocksize == (2, 4) and np.array_equal(ours.toarray().get(), dense[:4, :4])


def test_copies_are_laid_out_likewise():
    csr = theirs_of("csr")
    for ours, layout in (
        (sparse.sell_array(csr, slice_rows=4), lambda a: a._matrix.slice_rows),
        (sparse.hyb_array(csr, depth=1), lambda a: a._matrix.usual.data.shape),
        (sparse.bsr_array(csr, blocksize=(2, 2)), lambda a: a.blocksize),
    ):
        for made in (copy.copy(ours), copy.deepcopy(ours), pickle.loads(pickle.dumps(ours)), -ours):
            assert layout(made) == layout(ours), ours
            assert np.array_equal(abs(made.toarray().get()), csr.toarray())
        twin = copy.copy(ours)
        ours.data[...] = 2 * ours.data
        for made in (ours, twin):
            assert np.allclose((made @ X).get(), 2 * csr @ X)
