# SPDX-License-Identifier: MIT
"""Sorting networks: bitonic and odd-even merge sort of keys with values, larger than a block."""

import numpy as np
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.driver as drv
from pycuda.compiler import SourceModule

TILE = 256  # elements that a block sorts in shared memory
mod = SourceModule(
    """
typedef unsigned int uint;
#define TILE %(tile)dU

__device__ inline void order(uint &keyA, uint &valueA, uint &keyB, uint &valueB, uint ascending)
{
    if ((keyA > keyB) == ascending) {
        uint t;
        t = keyA; keyA = keyB; keyB = t;
        t = valueA; valueA = valueB; valueB = t;
    }
}

__device__ inline void merge_tile(uint *keys, uint *values, uint size, uint ascending)
{
    for (uint stride = size / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        uint at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        order(keys[at], values[at], keys[at + stride], values[at + stride], ascending);
    }
}

struct Tile {
    uint *keys, *values;
    __device__ Tile(uint *k, uint *v) : keys(k + blockIdx.x * TILE + threadIdx.x),
                                        values(v + blockIdx.x * TILE + threadIdx.x) {}
    __device__ void load(uint *k, uint *v) const
    {
        k[threadIdx.x] = keys[0];
        v[threadIdx.x] = values[0];
        k[threadIdx.x + TILE / 2] = keys[TILE / 2];
        v[threadIdx.x + TILE / 2] = values[TILE / 2];
    }
    __device__ void store(const uint *k, const uint *v) const
    {
        __syncthreads();
        keys[0] = k[threadIdx.x];
        values[0] = v[threadIdx.x];
        keys[TILE / 2] = k[threadIdx.x + TILE / 2];
        values[TILE / 2] = v[threadIdx.x + TILE / 2];
    }
};

// Tiles in turn ascending and descending, as the merges of larger sizes want them.
__global__ void bitonic_tiles(uint *keys, uint *values)
{
    __shared__ uint k[TILE], v[TILE];
    Tile tile(keys, values);
    tile.load(k, v);
    for (uint size = 2; size < TILE; size <<= 1)
        merge_tile(k, v, size, (threadIdx.x & (size / 2)) == 0);
    merge_tile(k, v, TILE, (blockIdx.x + 1) & 1);
    tile.store(k, v);
}

__global__ void bitonic_merge_global(uint *keys, uint *values, uint n, uint size, uint stride,
                                     uint up)
{
    uint i = blockIdx.x * blockDim.x + threadIdx.x;
    uint comparator = i & (n / 2 - 1);
    uint ascending = up ^ ((comparator & (size / 2)) != 0);
    uint at = 2 * i - (i & (stride - 1));
    order(keys[at], values[at], keys[at + stride], values[at + stride], ascending);
}

__global__ void bitonic_merge_tiles(uint *keys, uint *values, uint n, uint size, uint up)
{
    __shared__ uint k[TILE], v[TILE];
    Tile tile(keys, values);
    tile.load(k, v);
    uint comparator = (blockIdx.x * blockDim.x + threadIdx.x) & (n / 2 - 1);
    merge_tile(k, v, TILE, up ^ ((comparator & (size / 2)) != 0));
    tile.store(k, v);
}

__global__ void odd_even_tiles(uint *keys, uint *values, uint up)
{
    __shared__ uint k[TILE], v[TILE];
    Tile tile(keys, values);
    tile.load(k, v);
    for (uint size = 2; size <= TILE; size <<= 1) {
        uint stride = size / 2;
        uint offset = threadIdx.x & (stride - 1);
        __syncthreads();
        uint at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        order(k[at], v[at], k[at + stride], v[at + stride], up);
        for (stride >>= 1; stride > 0; stride >>= 1) {
            __syncthreads();
            uint at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            if (offset >= stride) order(k[at - stride], v[at - stride], k[at], v[at], up);
        }
    }
    tile.store(k, v);
}

__global__ void odd_even_merge(uint *keys, uint *values, uint size, uint stride, uint up)
{
    uint i = blockIdx.x * blockDim.x + threadIdx.x;
    uint at = 2 * i - (i & (stride - 1));
    if (stride < size / 2) {
        if ((i & (size / 2 - 1)) >= stride)
            order(keys[at - stride], values[at - stride], keys[at], values[at], up);
    } else {
        order(keys[at], values[at], keys[at + stride], values[at + stride], up);
    }
}

// Neighbours change places until nobody has to; all threads vote after each round.
__global__ void odd_even_transposition(float *a, int n, int *rounds)
{
    extern __shared__ float row[];
    int at = 2 * threadIdx.x;
    row[at] = a[at];
    if (at + 1 < n) row[at + 1] = a[at + 1];
    int round = 0, swapped = 1;
    do {
        swapped = 0;
        for (int odd = 0; odd < 2; odd++) {
            __syncthreads();
            int left = at + odd;
            if (left + 1 < n && row[left] > row[left + 1]) {
                float t = row[left]; row[left] = row[left + 1]; row[left + 1] = t;
                swapped = 1;
            }
        }
        round++;
    } while (__syncthreads_or(swapped));
    a[at] = row[at];
    if (at + 1 < n) a[at + 1] = row[at + 1];
    if (threadIdx.x == 0) *rounds = round;
}
"""
    % {"tile": TILE}
)
names = "bitonic_tiles bitonic_merge_global bitonic_merge_tiles odd_even_tiles odd_even_merge"
tiles, merge_global, merge_tiles, odd_even_tiles, odd_even_merge = map(
    mod.get_function, names.split()
)
tiles.prepare("PP")
merge_global.prepare("PPIIII")
merge_tiles.prepare("PPIII")
odd_even_tiles.prepare("PPI")
odd_even_merge.prepare("PPIII")


def bitonic(keys, values, n, up):
    grid, block = (n // TILE, 1), (TILE // 2, 1, 1)
    tiles.prepared_call(grid, block, keys, values)
    size = 2 * TILE
    while size <= n:
        # The last merge has the direction that was asked for; those before take turns.
        stride = size // 2
        while stride >= TILE:
            merge_global.prepared_call(grid, block, keys, values, n, size, stride, up)
            stride //= 2
        merge_tiles.prepared_call(grid, block, keys, values, n, size, up)
        size *= 2


def odd_even(keys, values, n, up):
    grid, block = (n // TILE, 1), (TILE // 2, 1, 1)
    odd_even_tiles.prepared_call(grid, block, keys, values, up)
    size = 2 * TILE
    while size <= n:
        stride = size // 2
        while stride > 0:
            odd_even_merge.prepared_call(grid, block, keys, values, size, stride, up)
            stride //= 2
        size *= 2


rng = np.random.RandomState(11)
for sort in (bitonic, odd_even):
    for n, top in ((2 * TILE, 2**32), (16 * TILE, 1000)):
        for up in (1, 0):
            keys = rng.randint(0, top, n).astype(np.uint32)
            values = np.arange(n, dtype=np.uint32)
            keys_gpu, values_gpu = drv.to_device(keys), drv.to_device(values)
            sort(keys_gpu, values_gpu, n, up)
            found = drv.from_device_like(keys_gpu, keys)
            order = drv.from_device_like(values_gpu, values)
            assert (found == np.sort(keys)[:: 1 if up else -1]).all(), (sort, n, up)
            assert (keys[order] == found).all() and (np.sort(order) == values).all()

n = 301
a, rounds = rng.randn(n).astype(np.float32), np.zeros(1, np.int32)
b = a.copy()
transpose = mod.get_function("odd_even_transposition")
transpose(drv.InOut(b), np.int32(n), drv.Out(rounds), block=((n + 1) // 2, 1, 1), shared=4 * n)
assert (b == np.sort(a)).all() and 1 < rounds[0] <= n
transpose(drv.InOut(b), np.int32(n), drv.Out(rounds), block=((n + 1) // 2, 1, 1), shared=4 * n)
assert rounds[0] == 1
print("sorted")
