# SPDX-License-Identifier: MIT
"""treadle.scans, and the methods of treadle.numpy's functions of two operands, beside NumPy."""

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import scans

IDS = [d.id for d in treadle.devices()]


@pytest.fixture(params=IDS)
def computing(request):
    with treadle.find_device(request.param) as device:
        if not device.traits.runs_kernels:
            pytest.skip("it computes nothing")
        yield device


def same(ours, theirs):
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.get(), theirs)


def near(ours, theirs):
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-5)


def drawn(shape, dtype="i4", seed=0):
    return np.random.default_rng(seed).integers(1, 50, shape).astype(dtype)


def test_scans_in_all_forms(computing):
    x = drawn((7, 300))
    ours = tnp.array(x)
    same(scans.scan(ours), np.cumsum(x, dtype="i4"))
    same(scans.scan(ours, tnp.maximum, axis=0), np.maximum.accumulate(x, 0))
    same(
        scans.scan(ours, "minimum", axis=1, reverse=True),
        np.minimum.accumulate(x[:, ::-1], 1)[:, ::-1],
    )
    exclusive = np.cumsum(x, 1, dtype="i4") - x
    same(scans.scan(ours, axis=1, exclusive=True), exclusive)
    own = scans.scan(ours[0], scans.Operator("a * b % 97", "1"), exclusive=True).get()
    expected = [1]
    for one in x[0][:-1]:
        expected.append(int(expected[-1]) * int(one) % 97)
    assert own.tolist() == expected


def test_segments_keys_and_runs(computing):
    keys = np.sort(drawn(2000)) // 5
    values = drawn(2000, "i8", 1)
    starts = np.r_[True, keys[1:] != keys[:-1]]
    places = np.flatnonzero(starts)
    sums = np.add.reduceat(values, places)
    same(scans.reduce_by_key(keys, values)[1], sums)
    found, made, count = scans.reduce_by_key(keys, values, capacity=20)
    same(found[: int(count)], keys[places])
    same(made[: int(count)], sums)
    before = np.repeat(np.cumsum(values)[places] - values[places], np.diff(np.r_[places, 2000]))
    same(scans.scan_by_key(keys, values), np.cumsum(values) - before)
    same(scans.segmented_scan(values, starts), np.cumsum(values) - before)
    pixels, lengths = scans.run_length_encode(keys)
    same(pixels, keys[places])
    same(lengths, np.diff(np.r_[places, 2000]))
    same(scans.run_length_decode(pixels, lengths), keys)
    _, lengths, count = scans.run_length_encode(keys, capacity=3)
    assert int(count) == len(places)
    same(lengths, np.diff(places[:4]))
    offsets = np.r_[places, 2000]
    same(scans.segmented_reduce(values, offsets), sums)
    same(
        scans.segmented_reduce(values, [0, 5], [3, 5], operator="maximum"),
        np.array([values[:3].max(), np.iinfo("i8").min]),
    )


def test_methods_of_functions(computing):
    x = drawn((5, 60), "i2")
    f = x.astype("f4")
    for name in ("add", "multiply", "maximum", "minimum", "bitwise_or", "logical_and", "gcd"):
        ours, theirs = getattr(tnp, name), getattr(np, name)
        small = x if name != "multiply" else x % 3
        same(ours.accumulate(tnp.array(small), axis=1), theirs.accumulate(small, axis=1))
        same(
            ours.reduceat(tnp.array(small), [0, 9, 4, 50], axis=1),
            theirs.reduceat(small, [0, 9, 4, 50], axis=1),
        )
        same(ours.reduce(tnp.array(small)), theirs.reduce(small))
    same(tnp.bitwise_xor.reduce(tnp.array(x), axis=None), np.bitwise_xor.reduce(x, axis=None))
    same(tnp.gcd.reduce(tnp.array(x), 1, keepdims=True), np.gcd.reduce(x, 1, keepdims=True))
    near(tnp.add.accumulate(tnp.array(f), dtype="f8"), np.add.accumulate(f, dtype="f8"))
    near(tnp.fmax.reduceat(tnp.array(f), [1, 3]), np.fmax.reduceat(f, [1, 3]))
    same(
        tnp.add.accumulate(tnp.array(f[0].astype("f2") // 8)),
        np.add.accumulate(f[0].astype("f2") // 8),
    )
    same(tnp.subtract.outer(tnp.array(x), [1, 2]), np.subtract.outer(x, [1, 2]))
    out = tnp.zeros((5, 60))
    assert tnp.add.accumulate(tnp.array(f), 0, None, out) is out
    same(out, np.add.accumulate(f).astype("f8"))


def test_updates_at_places_that_come_several_times(computing):
    for dtype in ("i4", "f8", "f2", "?"):
        x = drawn((6, 7), dtype)
        places = drawn(90, "i8", 2) % 6
        ours = tnp.array(x)
        values = (drawn(90, "i4", 3) % 4).astype(dtype)
        tnp.maximum.at(ours, (places, 2), values)
        np.maximum.at(x, (places, 2), values)
        tnp.add.at(ours, tnp.array(places), True)
        np.add.at(x, places, True)
        same(ours, x)
    x = drawn(40, "f4")
    ours = tnp.array(x)
    tnp.subtract.at(ours, [3, 3, -1], [1.5, 2, 3])
    np.subtract.at(x, [3, 3, -1], [1.5, 2, 3])
    tnp.multiply.at(ours, slice(0, 5), 2)
    np.multiply.at(x, slice(0, 5), 2)
    mask = x > 20
    tnp.add.at(ours, tnp.array(mask), 1)
    np.add.at(x, mask, 1)
    scans.combine_at(ours, [0, 0], [100, 90], "minimum")
    np.minimum.at(x, [0, 0], [100, 90])
    same(ours, x)


def test_what_is_refused(computing):
    x = tnp.arange(6)
    for call in (
        lambda: tnp.subtract.accumulate(x),
        lambda: tnp.divide.reduceat(x, [0]),
        lambda: tnp.power.at(x, 0, 1),
        lambda: tnp.arctan2.reduce(x),
    ):
        with pytest.raises(treadle.NotSupported, match="is not associative"):
            call()
    with pytest.raises(treadle.ShapeError, match="without axes"):
        tnp.add.accumulate(tnp.asarray(3))
    with pytest.raises(TypeError, match="an operator is"):
        scans.scan(x, 3)
    with pytest.raises(treadle.InvalidArgument, match="neutral"):
        scans.scan(x, scans.Operator("a + b"), exclusive=True)
    with pytest.raises(treadle.IndexError, match="reduceat"):
        tnp.add.reduceat(x, [6])
    with pytest.raises(treadle.InvalidArgument, match="capacity"):
        scans.run_length_encode(x, capacity=-1)
    with pytest.raises(TypeError, match="wanted: Array"):
        tnp.add.at([1, 2], [0], 1)


def test_scans_have_the_same_bits_in_every_run(computing):
    x = tnp.array(np.random.default_rng(5).random(100_003, "f4"))
    first = scans.scan(x).get()
    for _ in range(5):
        np.testing.assert_array_equal(scans.scan(x).get(), first)
