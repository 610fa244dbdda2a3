# SPDX-License-Identifier: MIT
"""The headers of special functions: Bessel's of real orders and Airy's, to 1e-14 of 50 digits."""

import json
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest
from pyopencl.characterize import has_double_support

VALUES = json.loads((Path(__file__).parent / "special_values.json").read_text())
_FOUR = """
#include <pyopencl-bessel-j.cl>
#include <pyopencl-bessel-y.cl>
#include <treadle-bessel-modified.cl>
#include <pyopencl-airy.cl>
kernel void bessel(global const double *v, global const double *x, global double *to) {
  int i = get_global_id(0);
  to[4 * i] = bessel_jv(v[i], x[i]);
  to[4 * i + 1] = bessel_yv(v[i], x[i]);
  to[4 * i + 2] = bessel_iv(v[i], x[i]);
  to[4 * i + 3] = bessel_kv(v[i], x[i]);
}
kernel void airys(global const double *x, global double *to) {
  int i = get_global_id(0);
  double ai, aip, bi, bip;
  if (airy(x[i], &ai, &aip, &bi, &bip) != 0) return;
  to[4 * i] = ai; to[4 * i + 1] = aip; to[4 * i + 2] = bi; to[4 * i + 3] = bip;
}
"""


@pytest.fixture
def four(context, device, queue, build):
    """four(name, *arrays): the four values that a kernel has for each element."""
    if not has_double_support(device):
        pytest.skip("the device has no double")
    program = build(_FOUR)

    def call(name, *arrays):
        flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
        inputs = [cl.Buffer(context, flags, hostbuf=array) for array in arrays]
        values = np.full((arrays[0].size, 4), np.nan)
        to = cl.Buffer(context, cl.mem_flags.READ_WRITE, values.nbytes)
        cl.Kernel(program, name)(queue, arrays[0].shape, None, *inputs, to)
        cl.enqueue_copy(queue, values, to)
        return values

    return call


def test_bessel_functions_of_real_orders(four):
    rows = VALUES["bessel"]
    v, x = (np.array([row[k] for row in rows], np.float64) for k in (0, 1))
    values = four("bessel", v, x)
    for row, got in zip(rows, values, strict=True):
        order, at, *expected = row
        for k, (one, value) in enumerate(zip(expected, got, strict=True)):
            if one is None:
                assert np.isinf(value), row
                continue
            # Near their zeros J and Y are as exact as the wave is high.
            scale = abs(one)
            if k < 2 and at > abs(order):
                scale = np.hypot(expected[0], expected[1])
            assert abs(value - one) <= 1e-14 * scale, ("JYIK"[k], order, at, value, one)


def test_bessel_functions_at_the_edges(four):
    v = np.array([0, 0, 1, 1.5, 2, 0.5, 3, np.nan, 1, 2], np.float64)
    x = np.array([0, -2, -2, -1, 0, 0, -0.5, 1, np.nan, -700], np.float64)
    j, y, i, k = four("bessel", v, x).T
    mirrored = four("bessel", v, -x).T
    assert j[0] == 1 and i[0] == 1 and y[0] == -np.inf and k[0] == np.inf
    assert j[4] == 0 and i[4] == 0
    for at, sign in ((1, 1), (2, -1), (6, -1), (9, 1)):
        assert j[at] == sign * mirrored[0][at]
        assert i[at] == sign * mirrored[2][at]
        assert np.isnan(y[at]) and np.isnan(k[at])
    assert np.isnan([j[3], i[3]]).all()
    assert np.isnan([j[7], y[7], i[7], k[7], j[8], y[8], i[8], k[8]]).all()


def test_airys_functions(four):
    rows = np.array(VALUES["airy"])
    values = four("airys", np.ascontiguousarray(rows[:, 0]))
    for (x, *expected), got in zip(rows, values, strict=True):
        for k, (one, value) in enumerate(zip(expected, got, strict=True)):
            scale = abs(one) if x > 0 else np.hypot(expected[k % 2], expected[2 + k % 2])
            assert abs(value - one) <= 1e-14 * scale, (k, x, value, one)


def test_polynomials_of_a_table(context, device, queue, build):
    if not has_double_support(device):
        pytest.skip("the device has no double")
    program = build(
        """
        #include <pyopencl-eval-tbl.cl>
        __constant double table[3] = {2, -3, 5};
        kernel void at(double x, global double *to) {
          to[0] = polevl(x, table, 2);
          to[1] = p1evl(x, table, 3);
        }
        """
    )
    values = np.zeros(2)
    to = cl.Buffer(context, cl.mem_flags.READ_WRITE, values.nbytes)
    cl.Kernel(program, "at")(queue, (1,), None, np.float64(4), to)
    cl.enqueue_copy(queue, values, to)
    assert values.tolist() == [2 * 16 - 3 * 4 + 5, 64 + 2 * 16 - 3 * 4 + 5]
