# SPDX-License-Identifier: MIT
"""Sums of the columns of a matrix, as gradients of a bias are computed: vectors of 16 bytes down
the rows, warps of four by eight threads in blocks of three dimensions, sums over groups of four
lanes, partial sums of each warp in shared memory. In blocks of fewer than four warps some lanes of
a group have no partial sum and end: those that still shuffle get 0 from them."""

import numpy as np
import pytest

TEXT = """
#include <cuda_bf16.h>
template <class T> struct alignas(16) Vector {
  static constexpr int size = 16 / sizeof(T);
  T elements[size];
  __device__ explicit Vector(int4 bits) { memcpy(elements, &bits, sizeof bits); }
  __device__ float operator[](int i) const { return (float)elements[i]; }
};
template <class T> __device__ Vector<T> load(const T *address) {
  return Vector<T>{__ldcs(reinterpret_cast<const int4 *>(address))};
}
__device__ float sum_of_four(float v) {
  v += __shfl_{direction}_sync(0xffffffffu, v, 1, 4);
  return v + __shfl_{direction}_sync(0xffffffffu, v, 2, 4);
}
typedef {type} number;
extern "C" __global__ void __launch_bounds__(1024) k(float *sums, const number *matrix, int rows,
                                                     int columns) {
  constexpr int size = Vector<number>::size;
  const int part = threadIdx.x, group = threadIdx.y, warp = threadIdx.z, warps = blockDim.z;
  const int column = (blockIdx.x * 8 + group) * size;
  __shared__ float partial[size][32][8];
  float own[size] = {};
  if (column < columns)
    for (int row = (blockIdx.y * warps + warp) * 4 + part; row < rows;
         row += gridDim.y * warps * 4) {
      const Vector<number> loaded = load(matrix + (size_t)row * columns + column);
      for (int i = 0; i < size; ++i) own[i] += loaded[i];
    }
  for (int i = 0; i < size; ++i) {
    const float v = sum_of_four(own[i]);
    if (part == 0) partial[i][warp][group] = v;
  }
  __syncthreads();
  for (int i = warp; i < size; i += warps) {
    float sum = 0;
    for (int other = part; other < warps; other += 4)
      sum += sum_of_four(partial[i][other][group]);
    if (part == 0 && column < columns) sums[blockIdx.y * columns + column + i] = sum;
  }
}
"""


def text(kind, direction):
    return TEXT.replace("{type}", kind).replace("{direction}", direction)


def bits_of(values, kind):
    """Whole numbers that both types hold."""
    if kind == "float":
        return values.astype(np.float32)
    return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def check(kernel, kind, warps, rows, columns, blocks):
    size = 4 if kind == "float" else 8
    values = np.random.default_rng(rows + columns).integers(-20, 21, (rows, columns))
    sums = np.full((blocks, columns), 1e9, np.float32)
    grid = (-(-columns // (8 * size)), blocks)
    kernel(
        *(sums, bits_of(values, kind), np.int32(rows), np.int32(columns)),
        block=(4, 8, warps),
        grid=grid,
    )
    assert (sums.sum(axis=0) == values.sum(axis=0)).all(), (kind, warps, rows, columns, blocks)


# Four lanes that give each other their sums have to be there.
WARPS = {"down": (1, 2, 3, 4, 8, 12, 16, 24, 32), "xor": (4, 12, 32)}


@pytest.mark.parametrize("direction", WARPS)
@pytest.mark.parametrize("kind", ["float", "__nv_bfloat16"])
def test_columns_are_summed_by_blocks_of_any_number_of_warps(machine, kind, direction):
    kernel = machine.compile(text(kind, direction)).kernel("k")
    for warps in WARPS[direction]:
        for rows in (1, 3, 40, 257):
            for columns, blocks in ((64, 1), (96, 3), (320, 2)):
                check(kernel, kind, warps, rows, columns, blocks)


@pytest.mark.parametrize("options", [("--treadle-fibers",), ("-G",)])
def test_and_on_fibers_and_without_optimisation(device, options):
    kernel = device.compile(text("__nv_bfloat16", "down"), *options).kernel()
    device.check("treadle_cpu_run_on_fibers", int("--treadle-fibers" in options))
    try:
        for warps in WARPS["down"]:
            check(kernel, "__nv_bfloat16", warps, 65, 96, 2)
    finally:
        device.check("treadle_cpu_run_on_fibers", 0)
