# SPDX-License-Identifier: MIT
"""Sparse matrix times vector, as programs had it up to CUDA 11: the vector is read through a
texture, doubles as pairs of integers; ELLPACK with a thread, CSR with a warp for each row."""

import numpy as np
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

SOURCE = """
texture<float, 1> tex_x_float;
texture<int2, 1> tex_x_double;

__inline__ __device__ float fetch_x(const int &i, const float *) {
    return tex1Dfetch(tex_x_float, i);
}
__inline__ __device__ double fetch_x(const int &i, const double *) {
    int2 v = tex1Dfetch(tex_x_double, i);
    return __hiloint2double(v.y, v.x);
}

template <class Value>
__device__ void ell(int rows, int per_row, int pitch, const int *columns, const Value *values,
                    Value *y)
{
    const int row = __umul24(blockDim.x, blockIdx.x) + threadIdx.x;
    if (row >= rows) return;
    Value sum = y[row];
    columns += row;
    values += row;
    for (int n = 0; n < per_row; n++, columns += pitch, values += pitch)
        if (*values != Value(0)) sum += *values * fetch_x(*columns, y);
    y[row] = sum;
}

// The lanes of a warp share a row, and add up in shared memory.
template <class Value>
__device__ void csr(int rows, const int *starts, const int *columns, const Value *values, Value *y)
{
    __shared__ volatile Value sums[128 + 16];
    const int lane = threadIdx.x & 31, row = (blockDim.x * blockIdx.x + threadIdx.x) / 32;
    if (row >= rows) return;
    Value sum = 0;
    for (int at = starts[row] + lane; at < starts[row + 1]; at += 32)
        sum += values[at] * fetch_x(columns[at], y);
#pragma unroll
    for (int step = 16; step > 0; step >>= 1) {
        sums[threadIdx.x] = sum;
        __syncwarp();
        sum += sums[threadIdx.x + step];
        __syncwarp();
    }
    if (lane == 0) y[row] += sum;
}

extern "C" {
__global__ void ell_float(int rows, int per_row, int pitch, const int *c, const float *v, float *y)
{ ell(rows, per_row, pitch, c, v, y); }
__global__ void ell_double(int rows, int per_row, int pitch, const int *c, const double *v,
                           double *y)
{ ell(rows, per_row, pitch, c, v, y); }
__global__ void csr_float(int rows, const int *s, const int *c, const float *v, float *y)
{ csr(rows, s, c, v, y); }
__global__ void csr_double(int rows, const int *s, const int *c, const double *v, double *y)
{ csr(rows, s, c, v, y); }
}
"""
mod = SourceModule(SOURCE, no_extern_c=True)

ROWS, COLUMNS, PER_ROW = 301, 250, 45
rng = np.random.RandomState(2)
counts = rng.randint(0, PER_ROW + 1, ROWS)  # rows without elements, too
starts = np.concatenate([[0], counts.cumsum()]).astype(np.int32)
columns = np.concatenate([np.sort(rng.choice(COLUMNS, n, replace=False)) for n in counts])
columns = columns.astype(np.int32)
pitch = 32 * ((ROWS + 31) // 32)

for name, dtype, tolerance in (("float", np.float32, 1e-5), ("double", np.float64, 1e-14)):
    values = rng.rand(len(columns)).astype(dtype)
    x, y = rng.rand(COLUMNS).astype(dtype), rng.rand(ROWS).astype(dtype)
    expected = y.astype(np.float64)
    np.add.at(expected, np.repeat(np.arange(ROWS), counts), values * x[columns].astype(np.float64))

    x_gpu = gpuarray.to_gpu(x)
    texref = mod.get_texref("tex_x_" + name)
    if dtype == np.float32:
        x_gpu.bind_to_texref(texref)
    else:
        texref.set_address(x_gpu.gpudata, x_gpu.nbytes)
        texref.set_format(drv.array_format.SIGNED_INT32, 2)
    rows = np.int32(ROWS)

    ell_columns = np.zeros((PER_ROW, pitch), np.int32)
    ell_values = np.zeros((PER_ROW, pitch), dtype)
    row_of = np.repeat(np.arange(ROWS), counts)
    place = np.arange(len(columns)) - starts[row_of]
    ell_columns[place, row_of], ell_values[place, row_of] = columns, values
    found = y.copy()
    mod.get_function("ell_" + name)(
        rows, np.int32(PER_ROW), np.int32(pitch), drv.In(ell_columns), drv.In(ell_values),
        drv.InOut(found), block=(64, 1, 1), grid=((ROWS + 63) // 64, 1), texrefs=[texref],
    )  # fmt: skip
    np.testing.assert_allclose(found, expected, rtol=tolerance)

    found = y.copy()
    mod.get_function("csr_" + name)(
        rows, drv.In(starts), drv.In(columns), drv.In(values), drv.InOut(found),
        block=(128, 1, 1), grid=((32 * ROWS + 127) // 128, 1), texrefs=[texref],
    )  # fmt: skip
    np.testing.assert_allclose(found, expected, rtol=tolerance)
print("float and double")
