# SPDX-License-Identifier: MIT
"""Rows of threads that ask at once are told what each thread would have been told."""

import ctypes
import re

import numpy as np
import pytest
from kernel_checks_test import MISTAKES, Checked

ALL = "memory,race,init,sync"
# Each thread asks by itself.
ONE_BY_ONE = f"{ALL} --treadle-disable=row-checks"


@pytest.fixture(scope="module")
def checked(opened_device):
    return Checked(opened_device)


@pytest.mark.parametrize("mistake", ["past", "shared", "later race", "unwritten", "missed"])
def test_a_row_that_asks_at_once_is_told_the_same(checked, mistake):
    kernel, arguments, how, code, _ = MISTAKES[mistake]
    told = [
        checked.run(kernel, arguments, **(how | {"checks": checks})) for checks in (ALL, ONE_BY_ONE)
    ]
    assert [each[0] for each in told] == [code, code]
    assert len({re.sub(r"0x\w+|block [(0-9,]+[)] of", "", text) for _, text in told}) == 1


# Rows: neighbours, one thread, every other word, backwards, and what only some threads do.
ROWS = """extern "C" __global__ void rows(int *out, const int *in, int n, int *sums)
{
    __shared__ int s[128];
    const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t == 0) sums[blockIdx.x] = s[0] + s[63];
    if (i < n) out[2 * i] = s[127 - t];
    if (i < n) out[2 * i + 1] = in[i];
}"""


@pytest.mark.parametrize("checks", ["memory", ALL])
@pytest.mark.parametrize("n", [1024, 1000])
def test_rows_that_pass_compute_as_without_checks(device, checks, n):
    numbers = np.arange(1024, dtype=np.int32)
    padded = np.where(numbers < n, numbers, 0).reshape(8, 128)
    halves = padded[:, :64] + padded[:, 64:]
    mirrored = np.concatenate((halves, padded[:, 64:]), axis=1)[:, ::-1]
    addresses = [ctypes.c_uint64() for _ in range(3)]
    results = [np.zeros(2048, np.int32), np.zeros(1024, np.int32), np.zeros(8, np.int32)]
    results[1][:] = numbers
    for address, array in zip(addresses, results, strict=True):
        size = ctypes.c_size_t(array.nbytes)
        device.check("cuMemAlloc_v2", ctypes.byref(address), size)
        device.check("cuMemcpyHtoD_v2", address, array.ctypes.data_as(ctypes.c_void_p), size)
    out, given, sums = (np.uint64(address.value) for address in addresses)
    kernel = device.compile(ROWS, f"--treadle-check={checks}").kernel("rows")
    kernel(out, given, np.int32(n), sums, block=(128,), grid=(8,))
    for address, array in zip(addresses, results, strict=True):
        ctypes.memmove(array.ctypes.data, address.value, array.nbytes)
        device.check("cuMemFree_v2", address)
    np.testing.assert_array_equal(results[2], halves[:, 0] + halves[:, 63])
    np.testing.assert_array_equal(results[0][: 2 * n : 2], mirrored.ravel()[:n])
    np.testing.assert_array_equal(results[0][1 : 2 * n : 2], numbers[:n])
