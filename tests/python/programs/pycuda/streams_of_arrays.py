# SPDX-License-Identifier: MIT
"""Arrays on streams with page-locked memory: copies and kernels of several pieces overlap."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.cumath as cumath
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.curandom import rand
from pycuda.elementwise import ElementwiseKernel
from pycuda.tools import DeviceMemoryPool, PageLockedMemoryPool

device_pool, host_pool = DeviceMemoryPool(), PageLockedMemoryPool()
square = ElementwiseKernel("float *out, float *in", "out[i] = in[i] * in[i]", "square")
streams = [drv.Stream() for _ in range(4)]
pieces, results = [], []
for k, stream in enumerate(streams):
    host = host_pool.allocate((1000,), np.float32)
    host[:] = np.arange(1000) + k
    array = gpuarray.to_gpu_async(host, allocator=device_pool.allocate, stream=stream)
    out = gpuarray.empty_like(array)
    square(out, array, stream=stream)
    out = cumath.sqrt(out, stream=stream)
    pieces.append((host, array, out))
    results.append(out.get_async(stream=stream))
for stream in streams:
    stream.synchronize()
for (host, _, _), result in zip(pieces, results):
    assert np.allclose(result, host)
assert device_pool.active_blocks >= 4

done = drv.Event()
target = drv.pagelocked_empty(1000, np.float32)
pieces[0][1].set_async(np.full(1000, 7, np.float32), stream=streams[0])
pieces[0][1].get_async(streams[0], target)
done.record(streams[0])
done.synchronize()
assert done.query() and (target == 7).all()

noise = rand((10, 10), dtype=np.float64, stream=streams[1])
streams[1].synchronize()
assert 0 <= noise.get().min() and noise.get().max() < 1
with_out = gpuarray.empty(1000, np.float32, allocator=device_pool.allocate)
filled = with_out.fill(np.float32(3), stream=streams[2])
assert filled is with_out
streams[2].synchronize()
assert (with_out.get() == 3).all()
total = gpuarray.sum(with_out, stream=streams[3])
streams[3].synchronize()
assert total.get() == 3000
del pieces, results, array, out, with_out, filled
device_pool.free_held()
print("held blocks:", device_pool.held_blocks)
