# SPDX-License-Identifier: MIT
"""treadle.testing: verdicts on twenty kernels, ten right and ten subtly wrong, on every device."""

import json
import pathlib

import numpy as np
import pytest

import treadle
from treadle import _command_line
from treadle.testing import assert_kernel, judge

TEXT = r"""
#define I (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" {
// ---- right
__global__ void saxpy(float *y, const float *x, float a, int n) {
    if (I < n) y[I] = a * x[I] + y[I];
}
__global__ void square(float *y, const float *x, int n) {
    for (int i = I; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * x[i];
}
__global__ void block_sums(float *sums, const float *x, int n) {
    __shared__ float s[128];
    s[threadIdx.x] = I < n ? x[I] : 0;
    for (int k = 64; k > 0; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = s[0];
}
__global__ void transpose(float *out, const float *x, int rows, int columns) {
    __shared__ float tile[16][17];
    int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
    if (i < columns && j < rows) tile[threadIdx.y][threadIdx.x] = x[j * columns + i];
    __syncthreads();
    i = blockIdx.y * 16 + threadIdx.x; j = blockIdx.x * 16 + threadIdx.y;
    if (i < rows && j < columns) out[j * rows + i] = tile[threadIdx.x][threadIdx.y];
}
__global__ void stencil(float *out, const float *x, int n) {
    if (I < n) out[I] = x[I] + (I > 0 ? x[I - 1] : 0) + (I < n - 1 ? x[I + 1] : 0);
}
__global__ void histogram(unsigned *counts, const unsigned char *x, int n) {
    if (I < n) atomicAdd(counts + x[I] % 16, 1u);
}
__global__ void product(float *c, const float *a, const float *b, int m, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) return;
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}
__global__ void gather(double *out, const double *x, const int *index, int n) {
    if (I < n) out[I] = x[index[I]];
}
__global__ void smooth(float *out, const float *x, int n) {
    if (I < n) out[I] = tanhf(x[I]) + expf(-x[I] * x[I]);
}
__global__ void warp_maximum(int *most, const int *x, int n) {
    int v = I < n ? x[I] : -2147483647;
    for (int k = 16; k > 0; k /= 2) v = max(v, __shfl_xor_sync(~0u, v, k));
    if (threadIdx.x % 32 == 0) most[I / 32] = v;
}
// ---- wrong
__global__ void no_guard(float *y, const float *x, int n) { y[I] = 2 * x[I]; }
__global__ void last_missing(float *y, const float *x, int n) { if (I < n - 1) y[I] = 2 * x[I]; }
__global__ void no_barrier(float *sums, const float *x, int n) {
    __shared__ float s[128];
    s[threadIdx.x] = I < n ? x[I] : 0;
    __syncthreads();
    for (int k = 64; k > 0; k /= 2)
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    if (threadIdx.x == 0) sums[blockIdx.x] = s[0];
}
__global__ void zeros(float *y, const float *x, int n) { if (I < n) y[I] = 0 * x[I]; }
__global__ void in_place(float *x, int n) {
    if (I < n) x[I] = x[I] + x[(I + 1) % n];
}
__global__ void atomic_sum(float *sum, const float *x, int n) { if (I < n) atomicAdd(sum, x[I]); }
__global__ void bad_variance(float *v, const float *x, int n) {
    if (I != 0) return;
    float sum = 0, squares = 0;
    for (int i = 0; i < n; ++i) { float each = x[i] + 4096; sum += each; squares += each * each; }
    v[0] = squares / n - sum / n * (sum / n);
}
__global__ void half_written(float *y, const float *x, int n) {
    __shared__ float s[256];
    s[threadIdx.x] = I < n ? x[I] : 0;
    __syncthreads();
    if (I < n) y[I] = s[threadIdx.x] + s[threadIdx.x + 1];
}
__global__ void early_return(float *y, const float *x, int n) {
    if (I >= n) return;
    __shared__ float s[128];
    s[threadIdx.x] = x[I];
    __syncthreads();
    y[I] = s[threadIdx.x];
}
__global__ void overflows(float *y, const float *x, int n) {
    if (I < n) y[I] = sqrtf(x[I] * x[I] * x[I] * x[I]);
}
}
"""


def maxima(x, n, width):
    padded = np.full(-(-n // width) * width, np.iinfo(np.int32).min + 1, x.dtype)
    padded[:n] = x
    return padded.reshape(-1, width).max(axis=1)


def sums_of_blocks(x, n):
    padded = np.zeros(-(-n // 128) * 128)
    padded[:n] = x
    return padded.reshape(-1, 128).sum(axis=1)


def neighbours(x, n):
    padded = np.pad(x, 1)
    return padded[:-2] + x + padded[2:]


BLOCKS = {"sizes": {"sums": "ceil_div(n, 128)"}, "grid": "ceil_div(n, 128)"}
TILES = {"block": [16, 16], "grid": ["ceil_div(columns, 16)", "ceil_div(rows, 16)"]}
RIGHT = {
    "saxpy": {"like": lambda y, x, a, n: a * x + y},
    "square": {"like": lambda x, n: x * x, "grid": 2},
    "block_sums": {"like": lambda x, n: sums_of_blocks(x, n), **BLOCKS},
    "transpose": {"like": lambda x, rows, columns: x.reshape(rows, columns).T, **TILES},
    "stencil": {"like": lambda x, n: neighbours(x, n)},
    "histogram": {
        "like": lambda counts, x, n: counts + np.bincount(x % 16, minlength=16),
        "sizes": {"counts": 16, "x": "n"}, "grid": "ceil_div(n, 128)",
    },
    "product": {
        "like": lambda a, b, m, n, k: a.reshape(m, k) @ b.reshape(k, n),
        "sizes": {"a": "m * k", "b": "k * n", "c": "m * n"},
        "block": [16, 8], "grid": ["ceil_div(n, 16)", "ceil_div(m, 8)"],
    },
    "gather": {"like": lambda x, index, n: x[index], "ranges": {"index": "n"}},
    "smooth": {"like": lambda x, n: np.tanh(x) + np.exp(-x * x)},
    "warp_maximum": {
        "like": lambda x, n: maxima(x, n, 32), "sizes": {"most": "ceil_div(n, 128) * 4"},
        "grid": "ceil_div(n, 128)", "where": "n % 128 == 0",
    },
}  # fmt: skip
WRONG = {
    "no_guard": ({"like": lambda x, n: 2 * x}, {"bounds"}),
    "last_missing": ({"like": lambda x, n: 2 * x}, {"written", "result"}),
    "no_barrier": ({"like": lambda x, n: sums_of_blocks(x, n), **BLOCKS}, {"race"}),
    "zeros": ({"like": lambda x, n: 2 * x}, {"zeros", "result"}),
    "in_place": ({"like": lambda x, n: x + np.roll(x, -1)}, {"race", "order"}),
    "atomic_sum": (
        {"like": lambda sum, x, n: sum + x.sum(), "sizes": {"sum": 1, "x": "n"},
         "grid": "ceil_div(n, 128)"},
        {"order"},
    ),
    "bad_variance": (
        {"like": lambda x, n: np.var(x), "sizes": {"v": 1, "x": "n"}}, {"result"},
    ),
    "half_written": ({"like": None}, {"init"}),
    "early_return": ({"like": lambda x, n: x}, {"sync"}),
    "overflows": ({"like": lambda x, n: x * x}, {"extreme"}),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_kernel_is_right(name):
    verdict = judge(TEXT, name, **RIGHT[name])
    assert verdict.is_right, str(verdict)
    for question in ("bounds", "race", "init", "sync", "order", "written", "repeat", "result"):
        assert verdict.answer(question) == "right", question


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_kernel_is_wrong_for_its_reason(name):
    how, questions = WRONG[name]
    verdict = judge(TEXT, name, **how)
    assert not verdict
    found = {each.question for each in verdict.findings if each.answer == "wrong"}
    assert questions <= found, str(verdict)


def test_a_fault_is_told_with_its_line_and_its_run():
    verdict = judge(TEXT, "no_guard")
    fault = next(
        each for each in verdict.findings if each.question == "bounds" and each.device == "cpu"
    )
    assert "write of 4 bytes" in fault.text or "read of 4 bytes" in fault.text
    assert "kernel.cu:" in fault.text
    assert fault.run == "n=1"


def test_the_error_of_a_right_kernel_is_told():
    verdict = assert_kernel(TEXT, "square", **RIGHT["square"])
    assert 0 < verdict.ulp["y"] <= 0.5
    assert verdict.answer("aliasing") == "told"


def test_without_a_reference_a_kernel_is_compared_with_itself_in_double_precision():
    assert judge(TEXT, "smooth").answer("accuracy") == "right"
    assert judge(TEXT, "bad_variance", sizes={"v": 1, "x": "n"}).answer("accuracy") == "wrong"


def test_what_is_accepted_may_be_wrong():
    how = WRONG["atomic_sum"][0]
    verdict = assert_kernel(TEXT, "atomic_sum", accept=["order", "repeat"], **how)
    assert verdict.answer("order") == "wrong"
    assert "order: accepted" in str(verdict)


def test_an_assertion_says_what_is_wrong():
    with pytest.raises(AssertionError, match="zeros: wrong on cpu .*'y' is all zeros"):
        assert_kernel(TEXT, "zeros", **WRONG["zeros"][0])


def test_the_command_judges_files(tmp_path, capsys):
    kernel, reference = tmp_path / "scale.cu", tmp_path / "reference.py"
    kernel.write_text(
        "__global__ void scale(float *y, const float *x, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i <= n) y[i] = 2 * x[i];\n}\n"
    )
    reference.write_text("judge = {'block': 64}\ndef scale(x, n):\n    return 2 * x\n")
    words = ["judge", str(kernel), "--entry", "scale", "--like", str(reference)]
    assert _command_line.main([*words, "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["kernel"] == "scale"
    assert not report["right"]
    bounds = next(
        each
        for each in report["findings"]
        if each["question"] == "bounds" and each["device"] == "cpu"
    )
    assert bounds["answer"] == "wrong"
    assert "scale.cu:3" in bounds["text"]
    kernel.write_text(kernel.read_text().replace("<=", "<"))
    assert _command_line.main(words) == 0
    assert "scale: nothing wrong was found" in capsys.readouterr().out
    kernel.write_text("template <typename T>\n" + kernel.read_text().replace("float", "T"))
    words[3] = "scale<float>"
    assert _command_line.main(words) == 0
    assert "scale<float>: nothing wrong was found" in capsys.readouterr().out
    assert _command_line.main(["judge", str(pathlib.Path(tmp_path / "absent.cu"))]) == 2
    assert _command_line.main([*words, "--entry", "other"]) == 2


def test_opencl_c_is_judged_where_there_is_opencl():
    if not any(each.id.startswith("opencl") for each in treadle.devices()):
        pytest.skip("no OpenCL here")
    text = """__kernel void twice(__global float *y, __global const float *x, int n) {
        int i = get_global_id(0);
        if (i < n) y[i] = 2 * x[i];
    }"""
    assert_kernel(text, like=lambda x, n: 2 * x)
    wrong = judge(text.replace("2 * x[i]", "3 * x[i]"), like=lambda x, n: 2 * x)
    assert wrong.answer("result") == "wrong"
    assert judge(text.replace("i < n", "i < n + 2")).answer("bounds") == "wrong"
