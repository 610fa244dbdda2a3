# SPDX-License-Identifier: MIT
"""Histograms by atomic additions in shared memory: one for each warp of a block, merged twice."""

import numpy as np
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.driver as drv
from pycuda.compiler import SourceModule

WARPS, BINS = 6, 256
mod = SourceModule(
    """
#define BINS %(bins)d
#define WARPS %(warps)d
#define THREADS (32 * WARPS)
typedef unsigned int uint;
typedef unsigned char uchar;

inline __device__ void add_word(uint *own, uint word)
{
    atomicAdd(own + ((word >> 0) & 0xFFU), 1);
    atomicAdd(own + ((word >> 8) & 0xFFU), 1);
    atomicAdd(own + ((word >> 16) & 0xFFU), 1);
    atomicAdd(own + ((word >> 24) & 0xFFU), 1);
}

// Every warp has bins of its own, so that equal bytes disturb 32 threads only.
__global__ void count_bytes(uint *partial, const uint *words, uint word_count,
                            const uchar *tail, uint tail_count)
{
    __shared__ uint bins[WARPS * BINS];
    uint *own = bins + (threadIdx.x >> 5) * BINS;
#pragma unroll
    for (uint i = threadIdx.x; i < WARPS * BINS; i += THREADS) bins[i] = 0;
    __syncthreads();
    for (uint at = blockIdx.x * THREADS + threadIdx.x; at < word_count; at += gridDim.x * THREADS)
        add_word(own, words[at]);
    if (blockIdx.x == 0 && threadIdx.x < tail_count) atomicAdd(own + tail[threadIdx.x], 1);
    __syncthreads();
    for (uint bin = threadIdx.x; bin < BINS; bin += THREADS) {
        uint sum = 0;
        for (uint i = 0; i < WARPS; i++) sum += bins[bin + i * BINS];
        partial[blockIdx.x * BINS + bin] = sum;
    }
}

#define MERGE_THREADS 64
__global__ void merge(uint *histogram, const uint *partial, uint partial_count)
{
    uint sum = 0;
    for (uint i = threadIdx.x; i < partial_count; i += MERGE_THREADS)
        sum += partial[blockIdx.x + i * BINS];
    __shared__ uint data[MERGE_THREADS];
    data[threadIdx.x] = sum;
    for (uint stride = MERGE_THREADS / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        if (threadIdx.x < stride) data[threadIdx.x] += data[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) histogram[blockIdx.x] = data[0];
}

// As many bins as the launch asks for, and a weight for each value; outliers have a counter.
__device__ int outliers;
extern __shared__ float weights_of_bins[];
__global__ void weigh(float *histogram, int bins, const float *values, const float *weights,
                      int n, float low, float high)
{
    for (int i = threadIdx.x; i < bins; i += blockDim.x) weights_of_bins[i] = 0.f;
    __syncthreads();
    float scale = bins / (high - low);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int bin = __float2int_rd((values[i] - low) * scale);
        if (bin >= 0 && bin < bins) atomicAdd(&weights_of_bins[bin], weights[i]);
        else atomicInc((unsigned *) &outliers, 0xFFFFFFFFu);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < bins; i += blockDim.x)
        if (weights_of_bins[i] != 0.f) atomicAdd(&histogram[i], weights_of_bins[i]);
}
"""
    % {"bins": BINS, "warps": WARPS}
)
count_bytes, merge, weigh = (mod.get_function(n) for n in ("count_bytes", "merge", "weigh"))
count_bytes.set_cache_config(drv.func_cache.PREFER_SHARED)


def histogram(data, blocks=12):
    gpu = drv.to_device(data)
    words, tail = divmod(data.size, 4)
    partial = drv.mem_alloc(4 * BINS * blocks)
    out = np.empty(BINS, np.uint32)
    count_bytes(
        partial, gpu, np.uint32(words), np.intp(int(gpu) + 4 * words), np.uint32(tail),
        block=(32 * WARPS, 1, 1), grid=(blocks, 1),
    )  # fmt: skip
    merge(drv.Out(out), partial, np.uint32(blocks), block=(64, 1, 1), grid=(BINS, 1))
    return out


rng = np.random.RandomState(7)
for name, data in {
    "uniform": rng.randint(0, 256, 50001).astype(np.uint8),
    "one value": np.full(20002, 77, np.uint8),
    "a hill": np.clip(rng.normal(128, 9, 30003), 0, 255).astype(np.uint8),
    "less than a word": np.array([255, 0, 255], np.uint8),
}.items():
    found = histogram(data)
    assert (found == np.bincount(data, minlength=BINS)).all(), name

n, bins = 20000, 37
values = rng.randn(n).astype(np.float32)
weights = rng.randint(0, 8, n).astype(np.float32)  # whole: sums are exact in any order
weighed = np.zeros(bins, np.float32)
weigh(
    drv.InOut(weighed), np.int32(bins), drv.In(values), drv.In(weights), np.int32(n),
    np.float32(-2), np.float32(2.625), block=(128, 1, 1), grid=(8, 1), shared=4 * bins,
)  # fmt: skip
# Bins of 1/8: an edge is a float, and no value is near one by accident of rounding.
bin_of = np.floor((values + np.float32(2)) * np.float32(8)).astype(int)
inside = (bin_of >= 0) & (bin_of < bins)
assert (weighed == np.bincount(bin_of[inside], weights[inside], bins)).all()
left_out = np.zeros(1, np.int32)
drv.memcpy_dtoh(left_out, mod.get_global("outliers")[0])
assert left_out[0] == n - inside.sum() > 0
print("left out:", left_out[0])
