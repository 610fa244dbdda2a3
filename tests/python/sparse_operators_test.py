# SPDX-License-Identifier: MIT
"""Operators and methods of sparse matrices, beside SciPy and NumPy."""

import copy
import operator
import pickle
import warnings

import numpy as np
import pytest

import treadle
from treadle import sparse

scipy_sparse = pytest.importorskip("scipy.sparse")

DEVICES = [d.id for d in treadle.devices() if d.traits.runs_kernels]
FORMATS = ["csr", "csc", "coo", "bsr", "dia", "ell", "sell", "hyb"]
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]


@pytest.fixture(params=DEVICES)
def device(request):
    with treadle.find_device(request.param) as found:
        yield found


def drawn(rows=5, columns=7, seed=0, dtype="f8"):
    rng = np.random.default_rng(seed)
    there = rng.random((rows, columns)) < 0.5
    return (rng.integers(-4, 5, (rows, columns)) * there).astype(dtype)


def plain(x):
    if hasattr(x, "toarray"):
        x = x.toarray()
    return x.get() if hasattr(x, "get") else np.asarray(x)


def check(found, wanted):
    found = plain(found)
    assert found.shape == np.shape(wanted)
    assert np.array_equal(found, wanted, equal_nan=True)


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_with_numbers(device, name):
    dense = drawn()
    ours = sparse.csr_array(dense)
    for number in (-1, 0, 2):
        found = getattr(operator, name)(ours, number)
        assert isinstance(found, sparse.csr_array) and found.dtype == bool
        check(found, getattr(operator, name)(dense, number))


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_with_matrices_and_arrays(device, name):
    one, other = drawn(seed=1), drawn(seed=2)
    function = getattr(operator, name)
    ours = sparse.csr_array(one)
    check(function(ours, sparse.csr_array(other)), function(one, other))
    check(function(ours, sparse.coo_array(other)), function(one, other))
    check(function(ours, scipy_sparse.csr_array(other)), function(one, other))
    check(function(ours, other), function(one, other))


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_extrema_of_two(device, name):
    one, other = drawn(seed=3), drawn(seed=4)
    ours, function = sparse.csr_array(one), getattr(np, name)
    check(getattr(ours, name)(sparse.csr_array(other)), function(one, other))
    check(getattr(ours, name)(other), function(one, other))
    for number in (-1, 0, 2):
        check(getattr(ours, name)(number), function(one, number))


def test_multiplication_broadcasts(device):
    dense = drawn(seed=5)
    ours = sparse.csr_array(dense)
    for shape in [(), (1, 1), (1, 7), (5, 1), (5, 7), (7,)]:
        other = np.asarray(np.random.default_rng(6).integers(-3, 4, shape), "f8")
        check(ours.multiply(other), dense * other)
        check(ours * other, dense * other)
        if len(shape) == 2:
            check(ours.multiply(sparse.csr_array(other)), dense * other)
            check(sparse.csr_array(other).multiply(ours), dense * other)


@pytest.mark.parametrize("format", FORMATS)
def test_arithmetic_keeps_the_values(device, format):
    dense = drawn(seed=7)
    ours = getattr(sparse, f"{format}_array")(dense)
    check(ours * 3, dense * 3)
    check(2 * ours, dense * 2)
    check(ours / 2, dense / 2)
    check(-ours, -dense)
    check(abs(ours), abs(dense))
    check(ours + ours, 2 * dense)
    check(ours - ours, 0 * dense)
    check(ours + dense, 2 * dense)
    check(dense - ours, 0 * dense)
    check(ours**2, dense**2)


@pytest.mark.parametrize("name", ["argmax", "argmin", "max", "min"])
def test_extrema_by_axis(device, name):
    for dense in (drawn(), abs(drawn(seed=1)), -abs(drawn(seed=1))):
        ours = sparse.csr_array(dense)
        for axis in (None, 0, 1, -1, -2):
            check(getattr(ours, name)(axis=axis), getattr(dense, name)(axis=axis))


@pytest.mark.parametrize("name", ["argmax", "argmin", "max", "min"])
def test_extrema_count_explicit_zeros(device, name):
    parts = (np.array([0.0, -2.0, 3.0, 0.0]), np.array([1, 0, 2, 0]), np.array([0, 2, 3, 4]))
    ours = sparse.csr_array(parts, shape=(3, 3))
    dense = scipy_sparse.csr_array(parts, shape=(3, 3)).toarray()
    for axis in (None, 0, 1):
        check(getattr(ours, name)(axis=axis), getattr(dense, name)(axis=axis))


@pytest.mark.parametrize("name", ["max", "min"])
def test_extrema_tell_nan(device, name):
    dense = np.array([[1.0, np.nan, 0.0], [0.0, 2.0, -1.0]])
    ours = sparse.csr_array(dense)
    for axis in (None, 0, 1):
        check(getattr(ours, name)(axis=axis), getattr(dense, name)(axis=axis))


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_zeros_are_eliminated(device, format):
    entries = ([1.0, 0.0, 3.0, 0.0], ([0, 0, 1, 2], [0, 1, 1, 2]))
    ours = getattr(sparse, f"{format}_array")(entries, shape=(3, 3))
    before = ours.toarray().get()
    assert ours.nnz == 4
    ours.eliminate_zeros()
    assert ours.nnz == 2 and ours.format == format
    check(ours, before)


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_duplicates_are_summed(device, format):
    entries = ([1.0, 2.0, 3.0], ([0, 1, 0], [1, 0, 1]))
    ours = getattr(sparse, f"{format}_array")(entries, shape=(2, 2))
    ours.sum_duplicates()
    assert ours.nnz == 2
    check(ours, np.array([[0.0, 4.0], [2.0, 0.0]]))


def test_diagonals_are_set_as_scipys(device):
    dense = drawn(seed=8)
    lengths = {k: len(np.diagonal(dense, k)) for k in (-4, -1, 0, 2, 6)}
    few = [(k, np.arange(1.0, n)) for k, n in lengths.items() if n > 1]
    whole = [(k, np.arange(1.0, n + 1)) for k, n in lengths.items()]
    for k, values in [*((k, 9.0) for k in lengths), *whole, *few]:
        ours, theirs = sparse.csr_array(dense), scipy_sparse.lil_array(dense)
        ours.setdiag(values, k)
        theirs.setdiag(values, k)
        check(ours, theirs.toarray())
        check(ours.diagonal(k), theirs.diagonal(k))


def test_diagonals_outside_are_refused(device):
    for k in (-5, 7):
        with pytest.raises(ValueError, match=f"diagonal {k} of a matrix"):
            sparse.csr_array(drawn()).setdiag(1, k)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "dia", "ell"])
def test_copies_are_apart(device, format):
    kind = getattr(sparse, f"{format}_array")
    first = kind(drawn(seed=9))
    before = first.toarray().get()
    for other in (kind(first, copy=True), first.copy()):
        other.data[...] = 77
        check(first, before)
        assert not np.array_equal(plain(other), before)


def test_without_copy_data_are_shared(device):
    first = sparse.csr_array(drawn(seed=9))
    second = sparse.csr_array(first, copy=False)
    second.data[...] = 5
    assert set(first.data.get()) == {5.0}


@pytest.mark.parametrize("shape", [(5, 7), (1, 4), (4, 1), (3, 3)])
def test_constructors_of_columns(device, shape):
    theirs = scipy_sparse.csc_array(drawn(*shape, seed=10))
    parts = (theirs.data, theirs.indices, theirs.indptr)
    coo = theirs.tocoo()
    for given in (theirs, theirs.toarray(), parts, (coo.data, (coo.row, coo.col))):
        ours = sparse.csc_array(given, shape=shape)
        assert ours.format == "csc" and ours.shape == shape
        for name in ("data", "indices", "indptr"):
            check(getattr(ours, name), getattr(theirs, name))
        x, y = np.arange(shape[1]) - 1.0, np.arange(shape[0]) + 1.0
        check(ours @ x, theirs @ x)
        check(y @ ours, y @ theirs)
        check(ours.T @ y, theirs.T @ y)


@pytest.mark.parametrize("first", FORMATS)
def test_conversions_round_trip(device, first):
    dense = drawn(4, 6, seed=11)
    start = getattr(sparse, f"{first}_array")(dense)
    for second in FORMATS:
        there = start.asformat(second)
        assert there.format == second and there.dtype == start.dtype
        check(there, dense)
        check(there.asformat(first), dense)


def test_products_of_rectangles(device):
    for m, k, n in [(3, 4, 5), (1, 6, 1), (6, 1, 6), (0, 3, 2), (2, 0, 3), (2, 3, 0)]:
        one, other = drawn(m, k, seed=12), drawn(k, n, seed=13)
        found = sparse.csr_array(one) @ sparse.csr_array(other)
        assert isinstance(found, sparse.csr_array)
        check(found, one @ other)
        check(sparse.csr_array(one) @ other, one @ other)


@pytest.mark.parametrize("format", FORMATS)
def test_transposed_products(device, format):
    dense = drawn(seed=14)
    ours = getattr(sparse, f"{format}_array")(dense)
    x = np.arange(5) - 2.0
    assert ours.T.shape == (7, 5)
    check(ours.T @ x, dense.T @ x)
    check(x @ ours, x @ dense)
    check(ours.T.T, dense)


def test_shapes_that_differ(device):
    ours, other = sparse.csr_array(drawn(5, 7)), sparse.csr_array(drawn(4, 7))
    assert (ours == other) is False
    assert (ours != other) is True
    for function in (operator.add, operator.sub, operator.matmul, operator.lt):
        with pytest.raises(ValueError):
            function(ours, other)


def test_mistakes_are_named(device):
    ours = sparse.csr_array(drawn())
    for function, error, text in [
        (lambda a: a @ 3, ValueError, "elements are multiplied by"),
        (lambda a: bool(a), ValueError, "the truth of a matrix"),
        (lambda a: len(a), TypeError, "number of rows"),
        (lambda a: a.power(0), ValueError, "pass a number that is not 0"),
        (lambda a: a.sum(axis=2), ValueError, "pass 0, 1 or None"),
        (lambda a: a.asformat("xyz"), ValueError, "there are"),
        (lambda a: a.transpose((0, 1)), ValueError, "change places"),
        (lambda a: a.reshape(-1, -1), ValueError, "one unknown dimension"),
        (lambda a: sparse.csr_array(np.eye(2), shape=(3, 3)), ValueError, "leave shape= away"),
        (lambda a: sparse.csr_array((2, 3, 4, 5)), ValueError, "two integers"),
        (lambda a: sparse.csr_array((0, 3)).argmax(), ValueError, "empty matrix"),
        (lambda a: a + 1, NotImplementedError, "is dense"),
    ]:
        with pytest.raises(error, match=text):
            function(ours)


def test_elements_are_assigned(device):
    for key, value in [
        ((1, 2), 5),
        ((-1, -1), 0),
        (0, np.arange(7)),
        ((slice(None), 1), 2),
        ((slice(1, 3), slice(2, 5)), np.arange(6).reshape(2, 3)),
        (([0, 1, 0], [1, 2, 1]), [7, 8, 9]),
        (np.ix_([0, 2], [1, 3]), 4),
        (np.array([True, False, True, False, True]), -1),
    ]:
        dense = drawn(seed=11)
        ours = sparse.csr_array(dense)
        before = 2 * ours
        ours[key] = value
        dense[key] = value
        check(ours, dense)
        check(before, 2 * drawn(seed=11))
    for kind in (sparse.csc_array, sparse.coo_array, sparse.bsr_array, sparse.dia_array):
        dense = drawn(seed=11)
        ours = kind(dense)
        ours[ours < 0] = 3
        ours[1] = sparse.csr_array(dense)[2:3]
        dense[dense < 0] = 3
        dense[1] = drawn(seed=11)[2]
        check(ours, dense)
    for key, value, error in [
        ((9, 0), 1, IndexError),
        ((0, 0), [1, 2], ValueError),
        ((0, 0), 1j, TypeError),
        (0, [1, 2], ValueError),
    ]:
        with pytest.raises(error):
            ours[key] = value


def test_shapes_are_changed(device):
    dense = drawn(seed=12)
    for kind in (sparse.csr_array, sparse.coo_array):
        ours = kind(dense)
        for order in "CF":
            check(ours.reshape(7, -1, order=order), dense.reshape(7, -1, order=order))
            check(ours.reshape(-1, order=order), dense.reshape(-1, order=order))
        assert ours.reshape((5, 7)) is ours and ours.reshape((5, 7), copy=True) is not ours
        ours.resize(3, 9)
        check(ours, np.pad(dense[:3], ((0, 0), (0, 2))))


def test_matrices_are_pickled_and_copied(device):
    for format in FORMATS:
        ours = getattr(sparse, f"{format}_array")(drawn(seed=13))
        for other in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
            assert other.format == format
            check(other, drawn(seed=13))
            other.data *= 2
            check(ours, drawn(seed=13))
        copy.copy(ours).data *= 2
        assert repr(ours) in str(ours)


def test_functions_of_numpy_and_extrema_without_nan(device):
    dense = drawn(seed=14)
    dense[0, 0] = dense[3] = np.nan
    ours = sparse.csr_array(dense)
    for axis in (None, 0, 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of rows of NaN
            check(ours.nanmax(axis=axis), np.nanmax(dense, axis=axis))
            check(ours.nanmin(axis=axis), np.nanmin(dense, axis=axis))
        check(np.sum(ours, axis=axis), np.sum(dense, axis=axis))
    out = np.zeros(5)
    assert ours.sum(axis=1, out=out) is out
    check(out, dense.sum(axis=1))
