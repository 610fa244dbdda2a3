# SPDX-License-Identifier: MIT
"""Kernels that do their worst end themselves, and never the process, whatever is checked."""

import json

import pytest

import treadle

PROGRAM = r"""
import json
import treadle.pycuda.driver as cuda
from treadle.pycuda.compiler import DynamicSourceModule
TEXT = '''
__device__ int deep(int n) { volatile int a[64]; a[n & 63] = n; return deep(n + 1) + a[n & 7]; }
extern "C" {
__global__ void wild(int *p) { *(volatile int *)(0x123456789000ULL + 4096 * threadIdx.x) = 1; }
__global__ void null_pointer(int *p) { *(volatile int *)0 = 1; }
__global__ void of_the_system(int *p) { p[0] = *(volatile int *)0xffff800000000000ULL; }
__global__ void far_ahead(int *p) { p[(1LL << 40) + threadIdx.x] = 1; }
__global__ void recursion(int *p) { p[0] = deep(0); }
__global__ void local_array(int *p) {
    volatile int a[16];
    for (int i = 0; i < (1 << 22) + p[0]; ++i) a[i] = i;
}
__global__ void shared_array(int *p) {
    __shared__ volatile int s[32];
    for (int i = 0; i < 1 << 22; ++i) s[i] = i;
}
__global__ void heap(int *p) { int *q = (int *)malloc(16); q[1LL << 36] = 1; }
__global__ void own_code(int *p) { *(volatile char *)(void *)&wild = 0; }
__global__ void no_function(int *p) { ((void (*)(int))(size_t)(0x1234567 * (p[0] + 1)))(3); }
__global__ void trap(int *p) { __trap(); }
__global__ void child(int *p) { null_pointer<<<1, 1>>>(p); cudaDeviceSynchronize(); }
__global__ void half_a_warp(int *p) {
    if (threadIdx.x % 32 < 16) return;
    __syncwarp(); p[threadIdx.x] = __shfl_sync(~0u, threadIdx.x, 3);
}
__global__ void half_a_block(int *p) { if (threadIdx.x < 16) __syncthreads(); p[threadIdx.x] = 1; }
__global__ void free_twice(int *p) { void *q = malloc(16); free(q); free(q); free(p + 1); }
}
'''
cuda.init()
said = {}
for name in [line.split("void ")[1].split("(")[0] for line in TEXT.splitlines() if "__gl" in line]:
    context = cuda.Device(0).make_context()
    try:
        module = DynamicSourceModule(TEXT, no_extern_c=True, cuda_libdir=None)
        p = cuda.mem_alloc(4096)
        cuda.memset_d32(p, 0, 1024)
        module.get_function(name)(p, block=(32, 1, 1), grid=(2, 1))
        context.synchronize()
        said[name] = ""
    except cuda.Error as error:
        said[name] = str(error)
    context.pop()
    context.detach()
print(json.dumps(said))
"""
MAY_PASS = {"half_a_warp", "half_a_block", "free_twice"}


@pytest.mark.parametrize("checks", ["", "memory,race,init,sync", "determinism"])
def test_no_kernel_ends_the_process(run_python, checks):
    if not any(device.id == "cpu" for device in treadle.devices()):
        pytest.skip("there is no CPU device")
    done = run_python("-c", PROGRAM, TREADLE_DEVICE="cpu", TREADLE_CHECK=checks)
    assert done.returncode == 0, done.stdout + done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    assert len(said) == 15
    assert {name for name, text in said.items() if not text} <= MAY_PASS
    assert all(f"kernel {name}" in text for name, text in said.items() if text and name != "child")
