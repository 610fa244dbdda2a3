# SPDX-License-Identifier: MIT
"""Elements put in and taken out, bits, places, and functions of the host, beside NumPy's."""

import copy

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices() if d.traits.runs_kernels]


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


def expect(ours, theirs):
    assert isinstance(ours, treadle.Array)
    theirs = np.asarray(theirs)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    np.testing.assert_array_equal(ours.get(), theirs)


X = np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize(
    "obj", [1, -1, 3, [0], [2, 0], [1, 1, 3], slice(0, 3, 2), np.array([], int)]
)
def test_elements_are_put_in(device, obj):
    x = tnp.array(X)
    count = 1 if np.ndim(obj) == 0 and not isinstance(obj, slice) else 2
    for axis in (0, 1, None):
        expect(tnp.insert(x, obj, 7, axis), np.insert(X, obj, 7, axis))
    if count == 1:
        expect(tnp.insert(x, obj, [1, 2, 3], 1), np.insert(X, obj, [1, 2, 3], 1))
    expect(tnp.insert(tnp.arange(5), [1], [7, 8.5]), np.insert(np.arange(5), [1], [7, 8.5]))
    expect(tnp.insert(x, 1, X[:2], 0), np.insert(X, 1, X[:2], 0))


@pytest.mark.parametrize("obj", [1, -1, [0], [2, 0, 2], slice(0, 3, 2), [True, False, True], []])
def test_elements_are_taken_out(device, obj):
    x = tnp.array(X)
    expect(tnp.delete(x, obj, 0), np.delete(X, obj, 0))
    if not (isinstance(obj, list) and obj and obj[0] is True):
        for axis in (1, None):
            expect(tnp.delete(x, obj, axis), np.delete(X, obj, axis))
    many = np.arange(0, 300, 3)
    expect(tnp.delete(tnp.arange(300), many), np.delete(np.arange(300), many))
    expect(tnp.delete(x, range(3), 0), np.delete(X, range(3), 0))


def test_shapes_are_changed(device):
    x = tnp.array(X)
    for shape in ((2, 3), 7, (5, 5), (0,), (2, 0, 3), ()):
        expect(tnp.resize(x, shape), np.resize(X, shape))
    for axis, start in ((0, 2), (1, 0), (-1, 0), (0, -1), (2, 1)):
        y = np.zeros((2, 3, 4))
        assert tnp.rollaxis(tnp.array(y), axis, start).shape == np.rollaxis(y, axis, start).shape
    zeros = np.array([0, 0, 1, 0, 2, 0])
    for trim in ("fb", "f", "b"):
        expect(tnp.trim_zeros(tnp.array(zeros), trim), np.trim_zeros(zeros, trim))
    expect(tnp.trim_zeros(tnp.zeros(3)), np.trim_zeros(np.zeros(3)))
    expect(tnp.diagflat(tnp.array([[1, 2], [3, 4]]), -1), np.diagflat([[1, 2], [3, 4]], -1))
    a, b, c = np.ones((2, 2)), np.zeros((2, 3)), np.arange(5)
    expect(tnp.block([[tnp.array(a), tnp.array(b)], [c]]), np.block([[a, b], [c]]))
    expect(tnp.block([tnp.array(c), 3]), np.block([c, 3]))
    expect(tnp.block(tnp.array(c)), c)
    expect(tnp.row_stack([tnp.array(c), c]), np.vstack([c, c]))


def test_bits(device):
    for x in (np.arange(21) % 3, np.arange(24).reshape(3, 8) % 2 > 0):
        for axis in (None, 0):
            for order in ("big", "little"):
                packed = np.packbits(x, axis, bitorder=order)
                expect(tnp.packbits(tnp.array(x), axis, order), packed)
                for count in (None, 3, -2, 50):
                    expect(
                        tnp.unpackbits(tnp.array(packed), axis, count, order),
                        np.unpackbits(packed, axis, count, order),
                    )


def test_places(device):
    places = np.array([[3, 11], [0, 7]])
    for order in ("C", "F"):
        for ours, theirs in zip(
            tnp.unravel_index(tnp.array(places), (3, 2, 2), order),
            np.unravel_index(places, (3, 2, 2), order),
            strict=True,
        ):
            expect(ours, theirs)
        i, j = np.array([0, 2, 1]), np.array([3, 0, 1])
        expect(
            tnp.ravel_multi_index([tnp.array(i), tnp.array(j)], (3, 4), order=order),
            np.ravel_multi_index((i, j), (3, 4), order=order),
        )
    i, j = np.array([-1, 5, 1]), np.array([3, 7, -6])
    for mode in ("wrap", "clip", ("wrap", "clip")):
        expect(
            tnp.ravel_multi_index([tnp.array(i), tnp.array(j)], (3, 4), mode),
            np.ravel_multi_index((i, j), (3, 4), mode),
        )
    for ours, theirs in zip(tnp.diag_indices(3, 3), np.diag_indices(3, 3), strict=True):
        expect(ours, theirs)
    for k, m in ((0, None), (-1, 5), (2, 3)):
        for name in ("tril_indices", "triu_indices"):
            for ours, theirs in zip(
                getattr(tnp, name)(4, k, m), getattr(np, name)(4, k, m), strict=True
            ):
                expect(ours, theirs)
            ours, theirs = (
                getattr(of, name + "_from")(x, k) for of, x in ((tnp, tnp.array(X)), (np, X))
            )
            for a, b in zip(ours, theirs, strict=True):
                expect(a, b)
    for ours, theirs in zip(
        tnp.mask_indices(3, tnp.triu), np.mask_indices(3, np.triu), strict=True
    ):
        expect(ours, theirs)
    x = tnp.array(X)
    for keys in (([0, 2], [1, 3]), ([True, False, True], [3]), (range(2), [0])):
        expect(x[tnp.ix_(*keys)], X[np.ix_(*keys)])


def test_masked_stores(device):
    for values in ([1, 2], 5, [-1.0, -2.0, -3.0, -4.0, -5.0]):
        for name in ("putmask", "place"):
            ours, theirs = tnp.array(X), X.copy()
            getattr(tnp, name)(ours, tnp.array(X) % 3 == 0, values)
            getattr(np, name)(theirs, X % 3 == 0, values)
            expect(ours, theirs)
    x = np.linspace(-2, 2, 9)
    for conditions, functions in (
        ([x < 0, x >= 1], [lambda v: -v, 3]),
        ([x < 0, x >= 1], [lambda v: -v, 3, lambda v: v * 10]),
        (x > 0, [1]),
    ):
        expect(
            tnp.piecewise(tnp.array(x), conditions, functions),
            np.piecewise(x, conditions, functions),
        )
    numbers = np.arange(-2, 3)
    for x in (numbers, numbers > 0):  # values are cast to the dtype of x
        functions = [lambda v: v * 0.5 + 2, 0.7]
        expect(
            tnp.piecewise(tnp.array(x), [x < 1, x >= 1], functions),
            np.piecewise(x, [x < 1, x >= 1], functions),
        )


def test_functions_of_rows(device):
    x = tnp.array(X)
    expect(tnp.apply_along_axis(lambda r: r.sum(), 1, x), np.apply_along_axis(np.sum, 1, X))
    expect(tnp.apply_along_axis(lambda r: r[::-1] * 2, 0, x),
           np.apply_along_axis(lambda r: r[::-1] * 2, 0, X))  # fmt: skip
    three = np.arange(24.0).reshape(2, 3, 4)
    expect(tnp.apply_along_axis(lambda r: tnp.outer(r, r), 1, tnp.array(three)),
           np.apply_along_axis(lambda r: np.outer(r, r), 1, three))  # fmt: skip
    expect(tnp.apply_over_axes(tnp.sum, tnp.array(three), [0, -1]),
           np.apply_over_axes(np.sum, three, [0, -1]))  # fmt: skip


def test_files(device, tmp_path):
    x = tnp.array(X)
    tnp.save(tmp_path / "one.npy", x * 2)
    expect(tnp.load(tmp_path / "one.npy"), X * 2)
    for save in (tnp.savez, tnp.savez_compressed):
        save(tmp_path / "some.npz", x, X[0], mask=x > 3)
        with tnp.load(tmp_path / "some.npz") as found:
            assert sorted(found) == ["arr_0", "arr_1", "mask"]
            expect(found["arr_0"], X)
            expect(found["mask"], X > 3)
    tnp.savetxt(tmp_path / "x.txt", x, fmt="%g")
    for read in (tnp.loadtxt, tnp.genfromtxt):
        expect(read(tmp_path / "x.txt"), X)
    X.tofile(tmp_path / "x.bin")
    expect(tnp.fromfile(tmp_path / "x.bin").reshape(3, 4), X)
    expect(tnp.fromiter(range(3), "i4"), np.arange(3, dtype="i4"))
    expect(tnp.fromstring("1 2", sep=" "), np.array([1.0, 2.0]))
    assert tnp.array_repr(x) == np.array_repr(X)
    assert tnp.array2string(x, precision=1) == np.array2string(X, precision=1)


def test_smaller_functions(device):
    x = np.array([1.0, -2.5, 0.0, 1e300, -np.inf, np.nan])
    expect(tnp.spacing(tnp.array(x[:4])), np.spacing(x[:4]))
    expect(tnp.spacing(tnp.array(x[:3], "f4")), np.spacing(x[:3].astype("f4")))
    for integers in (np.arange(3, dtype="i4"), np.arange(3, dtype="u1"), np.array([True])):
        expect(tnp.spacing(tnp.array(integers)), np.spacing(integers))
    y = np.array([[1.0, np.nan, 3.0], [np.nan, 5.0, 6.0]])
    for name in ("nancumsum", "nancumprod"):
        for axis in (None, 0, 1):
            expect(getattr(tnp, name)(tnp.array(y), axis), getattr(np, name)(y, axis))
    z = np.array([1 + 1e-14j, 2 - 1e-15j])
    expect(tnp.real_if_close(tnp.array(z)), np.real_if_close(z))
    expect(tnp.real_if_close(tnp.array(z), 1e-16), z)
    with pytest.raises(ValueError, match="asarray_chkfinite"):
        tnp.asarray_chkfinite(x)
    expect(tnp.asarray_chkfinite([1, 2]), np.array([1, 2]))
    assert tnp.isfortran(tnp.array(np.asfortranarray(X))) and not tnp.isfortran(tnp.array(X))
    assert tnp.common_type(tnp.array(X), tnp.zeros(1, "f4")) is np.float64
    assert tnp.min_scalar_type(tnp.array(300)) == np.dtype("u2")


BAD = {
    "insert": (lambda: tnp.insert(tnp.arange(3), 5, 1), IndexError),
    "insert axis": (lambda: tnp.insert(tnp.arange(3), 0, 1, 2), IndexError),
    "insert values": (lambda: tnp.insert(tnp.zeros((2, 3)), 0, [1, 2], 0), ValueError),
    "insert floats": (lambda: tnp.insert(tnp.arange(3), [0.5], 1), IndexError),
    "delete": (lambda: tnp.delete(tnp.arange(3), [1, -4]), IndexError),
    "delete mask": (lambda: tnp.delete(tnp.arange(3), [True]), (IndexError, ValueError)),
    "resize": (lambda: tnp.resize(tnp.arange(3), (-1, 2)), ValueError),
    "trim": (lambda: tnp.trim_zeros(tnp.arange(3), "x"), ValueError),
    "packbits": (lambda: tnp.packbits(tnp.zeros(3)), TypeError),
    "bitorder": (lambda: tnp.packbits(tnp.arange(3), bitorder="middle"), ValueError),
    "unpackbits": (lambda: tnp.unpackbits(tnp.arange(3)), TypeError),
    "unravel": (lambda: tnp.unravel_index([12], (3, 4)), ValueError),
    "ravel": (lambda: tnp.ravel_multi_index(([3], [0]), (3, 4)), ValueError),
    "axes": (lambda: tnp.ravel_multi_index(([3],), (3, 4)), ValueError),
    "block": (lambda: tnp.block([[1], 2]), ValueError),
    "ix_": (lambda: tnp.ix_([[1]]), ValueError),
    "piecewise": (lambda: tnp.piecewise(tnp.arange(3), [True], []), ValueError),
    "place": (lambda: tnp.place(tnp.arange(3), [True, True, True], []), ValueError),
    "rollaxis": (lambda: tnp.rollaxis(tnp.arange(3), 1), IndexError),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_refused(what):
    call, error = BAD[what]
    with pytest.raises(error):
        call()


def test_orders_of_copies_and_shapes_are_numpys(device):
    host = np.arange(24, dtype="f4").reshape(2, 3, 4)
    for view in (
        lambda x: x,
        lambda x: x.T,
        lambda x: x.transpose(1, 0, 2),
        lambda x: x[:, ::2],
    ):
        ours, theirs = view(tnp.array(host)), view(host)
        for order in ("C", "F", "A", "K"):
            assert ours.copy(order).strides == theirs.copy(order).strides, (theirs.strides, order)
        assert ours.copy().strides == theirs.copy().strides
        assert copy.copy(ours).strides == tnp.copy(ours).strides == np.copy(theirs).strides
        for order in ("C", "F", "A"):
            expect(ours.reshape(4, -1, order=order), theirs.reshape(4, -1, order=order))
            expect(ours.reshape((-1, 2), order=order), theirs.reshape((-1, 2), order=order))
    with pytest.raises(ValueError, match='the order "G"'):
        ours.reshape(4, -1, order="G")
