# SPDX-License-Identifier: MIT
"""treadle.testing on kernels in OpenCL C: verdicts, and the words that name a fault."""

import numpy as np
import pytest

import treadle
from treadle.testing import assert_kernel, judge

OPENCL = r"""
__kernel void saxpy(__global float *y, __global const float *x, float a, int n) {
    const int i = get_global_id(0);
    if (i < n) y[i] = a * x[i] + y[i];
}
__kernel void block_sums(__global float *sums, __global const float *x, int n) {
    __local float s[64];
    const int l = get_local_id(0), i = get_global_id(0);
    s[l] = i < n ? x[i] : 0;
    for (int k = 32; k > 0; k /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < k) s[l] += s[l + k];
    }
    if (l == 0) sums[get_group_id(0)] = s[0];
}
__kernel void transpose(__global float *out, __global const float *x, int rows, int columns) {
    const int i = get_global_id(0), j = get_global_id(1);
    if (i < columns && j < rows) out[i * rows + j] = x[j * columns + i];
}
__kernel void counts(__global uint *bins, __global const uchar *x, int n) {
    const int i = get_global_id(0);
    if (i < n) atomic_inc(bins + x[i] % 16);
}
__kernel void matrix_vector(__global float *y, __global const float *a, __global const float *x,
                            int rows, int columns) {
    const int row = get_global_id(0);
    if (row >= rows) return;
    float sum = 0;
    for (int k = 0; k < columns; ++k) sum += a[row * columns + k] * x[k];
    y[row] = sum;
}
"""
OPENCL_HOW = {
    "saxpy": {"like": lambda y, x, a, n: a * x + y},
    "block_sums": {
        "like": lambda x, n: np.array([x[k : k + 64].sum() for k in range(0, n, 64)]),
        "sizes": {"sums": "ceil_div(n, 64)"}, "grid": "ceil_div(n, 64)", "block": 64,
        "accept": ["extreme"],
    },
    "transpose": {
        "like": lambda x, rows, columns: x.reshape(rows, columns).T, "block": [16, 16],
        "grid": ["ceil_div(columns, 16)", "ceil_div(rows, 16)"],
    },
    "counts": {
        "like": lambda bins, x, n: bins + np.bincount(x % 16, minlength=16),
        "sizes": {"bins": 16, "x": "n"}, "grid": "ceil_div(n, 128)",
    },
    "matrix_vector": {
        "like": lambda a, x, rows, columns: a.reshape(rows, columns) @ x,
        "sizes": {"y": "rows", "a": "rows * columns", "x": "columns"}, "accept": ["extreme"],
    },
}  # fmt: skip
# kernel, what is replaced by what; the question whose answer is wrong then, words of the answer
OPENCL_FAULTS = {
    "a sign": ("saxpy", "+ y[i]", "- y[i]", "result", "'y': "),
    "no barrier": ("block_sums", "barrier(CLK_LOCAL_MEM_FENCE);", "", "result", "'sums': "),
    "half a tree": ("block_sums", "int k = 32", "int k = 16", "result", "'sums': "),
    "the wrong row": ("transpose", "i * rows + j", "i * rows + j + 1", "bounds", "4 bytes behind"),
    "a column left out": ("transpose", "i < columns", "i < columns - 1", "written", "'out' keeps"),
    "one before": ("transpose", "out[i * rows", "out[-1 + i * rows", "bounds", "4 bytes before"),
    "other bins": ("counts", "x[i] % 16", "x[i] % 8", "result", "'bins': "),
    "one row more": ("matrix_vector", "row >= rows", "row > rows", "bounds", "4 bytes behind"),
    "one column less": ("matrix_vector", "k < columns", "k < columns - 1", "result", "'y': "),
}


@pytest.fixture
def opencl_device():
    found = [each.id for each in treadle.devices() if each.id.startswith("opencl")]
    if not found:
        pytest.skip("no OpenCL here")
    return found[0]


@pytest.mark.parametrize("name", OPENCL_HOW)
def test_a_kernel_in_opencl_c_is_right(opencl_device, name):
    verdict = assert_kernel(OPENCL, name, devices=[opencl_device], **OPENCL_HOW[name])
    for question in ("compiles", "runs", "bounds", "written", "repeat", "zeros", "result"):
        assert verdict.answer(question) == "right", question
    assert verdict.answer("race") == "unknown"  # that takes the CPU device's checks


@pytest.mark.parametrize("fault", OPENCL_FAULTS)
def test_a_fault_in_opencl_c_is_named(opencl_device, fault):
    name, right, wrong, question, words = OPENCL_FAULTS[fault]
    (text,) = (each for each in OPENCL.split("__kernel ") if each.startswith(f"void {name}("))
    assert right in text
    changed = "__kernel " + text.replace(right, wrong)
    verdict = judge(changed, name, devices=[opencl_device], **OPENCL_HOW[name])
    (finding,) = (each for each in verdict.findings if each.question == question)
    assert finding.answer == "wrong", str(verdict)
    assert words in finding.text, finding.text
    assert finding.device == opencl_device


def test_no_larger_problem_is_run_once_memory_is_left(opencl_device):
    sizes = []

    def twice(x, n):
        sizes.append(n)
        return 2 * x

    text = """__kernel void twice(__global float *y, __global const float *x, int n) {
        if (get_global_id(0) <= n) y[get_global_id(0)] = 2;
    }"""
    verdict = judge(text, like=twice, devices=[opencl_device])
    assert verdict.answer("bounds") == "wrong"
    assert len(sizes) <= 1
