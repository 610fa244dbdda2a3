# SPDX-License-Identifier: MIT
"""Choosing a block size by the needs of a kernel: attributes, DeviceData, OccupancyRecord."""

import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
import pycuda.tools
from pycuda.compiler import SourceModule

mod = SourceModule("""
__global__ void smooth(const float *a, float *b, int n)
{
    __shared__ float tile[256 + 2];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 1;
    tile[t] = i < n ? a[i] : 0;
    if (threadIdx.x == 0) tile[0] = i > 0 ? a[i - 1] : 0;
    if (threadIdx.x == blockDim.x - 1) tile[t + 1] = i + 1 < n ? a[i + 1] : 0;
    __syncthreads();
    if (i < n) b[i] = (tile[t - 1] + tile[t] + tile[t + 1]) / 3;
}
""")
func = mod.get_function("smooth")
attribute = cuda.function_attribute
print("registers", func.num_regs, "shared", func.shared_size_bytes, "local", func.local_size_bytes)
assert func.num_regs == func.get_attribute(attribute.NUM_REGS)
assert func.shared_size_bytes >= 258 * 4
assert func.max_threads_per_block >= 256
func.set_cache_config(cuda.func_cache.PREFER_SHARED)

devdata = pycuda.tools.DeviceData()
best = None
for threads in range(devdata.warp_size, 257, devdata.warp_size):
    record = pycuda.tools.OccupancyRecord(
        devdata, threads, shared_mem=func.shared_size_bytes, registers=max(func.num_regs, 1)
    )
    if best is None or record.occupancy > best[0]:
        best = (record.occupancy, threads, record.limited_by)
print("best", best, devdata.max_threads, devdata.shared_memory, devdata.align_bytes())
assert 0 < best[0] <= 1
try:
    pycuda.tools.OccupancyRecord(devdata, 1 << 20)
except ValueError as error:
    print(error)

n, block = 1000, best[1]
a = np.random.rand(n).astype(np.float32)
b = np.empty_like(a)
func(cuda.In(a), cuda.Out(b), np.int32(n), block=(block, 1, 1), grid=((n + block - 1) // block, 1))
padded = np.pad(a, 1)
assert np.allclose(b, (padded[:-2] + a + padded[2:]) / 3)
assert devdata.make_valid_tex_channel_count(3) == 4 and devdata.coalesce(17) == 32
assert pycuda.tools.DeviceData(pycuda.autoinit.device).registers == devdata.registers
free, total = cuda.mem_get_info()
assert 0 < free <= total
