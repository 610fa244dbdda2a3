# SPDX-License-Identifier: MIT
"""Arrays rearranged and joined, beside NumPy."""

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices()]
DTYPES = ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"]
SHAPES = [(), (0,), (1,), (5,), (2, 3), (3, 0, 2), (1, 4, 1), (2, 3, 2)]


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


def same(ours, theirs):
    """Compares an array or several, shapes and dtypes included."""
    if isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            same(one, other)
        return
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.get(), theirs)


def both(function, *arrays, **options):
    """The same call on arrays of both kinds; where NumPy refuses, so must we."""
    try:
        theirs = function(np, *arrays, **options)
    except (ValueError, IndexError, TypeError) as error:
        kinds = (
            (ValueError, IndexError) if isinstance(error, (ValueError, IndexError)) else TypeError
        )
        with pytest.raises(kinds):
            function(tnp, *[tnp.array(x) for x in arrays], **options)
        return
    same(function(tnp, *[tnp.array(x) for x in arrays], **options), theirs)


VIEWS = {
    "squeeze": lambda m, x: m.squeeze(x),
    "squeeze 0": lambda m, x: m.squeeze(x, 0) if x.ndim else x,
    "squeeze both": lambda m, x: m.squeeze(x, (0, -1)),
    "expand_dims": lambda m, x: m.expand_dims(x, -1),
    "expand_dims two": lambda m, x: m.expand_dims(x, (0, -1)),
    "swapaxes": lambda m, x: m.swapaxes(x, 0, -1),
    "moveaxis": lambda m, x: m.moveaxis(x, 0, -1),
    "moveaxis two": lambda m, x: m.moveaxis(x, (0, 1), (-1, 0)),
    "flip": lambda m, x: m.flip(x),
    "flip -1": lambda m, x: m.flip(x, -1),
    "flip two": lambda m, x: m.flip(x, (0, 1)),
    "flipud": lambda m, x: m.flipud(x),
    "fliplr": lambda m, x: m.fliplr(x),
    "rot90": lambda m, x: m.rot90(x),
    "rot90 -1": lambda m, x: m.rot90(x, -1, (1, 0)),
    "diagonal": lambda m, x: m.diagonal(x, 1),
    "matrix_transpose": lambda m, x: m.matrix_transpose(x),
    "broadcast_to": lambda m, x: m.broadcast_to(x, (2, *x.shape)),
    "atleast_1d": lambda m, x: m.atleast_1d(x),
    "atleast_2d": lambda m, x: m.atleast_2d(x),
    "atleast_3d": lambda m, x: m.atleast_3d(x),
    "array_split": lambda m, x: m.array_split(x, 2),
    "split": lambda m, x: m.split(x, 2),
    "split at": lambda m, x: m.split(x, [1, 3]),
    "hsplit": lambda m, x: m.hsplit(x, [1]),
    "vsplit": lambda m, x: m.vsplit(x, [1]) if x.ndim > 1 else m.flip(x),
    "unstack": lambda m, x: m.unstack(x),
    "iteration": lambda m, x: list(x) if x.ndim > 1 else m.flip(x),
}
COPIES = {
    "roll": lambda m, x: m.roll(x, 2),
    "roll axis": lambda m, x: m.roll(x, -1, -1),
    "roll two": lambda m, x: m.roll(x, (1, 2), (0, 0)),
    "roll all": lambda m, x: m.roll(x, 1, tuple(range(x.ndim))),
    "repeat": lambda m, x: m.repeat(x, 2),
    "repeat axis": lambda m, x: m.repeat(x, 3, -1) if x.ndim else x,
    "repeat 0": lambda m, x: m.repeat(x, 0, 0) if x.ndim else x,
    "tile": lambda m, x: m.tile(x, 2),
    "tile two": lambda m, x: m.tile(x, (2, 3)),
    "tile 0": lambda m, x: m.tile(x, (0, 1)),
    "pad": lambda m, x: m.pad(x, 1),
    "pad sides": lambda m, x: m.pad(x, (1, 2), constant_values=1),
    "pad axes": lambda m, x: m.pad(x, [(1, 0), (0, 2)]),
    "tril": lambda m, x: m.tril(x, -1) if x.ndim > 1 else m.flip(x),
    "triu": lambda m, x: m.triu(x, 1) if x.ndim > 1 else m.flip(x),
    "concatenate": lambda m, x: m.concatenate([x, x, x]),
    "concatenate flat": lambda m, x: m.concatenate([x, x], axis=None),
    "concatenate last": lambda m, x: m.concatenate([x, x], axis=-1),
    "stack": lambda m, x: m.stack([x, x]),
    "stack last": lambda m, x: m.stack([x, x], axis=-1),
    "hstack": lambda m, x: m.hstack([x, x]),
    "vstack": lambda m, x: m.vstack([x, x]),
    "dstack": lambda m, x: m.dstack([x, x]),
    "column_stack": lambda m, x: m.column_stack([x, x]),
    "append": lambda m, x: m.append(x, x),
    "clip": lambda m, x: m.clip(x, 1, 3),
    "flatten": lambda m, x: x.flatten(),
}  # fmt: skip


@pytest.mark.parametrize("name", [n for n in VIEWS if hasattr(np, n.split()[0]) or " " in n])
def test_views_see_what_numpys_see(computing, name):
    for shape in SHAPES:
        both(VIEWS[name], values_of(shape))
        both(lambda m, x: VIEWS[name](m, x.T), values_of(shape))


@pytest.mark.parametrize("name", COPIES)
def test_copies_hold_what_numpys_hold(computing, name):
    for shape in SHAPES:
        both(COPIES[name], values_of(shape))
        both(lambda m, x: COPIES[name](m, x.T[::-1] if x.ndim else x), values_of(shape, "f4"))


LARGE_PADS = {
    "one axis": ((4000,), "u1", [(3, 0)], 7),
    "two axes": ((40, 103), "f4", 1, -2.5),
    "not at each end": ((13, 2, 70), "f8", [(0, 2), (0, 0), (5, 1)], 1e300),
    "no inside": ((0, 1 << 10), "i4", 1, 3),
}


@pytest.fixture
def strips(computing):
    """With a tiling by which small arrays get their border strip by strip, as large ones do."""
    before = treadle.tiling(computing)
    treadle.set_tiling(computing, before.replace(border_bytes=1024))
    yield computing
    treadle.set_tiling(computing, before)


@pytest.mark.parametrize("name", LARGE_PADS)
def test_borders_of_large_arrays_are_those_of_small_ones(strips, name):
    shape, dtype, widths, value = LARGE_PADS[name]
    both(lambda m, x: m.pad(x, widths, constant_values=value), values_of(shape, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_of_every_dtype_are_moved(computing, dtype):
    x = values_of((4, 3), dtype)
    for function in (COPIES["roll two"], COPIES["concatenate"], COPIES["tile"], COPIES["triu"]):
        both(function, x)


@pytest.mark.parametrize("other", DTYPES)
def test_joined_arrays_have_the_dtype_that_holds_all(computing, other):
    for dtype in DTYPES:
        both(lambda m, x, y: m.concatenate([x, y]), values_of(3, dtype), values_of(2, other))
    both(lambda m, x: m.concatenate([x, x], dtype="f8"), values_of(3, "f4"))


def test_views_share_memory(computing):
    x = tnp.zeros((2, 3), "f4")
    tnp.flip(x, 1)[:, 0] = 5
    tnp.moveaxis(x, 0, 1)[1] = 7
    tnp.split(x, [1])[1][0, 0] = 9
    assert x.get().tolist() == [[0, 7, 5], [9, 7, 5]]
    with pytest.raises(treadle.InvalidArgument, match="read-only"):
        tnp.broadcast_to(x[0], (2, 3))[...] = 1
    assert tnp.meshgrid(tnp.arange(2), tnp.arange(3))[0][0, 0].shape == ()


@pytest.mark.parametrize("options", [{}, {"indexing": "ij"}, {"sparse": True}])
def test_grids(computing, options):
    both(lambda m, x, y: m.meshgrid(x, y, **options), values_of(2), values_of(3, "i4"))
    both(lambda m, x: m.meshgrid(x, **options), values_of(2))


def test_pending_parts_are_computed_by_the_copy(computing):
    x = tnp.arange(4, dtype="f4")
    total = x + 1
    joined = tnp.concatenate([total, 2 * x])
    assert total.is_pending
    assert joined.get().tolist() == [1, 2, 3, 4, 0, 2, 4, 6]


def test_results_are_written_into_out(computing):
    out = tnp.zeros(4, "f4")
    assert tnp.concatenate([tnp.ones(2, "f4"), tnp.zeros(2, "f4")], out=out) is out
    assert out.get().tolist() == [1, 1, 0, 0]
    assert tnp.clip(tnp.arange(4), 1, 2, out=out).get().tolist() == [1, 1, 2, 2]
    with pytest.raises(treadle.DTypeError, match="int8"):
        tnp.stack([tnp.ones(4, "f4")], out=tnp.zeros((1, 4), "i1"))
    with pytest.raises(treadle.ShapeError):
        tnp.clip(tnp.arange(3), 1, 2, out=out)


def test_what_does_not_fit_is_refused(device):
    x = tnp.zeros((2, 3))
    with pytest.raises(treadle.ShapeError, match=r"array 1 of shape \(3,\)"):
        tnp.concatenate([x, tnp.zeros(3)])
    with pytest.raises(treadle.IndexError, match="axis 2"):
        tnp.roll(x, 1, 2)
    with pytest.raises(ValueError, match="one for each"):
        tnp.moveaxis(x, (0, 1), 0)
    with pytest.raises(TypeError, match="without axes"):
        iter(x[0, 0])
    with pytest.raises(ValueError, match="mirror"):
        tnp.pad(x, 1, mode="mirror")


@pytest.mark.parametrize("low,high", [(1, 3), (None, 2.5), (2, None), (3, 1)])
def test_clip(computing, low, high):
    for dtype in ("i4", "f4", "u1"):
        both(lambda m, x: m.clip(x, low, high), values_of(6, dtype))
    both(lambda m, x, y: x.clip(y), values_of(6), values_of(6)[::-1].copy())


def test_values_of_the_host_go_to_the_device_of_the_arrays():
    """Whichever device is current."""
    host, mask = np.array([1.0, 2.0, 3.0]), np.array([True, False, True])
    generator = treadle.random.Generator(1, device=treadle.find_device("null"))
    with treadle.find_device(IDS[0]):
        x = tnp.array(host, device="null")
        results = [
            x + host,
            x.clip(host, host),
            tnp.clip(x, host, None),
            tnp.dot(host, x),
            x.dot(host),
            tnp.vdot(x, host),
            tnp.average(x, weights=host),
            x.sum(where=mask),
            tnp.add(host, host, out=x),
            tnp.add(x, 1, out=x, where=mask),
            tnp.concatenate([host, x]),
            tnp.stack([x, host]),
            tnp.hstack([host, x]),
            tnp.vstack([host, x]),
            tnp.column_stack([host, x]),
            tnp.broadcast_arrays(host, x)[0],
            tnp.meshgrid(host, x)[0],
            tnp.diff(x, append=host),
            tnp.outer(host, x),
            tnp.pad(x, 1, constant_values=np.float64(2)),
            generator.normal(host, 1.0),
            generator.uniform(0.0, host),
        ]
        x.put([0, 1, 2], host)
        tnp.put(x, [0, 1, 2], host)
        tnp.put_along_axis(x, np.array([0, 1, 2]), host, 0)
        x[np.array([0, 1])] = host[:2]
        x.fill(host[0])
    assert {result.device.id for result in results} == {"null"}
