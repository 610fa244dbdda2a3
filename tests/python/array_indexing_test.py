# SPDX-License-Identifier: MIT
"""Elements chosen by indices and masks, beside NumPy."""

import itertools

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle._core.array import set_lazy

IDS = [d.id for d in treadle.devices()]
DTYPES = ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"]


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


@pytest.fixture
def computing(device):
    if not device.traits.runs_kernels:
        pytest.skip("it computes nothing")
    return device


def values_of(shape, dtype="f4"):
    count = int(np.prod(shape, dtype=int))
    return (np.arange(count) % 97).astype(dtype).reshape(shape)


def on_device(part):
    return tnp.array(part) if isinstance(part, np.ndarray) else part


def same(ours, theirs):
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.get(), theirs)


I1, I2 = np.array([2, 0, -1]), np.array([[1], [-2]], "i4")
KEYS = [
    (I1,),
    (I2,),
    (I1, slice(None)),
    (slice(None), I1),
    (Ellipsis, I1),
    (slice(None, None, -1), I1, slice(1, None, 2)),
    (I2, I1),
    (I2, slice(None), I1),
    (I1, 1),
    (1, slice(None), I1),
    (1, I1, slice(None)),
    (None, I1),
    (I1, None, I2),
    (slice(0, 0), I1),
    (np.array([], "i8"),),
    (np.array([[0, 1, 2]], "u1"), Ellipsis, -1),
]


@pytest.mark.parametrize("key", KEYS, ids=range(len(KEYS)))
def test_integer_arrays_between_brackets(computing, key):
    theirs = values_of((3, 4, 5))
    theirs = theirs[:, 1:]  # three elements along every axis are indexed
    ours = tnp.array(values_of((3, 4, 5)))[:, 1:]
    device_key = tuple(on_device(part) for part in key)
    list_key = tuple(part.tolist() if isinstance(part, np.ndarray) else part for part in key)
    for one in (key, device_key, list_key):
        same(ours[one], theirs[key])
        same(ours.T[::-1].T[one], theirs.T[::-1].T[key])
    for one in (key, device_key):
        changed, expected = ours.copy(), theirs.copy()
        changed[one] = -1
        expected[key] = -1
        same(changed, expected)
        changed[one] += 100
        expected[key] += 100
        same(changed, expected)
        backwards, expected = ours.copy(), theirs.copy()
        backwards[::-1][one] = 5
        expected[::-1][key] = 5
        same(backwards, expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_of_every_dtype_are_chosen(computing, dtype):
    x = values_of((4, 3), dtype)
    ours = tnp.array(x)
    same(ours[[3, 0, 0]], x[[3, 0, 0]])
    ours[:, [0, 2]] = tnp.array(x[:, [2, 0]])
    x[:, [0, 2]] = x[:, [2, 0]]
    same(ours, x)


@pytest.mark.parametrize("mode", [None, "raise", "wrap", "clip"])
def test_take(computing, mode):
    x = values_of((3, 4))
    options = {} if mode is None else {"mode": mode}
    wild = [7, -9, 2] if mode in ("wrap", "clip") else [1, -1, 2]
    for axis, index in itertools.product((None, 0, 1, -1), (wild, [wild], 1, [])):
        index = np.array(index, "i8")
        expected = np.take(x, index, axis=axis, **options)
        same(tnp.take(tnp.array(x), index, axis=axis, **options), expected)
        same(tnp.take(tnp.array(x), tnp.array(index), axis=axis, **options), expected)
        same(tnp.array(x).T.take(index, axis, mode=mode if mode != "raise" else None),
             np.take(x.T, index, axis=axis, **options))  # fmt: skip
    out = tnp.zeros((2, 4), "f4")
    assert tnp.take(tnp.array(x), [1, 0], 0, out) is out
    same(out, x[[1, 0]])


@pytest.mark.parametrize("mode", [None, "wrap", "clip"])
def test_put(computing, mode):
    options = {} if mode is None else {"mode": mode}
    index = [5, -20, 2] if mode else [5, -2, 2]  # no element twice
    for values in (7, [1], [1, 2], [1, 2, 3, 4]):
        for make in (lambda x: x, lambda x: x.T, lambda x: x[:, ::-2]):
            x = values_of((3, 4))
            ours = tnp.array(x)
            np.put(view := make(x), index, values, **options)
            tnp.put(make(ours), np.array(index), values, **options)
            if np.shares_memory(view, x):
                same(ours, x)


def test_along_an_axis(computing):
    x = values_of((3, 4, 2))[::-1]
    ours = tnp.array(values_of((3, 4, 2)))[::-1]
    for axis in (0, 1, 2, -1):
        order = np.argsort(x, axis=axis)[::-1]
        same(tnp.take_along_axis(ours, tnp.array(order), axis), np.take_along_axis(x, order, axis))
    index = np.zeros((1, 4, 1), "i8")
    np.put_along_axis(x, index, 50, 0)
    tnp.put_along_axis(ours, tnp.array(index), 50, 0)
    same(ours, x)


def test_masks_of_the_host_choose_elements(computing):
    x = values_of((3, 4))
    ours, mask = tnp.array(x), x % 3 == 0
    same(ours[mask], x[mask])
    same(ours[:, [True, False, True, False]], x[:, [True, False, True, False]])
    same(ours[[False, True, True], 1], x[[False, True, True], 1])
    same(ours[..., np.array([True] * 4)], x[..., np.array([True] * 4)])
    ours[mask] = np.arange(mask.sum())
    x[mask] = np.arange(mask.sum())
    same(ours, x)
    for wrong in (mask[:2], mask.T):
        with pytest.raises(IndexError):
            ours[wrong]


TRUTHS = """
    True|False|None, True|True, None|False, None|True, False|True, True|..., True|True, ...|0, True
    True, 0|:, True|:, False|1:, True, 0|[0, 2], True|True, [0, 2]|[[0], [1]], False|np.True_
    np.array(False)|np.True_, ...|0, False, 1|True, :, True|[0, 1], :, True|..., False, 1:
    None, False|[], True|[], False|:, [1, 0], True|True, 1, None
"""


def test_true_and_false_choose_all_or_none(computing):
    """As masks without axes: they add an axis of one element or none."""
    for key in [k.strip() for line in TRUTHS.strip().split("\n") for k in line.split("|")]:
        for shape in ((3, 4), (3, 4, 2)):
            x = values_of(shape)
            ours = tnp.array(x)
            try:
                expected = eval(f"x[{key}]")
            except IndexError:
                with pytest.raises(IndexError):
                    eval(f"ours[{key}]")
                continue
            same(eval(f"ours[{key}]"), expected)
            for value in ("7", "np.arange(expected.size).reshape(expected.shape)"):
                exec(f"x[{key}] = {value}; ours[{key}] = {value}")
                same(ours, x)
    for number in (tnp.array(np.float32(4)),):
        same(number[True], np.array(4, "f4")[True])
        same(number[False], np.array(4, "f4")[False])


@pytest.mark.parametrize("truth", [True, False])
def test_a_truth_on_the_device_goes_with_other_indices(computing, truth):
    x = values_of((3, 4))
    ours, mask = tnp.array(x), tnp.array(truth)
    same(ours[mask], x[truth])
    for key in ("..., t", "t, 1:", ":, t, 0", "[2], t", "None, t"):
        same(
            eval(f"ours[{key}]", {"ours": ours, "t": mask}), eval(f"x[{key}]", {"x": x, "t": truth})
        )
        exec(f"x[{key}] = 7; y[{key.replace('t', 'm')}] = 7",
             {"x": x, "y": ours, "t": truth, "m": mask})  # fmt: skip
        same(ours, x)


def test_masks_on_the_device_choose_what_is_assigned_to(computing):
    x = values_of((3, 3))
    ours = tnp.array(x)
    for mask, value in [(x > 6, 0), (x[0] > 0, 50), (x[:, 0] > 2, [1, 2, 3]), (x < 0, 9)]:
        x[mask] = value
        ours[tnp.array(mask)] = value if isinstance(value, int) else tnp.array(value)
        same(ours, x)
    with pytest.raises(IndexError, match="first axes"):
        ours[tnp.array([True, False])] = 1


@pytest.mark.parametrize("masked", [(0,), (3,), (0, 0)])
def test_values_fit_where_a_mask_selects_nothing(computing, masked):
    x = np.zeros((3, 4), "f4")
    for shape in [(), (1,), (4,), (0, 4), (2,), (0, 2), (3, 4), (1, 1)]:
        try:
            x[np.zeros(masked, bool)] = np.ones(shape)
        except ValueError:
            with pytest.raises(ValueError, match="shape|axis"):
                tnp.zeros((3, 4), "f4")[tnp.zeros(masked, bool)] = tnp.ones(shape)
        else:
            tnp.zeros((3, 4), "f4")[tnp.zeros(masked, bool)] = tnp.ones(shape)


def test_chosen_elements_are_part_of_the_kernel(computing):
    x = tnp.arange(10, dtype="f4")
    y = x[tnp.array([3, 1])] * 2 + 1
    assert y.is_pending
    x[:] = 0  # what reads it is computed first
    assert y.get().tolist() == [7, 3]


def test_shapes_of_one_and_of_none(computing):
    one = tnp.array(np.float32(4))
    same(tnp.take(one, [0, 0]), np.take(np.float32(4), [0, 0]))
    with pytest.raises(IndexError):
        one[[0]]
    none = tnp.zeros((0, 3))
    same(none[:, [2, 0]], np.zeros((0, 3))[:, [2, 0]])
    same(none[[]], np.zeros((0, 3))[[]])
    none[:, [0]] = 5
    with pytest.raises(IndexError, match="no elements"):
        none[[0]]
    with pytest.raises(IndexError, match="no elements"):
        none[tnp.array([0])]


def test_wrong_indices_are_refused(device):
    x = tnp.zeros((3, 4))
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 of length 3"):
        x[[0, 3]]
    with pytest.raises(IndexError, match="index -5 is out of bounds for axis 1 of length 4"):
        x[:, np.array([-5])] = 1
    with pytest.raises(IndexError, match="float64"):
        x[[0.5]]
    with pytest.raises(treadle.DTypeError, match="integers, not float32"):
        x[tnp.zeros(2, "f4")]
    with pytest.raises((IndexError, ValueError)):
        x[[0, 1], [0, 1, 2]]
    with pytest.raises(IndexError):
        x[[0], [0], [0]]
    with pytest.raises(treadle.ShapeError):
        x[[0, 1]] = tnp.zeros(3)
    with pytest.raises(ValueError, match="mode"):
        x.take([0], mode="nearest")
    if device.traits.runs_kernels:
        with pytest.raises(IndexError, match="index 12"):
            tnp.take(x, tnp.array([0, 12]), mode="raise")


def test_lists_are_values(computing):
    x = tnp.zeros((2, 3), "f4")
    x[0] = [1, 2, 3]
    x[:, [0, 2]] = [[7, 8], (9, 10)]
    assert x.get().tolist() == [[7, 2, 8], [9, 0, 10]]
    x[x.get() > 7] = [1, 2, 3]
    assert x.get().tolist() == [[7, 2, 1], [2, 0, 3]]
    with pytest.raises(treadle.ShapeError):
        x[0] = [1, 2]


def test_numpys_functions_choose_elements(computing):
    x = values_of((3, 4))
    ours = tnp.array(x)
    same(np.take(ours, [2, 0], axis=1), np.take(x, [2, 0], axis=1))
    same(np.concatenate([ours, ours]), np.concatenate([x, x]))
    same(np.roll(ours, 1, axis=0), np.roll(x, 1, axis=0))


def test_choices_and_coefficients_may_be_an_array(computing):
    """What it gives row by row is kept for the length of the call."""
    rows, x = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([5.0, 6.0])
    ours, device_x = tnp.array(rows), tnp.array(x)
    for _ in range(20):
        same(tnp.choose(tnp.array([0, 1]), ours), np.choose([0, 1], rows))
        same(tnp.polyval(tnp.array([1.0, 2.0]), device_x), np.polyval([1.0, 2.0], x))
        same(tnp.polyval(ours, device_x), np.polyval(rows, x))
        conditions = [device_x > 5, device_x > 4]
        same(tnp.select(conditions, ours), np.select([x > 5, x > 4], list(rows)))
        same(tnp.select(tnp.array([[True, False], [False, True]]), ours, ours[0]),
             np.select([[True, False], [False, True]], list(rows), rows[0]))  # fmt: skip
        same(tnp.choose(tnp.array([0, 1]), (row * 2 for row in ours)), np.choose([0, 1], 2 * rows))


def test_select_and_choose(computing):
    x = values_of(8)
    ours = tnp.array(x)
    same(tnp.select([ours < 2, ours < 5], [ours, -ours], 9.0),
         np.select([x < 2, x < 5], [x, -x], 9.0).astype("f4"))  # fmt: skip
    index = (np.arange(8) % 3).astype("i4")
    same(tnp.choose(tnp.array(index), [ours, -ours, 2 * ours]), np.choose(index, [x, -x, 2 * x]))


def test_repeat_by_counts(computing):
    x = values_of((3, 2))
    same(tnp.repeat(tnp.array(x), [2, 0, 1], axis=0), np.repeat(x, [2, 0, 1], axis=0))
    same(tnp.repeat(tnp.array(x), np.arange(6)), np.repeat(x, np.arange(6)))


def test_item_counts_in_c_order_and_reads_one_element(device):
    theirs = np.arange(24, dtype="i4").reshape(2, 3, 4)
    for view in (lambda x: x, lambda x: x.T, lambda x: x[::-1, :, ::2], lambda x: x[0, 0, 0]):
        mine, ours = view(theirs), view(tnp.array(theirs))
        for place in (0, mine.size - 1, -1, mine.size // 2, -mine.size):
            assert ours.item(place) == mine.item(place) or not device.traits.runs_kernels
        for place in (mine.size, -mine.size - 1):
            with pytest.raises(IndexError, match=f"index {place} of an array of shape"):
                ours.item(place)
    endless = tnp.broadcast_to(tnp.array(theirs[0, 0]), (1 << 40, 4))  # no memory holds a copy
    assert endless.item(-2) == 2 or not device.traits.runs_kernels


def test_assignment_to_more_places_than_the_last_cache_holds(computing):
    """A GPU stores by several kernels, each to its part of the places."""
    is_gpu = computing.id.startswith("cuda")
    n = 2 * computing.limits.l2_bytes // 16 if is_gpu else 4000
    rng = np.random.default_rng(1)
    places = rng.permutation(n)[: n * 3 // 4]
    sources = rng.integers(0, n, len(places))
    places[::7] -= n
    host = np.arange(n) * (1 + 2j)
    x, t = tnp.array(host), tnp.zeros(n, tnp.complex128)
    on_places, on_sources = tnp.array(places), tnp.array(sources)
    expected = np.zeros(n, complex)
    t[on_places] = x[on_sources]
    expected[places] = host[sources]
    assert np.array_equal(t.get(), expected)
    t[on_places] = t[on_sources] + 1
    expected[places] = expected[sources] + 1
    assert np.array_equal(t.get(), expected)
    backwards = t[::-1]
    backwards[on_places] = 7
    expected[::-1][places] = 7
    assert np.array_equal(t.get(), expected)
    own = rng.permutation(2 * n)
    x = tnp.array(own)
    x[x] = 0  # the places are in the memory that is written
    assert np.array_equal(x.get(), np.zeros(2 * n))
    for is_lazy in (True, False):  # at once, each operation on the places would be a kernel
        for _ in range(8):  # as many launches as are remembered
            tnp.evaluate(-tnp.ones(4))
        before = set_lazy(is_lazy)
        try:
            t[on_places] = 7
        finally:
            set_lazy(before)
        names = [launch.kernel for launch in computing.last_launches()]
        assert (names.count(names[0]) > 1) == (is_gpu and is_lazy)
