# SPDX-License-Identifier: MIT
"""Cumulative sums and products beside NumPy's, on every device."""

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices()]


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        if not device.traits.runs_kernels:
            pytest.skip("it computes nothing")
        yield device


def expect(ours, theirs):
    assert isinstance(ours, treadle.Array)
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-6)


def test_along_axes_and_of_all(device):
    x = np.random.default_rng(1).integers(-3, 4, (5, 7, 11)).astype(np.float32)
    ours = tnp.array(x)
    for axis in (0, 1, -1, None):
        expect(tnp.cumsum(ours, axis), np.cumsum(x, axis))
        expect(ours.cumsum(axis=axis), x.cumsum(axis))
    expect(tnp.cumsum(ours[:, ::2].T, 1), np.cumsum(x[:, ::2].T, 1))
    expect(tnp.cumprod(ours / 2, 1), np.cumprod(x / 2, 1))
    expect(np.cumsum(ours, 2), np.cumsum(x, 2))
    expect(tnp.cumsum([1, 2, 3]), np.cumsum([1, 2, 3]))
    halves = np.float32([1, -1, 0.5])
    expect(tnp.cumsum(tnp.array(halves), dtype=bool), np.cumsum(halves, dtype=bool))
    expect(tnp.cumprod(tnp.array(halves), dtype=bool), np.cumprod(halves, dtype=bool))
    expect(tnp.cumsum(ours[0:0], 1), np.cumsum(x[0:0], 1))


def test_dtypes_are_numpys(device):
    x = np.random.default_rng(2).integers(0, 5, 3000)
    for dtype in (np.bool_, np.int8, np.float16, np.complex64):
        typed = (x % 3 if dtype == np.float16 else x).astype(dtype)[:500]
        expect(tnp.cumsum(tnp.array(typed)), np.cumsum(typed))
    expect(tnp.cumsum(tnp.array(x), dtype=np.int8), np.cumsum(x, dtype=np.int8))
    expect(tnp.cumsum(tnp.array(x), dtype=bool), np.cumsum(x, dtype=bool))


def test_initial_and_out(device):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    ours = tnp.array(x)
    for axis in (0, 1):
        expect(
            tnp.cumulative_sum(ours, axis=axis, include_initial=True),
            np.concatenate([np.zeros_like(x.take([0], axis)), np.cumsum(x, axis)], axis),
        )
    expect(
        tnp.cumulative_prod(ours[1], include_initial=True),
        np.append(1, np.cumprod(x[1])).astype("f4"),
    )
    out = tnp.zeros((3, 4), np.float64)
    assert tnp.cumsum(ours, 0, out=out) is out
    expect(out, np.cumsum(x, 0).astype(np.float64))
    with pytest.raises(ValueError, match="2 axes"):
        tnp.cumulative_sum(ours)
    with pytest.raises(IndexError):
        tnp.cumsum(ours, 2)
    with pytest.raises(TypeError):
        ours.cumsum(keepdims=True)
