# SPDX-License-Identifier: MIT
"""Prepared launches: in streams, timed, with dynamic shared memory, and their refusals."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import SourceModule

mod = SourceModule("""
__global__ void block_sum(const float *in, float *out, int n, double scale)
{
    extern __shared__ float partial[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = partial[0] * scale;
}
""")
f = mod.get_function("block_sum")
assert f.prepare(["P", "P", np.int32, np.dtype(np.float64)]) is f
assert f.arg_format == "PPid"
n, threads = 1000, 64
blocks = (n + threads - 1) // threads
data = np.random.rand(n).astype(np.float32)
expected = 2 * np.pad(data, (0, blocks * threads - n)).reshape(blocks, threads).sum(1)
src, dst = drv.to_device(data), drv.mem_alloc(4 * blocks)


def check():
    assert np.allclose(drv.from_device(dst, (blocks,), np.float32), expected, rtol=1e-5)
    drv.memset_d32(dst, 0, blocks)


f.prepared_call((blocks, 1), (threads, 1, 1), src, dst, n, 2.0, shared_size=4 * threads)
check()
f.prepared_call(
    (blocks, 1, 1),
    (threads, 1, 1),
    int(src),
    np.intp(int(dst)),
    np.int32(n),
    2,
    shared_size=4 * threads,
)
check()
stream = drv.Stream()
f.prepared_async_call(
    (blocks, 1), (threads, 1, 1), stream, src, dst, n, 2.0, shared_size=4 * threads
)
stream.synchronize()
check()
f.prepared_async_call((blocks, 1), (threads, 1, 1), None, src, dst, n, 2.0, shared_size=4 * threads)
check()
seconds = f.prepared_timed_call(
    (blocks, 1), (threads, 1, 1), src, dst, n, 2.0, shared_size=4 * threads
)
print("%.6f s" % seconds())
check()
f(src, dst, np.int32(n), np.float64(2), block=(threads, 1, 1), grid=(blocks, 1), shared=4 * threads)
check()
f(
    src,
    dst,
    np.int32(n),
    np.float64(2),
    block=(threads, 1, 1),
    grid=(blocks, 1),
    shared=4 * threads,
    stream=stream,
)
stream.synchronize()
check()

import pycuda._pvt_struct

for wrong, kinds in [
    (
        lambda: f.prepared_call((1, 1), (1, 1, 1), src, dst, n),
        (pycuda._pvt_struct.error, drv.Error),
    ),
    (
        lambda: f.prepared_call((1, 1), (1, 1, 1), src, dst, 1.5, 2.0),
        (pycuda._pvt_struct.error, drv.Error),
    ),
    (lambda: f.prepared_call((1, 1), (1, 1, 1), src, dst, n, 2.0, shared=3), TypeError),
    (lambda: f(src, dst, n, 2.0, block=(1, 1, 1)), TypeError),
    (lambda: f(src, dst, np.int32(n), np.float64(2)), ValueError),
    (lambda: f(src, dst, np.int32(n), np.float64(2), block=(1, 1, 1), blocks=3), ValueError),
    (lambda: f(src, dst, np.int32(n), np.float64(2), block=(2048, 1, 1)), drv.LogicError),
    (lambda: mod.get_function("block_sum").prepared_call((1, 1), (1, 1, 1)), AttributeError),
]:
    try:
        wrong()
    except kinds as error:
        print(type(error).__name__, str(error).splitlines()[0][:90])
    else:
        raise AssertionError("a wrong launch was accepted")
