# SPDX-License-Identifier: MIT
"""treadle.testing on kernels in CUDA C: verdicts, and the words that name a fault."""

import json

import numpy as np
import pytest

from treadle.testing import assert_kernel, judge

RIGHT_TEXT = r"""
#define I (blockIdx.x * blockDim.x + threadIdx.x)
typedef unsigned char byte;
extern "C" {
__device__ float block_maximum(float *s, float x) {
    s[threadIdx.x] = x;
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]);
    }
    __syncthreads();
    const float made = s[0];
    __syncthreads();
    return made;
}
__device__ float block_sum(float *s, float x) {
    s[threadIdx.x] = x;
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    }
    __syncthreads();
    const float made = s[0];
    __syncthreads();
    return made;
}
__global__ void softmax(float *out, const float *x, int rows, int columns) {
    __shared__ float s[64];
    x += blockIdx.x * columns, out += blockIdx.x * columns;
    float most = -1.0f / 0.0f, sum = 0;
    for (int i = threadIdx.x; i < columns; i += 64) most = fmaxf(most, x[i]);
    most = block_maximum(s, most);
    for (int i = threadIdx.x; i < columns; i += 64) sum += expf(x[i] - most);
    sum = block_sum(s, sum);
    for (int i = threadIdx.x; i < columns; i += 64) out[i] = expf(x[i] - most) / sum;
}
__global__ void layer_norm(float *out, const float *x, const float *scale, int rows, int columns) {
    __shared__ float s[64];
    x += blockIdx.x * columns, out += blockIdx.x * columns;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < columns; i += 64) sum += x[i];
    const float mean = block_sum(s, sum) / columns;
    for (int i = threadIdx.x; i < columns; i += 64) squares += (x[i] - mean) * (x[i] - mean);
    const float factor = rsqrtf(block_sum(s, squares) / columns + 1e-2f);
    for (int i = threadIdx.x; i < columns; i += 64) out[i] = (x[i] - mean) * factor * scale[i];
}
__global__ void prefix_sums(int *out, const int *x, int n) {
    __shared__ int s[2][128];
    int at = 0;
    s[0][threadIdx.x] = I < n ? x[I] : 0;
    for (int k = 1; k < 128; k *= 2, at ^= 1) {
        __syncthreads();
        const int before = threadIdx.x < k ? 0 : s[at][threadIdx.x - k];
        s[at ^ 1][threadIdx.x] = s[at][threadIdx.x] + before;
    }
    if (I < n) out[I] = s[at][threadIdx.x];
}
__global__ void every_third(double *out, const double *x, int n) {
    for (int i = I; i < n; i += gridDim.x * blockDim.x) out[i] = x[3 * i + 1];
}
__global__ void reverse(int *x, int n) {
    if (I >= n / 2) return;
    const int held = x[I];
    x[I] = x[n - 1 - I];
    x[n - 1 - I] = held;
}
__global__ void private_counts(unsigned *counts, const byte *x, int n) {
    extern __shared__ unsigned mine[];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) mine[k] = 0;
    __syncthreads();
    if (I < n) atomicAdd(mine + x[I], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) atomicAdd(counts + k, mine[k]);
}
__global__ void gemm_tiles(float *c, const float *a, const float *b, int m, int n, int k) {
    __shared__ float left[8][8], right[8][9];
    const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    for (int at = 0; at < k; at += 8) {
        const int x = at + threadIdx.x, y = at + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0;
        right[threadIdx.y][threadIdx.x] = y < k && column < n ? b[y * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < 8; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}
__global__ void matrix_vector(float *y, const float *a, const float *x, int rows, int columns) {
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += 32) sum += a[blockIdx.x * columns + i] * x[i];
    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(~0u, sum, k);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
__global__ void clip(float *x, float low, float high, int n) {
    if (I < n) x[I] = x[I] < low ? low : x[I] > high ? high : x[I];
}
__global__ void quantize(signed char *q, const float *x, int n) {
    if (I < n) q[I] = (signed char)rintf(fminf(fmaxf(x[I] * 100, -127.0f), 127.0f));
}
__global__ void nearest(int *index, const float *x, const float *table, int n) {
    if (I >= n) return;
    int best = 0;
    for (int k = 1; k < 16; ++k)
        if (fabsf(x[I] - table[k]) < fabsf(x[I] - table[best])) best = k;
    index[I] = best;
}
__global__ void rows_by_index(float *out, const float *table, const int *index, int n, int width) {
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (I < width && i < n) out[i * width + I] = table[index[i] * width + I];
}
__global__ void with_scratch(float *out, float *scratch, const float *x, int n) {
    if (I < n) scratch[I] = x[I] * x[I];
    if (I < n) out[I] = scratch[I] + 1;
}
__global__ void both_ends(float *low, float *high, const float *x, const float *y, int n) {
    if (I < n) low[I] = fminf(x[I], y[I]), high[I] = fmaxf(x[I], y[I]);
}
}
"""


def softmax(x, rows, columns):
    x = x.reshape(rows, columns)
    made = np.exp(x - x.max(axis=1, keepdims=True))
    return made / made.sum(axis=1, keepdims=True)


def layer_norm(x, scale, rows, columns):
    x = x.reshape(rows, columns)
    apart = x - x.mean(axis=1, keepdims=True)
    return apart / np.sqrt((apart**2).mean(axis=1, keepdims=True) + 1e-2) * scale


def prefix_sums(x, n):
    return np.concatenate([np.cumsum(x[k : k + 128]) for k in range(0, n, 128)])


def product(a, b, m, n, k):
    return a.reshape(m, k) @ b.reshape(k, n)


ROWS = {"grid": "rows", "block": 64}
BLOCKS = {"grid": "ceil_div(n, 128)"}
GEMM = {
    "like": product, "sizes": {"a": "m * k", "b": "k * n", "c": "m * n"},
    "block": [8, 8], "grid": ["ceil_div(n, 8)", "ceil_div(m, 8)"],
}  # fmt: skip
RIGHT = {
    "softmax": {"like": softmax, **ROWS},
    "layer_norm": {"like": layer_norm, "sizes": {"scale": "columns"}, **ROWS},
    "prefix_sums": {"like": prefix_sums, **BLOCKS},
    "every_third": {"like": lambda x, n: x[1::3], "sizes": {"x": "3 * n", "out": "n"}, "grid": 2},
    "reverse": {"like": lambda x, n: x[::-1], **BLOCKS},
    "private_counts": {
        "like": lambda counts, x, n: counts + np.bincount(x, minlength=256),
        "sizes": {"counts": 256, "x": "n"}, "shared": "4 * 256", **BLOCKS,
    },
    "gemm_tiles": GEMM,
    "matrix_vector": {
        "like": lambda a, x, rows, columns: a.reshape(rows, columns) @ x,
        "sizes": {"y": "rows", "a": "rows * columns", "x": "columns"},
        "grid": "rows", "block": 32,
    },
    "clip": {
        "like": lambda x, low, high, n: np.where(x < low, low, np.where(x > high, high, x)),
        "values": {"low": [-0.5, 0.0], "high": [0.25, 0.75]},
    },
    "quantize": {
        "like": lambda x, n: np.rint(np.clip(np.nan_to_num(100 * x, nan=-127), -127, 127)),
    },
    "nearest": {
        "like": lambda x, table, n: np.abs(x[:, None] - table).argmin(axis=1),
        "sizes": {"table": 16, "x": "n", "index": "n"},
        "accept": ["extreme", "special"],  # the distances to two of them may be the same
    },
    "rows_by_index": {
        "like": lambda table, index, n, width: table.reshape(n, width)[index],
        "sizes": {"index": "n"}, "ranges": {"index": "n"}, "block": [32, 4],
        "grid": ["ceil_div(width, 32)", "ceil_div(n, 4)"],
    },
    "with_scratch": {"like": lambda x, n: x * x + 1, "uses": {"scratch": "scratch"}},
    "both_ends": {
        "like": lambda x, y, n: {"low": np.fmin(x, y), "high": np.fmax(x, y)},
    },
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_a_kernel_of_every_kind_is_right(name):
    verdict = assert_kernel(RIGHT_TEXT, name, **RIGHT[name])
    for question in ("bounds", "race", "init", "sync", "order", "written", "repeat", "result"):
        assert verdict.answer(question) == "right", question


WRONG_TEXT = r"""
#define I (blockIdx.x * blockDim.x + threadIdx.x)
__device__ int launches;
extern "C" {
__global__ void other_sign(float *y, const float *x, float a, int n) {
    if (I < n) y[I] = a * x[I] - y[I];
}
__global__ void transpose_no_barrier(float *out, const float *x, int rows, int columns) {
    __shared__ float tile[16][17];
    int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
    if (i < columns && j < rows) tile[threadIdx.y][threadIdx.x] = x[j * columns + i];
    i = blockIdx.y * 16 + threadIdx.x; j = blockIdx.x * 16 + threadIdx.y;
    if (i < rows && j < columns) out[j * rows + i] = tile[threadIdx.x][threadIdx.y];
}
__global__ void transpose_wrong_row(float *out, const float *x, int rows, int columns) {
    const int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
    if (i < columns && j < rows) out[i * columns + j] = x[j * columns + i];
}
__global__ void softmax_overflows(float *out, const float *x, int rows, int columns) {
    float sum = 0;
    if (threadIdx.x != 0) return;
    x += blockIdx.x * columns, out += blockIdx.x * columns;
    for (int i = 0; i < columns; ++i) sum += expf(x[i]);
    for (int i = 0; i < columns; ++i) out[i] = expf(x[i]) / sum;
}
__global__ void maximum_without_nan(float *out, const float *x, int rows, int columns) {
    float most = x[blockIdx.x * columns];
    for (int i = 1; i < columns; ++i) most = fmaxf(most, x[blockIdx.x * columns + i]);
    if (threadIdx.x == 0) out[blockIdx.x] = most;
}
__global__ void norm_shares_too_early(float *out, const float *x, int rows, int columns) {
    __shared__ float mean;
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < columns; ++i) sum += x[blockIdx.x * columns + i];
        mean = sum / columns;
    }
    for (int i = threadIdx.x; i < columns; i += 64)
        out[blockIdx.x * columns + i] = x[blockIdx.x * columns + i] - mean;
}
__global__ void counts_not_cleared(unsigned *counts, const unsigned char *x, int n) {
    __shared__ unsigned mine[16];
    if (I < n) atomicAdd(mine + x[I] % 16, 1u);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(counts + threadIdx.x, mine[threadIdx.x]);
}
__global__ void gemm_one_too_many(float *c, const float *a, const float *b, int m, int n, int k) {
    const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    if (row >= m || column >= n) return;
    float sum = 0;
    for (int i = 0; i <= k; ++i) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}
__global__ void gemm_one_too_few(float *c, const float *a, const float *b, int m, int n, int k) {
    const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    if (row >= m || column >= n) return;
    float sum = 0;
    for (int i = 1; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}
__global__ void gemm_drops_rest(float *c, const float *a, const float *b, int m, int n, int k) {
    const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    if (blockIdx.y >= m / 8 || column >= n) return;
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}
__global__ void sum_waits_in_a_branch(float *sums, const float *x, int n) {
    __shared__ float s[128];
    s[threadIdx.x] = I < n ? x[I] : 0;
    __syncthreads();
    for (int k = 64; k > 0; k /= 2)
        if (threadIdx.x < k) {
            s[threadIdx.x] += s[threadIdx.x + k];
            __syncthreads();
        }
    if (threadIdx.x == 0) sums[blockIdx.x] = s[0];
}
__global__ void sum_read_too_early(float *sums, const float *x, int n) {
    __shared__ float s[128];
    s[threadIdx.x] = I < n ? x[I] : 0;
    for (int k = 64; k > 0; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    }
    if (threadIdx.x == 127) sums[blockIdx.x] = s[0];
}
__global__ void last_of_each_warp(int *last, const int *x, int n) {
    if (I < n) last[threadIdx.x / 32] = x[I];
}
__global__ void every_second(float *out, const float *x, int n) {
    for (int i = 2 * I; i < n; i += 2 * gridDim.x * blockDim.x) out[i] = x[i];
}
__global__ void before_the_first(float *out, const float *x, int n) {
    if (I < n) out[(int)I - 1] = x[I];
}
__global__ void accumulates(float *out, const float *x, int n) { if (I < n) out[I] += x[I]; }
__global__ void remembers(int *out, const int *x, int n) {
    if (I == 0) out[0] = x[0] + atomicAdd(&launches, 1);
    else if (I < n) out[I] = x[I];
}
__global__ void smooths_in_place(float *x, int n) {
    if (I > 0 && I < n - 1) x[I] = (x[I - 1] + x[I] + x[I + 1]) / 3;
}
__global__ void compacts(int *out, int *count, const int *x, int n) {
    if (I < n) out[atomicAdd(count, 1)] = x[I];
}
__global__ void traps_at_large(float *out, const float *x, int n) {
    if (n > 500) __trap();
    if (I < n) out[I] = x[I];
}
__global__ void wide_loads(float *out, const float *x, int n) {
    if (4 * I < n) *(float4 *)(out + 4 * I) = *(const float4 *)(x + 4 * I);
}
__global__ void unsigned_distance(unsigned *out, const unsigned *x, const unsigned *y, int n) {
    if (I < n) out[I] = max(x[I] - y[I], 0u);
}
__global__ void single_precision(double *out, const double *x, int n) {
    if (I < n) out[I] = sqrtf(x[I] * x[I] + 1.0f);
}
__global__ void narrow_sum(short *out, const short *x, const short *y, int n) {
    if (I < n) out[I] = (signed char)(x[I] * y[I]);
}
}
"""
HALVES = {"sizes": {"sums": "ceil_div(n, 128)"}, **BLOCKS}
COUNTS = {
    "like": lambda counts, x, n: counts + np.bincount(x % 16, minlength=16),
    "sizes": {"counts": 16, "x": "n"}, **BLOCKS,
}  # fmt: skip
TILES = {"block": [16, 16], "grid": ["ceil_div(columns, 16)", "ceil_div(rows, 16)"]}
TRANSPOSE = {"like": lambda x, rows, columns: x.reshape(rows, columns).T, **TILES}
MAXIMA = {"sizes": {"out": "rows"}, "grid": "rows", "block": 32}


def line_of(words):
    """Where the text has these words: messages tell lines."""
    (at,) = (k for k, line in enumerate(WRONG_TEXT.split("\n"), 1) if words in line)
    return f"kernel.cu:{at}"


# kernel: how it is judged, the question whose answer is wrong, words of the answer
WRONG = {
    "other_sign": ({"like": lambda y, x, a, n: a * x + y}, "result", ["'y': "]),
    "transpose_no_barrier": (
        TRANSPOSE, "race",
        ["race in shared memory", line_of("out[j * rows + i] = tile"), "by thread ("],
    ),
    "transpose_wrong_row": (TRANSPOSE, "bounds", [line_of("out[i * columns + j]")]),
    "softmax_overflows": ({"like": softmax, **ROWS}, "extreme", ["'out': "]),
    "maximum_without_nan": (
        {"like": lambda x, rows, columns: x.reshape(rows, columns).max(axis=1), **MAXIMA},
        "special", ["'out': "],
    ),
    "norm_shares_too_early": (
        {"like": lambda x, rows, columns:
         (x.reshape(rows, columns) - x.reshape(rows, columns).mean(axis=1)[:, None]), **ROWS},
        "race", ["race in shared memory", line_of("mean = sum / columns"), "thread (0,0,0)"],
    ),
    "counts_not_cleared": (COUNTS, "init", [line_of("if (I < n) atomicAdd(mine")]),
    "gemm_one_too_many": (GEMM, "bounds", ["read of 4 bytes", line_of("i <= k")]),
    "gemm_one_too_few": (GEMM, "result", ["'c': "]),
    "gemm_drops_rest": (GEMM, "written", ["'c' keeps element 0; 32 of 32 are not written"]),
    "sum_waits_in_a_branch": (
        {"like": None, **HALVES}, "sync",
        ["a barrier that not all threads of the block reach: thread (64,0,0) came last"],
    ),
    "sum_read_too_early": (
        {"like": None, **HALVES}, "race", [line_of("if (threadIdx.x == 127)"), "thread (127,0,0)"],
    ),
    "last_of_each_warp": (
        {"like": None, "sizes": {"last": 4, "x": "n"}, **BLOCKS}, "race", ["race in global memory"],
    ),
    "every_second": ({"like": lambda x, n: x}, "written", ["'out' keeps element 1; 16 of 33"]),
    "before_the_first": ({"like": None}, "bounds", ["write of 4 bytes", "4 bytes before"]),
    "accumulates": ({"like": lambda x, n: x}, "init", [line_of("out[I] += x[I]")]),
    "remembers": ({"like": lambda x, n: x}, "repeat", ["element 0 of 'out' is another the second"]),
    "smooths_in_place": ({"like": None}, "race", [line_of("(x[I - 1] + x[I] + x[I + 1])")]),
    "compacts": (
        {"like": None, "uses": {"count": "updated"}, "ranges": {"count": 1}, **BLOCKS,
         "sizes": {"count": 1, "x": "n", "out": "n"}},
        "order", ["depends on the order of blocks and warps", line_of("atomicAdd(count, 1)")],
    ),
    "traps_at_large": ({"like": lambda x, n: x}, "runs", ["kernel traps_at_large"]),
    "wide_loads": ({"like": lambda x, n: x, "grid": 8}, "bounds", ["of 16 bytes"]),
    "unsigned_distance": (
        {"like": lambda x, y, n: np.maximum(x.astype(float) - y, 0)}, "result", ["'out': "],
    ),
    "single_precision": ({"like": lambda x, n: np.sqrt(x * x + 1)}, "result", ["'out': "]),
    "narrow_sum": ({"like": lambda x, y, n: x * y}, "result", ["'out': "]),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_fault_is_named(name):
    how, question, words = WRONG[name]
    verdict = judge(WRONG_TEXT, name, devices=["cpu"], **how)
    assert not verdict.is_right
    assert verdict.answer("compiles") == "right"
    (finding,) = (each for each in verdict.findings if each.question == question)
    assert finding.answer == "wrong", str(verdict)
    for each in words:
        assert each in finding.text, finding.text
    assert f"{question}: wrong on cpu ({finding.run})" in str(verdict)


ALIASES = r"""
#define I (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" {
__global__ void halves(float *out, const float *x, int n) { if (I < n) out[I] = x[I] / 2; }
__global__ void backwards(float *out, const float *x, int n) { if (I < n) out[I] = x[n - 1 - I]; }
__global__ void cancels(float *out, const float *x, int n) {
    if (I < n) out[I] = sqrtf(x[I] * x[I] + 1e8f) - 1e4f;
}
__global__ void multiplies(float *out, const float *x, int n, int factor) {
    if (I < n) out[I] = x[I] * factor + (n % 32 == 1 ? 1 : 0);
}
}
"""
ON_CPU = {"devices": ["cpu"]}


@pytest.mark.parametrize(("name", "words"), [
    ("halves", "'out' may lie where 'x' does"),
    ("backwards", "'out' must not lie where 'x' does: "),
])  # fmt: skip
def test_it_is_told_whether_a_kernel_works_in_place(name, words):
    verdict = judge(ALIASES, name, uses={"out": "output"}, **ON_CPU)
    (finding,) = (each for each in verdict.findings if each.question == "aliasing")
    assert finding.answer == "told"
    assert finding.text.startswith(words)
    assert verdict.is_right


def test_differences_of_large_numbers_are_inaccurate():
    verdict = judge(ALIASES, "cancels", **ON_CPU)
    assert verdict.answer("accuracy") == "wrong"
    assert "by the same kernel in double precision" in str(verdict)
    assert verdict.ulp["out"] > 1000


def test_only_the_problems_that_fulfil_a_condition_are_tried():
    how = {"like": lambda x, n, factor: x * factor, "values": {"factor": [3, -5]}, **ON_CPU}
    wrong = judge(ALIASES, "multiplies", **how)
    assert wrong.answer("result") == "wrong"
    assert wrong.findings[0].question == "compiles"
    assert "n=1" in next(each.run for each in wrong.findings if each.question == "result")
    assert_kernel(ALIASES, "multiplies", where="n % 32 != 1", **how)


def test_a_tolerance_may_be_wider():
    how = {"like": lambda x, n: x * 0.501, **ON_CPU}
    assert judge(ALIASES, "halves", **how).answer("result") == "wrong"
    assert judge(ALIASES, "halves", tolerance=1e-2, **how).answer("result") == "right"


def test_a_verdict_is_the_same_a_second_time():
    how, _, _ = WRONG["gemm_one_too_few"]
    # Blocks run in another order each time, and `c` in place of `a` shows it.
    said = {judge(WRONG_TEXT, "gemm_one_too_few", **how, **ON_CPU).json() for _ in range(8)}
    assert len(said) == 1
    report = json.loads(said.pop())
    assert report["kernel"] == "gemm_one_too_few"
    assert not report["right"]


def test_a_text_that_is_not_c_does_not_compile():
    text = ALIASES.replace("x[I] / 2", "x[I] / two")
    with pytest.raises(AssertionError, match="(?s)compiles: wrong on cpu.*'two'"):
        assert_kernel(text, "halves", like=lambda x, n: x / 2, **ON_CPU)


@pytest.mark.parametrize(("like", "error", "words"), [
    (lambda x, n: x[1:], ValueError, "0 numbers for 'out', which has 1"),
    (lambda x, n: {"y": x}, ValueError, "gives 'y', which is no array of kernel halves"),
    (lambda x, n: None, TypeError, r"returned NoneType, expected a dict of \['out'\]"),
    (lambda z: z, KeyError, "z"),
    (lambda x, n: x / ("n",), TypeError, "unsupported|ufunc"),
])  # fmt: skip
def test_a_wrong_reference_is_an_error_of_its_own(like, error, words):
    with pytest.raises(error, match=words):
        judge(ALIASES, "halves", like=like, **ON_CPU)


@pytest.mark.parametrize(("how", "words"), [
    ({"sizes": {"z": "n"}}, "elements has 'z', which is no parameter"),
    ({"sizes": {"x": "n - 1"}}, "elements of 'x' is 'n - 1', 0 for n=1"),
    ({"grid": "n / 2"}, "groups is 'n / 2'"),
    ({"grid": "x"}, "'x' in 'x' is no parameter of kernel halves but a pointer"),
    ({"grid": [1, 1, 1, 1]}, "a launch has 4 formulas"),
    ({"where": "n > 5000"}, "no problem fulfils 'n > 5000'"),
    ({"accept": ["speed"]}, "speed"),
])  # fmt: skip
def test_what_cannot_be_tried_is_refused(how, words):
    with pytest.raises(ValueError, match=words.replace(" - ", " . ")):
        judge(ALIASES, "halves", **how, **ON_CPU)


@pytest.mark.filterwarnings("error")
def test_nan_in_a_reference_of_integers_warns_of_nothing():
    text = "__global__ void whole(int *out, const float *x, int n) { out[0] = 0; }"
    how = {"sizes": {"out": 1, "x": "n"}, "grid": 1, "block": 1, **ON_CPU}
    assert judge(text, like=lambda x, n: np.sqrt(-1.0), **how).answer("result") == "wrong"
