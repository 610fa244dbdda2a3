# SPDX-License-Identifier: MIT
"""Rows of threads that ask at once are told what each thread would have been told."""

import ctypes
import re

import numpy as np
import pytest
from kernel_checks_test import FAILED, ILLEGAL, MISTAKES, Checked

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


# Halos: who leaves the array is not told by the row's ends. BEYOND is behind it.
HALOS = {
    "both ends": "unsigned i = t - 1; if (i >= 30) x[t + BEYOND] = 1;",
    "the others": "if (t >= 1 && t < 31) x[t] = 1; else x[t + BEYOND] = 1;",
    "either": "if (t < 1 || t >= 31) x[t + BEYOND] = 1;",
    "wrapped": "if (t + base < 8) x[t + BEYOND] = 1;",
    "widened": "if ((unsigned long long)(t + base) < 8) x[t + BEYOND] = 1;",
    "widened, one": "if ((unsigned long long)(t + base) == 3) x[t + BEYOND] = 1;",
    "signed": "if ((int)t - 31 >= 0) x[t + BEYOND] = 1;",
    "one": "if (t == 31) x[t + BEYOND] = 1;",
    "not one": "if (t != 31) x[t + BEYOND] = 1;",
    "every second": "if (t % 2) x[t + BEYOND] = 1;",
    "backwards": "if (t > 3) x[(int)t * -3 - 1] = 1;",
    "shortened": "short i = (signed char)t + (short)base; x[i + BEYOND] = 1;",
    "chosen": "x[t < 31 ? t : t + BEYOND] = 1;",
    "before a gap": "if (t != 8) x[(int)t - 1] = 1;",
    "behind a gap": "if (t != 8) x[t + 69] = 1;",
    "between gaps": "if (t != 8 && t != 20) x[10 * t] = 1;",
    "behind the first": "if (t > 0) x[(int)t * 3 + 8] = 1;",
    "before the last": "if (t != 31 && t > 0) x[(30 - (int)t) * 3 - 1] = 1;",
    "wrapped gap": "if (t + base != 2 && t > 0) x[t + 69] = 1;",
    "later block": "x[t + 80 * blockIdx.x] = 1;",
    "wrapped blocks": "x[t + blockIdx.x * base] = 1;",
}
# Several rows: y is less than 4.
PLANES = {
    "last row": "x[t + 33 * y] = 1;",
    "first row": "x[(int)(t + 8 * y) - 1] = 1;",
    "last thread": "if (t + 8 * y < 31) x[t] = 1; else x[t + BEYOND] = 1;",
    "wrapped rows": "x[t + y * base] = 1;",
    "wrapped condition": "if (t + 24 * y + base < 8) x[t + BEYOND] = 1;",
    "one row": "if (y == 2) x[t + BEYOND] = 1;",
    "but one row": "if (y != 2) x[t + BEYOND * y] = 1;",
    "columns": "x[y + 30 * t] = 1;",
    "bent": "x[t * y * y * y] = 1;",
    "shortened rows": "x[(signed char)(t + 45 * y)] = 1;",
    "diagonal": "if (t != y) x[(int)(t * 8 - y) + 60] = 1;",
}
HALOS |= PLANES
HALO = """extern "C" __global__ void halo(int *x, unsigned base, int run)
{
    const unsigned t = threadIdx.x, y = threadIdx.y;
    if (!run) return;
    %s
}"""
BEYOND = 1_000_000


@pytest.mark.parametrize("halo", HALOS)
def test_a_row_of_which_some_leave_the_array_is_stopped(opened_device, halo):
    text = (HALO % HALOS[halo]).replace("BEYOND", str(BEYOND))
    told = []
    for checks in ("memory", ALL, "memory --treadle-disable=row-checks"):
        checked = Checked(opened_device)
        checked.images[checks] = opened_device.image(text, *f"--treadle-check={checks}".split())
        base = np.uint32(2**32 - 28)
        how = {"checks": checks, "shape": {"block": (8, 4, 1)} if halo in PLANES else None}
        code, fault = checked.run("halo", (base, np.int32(1)), **how)
        assert code == ILLEGAL
        told.append(re.sub(r"0x\w+|block [(0-9,]+[)] of", "", fault))
        assert checked.run("halo", (base, np.int32(0)), **how)[0] == 0
    assert len(set(told)) == 1


# Rows 0 and 1 write nothing; the condition grows by constants only where `i` has not wrapped.
WRAPPED_BELOW = """extern "C" __global__ void k(int *x, %s lo)
{
    __shared__ int s[512];
    const unsigned i = threadIdx.x - 16;
    const %s at = (%s)threadIdx.y * 64 + i;
    if (threadIdx.x >= 16 && at >= lo) s[at] = 1;
    __syncthreads();
    if (threadIdx.x == 3 && threadIdx.y == 0) x[0] = s[3];
}"""


@pytest.mark.parametrize("width", ["size_t", "unsigned"])
def test_rows_that_do_nothing_are_not_noted_to_write(opened_device, width):
    checked, text = Checked(opened_device), WRAPPED_BELOW % (width, width, width)
    how = {"shape": {"block": (32, 8, 1)}}
    lo = np.uint64(100) if width == "size_t" else np.uint32(100)
    told = []
    for checks in (ALL, ONE_BY_ONE, "init"):
        checked.images[checks] = opened_device.image(text, *f"--treadle-check={checks}".split())
        code, fault = checked.run("k", (lo,), checks=checks, **how)
        assert code == FAILED and "nobody has written" in fault
        told.append(re.sub(r"block [(0-9,]+[)] of", "", fault))
    assert len(set(told)) == 1


FREED = """
import numpy as np
import treadle.compat, pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule
TEXT = "__global__ void fill(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }"
fill = SourceModule(TEXT).get_function("fill")
array = cuda.mem_alloc(4 * 64 * 256)
address = np.uintp(int(array))
fill(address, block=(64, 1, 1), grid=(256, 1))
cuda.Context.synchronize()
array.free()
again = cuda.mem_alloc(4 * 64 * 256)
try:
    fill(address, block=(64, 1, 1), grid=(256, 1))
    cuda.Context.synchronize()
    print("nothing")
except cuda.Error as error:
    print(error)
"""


def test_memory_is_kept_once_only_blocks_that_pass_together_have_asked(run_python, tmp_path):
    pytest.importorskip("treadle")
    program = tmp_path / "program.py"
    program.write_text(FREED)
    done = run_python(str(program), TREADLE_CHECK="memory", TREADLE_DEVICE="cpu")
    assert "which were freed" in done.stdout, done.stdout + done.stderr


def test_what_a_guard_keeps_from_being_read_is_not_read_before(opened_device):
    text = """struct Tables { float *rows[4]; };
    extern "C" __global__ void fill(float *x, Tables tables, int which) {
        if (which < 4) tables.rows[which][threadIdx.x] = 1;
        if (which >= 4) x[threadIdx.x] = 1;
    }"""
    checked = Checked(opened_device)
    checked.images[ALL] = opened_device.image(text, f"--treadle-check={ALL}")
    tables = np.zeros(4, np.uint64)
    assert checked.run("fill", (tables, np.int32(1 << 28)), checks=ALL) == (0, "")


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
