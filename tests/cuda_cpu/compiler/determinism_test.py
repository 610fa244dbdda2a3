# SPDX-License-Identifier: MIT
"""TREADLE_CHECK=determinism: kernels whose bits depend on the order of blocks, and others."""

import ctypes

import numpy as np
import pytest

SOURCE = """#define ME (blockIdx.x * blockDim.x + threadIdx.x)
#include <cooperative_groups.h>
__device__ unsigned finished; __device__ int variable; __device__ volatile int flag;
extern "C" {
__global__ void float_sum(float *p) { atomicAdd(p, 1.0f / (1 + ME)); }                  // line 5
__global__ void sum_in_block(float *p) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1.0f / (1 + ME));
    __syncthreads();
    if (threadIdx.x == 0) p[blockIdx.x] = sum;                                          // line 12
}
__global__ void last_wins(int *p) { p[0] = ME; }                                        // line 14
__global__ void last_block_wins(int *p) { p[threadIdx.x] = blockIdx.x; }
__global__ void last_byte(char *p) { p[threadIdx.x / 8] = threadIdx.x; }
__global__ void ticket(int *p) { p[1 + atomicAdd(p, 1)] = ME; }
__global__ void in_place(int *p) { p[ME] = ME + p[(ME + 1) % 64]; }
__global__ void exchange(int *p) { p[1 + ME] = atomicExch(p, ME); }
__global__ void to_variable(int *p) { variable = ME; }
__global__ void wait_for_the_block_before(int *p) {
    if (threadIdx.x != 0) return;
    volatile int *done = p;
    if (blockIdx.x > 0) while (done[blockIdx.x - 1] == 0) ;
    __threadfence();
    done[blockIdx.x] = 1;
}

__global__ void integer_sum(int *p) { atomicAdd(p, ME); atomicMax(p + 1, ME); atomicOr(p + 2, ME); }
__global__ void tree(float *p) {
    __shared__ float s[64];
    s[threadIdx.x] = 1.0f / (1 + ME);
    for (int k = 32; k > 0; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    }
    if (threadIdx.x == 0) p[blockIdx.x] = s[0];
}
__global__ void last_block_folds(float *p) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        p[blockIdx.x] = 1.0f / (1 + blockIdx.x);
        __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    float sum = 0;
    if (last && threadIdx.x == 0) for (int k = 0; k < gridDim.x; ++k) sum += p[k];
    if (last && threadIdx.x == 0) p[64] = sum;
}
__global__ void shuffles(float *p) {
    float x = 1.0f / (1 + ME);
    for (int k = 16; k > 0; k /= 2) x += __shfl_xor_sync(~0u, x, k);
    p[ME] = x;
}
__global__ void updated(int *p) { p[ME] = 3 * p[ME] + 1; }
__global__ void old_warp_code(volatile int *p) {
    __shared__ volatile int s[64];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 16) {
        s[threadIdx.x] += s[threadIdx.x + 16];
        s[threadIdx.x] += s[threadIdx.x + 8];
    }
    p[ME] = s[threadIdx.x];
}
__global__ void warps_wait(int *p) {
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) { p[100] = 7; ready = 1; }
    if (threadIdx.x == 32) { while (ready == 0) ; p[101] = 8; }
    __syncthreads();
}
__global__ void own_memory(int *p) { int *q = (int *)malloc(16); q[0] = ME; p[ME] = q[0]; free(q); }
__global__ void meet(int *p) {
    p[blockIdx.x] = blockIdx.x;
    cooperative_groups::this_grid().sync();
    p[64 + blockIdx.x] = p[(blockIdx.x + 1) % gridDim.x];
}
__global__ void prints(int *p) { if (ME == 0) printf("once\\n"); p[ME] = 1; }
__global__ void fault(int *p) { if (ME == 63) __trap(); }
}
"""
FAILED = 719


class Session:
    """A context with the kernels above and 8 kB of zeros."""

    def __init__(self, device, image):
        self.device = device
        self.context, self.module, self.memory = (
            ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64(),
        )  # fmt: skip
        device.check("cuCtxCreate_v2", ctypes.byref(self.context), 0, 0)
        device.check("cuMemAlloc_v2", ctypes.byref(self.memory), ctypes.c_size_t(8192))
        device.check("cuMemsetD8_v2", self.memory, 0, ctypes.c_size_t(8192))
        device.check("cuModuleLoadData", ctypes.byref(self.module), image)
        self._fault = device._driver.treadleCpuLastFault
        self._fault.restype, self._fault.argtypes = ctypes.c_char_p, [ctypes.c_void_p]

    def run(self, name, blocks=4, threads=64, together=False):
        kernel = ctypes.c_void_p()
        self.device.check("cuModuleGetFunction", ctypes.byref(kernel), self.module, name.encode())
        memory = np.array(self.memory.value, np.uint64)
        pointers = (ctypes.c_void_p * 1)(memory.ctypes.data)
        shape = (blocks, 1, 1, threads, 1, 1)
        call = "cuLaunchCooperativeKernel" if together else "cuLaunchKernel"
        extra = () if together else (None,)
        self.device.check(call, kernel, *shape, 0, None, pointers, *extra)
        return self.device._driver.cuCtxSynchronize(), self._fault(self.context).decode()

    def words(self, count):
        made = np.zeros(count, np.int32)
        self.device.check(
            "cuMemcpyDtoH_v2", made.ctypes.data_as(ctypes.c_void_p), self.memory,
            ctypes.c_size_t(made.nbytes),
        )  # fmt: skip
        return made.tolist()


@pytest.fixture(scope="module")
def image(opened_device):
    return opened_device.image(SOURCE, "--treadle-check=determinism")


@pytest.fixture
def session(opened_device, image):
    made = Session(opened_device, image)
    yield made
    made.device.check("cuCtxDestroy_v2", made.context)


# kernel, how it is launched, words of the text
DEPENDENT = {
    "float_sum": ({}, "by the atomic operation at kernel.cu:5 by thread (63,0,0) of block (3,0,0)"),
    "sum_in_block": ({}, "by the write at kernel.cu:12 by thread (0,0,0) of block (0,0,0)"),
    "last_wins": ({}, "is in the end 0x000000ff, by the write at kernel.cu:14 by thread (63,0,0)"),
    "last_block_wins": ({}, "if the last ones run first, 0x00000000, by the write at"),
    "last_byte": (
        {"blocks": 1},
        "is in the end 0x1f170f07, by the write at kernel.cu:16 by thread (31,0,0)",
    ),
    "ticket": ({}, "the word at 0x"),
    "in_place": ({"blocks": 1}, "inside the 8192 bytes"),
    "exchange": ({}, "depends on the order of blocks and warps"),
    "to_variable": ({}, "by thread (63,0,0) of block (3,0,0)"),
    "wait_for_the_block_before": ({}, "a block waits for one with a smaller number"),
}


@pytest.mark.parametrize("kernel", DEPENDENT)
def test_what_depends_on_the_order_is_named(session, kernel):
    how, words = DEPENDENT[kernel]
    code, text = session.run(kernel, **how)
    assert code == FAILED, text
    assert text.startswith(f"kernel {kernel}"), text
    assert words in text, text


RIGHT = {
    "integer_sum": {}, "tree": {}, "last_block_folds": {}, "shuffles": {}, "updated": {},
    "old_warp_code": {}, "warps_wait": {"blocks": 1}, "own_memory": {},
    "meet": {"together": True, "threads": 1},
}  # fmt: skip


@pytest.mark.parametrize("kernel", RIGHT)
def test_what_does_not_passes(session, kernel):
    for _ in range(2):
        assert session.run(kernel, **RIGHT[kernel]) == (0, "")


def test_the_second_run_starts_from_the_same_memory(session):
    assert session.run("updated") == (0, "")
    assert session.words(3) == [1, 1, 1]
    assert session.run("updated") == (0, "")
    assert session.words(3) == [4, 4, 4]


def test_a_kernel_prints_once(session, capfd):
    assert session.run("prints") == (0, "")
    assert capfd.readouterr().out == "once\n"


def test_a_fault_stays_what_it_is(session):
    code, text = session.run("fault")
    assert code == FAILED
    assert "depends" not in text
