# SPDX-License-Identifier: MIT
"""Loops over arrays launch the same few kernels in every step, whatever they look at."""

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

STEPS = 40


@pytest.fixture(params=[*(d.id for d in treadle.devices()), "null"])
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


def kernels(device, step):
    """The names of those that the steps launch."""
    names = set()
    for i in range(STEPS):
        step()
        if i >= 8:  # the last eight may be another test's
            names |= {launch.kernel for launch in device.last_launches()}
    return names


LOOKS = {
    "same shape": lambda x, table, total: tnp.evaluate(3 * x),
    "another shape": lambda x, table, total: tnp.evaluate(table * x),
    "sum": lambda x, table, total: float(x.sum()),
    "within a sum": lambda x, table, total: tnp.evaluate((table * x).sum(axis=1)),
    "in place": lambda x, table, total: total.__iadd__(x),
    "a slice": lambda x, table, total: table.__setitem__(0, x),
}


@pytest.mark.parametrize("look", LOOKS)
def test_what_depends_on_the_state_is_looked_at(device, look):
    x, table = tnp.array([1, 2, 4], "f4"), tnp.ones((2, 3), "f4")
    total = tnp.array([0, 0, 0], "f4")
    tnp.evaluate(table)

    def step():
        nonlocal x
        x = x * 0.5 + 1
        LOOKS[look](x, table, total)

    assert len(kernels(device, step)) <= 5
    if device.id != "null":
        np.testing.assert_array_equal(x.get(), np.float32([2, 2, 2]))


def test_jacobis_iteration(device):
    a, b = tnp.array([[4, 1], [1, 4]], "f4"), tnp.array([6, 9], "f4")
    x = tnp.zeros(2, "f4")

    def step():
        nonlocal x
        residual = b - (a * x).sum(axis=1)
        x = x + residual / 4
        float(abs(residual).max())

    assert len(kernels(device, step)) <= 5
    if device.id != "null":
        np.testing.assert_array_equal(x.get(), np.float32([1, 2]))
