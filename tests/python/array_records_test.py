# SPDX-License-Identifier: MIT
"""Arrays of records: NumPy's structured dtypes."""

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices()]
POINT = np.dtype([("at", "f4", (2,)), ("count", "i4"), ("weight", "f8")], align=True)
PACKED = np.dtype([("tag", "i1"), ("pair", "u2")])
PAIR = np.dtype([("count", "i4"), ("at", "f4")])
NESTED = np.dtype([("pair", PAIR), ("more", "c8")], align=True)


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


@pytest.fixture
def computing(device):
    if not device.traits.runs_kernels:
        pytest.skip("it computes nothing")
    return device


def points(count):
    x = np.zeros(count, POINT)
    x["at"] = np.arange(2 * count).reshape(count, 2)
    x["count"] = np.arange(count) * 10
    x["weight"] = np.arange(count) / 4
    return x


def same(ours, theirs):
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.get(), theirs)


@pytest.mark.parametrize("dtype", [POINT, PACKED, NESTED, np.dtype([(("title", "x"), "f4")])])
def test_dtypes_come_back_as_they_were(device, dtype):
    x = tnp.empty(3, dtype)
    assert x.dtype == dtype
    assert x.dtype.fields.keys() == dtype.fields.keys()
    assert x.itemsize == dtype.itemsize
    assert x.get().dtype == dtype


def test_fields_of_several_axes(computing):
    dtype = np.dtype([("m", "f4", (2, 3)), ("one", "i4", (1,)), ("n", "i4", (2, 1, 1))], align=True)
    x = np.zeros(4, dtype)
    x["m"] = np.arange(24).reshape(4, 2, 3)
    x["one"][:, 0] = range(4)
    ours = tnp.array(x)
    for name in dtype.names:
        same(ours[name], x[name])
        same(ours[::-2][name], x[::-2][name])
    ours["m"][1:, 1] = 9
    x["m"][1:, 1] = 9
    ours["one"] = [[7], [8], [9], [10]]
    x["one"] = [[7], [8], [9], [10]]
    same(ours, x)
    same(ours["m"].sum(axis=(1, 2)), x["m"].sum(axis=(1, 2)))


def test_records_are_moved_whole(computing):
    x = points(5)
    ours = tnp.array(x)
    same(ours[::-1], x[::-1])
    same(ours[[3, 0]], x[[3, 0]])
    same(ours[tnp.array([3, 0])], x[[3, 0]])
    same(ours.copy(), x)
    same(tnp.concatenate([ours, ours[:1]]), np.concatenate([x, x[:1]]))
    same(tnp.roll(ours, 1), np.roll(x, 1))
    ours[0] = ours[4]
    ours[1] = ((7, 8), 9, 10.0)
    ours[[2, 3]] = tnp.array(x[:2])
    x[[2, 3]] = x[:2]
    x[0], x[1] = x[4], ((7, 8), 9, 10.0)
    same(ours, x)
    ours[tnp.array(x["count"] > 5)] = x[2]
    x[x["count"] > 5] = x[2].copy()
    same(ours, x)
    same(tnp.zeros(2, POINT), np.zeros(2, POINT))
    assert ours[2].item()[1:] == x[2].item()[1:]


def test_fields_are_views(computing):
    x = points(4)
    ours = tnp.array(x)
    same(ours["count"] + 1, x["count"] + 1)
    same(ours["at"], x["at"])
    same(ours[::2]["at"][:, 1] * 2, x[::2]["at"][:, 1] * 2)
    ours["weight"] = ours["count"] / 2
    ours["count"][1:] += 5
    x["weight"] = x["count"] / 2
    x["count"][1:] += 5
    same(ours, x)
    nested = np.zeros(2, NESTED)
    nested["pair"]["count"] = [5, 6]
    ours = tnp.array(nested)
    same(ours["pair"], nested["pair"])
    same(ours["pair"]["count"], nested["pair"]["count"])


def test_numbers_and_lists_are_assigned_as_numpy_does(computing):
    x = points(3)
    ours = tnp.array(x)
    for target in (ours, x):
        target["at"] = [5, 6]
        target[1:] = 8
        target[:1] = [((1, 2), 3, 4)]
    same(ours, x)
    ours.fill(3)
    same(ours, np.full(3, 3, POINT))


def test_records_are_compared_field_by_field(computing):
    packed = np.zeros(4, [("a", "i1"), ("b", "f8"), ("c", "u2", (2, 2))])
    packed["b"] = [0.0, 1.0, np.nan, -0.0]
    packed["c"] = np.arange(16).reshape(4, 2, 2)
    nested = np.zeros(4, NESTED)
    nested["pair"]["at"] = [1, 2, 3, 4]
    nested["more"] = 1 + 2j
    for x, field in ((points(4), "at"), (packed, "c"), (nested, "pair")):
        y = x.copy()
        y[field][1] = y[field][2]
        for a, b in ((x, y), (x[::-1], y[::-1]), (x[:, None], y), (x, y[1])):
            ours = tnp.array(a), tnp.array(b)
            same(ours[0] == ours[1], a == b)
            same(ours[0] != ours[1], a != b)
        same(tnp.array(x)[::-2] == tnp.array(y)[::-2], x[::-2] == y[::-2])
        same(tnp.array(x) == y[2], x == y[2])
        out = tnp.zeros(4, "?")
        same(tnp.equal(tnp.array(x), tnp.array(y), out=out), x == y)


def test_where_picks_whole_records(computing):
    packed = np.zeros(4, PACKED)
    packed["pair"] = [5, 6, 7, 8]
    for x in (points(4), packed):
        y = x[::-1].copy()
        mask = np.array([True, False, False, True])
        ours = tnp.array(x), tnp.array(y)
        same(tnp.where(tnp.array(mask), *ours), np.where(mask, x, y))
        same(tnp.where(tnp.array([[2], [0]]), *ours), np.where([[2], [0]], x, y))
        same(tnp.where(tnp.array(mask), ours[0], x[1]), np.where(mask, x, x[1]))
        both = tnp.where(tnp.array(mask), tnp.where(ours[0] == ours[1], *ours), ours[1])
        same(both, np.where(mask, np.where(x == y, x, y), y))


def test_what_records_cannot_do_is_refused(device):
    x = tnp.zeros(3, POINT)
    with pytest.raises(treadle.DTypeError, match="(?s)no field 'speed'.*at, count, weight"):
        x["speed"]
    with pytest.raises(IndexError, match="str"):
        tnp.zeros(3)["at"]
    with pytest.raises(treadle.DTypeError, match="one of its fields"):
        x + 1
    with pytest.raises(treadle.DTypeError, match="not stored"):
        x[0] = tnp.ones(3)
    with pytest.raises(treadle.DTypeError, match="align=True"):
        tnp.zeros(3, PACKED)["pair"]
    with pytest.raises(treadle.DTypeError):
        tnp.concatenate([x, tnp.zeros(3)])
    with pytest.raises(treadle.DTypeError, match="one dtype"):
        tnp.where(tnp.ones(3, "?"), x, tnp.zeros(3))
    with pytest.raises(treadle.DTypeError, match="not compared"):
        tnp.equal(x, tnp.zeros(3))
    with pytest.raises(treadle.DTypeError, match="not compared"):
        tnp.not_equal(x, tnp.zeros(3, PAIR))
    with pytest.raises(treadle.DTypeError):
        tnp.zeros(3, [("when", "M8[s]")])
    with pytest.raises(treadle.DTypeError):
        tnp.zeros(3, np.dtype((np.int32, (2,))))
    with pytest.raises(treadle.DTypeError, match="(?s)no bytes.*S8"):
        tnp.zeros(3, [("text", "U")])


@pytest.mark.parametrize(
    "host",
    [
        np.array(["ab", "", "äö"]),
        np.array([b"abcd", b"", b"x"]),
        np.array([b"abcde", b"f", b"g"], "V5"),
        np.array([(1, b"abc"), (2, b""), (3, b"defg")], [("id", "i4"), ("name", "S4")]),
    ],
    ids=lambda host: host.dtype.kind,
)
def test_text_and_raw_bytes_are_kept(host, device):
    x = tnp.array(host)
    same(x, host)
    same(x[::-1], host[::-1])
    same(tnp.zeros(3, host.dtype), np.zeros(3, host.dtype))
    same(tnp.zeros_like(x), np.zeros_like(host))
    for ours, theirs in (
        (tnp.zeros((2, 3), host.dtype, "F"), np.zeros((2, 3), host.dtype, "F")),
        (tnp.full((2, 3), host[0], host.dtype, "F"), np.full((2, 3), host[0], host.dtype, "F")),
    ):
        same(ours, theirs)
        assert ours.strides == theirs.strides
    if device.traits.runs_kernels:
        same(tnp.concatenate([x, x[1:2]]), np.concatenate([host, host[1:2]]))
        same(x == tnp.array(host[[0, 2, 2]]), np.array([True, False, True]))
    with pytest.raises(treadle.DTypeError):
        x + 1


@pytest.mark.parametrize("host", [np.array(["no", "", "maybe"]), np.array([b"no", b"", b"maybe"])])
def test_elements_of_text_equal_text(host, device):
    if not device.traits.runs_kernels:
        pytest.skip("no kernels")
    x = tnp.array(host)
    for text in ("no", "", "maybe", "maybe not", b"no", b"", b"maybe not", np.str_("no"), None):
        same(x == text, host == text)
        same(x != text, host != text)
        same(text == x[:, None], text == host[:, None])
    for text in ("no", b"no", np.str_("no")):
        same(tnp.arange(3) == text, np.array([False] * 3))


@pytest.mark.parametrize("elements", [np.zeros(2, [("a", "f4")]), np.array(["x", "y"])], ids=str)
def test_a_diagonal_of_what_is_no_number_is_refused(elements):
    with pytest.raises(treadle.DTypeError, match="records or of text"):
        tnp.diag(tnp.asarray(elements))
