# SPDX-License-Identifier: MIT
"""Rows, columns and elements of sparse matrices, beside SciPy and NumPy."""

import numpy as np
import pytest

import treadle
from treadle import sparse

scipy_sparse = pytest.importorskip("scipy.sparse")

DEVICES = [d.id for d in treadle.devices() if d.traits.runs_kernels]
FORMATS = ["csr", "csc", "coo", "bsr", "dia", "ell", "hyb"]
DTYPES = ["?", "i8", "f4", "c16"]  # f8 is that of all other tests
ROWS, COLUMNS = 6, 8


@pytest.fixture(params=DEVICES)
def device(request):
    with treadle.find_device(request.param) as found:
        yield found


def drawn(rows=ROWS, columns=COLUMNS, dtype="f8", seed=0):
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 9, (rows, columns)) * (rng.random((rows, columns)) < 0.4)
    if np.dtype(dtype).kind == "c":
        values = values * (1 + 2j)
    return values.astype(dtype)


def made(dense, format="csr"):
    return getattr(sparse, f"{format}_array")(dense)


def plain(x):
    if hasattr(x, "toarray"):
        x = x.toarray()
    return x.get() if hasattr(x, "get") else np.asarray(x)


def check(found, wanted, name=""):
    found = plain(found)
    assert found.shape == np.shape(wanted), name
    assert found.dtype == np.asarray(wanted).dtype, name
    assert np.array_equal(found, wanted), name


SLICES = [
    slice(None),
    slice(1, 4),
    slice(None, None, -1),
    slice(5, None, -2),
    slice(-3, None),
    slice(4, 2),
    slice(None, 100),
    slice(0, None, 3),
]
MASK = np.array([True, False, True, True, False, False])
COLUMN_MASK = np.array([False, True, False, False, True, False, False, True])
KEYS = {
    "row": 2,
    "last row": -1,
    "column": (slice(None), 3),
    "last column": (slice(None), -1),
    "element": (1, 4),
    "element from the end": (-2, -3),
    "list": [2, 0],
    "list with repeats": [1, 1, 5],
    "list from the end": [-1, 0, -6],
    "array": np.array([3, 1, 4]),
    "unsigned array": np.array([3, 1], dtype="u1"),
    "mask": MASK,
    "columns of a list": (slice(None), [7, 0, 3]),
    "columns of a mask": (slice(None), COLUMN_MASK),
    "row and columns": (2, slice(1, 5)),
    "rows and column": (slice(1, 5), 2),
    "rows and columns": (slice(1, 5), slice(6, 0, -2)),
    "row and list": (2, [1, 5, 1]),
    "list and column": ([0, 4], 6),
    "pairs": ([0, 2, 5], [1, 1, 7]),
    "pairs from the end": ([-1, 2], [-8, -1]),
    "pairs that broadcast": (np.array([[0], [1], [5]]), np.array([[2, 3]])),
    "open mesh": np.ix_([3, 0], [1, 7, 2]),
    "open mesh of masks": np.ix_(MASK, COLUMN_MASK),
    "ellipsis": (...,),
    "ellipsis first": (..., 3),
    "ellipsis last": (2, ...),
    "numpy's integers": (np.int64(3), np.int32(2)),
}


def test_every_key_is_numpys(device):
    dense = drawn()
    ours = made(dense)
    for name, key in KEYS.items():
        check(ours[key], dense[key], name)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_indexed(device, format):
    dense = drawn(seed=1)
    ours = made(dense, format)
    assert ours.format == format
    for name in ("row", "column", "mask", "rows and columns", "pairs"):
        check(ours[KEYS[name]], dense[KEYS[name]], name)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_stay(device, dtype):
    dense = drawn(dtype=dtype, seed=2)
    ours = made(dense)
    for name in ("row", "column", "element", "list", "rows and columns"):
        check(ours[KEYS[name]], dense[KEYS[name]])


def test_slices_of_both_axes(device):
    dense = drawn(seed=3)
    ours = made(dense)
    for turn in (0, 3, 5):
        for rows, columns in zip(SLICES, SLICES[turn:] + SLICES[:turn], strict=True):
            found = ours[rows, columns]
            assert isinstance(found, sparse.csr_array)
            check(found, dense[rows, columns], f"{rows}, {columns}")


def test_every_element(device):
    dense = drawn(3, 4, seed=4)
    ours = made(dense)
    for i in range(-3, 3):
        for j in (-4, -1, 0, 2, 3):
            assert ours[i, j] == dense[i, j]


@pytest.mark.parametrize("shape", [(1, 5), (5, 1), (1, 1)])
def test_one_row_and_one_column(device, shape):
    dense = drawn(*shape, seed=5)
    ours = made(dense)
    check(ours[0], dense[0])
    check(ours[:, 0], dense[:, 0])
    check(ours[::-1, ::-1], dense[::-1, ::-1])
    check(ours[[0, 0]], dense[[0, 0]])


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_matrices_without_elements(device, shape):
    dense = np.zeros(shape)
    ours = made(dense)
    check(ours[:], dense)
    check(ours[::-1, ::-1], dense)
    check(ours[[], :], dense[[], :])
    with pytest.raises(IndexError):
        ours[shape[0], 0]


def test_a_matrix_without_entries(device):
    ours = sparse.csr_array((3, 4))
    check(ours[1], np.zeros(4))
    check(ours[:, 1], np.zeros(3))
    check(ours[1:, ::2], np.zeros((2, 2)))
    assert ours[2, 3] == 0


def test_entries_of_one_place_are_added(device):
    entries = ([1.0, 2.0, 4.0], ([0, 0, 1], [1, 1, 0]))
    ours = sparse.coo_array(entries, shape=(2, 2))
    assert ours[0, 1] == 3 and ours[1, 0] == 4
    check(ours[0], np.array([0.0, 3.0]))


def test_a_mask_of_all_elements(device):
    dense = drawn(seed=6)
    ours = made(dense)
    check(ours[dense > 4], dense[dense > 4])
    check(ours[ours > 4], dense[dense > 4])


def test_what_is_chosen_is_a_copy(device):
    dense = drawn(seed=7)
    ours = made(dense)
    chosen = ours[1:4]
    chosen.setdiag(50)
    check(ours, dense)


def test_rows_of_scipy_and_ours_are_stored_alike(device):
    theirs = scipy_sparse.csr_array(drawn(seed=8))
    ours = sparse.csr_array(theirs)
    for key in ([3, 1], slice(1, 5), MASK):
        one, other = ours[key].get(), theirs[key]
        assert np.array_equal(one.indptr, other.indptr)
        assert np.array_equal(one.indices, other.indices)
        assert np.array_equal(one.data, other.data)


def test_mistakes_are_named(device):
    ours = made(drawn())
    for key, text in [
        (6, "index 6 of 6"),
        (-7, "index -7 of 6"),
        ((0, 8), "index 8 of 8"),
        ((0, -9), "index -9 of 8"),
        ((slice(None), 8), "index 8 of 8"),
        ((1, 2, 3), "3 indices of a matrix"),
        (None, "a matrix has two axes"),
        ((None, 1), "a matrix has two axes"),
        ([0.5, 1.0], "numbers, slices, lists and masks"),
        (np.array([True, False]), "a mask of 2 for 6"),
        ((slice(None), np.array([True])), "a mask of 1 for 8"),
        (([0], [8]), "of a matrix with 8"),
    ]:
        with pytest.raises(IndexError, match=text):
            ours[key]


def test_rows_outside_are_refused(device):
    ours = made(drawn())
    for rows in ([6], [-7], [0, 99]):
        with pytest.raises(IndexError):
            ours[rows].toarray().get()
