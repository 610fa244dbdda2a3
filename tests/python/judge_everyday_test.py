# SPDX-License-Identifier: MIT
"""Verdicts on kernels as people write them: layers of networks, sums, sorts, images; each right one
beside a near relative that is wrong."""

import numpy as np
import pytest

from treadle.testing import assert_kernel, judge

TEXT = r"""
#define I (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" {
// Softmax of rows, a block each; without the barrier between its two sums.
__device__ float fold(float *s, float own, bool is_maximum) {
    s[threadIdx.x] = own;
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k)
            s[threadIdx.x] = is_maximum ? fmaxf(s[threadIdx.x], s[threadIdx.x + k])
                                        : s[threadIdx.x] + s[threadIdx.x + k];
    }
    __syncthreads();
    return s[0];
}
__global__ void softmax(float *out, const float *x, int n) {
    __shared__ float s[64];
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < n; i += 64) most = fmaxf(most, x[blockIdx.x * n + i]);
    most = fold(s, most, true);
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 64) sum += expf(x[blockIdx.x * n + i] - most);
    sum = fold(s, sum, false);
    for (int i = threadIdx.x; i < n; i += 64)
        out[blockIdx.x * n + i] = expf(x[blockIdx.x * n + i] - most) / sum;
}
__global__ void softmax_in_haste(float *out, const float *x, int n) {
    __shared__ float s[64];
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < n; i += 64) most = fmaxf(most, x[blockIdx.x * n + i]);
    most = fold(s, most, true);
    for (int i = threadIdx.x; i < n; i += 64) sum += expf(x[blockIdx.x * n + i] - most);
    sum = fold(s, sum, false);
    for (int i = threadIdx.x; i < n; i += 64)
        out[blockIdx.x * n + i] = expf(x[blockIdx.x * n + i] - most) / sum;
}

// Activations; one forgets negative numbers' slope, one reads behind the end.
__global__ void leaky(float *y, const float *x, float slope, int n) {
    if (I < n) y[I] = x[I] > 0 ? x[I] : slope * x[I];
}
__global__ void leaky_without_slope(float *y, const float *x, float slope, int n) {
    if (I < n) y[I] = x[I] > 0 ? x[I] : 0;
}
__global__ void difference(float *y, const float *x, int n) {
    if (I < n - 1) y[I] = x[I + 1] - x[I];
}
__global__ void difference_beyond(float *y, const float *x, int n) {
    if (I < n) y[I] = x[I + 1] - x[I];
}

// Bias of columns; one takes the row's.
__global__ void bias(float *x, const float *b, int rows, int columns) {
    if (I < rows * columns) x[I] += b[I % columns];
}
__global__ void bias_of_rows(float *x, const float *b, int rows, int columns) {
    if (I < rows * columns) x[I] += b[I / columns];
}

// Counts; one adds without an atomic.
__global__ void count(int *counts, const int *x, int n) {
    if (I < n) atomicAdd(counts + (x[I] & 7), 1);
}
__global__ void count_plainly(int *counts, const int *x, int n) {
    if (I < n) counts[x[I] & 7] += 1;
}

// Colours to grey; one takes them in another order.
__global__ void grey(unsigned char *out, const unsigned char *rgb, int n) {
    if (I < n) out[I] = (77 * rgb[3 * I] + 151 * rgb[3 * I + 1] + 28 * rgb[3 * I + 2]) >> 8;
}
__global__ void grey_of_bgr(unsigned char *out, const unsigned char *rgb, int n) {
    if (I < n) out[I] = (28 * rgb[3 * I] + 151 * rgb[3 * I + 1] + 77 * rgb[3 * I + 2]) >> 8;
}

// A scan in a block of 64; one reads what its neighbour has just written.
__global__ void scan(int *x) {
    __shared__ int s[64];
    s[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    for (int k = 1; k < 64; k *= 2) {
        __syncthreads();
        const int other = threadIdx.x >= k ? s[threadIdx.x - k] : 0;
        __syncthreads();
        s[threadIdx.x] += other;
    }
    x[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}
__global__ void scan_too_soon(int *x) {
    __shared__ int s[64];
    s[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    for (int k = 1; k < 64; k *= 2) {
        __syncthreads();
        if (threadIdx.x >= k) s[threadIdx.x] += s[threadIdx.x - k];
    }
    x[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}

// Distances; one loses digits in float32's difference of squares.
__global__ void distance(float *d, const float *x, const float *y, int n) {
    if (I < n) d[I] = (x[I] - y[I]) * (x[I] + y[I]);
}
}
"""


def rows_of(x, n):
    return x.reshape(-1, n).astype(float)


def softmax(x, n):
    e = np.exp(rows_of(x, n) - rows_of(x, n).max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)).ravel()


def differences(y, x, n):
    return np.append(np.diff(x.astype(float)), y[n - 1 :])


def grey(rgb, n):
    return (rgb.reshape(n, 3).astype(int) @ [77, 151, 28] >> 8).astype(np.uint8)


ROWS = {
    "like": lambda x, n: softmax(x, n), "block": 64, "grid": 3,
    "sizes": {"out": "3 * n", "x": "3 * n"}, "where": "n > 0",
}  # fmt: skip
BIAS = {
    "like": lambda x, b, rows, columns: (x.reshape(rows, columns) + b[:columns]).ravel(),
    "sizes": {"x": "rows * columns", "b": "rows + columns"},
    "grid": "ceil_div(rows * columns, 128)",
}
COUNTS = {
    "like": lambda counts, x, n: counts + np.bincount(x & 7, minlength=8),
    "sizes": {"counts": 8, "x": "n"}, "grid": "ceil_div(n, 128)",
}  # fmt: skip
COLOURS = {
    "like": lambda rgb, n: grey(rgb, n), "sizes": {"out": "n", "rgb": "3 * n"},
    "grid": "ceil_div(n, 128)",
}  # fmt: skip
BLOCKS = {
    "like": lambda x: x.reshape(-1, 64).cumsum(axis=1, dtype=np.int32).ravel(),
    "sizes": {"x": 256}, "block": 64, "grid": 4,
}  # fmt: skip
LEAKY = {"like": lambda x, slope, n: np.where(x > 0, x, slope * x.astype(float))}
DIFFERENCES = {"like": lambda y, x, n: differences(y, x, n)}
PAIRS = [
    ("softmax", "softmax_in_haste", ROWS, {"race"}),
    ("leaky", "leaky_without_slope", LEAKY, {"result"}),
    ("bias", "bias_of_rows", BIAS, {"result"}),
    ("count", "count_plainly", COUNTS, {"race"}),
    ("grey", "grey_of_bgr", COLOURS, {"result"}),
    ("scan", "scan_too_soon", BLOCKS, {"race"}),
]


@pytest.mark.parametrize(("name", "other", "how", "questions"), PAIRS)
def test_a_right_kernel_and_its_wrong_relative(name, other, how, questions):
    assert_kernel(TEXT, name, accept=["extreme", "accuracy"], **how)
    verdict = judge(TEXT, other, **how)
    found = {each.question for each in verdict.findings if each.answer == "wrong"}
    assert not verdict and questions <= found, str(verdict)


def test_a_read_beyond_the_end_is_told_with_its_place():
    verdict = judge(TEXT, "difference_beyond", **DIFFERENCES)
    assert verdict.answer("bounds") == "wrong"
    text = next(
        each.text for each in verdict.findings if each.question == "bounds" and each.device == "cpu"
    )
    assert "read of 4 bytes" in text and "kernel.cu:" in text


def test_elements_that_stay_are_told():
    verdict = judge(TEXT, "difference", like=DIFFERENCES["like"])
    assert verdict.answer("bounds") == verdict.answer("race") == "right"


def test_errors_in_ulp_are_told():
    verdict = judge(TEXT, "distance")
    assert verdict.answer("bounds") == "right"
    assert verdict.ulp["d"] >= 0
