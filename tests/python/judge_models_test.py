# SPDX-License-Identifier: MIT
"""treadle.testing.judge: twenty kernels as machines write them for layers of models, ten right and
each beside it one that is subtly wrong."""

import numpy as np
import pytest

from treadle.testing import assert_kernel, judge

TEXT = r"""
#define I (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" {
// One query a block, 8 numbers a head: scores by running maximum and sum.
__global__ void attention(float *out, const float *q, const float *k, const float *v, int n)
{
    int row = I;
    if (row >= n) return;
    float most = -INFINITY, sum = 0, mine[8] = {0};
    for (int j = 0; j <= row; ++j) {
        float score = 0;
        for (int d = 0; d < 8; ++d) score += q[row * 8 + d] * k[j * 8 + d];
        score *= 0.35355339f;
        float next = fmaxf(most, score), shrink = expf(most - next), e = expf(score - next);
        sum = sum * shrink + e;                                                 // the sum
        for (int d = 0; d < 8; ++d) mine[d] = mine[d] * shrink + e * v[j * 8 + d];
        most = next;
    }
    for (int d = 0; d < 8; ++d) out[row * 8 + d] = mine[d] / sum;
}
// 3 x 3, zeros around.
__global__ void convolution(float *out, const float *x, const float *w, int height, int width)
{
    __shared__ float tile[18][18];
    int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
    for (int t = threadIdx.y * 16 + threadIdx.x; t < 18 * 18; t += 256) {
        int a = blockIdx.x * 16 + t % 18 - 1, b = blockIdx.y * 16 + t / 18 - 1;
        bool inside = a >= 0 && a < width && b >= 0 && b < height;              // inside
        tile[t / 18][t % 18] = inside ? x[b * width + a] : 0;
    }
    __syncthreads();
    if (i >= width || j >= height) return;
    float sum = 0;
    for (int b = 0; b < 3; ++b)
        for (int a = 0; a < 3; ++a) sum += w[b * 3 + a] * tile[threadIdx.y + b][threadIdx.x + a];
    out[j * width + i] = sum;
}
__global__ void max_pool(float *out, const float *x, int height, int width)
{
    int i = I, columns = width / 2, rows = height / 2;
    if (i >= rows * columns) return;
    const float *p = x + (i / columns) * 2 * width + i % columns * 2;           // corner
    out[i] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[width], p[width + 1]));
}
// Of equal ones the first.
__global__ void arg_max(int *at, const int *x, int rows, int columns)
{
    __shared__ int best[64], where[64];
    int t = threadIdx.x, mine = -1000, place = 0;
    for (int i = t; i < columns; i += 64)
        if (x[blockIdx.x * columns + i] > mine) mine = x[blockIdx.x * columns + i], place = i;
    best[t] = mine; where[t] = place;
    __syncthreads();
    for (int k = 32; k > 0; k /= 2) {
        if (t < k && (best[t + k] > best[t] ||
                      (best[t + k] == best[t] && where[t + k] < where[t])))     // ties
            best[t] = best[t + k], where[t] = where[t + k];
        __syncthreads();
    }
    if (t == 0) at[blockIdx.x] = where[0];
}
__global__ void rms_norm(float *out, const float *x, const float *w, int rows, int columns)
{
    __shared__ float of_warp[4];
    const float *row = x + blockIdx.x * columns;
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += 128) sum += row[i] * row[i];
    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(~0u, sum, k);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();                                                            // partial sums
    sum = of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3];
    float scale = rsqrtf(sum / columns + 1e-5f);
    for (int i = threadIdx.x; i < columns; i += 128)
        out[blockIdx.x * columns + i] = row[i] * scale * w[i];
}
// Pairs turned by an angle of their place.
__global__ void rotate(float2 *out, const float2 *x, const float *angle, int n)
{
    if (I >= n) return;
    float s, c;
    sincosf(angle[I], &s, &c);
    float2 p = x[I];
    out[I] = make_float2(p.x * c - p.y * s, p.x * s + p.y * c);                 // turned
}
// Blelloch's sum of what stands before, 128 numbers a block.
__global__ void exclusive(int *out, const int *x)
{
    __shared__ int s[128];
    int t = threadIdx.x, offset = 1;
    s[2 * t] = x[blockIdx.x * 128 + 2 * t]; s[2 * t + 1] = x[blockIdx.x * 128 + 2 * t + 1];
    for (int d = 64; d > 0; d /= 2, offset *= 2) {
        __syncthreads();
        if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
    }
    if (t == 0) s[127] = 0;
    for (int d = 1; d < 128; d *= 2) {
        offset /= 2;
        __syncthreads();                                                        // down
        if (t >= d) continue;
        int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1, left = s[a];
        s[a] = s[b]; s[b] += left;
    }
    __syncthreads();
    out[blockIdx.x * 128 + 2 * t] = s[2 * t]; out[blockIdx.x * 128 + 2 * t + 1] = s[2 * t + 1];
}
// A warp for each row of a matrix in CSR.
__global__ void csr_product(float *y, const int *first, const int *column, const float *value,
                            const float *x, int rows)
{
    int row = I / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int i = first[row] + lane; i < first[row + 1]; i += 32) sum += value[i] * x[column[i]];
    for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
    if (lane == 0) y[row] = sum;                                                // stored
}
__global__ void cross_entropy(float *loss, const float *x, const int *label, int n)
{
    if (I >= n) return;
    const float *row = x + I * 10;
    float most = row[0], sum = 0;
    for (int i = 1; i < 10; ++i) most = fmaxf(most, row[i]);                    // largest
    for (int i = 0; i < 10; ++i) sum += expf(row[i] - most);
    loss[I] = logf(sum) + most - row[label[I]];
}
__global__ void bitonic(int *x)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 2; k <= 256; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int other = t ^ j;
            if (other > t && ((t & k) == 0) == (s[t] > s[other])) {             // exchanged
                int kept = s[t]; s[t] = s[other]; s[other] = kept;
            }
            __syncthreads();
        }
    x[blockIdx.x * 256 + t] = s[t];
}
}
"""


def attention(q, k, v, n):
    q, k, v = (each.reshape(n, 8) for each in (q, k, v))
    scores = np.where(np.tri(n, dtype=bool), q @ k.T * 0.35355339, -np.inf)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (shares / shares.sum(axis=1, keepdims=True) @ v).ravel()


def convolution(x, w, height, width):
    padded = np.pad(x.reshape(height, width), 1)
    parts = (w[3 * b + a] * padded[b : b + height, a : a + width]
             for b in range(3) for a in range(3))  # fmt: skip
    return sum(parts).ravel()


def max_pool(x, height, width):
    return x.reshape(height // 2, 2, width // 2, 2).max(axis=(1, 3)).ravel()


def rms_norm(x, w, rows, columns):
    x = x.reshape(rows, columns)
    return (x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * w).ravel()


def rotate(x, angle):
    turned = (x[:, 0] + 1j * x[:, 1]) * np.exp(1j * angle)
    return np.stack([turned.real, turned.imag], axis=-1)


def csr_product(first, column, value, x, rows):
    return np.array([np.sum(value[a:b] * x[column[a:b]])
                     for a, b in zip(first[:-1], first[1:], strict=True)])  # fmt: skip


def cross_entropy(x, label, n):
    x = x.reshape(n, 10)
    most = x.max(axis=1)
    return np.log(np.exp(x - most[:, None]).sum(axis=1)) + most - x[np.arange(n), label]


PLANE = {"block": (16, 16), "grid": ("ceil_div(width, 16)", "ceil_div(height, 16)")}
HEADS = dict.fromkeys(("out", "q", "k", "v"), "8 * n")
HALVES = {"out": "(height // 2) * (width // 2)"}
# Name, reference and its launch; what is wrong, instead of what, and a question that tells it.
PAIRS = [
    ("attention", attention, {"sizes": HEADS, "grid": "ceil_div(n, 128)"},
     ("sum = sum * shrink + e;", "sum = sum + e;", "result")),
    ("convolution", convolution, {**PLANE, "sizes": {"w": 9}},
     ("b >= 0 && b < height;", "b >= 0 && b <= height;", "bounds")),
    ("max_pool", max_pool, {"sizes": HALVES, "grid": "ceil_div(height * width, 512)",
                            "where": "height % 2 == 0 and width % 2 == 0"},
     ("(i / columns) * 2 * width", "(i / columns) * width", "result")),
    ("arg_max", lambda x, rows, columns: x.reshape(rows, columns).argmax(axis=1),
     {"sizes": {"at": "rows"}, "block": 64, "grid": "rows"},
     (" && where[t + k] < where[t])))", " && where[t + k] > where[t])))", "result")),
    ("rms_norm", rms_norm, {"sizes": {"w": "columns"}, "grid": "rows"},
     ("    __syncthreads();                                                            // partial",
      "    // partial", "race")),
    ("rotate", rotate, {}, ("p.x * s + p.y * c);", "p.x * s - p.y * c);", "result")),
    ("exclusive", lambda x: (x.reshape(-1, 128).cumsum(axis=1) - x.reshape(-1, 128)).ravel(),
     {"sizes": {"out": 384, "x": 384}, "block": 64, "grid": 3},
     ("        __syncthreads();                                                        // down",
      "        // down", "race")),
    ("csr_product", csr_product, {
        "sizes": {"y": "rows", "first": "rows + 1", "column": 64, "value": 64, "x": 50},
        "ranges": {"column": 50, "first": 64}, "grid": "ceil_div(rows, 4)"},
     ("if (lane == 0) y[row]", "if (lane == 0 && sum != 0) y[row]", "written")),
    ("cross_entropy", cross_entropy, {
        "sizes": {"loss": "n", "x": "10 * n", "label": "n"}, "ranges": {"label": 10},
        "grid": "ceil_div(n, 128)"},
     ("for (int i = 1; i < 10; ++i) most", "for (int i = 1; i < 1; ++i) most", "extreme")),
    ("bitonic", lambda x: np.sort(x.reshape(-1, 256), axis=1).ravel(),
     {"sizes": {"x": 512}, "block": 256, "grid": 2},
     ("if (other > t &&", "if (other >= t - 1 &&", "race")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "like", "how", "mistake"), PAIRS, ids=[p[0] for p in PAIRS])
def test_a_kernel_of_a_layer_is_right_and_its_relative_wrong(name, like, how, mistake):
    assert_kernel(TEXT, name, like=like, accept=["extreme", "special"], **how)
    right, wrong, question = mistake
    assert TEXT.count(right) == 1
    verdict = judge(TEXT.replace(right, wrong), name, like=like, **how)
    assert verdict.answer(question) == "wrong", str(verdict)
