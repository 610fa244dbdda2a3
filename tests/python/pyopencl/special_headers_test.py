# SPDX-License-Identifier: MIT
"""The headers of special functions: Bessel's, Hankel's and Airy's, to 1e-14 of 50 digits."""

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
kernel void whole(global const double *v, global const double *x, global double *to) {
  int i = get_global_id(0), n = (int)v[i];
  to[4 * i] = bessel_jn(n, x[i]);
  to[4 * i + 1] = bessel_yn(n, x[i]);
  to[4 * i + 2] = n == 0 ? bessel_j0(x[i]) : bessel_j1(x[i]);
  to[4 * i + 3] = n == 0 ? bessel_y0(x[i]) : bessel_y1(x[i]);
}
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
_COMPLEX = """
#include <pyopencl-bessel-j-complex.cl>
#include <pyopencl-hankel-complex.cl>
kernel void bessel(global const int *n, global const cdouble_t *z, global cdouble_t *to) {
  int i = get_global_id(0);
  cdouble_t here, above;
  bessel_j_complex(n[i], z[i], &here, &above);
  to[2 * i] = here; to[2 * i + 1] = above;
}
kernel void hankel(global const int *scaled, global const cdouble_t *z, global cdouble_t *to) {
  int i = get_global_id(0);
  cdouble_t h0, h1;
  hankel_01_complex(z[i], &h0, &h1, scaled[i]);
  to[2 * i] = h0; to[2 * i + 1] = h1;
}
"""
LEAST = np.finfo(np.float64).smallest_subnormal


def _caller(context, device, queue, program, dtype, count):
    """call(name, *arrays): the `count` values that a kernel has for each element."""

    def call(name, *arrays):
        flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
        inputs = [cl.Buffer(context, flags, hostbuf=array) for array in arrays]
        values = np.full((arrays[0].size, count), np.nan, dtype)
        to = cl.Buffer(context, cl.mem_flags.READ_WRITE, values.nbytes)
        cl.Kernel(program, name)(queue, arrays[0].shape, None, *inputs, to)
        cl.enqueue_copy(queue, values, to)
        return values

    return call


@pytest.fixture
def four(context, device, queue, build):
    if not has_double_support(device):
        pytest.skip("the device has no double")
    return _caller(context, device, queue, build(_FOUR), np.float64, 4)


@pytest.fixture
def two_complex(context, device, queue, build):
    if not has_double_support(device):
        pytest.skip("the device has no double")
    return _caller(context, device, queue, build(_COMPLEX), np.complex128, 2)


def _is_near(value, exact, scale):
    """None: its size is no double."""
    if exact is None:
        return np.isinf(value)
    return abs(value - exact) <= 1e-14 * scale + 2 * LEAST


def _height(order, at, expected, k):
    """Near their zeros J and Y are as exact as the wave is high."""
    if k < 2 and at > abs(order):
        return np.hypot(expected[0], expected[1])
    return abs(expected[k] or 0)


def test_bessel_functions_of_real_orders(four):
    rows = VALUES["bessel"]
    v, x = (np.array([row[k] for row in rows], np.float64) for k in (0, 1))
    values = four("bessel", v, x)
    for (order, at, *expected), got in zip(rows, values, strict=True):
        for k, (one, value) in enumerate(zip(expected, got, strict=True)):
            assert _is_near(value, one, _height(order, at, expected, k)), (
                "JYIK"[k], order, at, value, one
            )  # fmt: skip


def test_bessel_functions_of_whole_orders(four):
    rows = [row for row in VALUES["bessel"] if row[0] == int(row[0])]
    v, x = (np.array([row[k] for row in rows], np.float64) for k in (0, 1))
    for (order, at, *expected), got in zip(rows, four("whole", v, x), strict=True):
        for k, value in enumerate(got if order in (0, 1) else got[:2]):
            height = _height(order, at, expected, k % 2)
            assert _is_near(value, expected[k % 2], height), (k, order, at, value, expected)


def test_bessel_functions_of_complex_numbers(two_complex):
    rows = VALUES["bessel_complex"]
    n = np.array([row[0] for row in rows], np.int32)
    z = np.array([complex(*row[1:3]) for row in rows])
    values = two_complex("bessel", n, z)
    for row, got in zip(rows, values, strict=True):
        for k, value in enumerate(got):
            one = complex(*row[3 + 2 * k : 5 + 2 * k])
            assert _is_near(value, one, row[7 + k]), (*row[:3], k, value, one)
            assert row[2] or not value.imag
    # J_-n = (-1)^n J_n
    mirrored = two_complex("bessel", -n - 1, z)
    signs = np.where(n % 2, -1, 1)[:, None]
    np.testing.assert_array_equal(mirrored * [-1, 1], values[:, ::-1] * signs)


@pytest.mark.parametrize("scaled", [0, 1])
def test_hankel_functions_of_complex_numbers(two_complex, scaled):
    rows = VALUES["hankel"]
    z = np.array([complex(*row[:2]) for row in rows])
    values = two_complex("hankel", np.full(len(z), scaled, np.int32), z)
    for row, got in zip(rows, values, strict=True):
        expected = row[2 + 4 * scaled : 6 + 4 * scaled]
        if expected[0] is None:  # too large or too small without its exponential
            assert not scaled
            continue
        for k, value in enumerate(got):
            one = complex(*expected[2 * k : 2 * k + 2])
            assert _is_near(value, one, abs(one)), (k, row[:2], value, one)


def test_complex_functions_at_the_edges(two_complex):
    z = np.array(
        [0, -0.0, np.inf, np.nan, 1e-320, complex(3, 709.9), complex(0, 712)], np.complex128
    )
    order = np.zeros(len(z), np.int32)
    j0, j1 = two_complex("bessel", order, z).T
    assert (j0[[0, 1, 4]] == 1).all() and (j1[:2] == 0).all() and j1[4] == 5e-321
    assert np.isnan(j0[2:4]).all()
    # They are doubles where e^|y| is not.
    for value, one in zip(
        j0[5:],
        [-2.995979413632475e306 - 4.335297616770298e305j, 2.4684110577627524e307],
        strict=True,
    ):
        assert _is_near(value, one, abs(one)), value
    h0, h1 = two_complex("hankel", order, z).T
    assert np.isnan(h0[3]) and np.isnan(h1[3])


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
    rows = VALUES["airy"]
    values = four("airys", np.array([row[0] for row in rows], np.float64))
    for (x, *expected), got in zip(rows, values, strict=True):
        for k, (one, value) in enumerate(zip(expected, got, strict=True)):
            scale = abs(one or 0) if x > 0 else np.hypot(expected[k % 2], expected[2 + k % 2])
            assert _is_near(value, one, scale), (k, x, value, one)
    assert four("airys", np.array([np.inf])).tolist() == [[0, 0, np.inf, np.inf]]
    assert np.isnan(four("airys", np.array([np.nan]))).all()


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
