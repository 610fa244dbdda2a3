# SPDX-License-Identifier: MIT
"""Particles that attract each other: float4, tiles, ping-pong buffers, rsqrtf."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import SourceModule

n, tile, steps = 256, 64, 4
mod = SourceModule("""
#define EPS2 1e-3f
__device__ float3 interact(float4 bi, float4 bj, float3 ai)
{
    float3 r = make_float3(bj.x - bi.x, bj.y - bi.y, bj.z - bi.z);
    float inv = rsqrtf(r.x * r.x + r.y * r.y + r.z * r.z + EPS2);
    float s = bj.w * inv * inv * inv;
    ai.x += r.x * s; ai.y += r.y * s; ai.z += r.z * s;
    return ai;
}
__global__ void advance(const float4 *from, float4 *to, float4 *vel, float dt, int n)
{
    extern __shared__ float4 shared[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = from[i];
    float3 a = {0.0f, 0.0f, 0.0f};
    for (int start = 0; start < n; start += blockDim.x) {
        shared[threadIdx.x] = from[start + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < blockDim.x; ++j) a = interact(me, shared[j], a);
        __syncthreads();
    }
    float4 v = vel[i];
    v.x += a.x * dt; v.y += a.y * dt; v.z += a.z * dt;
    vel[i] = v;
    to[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
}
""")
advance = mod.get_function("advance")
pos = np.random.RandomState(2).rand(n, 4).astype(np.float32)
pos[:, 3] = 1.0 / n
pair = [drv.to_device(pos), drv.mem_alloc(pos.nbytes)]
vel = drv.mem_alloc(pos.nbytes)
drv.memset_d32(vel, 0, n * 4)
start, end = drv.Event(), drv.Event()
start.record()
for _ in range(steps):
    advance(
        pair[0], pair[1], vel, np.float32(0.01), np.int32(n),
        block=(tile, 1, 1), grid=(n // tile, 1), shared=tile * 16,
    )  # fmt: skip
    pair.reverse()
end.record()
end.synchronize()
print("%.3f ms a step" % (start.time_till(end) / steps))
found = drv.from_device_like(pair[0], pos)
p, v = pos[:, :3].astype(np.float64), np.zeros((n, 3))
for _ in range(steps):
    d = p[None] - p[:, None]
    v += 0.01 * (d / ((d**2).sum(2) + 1e-3)[:, :, None] ** 1.5).sum(1) / n
    p = p + 0.01 * v
assert np.allclose(found[:, :3], p, atol=1e-4) and (found[:, 3] == pos[:, 3]).all()
