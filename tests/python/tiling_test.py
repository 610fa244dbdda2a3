# SPDX-License-Identifier: MIT
"""The numbers that kernels are made with, from Python; tests/kernel/tiling_test.cpp turns each."""

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp


@pytest.fixture
def device():
    device = treadle.default_device()
    before = treadle.tiling(device)
    yield device
    treadle.set_tiling(device, before)


def test_arrays_and_kernels_are_computed_with_other_numbers(device):
    own = treadle.tiling(device)
    number = "chunk_length" if own.schedule == "narrow" else "strided_items"
    other = own.replace(**{number: 2 * getattr(own, number)})
    treadle.set_tiling(device, other)
    assert treadle.tiling(device) == other != own
    x = np.arange(100_003)
    y = tnp.asarray(x)
    np.testing.assert_array_equal((y * y + 1).get(), x * x + 1)
    assert int((y * 3).sum()) == int((x * 3).sum())
    np.testing.assert_array_equal(tnp.cumsum(y).get(), np.cumsum(x))


def test_what_may_not_be_is_named(device):
    own = treadle.tiling(device)
    with pytest.raises(treadle.InvalidArgument, match=r"(?s)groups_per_unit = 0.*1 to 64"):
        own.replace(groups_per_unit=0)
    with pytest.raises(treadle.InvalidArgument, match="group_items"):
        own.replace(group_items=3)
    with pytest.raises(treadle.InvalidArgument, match="sideways"):
        treadle.tiling(device, "sideways")
    wide = treadle.tiling(device, "wide")
    with pytest.raises(treadle.InvalidArgument, match="power of two"):
        wide.replace(group_size=96)
    assert treadle.tiling(device, "wide") == wide
