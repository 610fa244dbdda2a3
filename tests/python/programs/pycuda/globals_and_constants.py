# SPDX-License-Identifier: MIT
"""Variables of a module: __constant__ tables, __device__ state, addresses of them."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import SourceModule

mod = SourceModule("""
#define MASK_WIDTH 5
__constant__ float mask[MASK_WIDTH];
__device__ int calls = 3;
__device__ float *target;
struct Settings { int n; float scale; };
__constant__ Settings settings;

__global__ void convolve(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= settings.n) return;
    float sum = 0;
    for (int k = 0; k < MASK_WIDTH; ++k) {
        int at = i + k - MASK_WIDTH / 2;
        if (at >= 0 && at < settings.n) sum += in[at] * mask[k];
    }
    out[i] = sum * settings.scale;
    if (i == 0) atomicAdd(&calls, 1);
}
__global__ void through_pointer() { target[threadIdx.x] += 1; }
""")
mask = np.array([1, 2, 3, 2, 1], np.float32)
mask_ptr, mask_size = mod.get_global("mask")
assert mask_size == mask.nbytes
drv.memcpy_htod(mask_ptr, mask)

n = 100
settings = np.array([(n, 0.5)], np.dtype([("n", np.int32), ("scale", np.float32)]))
drv.memcpy_htod(mod.get_global("settings")[0], settings)

a = np.random.rand(n).astype(np.float32)
out = np.empty_like(a)
convolve = mod.get_function("convolve")
for _ in range(2):
    convolve(drv.In(a), drv.Out(out), block=(32, 1, 1), grid=((n + 31) // 32, 1))
assert np.allclose(out, 0.5 * np.convolve(a, mask, "same"), atol=1e-5)

calls = np.zeros(1, np.int32)
drv.memcpy_dtoh(calls, mod.get_global("calls")[0])
assert calls[0] == 5

memory = drv.to_device(np.zeros(4, np.float32))
drv.memcpy_htod(mod.get_global("target")[0], np.intp(int(memory)))
mod.get_function("through_pointer")(block=(4, 1, 1))
assert (drv.from_device(memory, 4, np.float32) == 1).all()
for look in [lambda: mod.get_global("absent"), lambda: mod.get_function("absent")]:
    try:
        look()
    except drv.LogicError as error:
        print("absent:", error)
