# SPDX-License-Identifier: MIT
"""Pools of device memory and of page-locked memory."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceMemoryPool, PageLockedMemoryPool

pool = DeviceMemoryPool()
host_pool = PageLockedMemoryPool()
add = SourceModule("""
__global__ void add(const int *a, const int *b, int *c, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] = a[i] + b[i]; }
""").get_function("add")
add.prepare([np.intp, np.intp, np.intp, np.int32])

for size in [500, 1000, 500, 1000]:
    a = host_pool.allocate((size,), np.int32)
    b = host_pool.allocate(size, np.int32)
    a[:], b[:] = np.arange(size), 100
    buffers = [pool.allocate(a.nbytes) for _ in range(3)]
    drv.memcpy_htod(buffers[0], a)
    drv.memcpy_htod(buffers[1], b)
    add.prepared_call(((size + 127) // 128, 1), (128, 1, 1), *buffers, size)
    drv.memcpy_dtoh(b, buffers[2])
    assert (b == a + 100).all()
    assert len(buffers[0]) == a.nbytes and pool.active_blocks == 3
    del buffers
print("held", pool.held_blocks, "managed", pool.managed_bytes)
assert pool.held_blocks == 6 and pool.active_blocks == 0
assert type(a.base).__name__ == "PooledHostAllocation"
add(pool.allocate(64), pool.allocate(64), pool.allocate(64), np.int32(16), block=(16, 1, 1))
pool.stop_holding()
pool.free_held()
assert pool.held_blocks == 0
assert pool.bin_number(1000) == 159 and pool.alloc_size(159) == 1023
block = pool.allocate(10)
block.free()
try:
    block.free()
except drv.LogicError as error:
    print(error)
