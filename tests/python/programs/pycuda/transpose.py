# SPDX-License-Identifier: MIT
"""A transpose through shared memory with padding, prepared and timed by events."""

import numpy
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

block_size = 16

source = """
#define BLOCK_SIZE %(block_size)d
__global__ void transpose(float *A_t, float *A, int a_width, int a_height)
{
  int base_idx_a = blockIdx.x * BLOCK_SIZE + blockIdx.y * BLOCK_SIZE * a_width;
  int base_idx_a_t = blockIdx.y * BLOCK_SIZE + blockIdx.x * BLOCK_SIZE * a_height;
  int glob_idx_a = base_idx_a + threadIdx.x + a_width * threadIdx.y;
  int glob_idx_a_t = base_idx_a_t + threadIdx.x + a_height * threadIdx.y;
  __shared__ float A_shared[BLOCK_SIZE][BLOCK_SIZE+1];
  A_shared[threadIdx.y][threadIdx.x] = A[glob_idx_a];
  __syncthreads();
  A_t[glob_idx_a_t] = A_shared[threadIdx.x][threadIdx.y];
}
"""


def _transpose(tgt, src, shape):
    mod = SourceModule(source % {"block_size": block_size})
    func = mod.get_function("transpose")
    func.prepare("PPii")
    h, w = shape
    assert func.shared_size_bytes == 4 * block_size * (block_size + 1)
    return func.prepared_timed_call(
        (w // block_size, h // block_size), (block_size, block_size, 1), tgt, src, w, h
    )


for i in range(5, 8):
    source_array = numpy.random.rand(1 << i, 2 << i).astype(numpy.float32)
    src = cuda.mem_alloc(source_array.nbytes)
    tgt = cuda.mem_alloc_like(source_array)
    cuda.memcpy_htod(src, source_array)
    get_time = _transpose(tgt, src, source_array.shape)
    seconds = get_time()
    result = cuda.from_device(tgt, source_array.shape[::-1], numpy.float32)
    assert (source_array.T == result).all()
    print(source_array.shape, "%.3f GB/s" % (2 * source_array.nbytes / 1e9 / seconds))
    src.free()
    tgt.free()
print(pycuda.autoinit.device.name())
