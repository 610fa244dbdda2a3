# SPDX-License-Identifier: MIT
"""The elements that masks choose, and where they are, beside NumPy."""

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices()]


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


@pytest.fixture
def computing(device):
    if not device.traits.runs_kernels:
        pytest.skip("it computes nothing")
    return device


def same(ours, theirs):
    if isinstance(theirs, tuple):
        assert isinstance(ours, tuple) and len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            same(one, other)
        return
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.get(), theirs)


def values_of(shape, dtype="f4"):
    count = int(np.prod(shape, dtype=int))
    return (np.arange(count) * 7 % 5).astype(dtype).reshape(shape)


def test_places_of_what_is_not_0(computing):
    for shape, dtype in [
        ((7,), "f4"),
        ((3, 4, 5), "i4"),
        ((2, 3), "c8"),
        ((0, 2), "f4"),
        ((9,), "?"),
    ]:
        x = values_of(shape, dtype)
        ours = tnp.array(x)
        same(tnp.nonzero(ours), np.nonzero(x))
        same(ours.nonzero(), x.nonzero())
        same(tnp.where(ours), np.where(x))
        same(tnp.flatnonzero(ours), np.flatnonzero(x))
        same(tnp.argwhere(ours), np.argwhere(x))
        same(ours[tnp.nonzero(ours)], x[np.nonzero(x)])
    x = np.array([1.0, np.nan, -0.0, 0.0])
    same(tnp.nonzero(tnp.array(x)), np.nonzero(x))
    same(tnp.nonzero(tnp.array(x)[::-2]), np.nonzero(x[::-2]))
    same(np.flatnonzero(tnp.array(x)), np.flatnonzero(x))


@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "f8", "c16"])
def test_masks_of_all_axes(computing, dtype):
    x = values_of((4, 6), dtype)
    ours = tnp.array(x)
    same(ours[ours != 0], x[x != 0])
    same(ours.T[ours.T == 1], x.T[x.T == 1])
    same(ours[::2][ours[::2] == 9], x[::2][x[::2] == 9])


def test_masks_of_first_axes_and_among_other_indices(computing):
    x = values_of((4, 6))
    ours = tnp.array(x)
    rows, columns = x[:, 1] > 1, x[0] > 2
    ours_rows, ours_columns = tnp.array(rows), tnp.array(columns)
    for key, ours_key in [
        (rows, ours_rows),
        ((rows, 0), (ours_rows, 0)),
        ((slice(None), columns), (slice(None), ours_columns)),
        ((Ellipsis, columns), (Ellipsis, ours_columns)),
        ((rows, slice(1, 3)), (ours_rows, slice(1, 3))),
        ((rows, None), (ours_rows, None)),
        (np.zeros(4, bool), tnp.zeros(4, bool)),
        (np.True_, tnp.array(True)),
        (np.False_, tnp.array(False)),
    ]:
        same(ours[ours_key], x[key])
    for wrong in (tnp.array(columns), (slice(None), ours_rows), tnp.ones((4, 6, 1), bool)):
        with pytest.raises(IndexError):
            ours[wrong]


def test_values_for_what_a_mask_chooses(computing):
    x = values_of((4, 6))
    ours = tnp.array(x)
    x[x > 2] = np.arange((x > 2).sum())
    ours[ours > 2] = tnp.arange(int((ours > 2).sum()))
    same(ours, x)
    rows = x[:, 1] > 1
    x[rows] = np.arange(6 * rows.sum()).reshape(-1, 6)
    ours[tnp.array(rows)] = np.arange(6 * rows.sum()).reshape(-1, 6)
    x[rows, 0] = 50
    ours[tnp.array(rows), 0] = 50
    same(ours, x)
    with pytest.raises(treadle.ShapeError):
        ours[ours > 0] = tnp.arange(2)


def test_extract_compress_and_delete(computing):
    x = values_of((3, 4))
    ours = tnp.array(x)
    same(tnp.extract(ours > 1, ours), np.extract(x > 1, x))
    same(tnp.compress([False, True, True], ours, 0), np.compress([False, True, True], x, 0))
    same(tnp.compress([0, 1], ours, axis=1), np.compress([0, 1], x, axis=1))
    same(ours.compress([1, 0, 1, 0, 1]), x.compress([1, 0, 1, 0, 1]))
    for obj, axis in [(1, 0), ([0, -1], 1), (slice(None, None, 2), 1), ([0, 5], None)]:
        same(tnp.delete(ours, obj, axis), np.delete(x, obj, axis))
    same(tnp.delete(ours, tnp.array([0, -1]), 1), np.delete(x, [0, -1], 1))
    same(tnp.delete(ours, tnp.array([True, False, True]), 0), np.delete(x, [0, 2], 0))
    with pytest.raises(IndexError):
        tnp.compress([0, 0, 0, 1], ours, 0)
    with pytest.raises(IndexError):
        tnp.delete(ours, tnp.array([True, False]), 0)
    with pytest.raises(treadle.ShapeError):
        tnp.compress(ours, ours)


def test_a_capacity_does_not_wait(computing):
    x = values_of((2, 5))
    ours = tnp.array(x)
    (rows, columns), count = tnp.nonzero(ours, capacity=4)
    assert isinstance(count, tnp.Array) and int(count) == (x != 0).sum()
    assert np.array_equal(rows.get(), np.nonzero(x)[0][:4])
    assert np.array_equal(columns.get(), np.nonzero(x)[1][:4])
    places, count = tnp.flatnonzero(ours, capacity=20)
    assert np.array_equal(places.get()[: int(count)], np.flatnonzero(x))
    assert not places.get()[int(count) :].any()
    values, count = tnp.extract(ours > 1, ours, capacity=3)
    assert np.array_equal(values.get(), x[x > 1][:3])
    with pytest.raises(ValueError, match="capacity of -1"):
        tnp.nonzero(ours, capacity=-1)


def test_many_elements(computing):
    rng = np.random.default_rng(3)
    x = rng.random(100_003, "f4")
    ours = tnp.array(x)
    for limit in (0, 0.25, 0.999, 1):
        same(ours[ours >= limit], x[x >= limit])
    same(tnp.nonzero(ours > 0.9), np.nonzero(x > 0.9))


def test_where_takes_both_values_or_none(device):
    with pytest.raises(TypeError, match="both x and y"):
        tnp.where(tnp.ones(3), 1)
    with pytest.raises(ValueError, match="atleast_1d"):
        tnp.nonzero(tnp.array(3))
