# SPDX-License-Identifier: MIT
"""TREADLE_CHECK=race in global memory: a gallery of kernels that race, and of right ones."""

import ctypes
import re

import numpy as np
import pytest

SOURCE = """#define ME (blockIdx.x * blockDim.x + threadIdx.x)
#include <cuda/atomic>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ unsigned finished; __device__ volatile int flag; __device__ int lock_word;
extern "C" {
__global__ void same_place(int *p) { p[0] = threadIdx.x; }                              // line 7
__global__ void across_blocks(int *p) { p[threadIdx.x] = blockIdx.x + 1; }              // line 8
__global__ void neighbour(int *p) {
    const int i = ME;
    p[i] = i;                                                                           // line 11
    p[i] = p[(i + 1) % 64];                                                             // line 12
}
__global__ void bytes(char *p) { p[threadIdx.x / 2] = threadIdx.x + 1; }
__global__ void wide(float4 *p) { if (blockIdx.x == 0) *p = make_float4(1, 2, 3, 4);
    else ((float *)p)[3] = 1; }                                                         // line 16
__global__ void plain_beside_atomic(int *p) {
    if (threadIdx.x == 3) p[0] = 1; else atomicAdd(p, 1); }
__global__ void in_place_stencil(float *p, int n) {
    const int i = ME;
    if (i > 0 && i < n - 1) p[i] = 0.5f * (p[i - 1] + p[i + 1]);                        // line 21
}
__global__ void missing_barrier(int *p) {
    p[threadIdx.x] = 1; p[64 + threadIdx.x] = p[threadIdx.x ^ 32]; }
__global__ void missing_fence(int *p) {
    __shared__ bool last;
    if (threadIdx.x == 0) p[blockIdx.x] = blockIdx.x;
    if (threadIdx.x == 0) last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    int sum = 0;
    if (last && threadIdx.x == 0) for (int k = 0; k < gridDim.x; ++k) sum += p[k];
    if (last && threadIdx.x == 0) p[64] = sum;
}
__global__ void missing_lock(int *p) { if (threadIdx.x == 0) p[0] = p[0] + 1; }
__global__ void block_barrier_is_not_enough(int *p) {
    if (threadIdx.x == 0) p[blockIdx.x] = 1;
    __syncthreads(); if (threadIdx.x == 0) p[64 + blockIdx.x] = p[blockIdx.x ^ 1];
}
__global__ void meet_too_late(int *p) {
    int i = blockIdx.x; p[i] = i; p[64 + i] = p[(i + 1) % gridDim.x]; cg::this_grid().sync();
}

__global__ void own_place(int *p) { const int i = ME; p[i] = i; p[i] += 1; }
__global__ void read_only(int *p) { const int i = ME; p[64 + i] = p[0] + p[1]; }
__global__ void own_bytes(char *p) { const int i = ME; p[i] = i; p[i] += 1; }
__global__ void atomics(int *p) {
    atomicAdd(p, 1); atomicMax(p + 1, threadIdx.x); atomicCAS(p + 2, 0, 1); }
__global__ void barrier(int *p) {
    int *q = p + blockIdx.x * 64; q[threadIdx.x] = 1; __syncthreads();
    q[63 - threadIdx.x] += 1; __syncthreads(); q[threadIdx.x ^ 1] = q[threadIdx.x ^ 1] + 1;
}
__global__ void warp_barrier(int *p) {
    int *q = p + blockIdx.x * 64; q[threadIdx.x] = 1; __syncwarp(); q[threadIdx.x ^ 1] += 1;
}
__global__ void last_block(int *p) {
    __shared__ bool last;
    p[ME] = 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    int sum = 0;
    if (last) for (int k = 0; k < gridDim.x; ++k) sum += p[k * blockDim.x + threadIdx.x];
    if (last) p[1000 + threadIdx.x] = sum;
}
__global__ void lock(int *p) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(&lock_word, 0, 1) != 0) ;
    __threadfence();
    p[0] = p[0] + 1;
    __threadfence();
    atomicExch(&lock_word, 0);
}
__global__ void hand_over(int *p) {      // block 0 to block 1, by a volatile flag
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) { p[0] = 42; __threadfence(); flag = 1; }
    if (blockIdx.x == 1) { while (flag == 0) ; __threadfence(); p[1] = p[0]; }
}
__global__ void library_atomics(int *p) {
    cuda::atomic_ref<int, cuda::thread_scope_device> sum(p[0]), most(p[1]);
    sum.fetch_add(1, cuda::memory_order_relaxed); most.fetch_max(ME); sum.exchange(3);
}
__global__ void library_last_block(int *p) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(finished);
    if (threadIdx.x != 0) return;
    p[1 + blockIdx.x] = 1;
    if ((count.fetch_add(1, cuda::memory_order_acq_rel) + 1) % gridDim.x == 0)
        for (int k = 0; k < gridDim.x; ++k) p[100 + k] = p[1 + k];
}
__global__ void library_without_order(int *p) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(finished);
    if (threadIdx.x != 0) return;
    p[1 + blockIdx.x] = 1;
    if ((count.fetch_add(1, cuda::memory_order_relaxed) + 1) % gridDim.x == 0)
        for (int k = 0; k < gridDim.x; ++k) p[100 + k] = p[1 + k];
}
__global__ void of_the_library(int *p) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(p[0]);
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) { p[1] = 42; ready.store(1, cuda::memory_order_release); }
    if (blockIdx.x == 1) { while (ready.load(cuda::memory_order_acquire) == 0) ; p[2] = p[1]; }
}
__global__ void meet(int *p) {
    int i = blockIdx.x; p[i] = i; cg::this_grid().sync(); p[64 + i] = p[(i + 1) % gridDim.x];
    cg::this_grid().sync(); p[i] = p[64 + (i + 1) % gridDim.x];
}
__global__ void same_value(int *p) { if (threadIdx.x > 3) p[0] = 1; }
__global__ void heap(int *p) {
    int *q = (int *)malloc(16); q[0] = threadIdx.x; p[ME] = q[0]; free(q);
}
__global__ void write(int *p, int value) { p[ME] = value; }                            // line 111
__global__ void read(int *p, int *q) { const int i = ME; q[i] = p[i]; }
__global__ void share(int *p, int *q) { q[ME] = p[threadIdx.x]; }
__global__ void scatter(int *p, int *places) { p[places[ME]] = 1; }                    // line 114
}
"""
FAILED = 719


class Session:
    """A context with the kernels above and 8 kB of memory."""

    def __init__(self, device, image):
        self.device, self.memory = device, ctypes.c_uint64()
        self.context, self.module = ctypes.c_void_p(), ctypes.c_void_p()
        device.check("cuCtxCreate_v2", ctypes.byref(self.context), 0, 0)
        device.check("cuMemAlloc_v2", ctypes.byref(self.memory), ctypes.c_size_t(8192))
        device.check("cuMemsetD8_v2", self.memory, 0, ctypes.c_size_t(8192))
        device.check("cuModuleLoadData", ctypes.byref(self.module), image)
        self.fault = device._driver.treadleCpuLastFault
        self.fault.restype, self.fault.argtypes = ctypes.c_char_p, [ctypes.c_void_p]

    def end(self):
        self.device.check("cuCtxDestroy_v2", self.context)

    def at(self, offset):
        return np.uint64(self.memory.value + 4 * offset)

    def launch(self, name, *more, blocks=2, threads=64, stream=None, together=False):
        kernel = ctypes.c_void_p()
        self.device.check("cuModuleGetFunction", ctypes.byref(kernel), self.module, name.encode())
        values = [np.array(value) for value in (more or (self.at(0),))]
        pointers = (ctypes.c_void_p * len(values))(*[value.ctypes.data for value in values])
        shape = (blocks, 1, 1, threads, 1, 1)
        call = "cuLaunchCooperativeKernel" if together else "cuLaunchKernel"
        extra = () if together else (None,)
        self.device.check(call, kernel, *shape, 0, stream, pointers, *extra)

    def stream(self, flags=1):
        made = ctypes.c_void_p()
        self.device.check("cuStreamCreate", ctypes.byref(made), flags)
        return made

    def event(self):
        made = ctypes.c_void_p()
        self.device.check("cuEventCreate", ctypes.byref(made), 0)
        return made

    def call(self, name, *arguments):
        self.device.check(name, *arguments)

    def outcome(self):
        code = self.device._driver.cuCtxSynchronize()
        return code, self.fault(self.context).decode()


@pytest.fixture(scope="module")
def image(opened_device):
    return opened_device.image(SOURCE, "--treadle-check=race")


@pytest.fixture
def session(opened_device, image):
    made = Session(opened_device, image)
    yield made
    made.end()


# kernel, how it is launched, words of the text
RACES = {
    "same_place": ({}, "race in global memory: write of 0x"),
    "across_blocks": ({"threads": 1}, "with nothing that puts these blocks in order"),
    "neighbour": ({"blocks": 1}, "at kernel.cu:12 by thread (0,0,0), and write of 4 bytes"),
    "bytes": ({"blocks": 1}, "at kernel.cu:14 by thread (0,0,0)"),
    "wide": ({"threads": 1}, "kernel.cu:16"),
    "plain_beside_atomic": ({}, "atomic operation on"),
    "in_place_stencil": ({}, "at kernel.cu:21"),
    "missing_barrier": ({"blocks": 1}, "with no barrier between"),
    "missing_fence": ({"blocks": 8}, "with nothing that puts these blocks in order"),
    "library_without_order": ({"blocks": 8}, "of block ("),
    "missing_lock": ({"blocks": 8}, "of block ("),
    "block_barrier_is_not_enough": ({}, "of block ("),
    "meet_too_late": ({"together": True, "threads": 1}, "of block ("),
}


@pytest.mark.parametrize("kernel", RACES)
def test_a_race_is_named_with_both_lines_and_threads(session, kernel):
    how, words = RACES[kernel]
    more = (session.at(0), np.int32(128)) if kernel == "in_place_stencil" else ()
    session.launch(kernel, *more, **how)
    code, text = session.outcome()
    assert code == FAILED, text
    assert text.startswith(f"kernel {kernel}"), text
    assert words in text, text


RIGHT = {
    "own_place": {}, "read_only": {}, "own_bytes": {}, "atomics": {}, "barrier": {},
    "warp_barrier": {}, "last_block": {"blocks": 12}, "lock": {"blocks": 12},
    "hand_over": {"together": True}, "of_the_library": {"together": True},
    "meet": {"together": True, "blocks": 4, "threads": 1}, "heap": {"blocks": 4},
    "same_value": {}, "library_atomics": {}, "library_last_block": {"blocks": 12},
}  # fmt: skip


@pytest.mark.parametrize("kernel", RIGHT)
def test_what_is_right_passes(session, kernel):
    for _ in range(3):
        session.launch(kernel, **RIGHT[kernel])
    assert session.outcome() == (0, "")


def write_and_read(session, between, *, flags=1, second_flags=1):
    """A kernel writes in a stream, another one reads that in another stream."""
    first = session.stream(flags)
    second = session.stream(second_flags)
    session.launch("write", session.at(0), np.int32(1), stream=first)
    between(session, first, second)
    session.launch("read", session.at(0), session.at(512), stream=second)
    return session.outcome()


def nothing(session, first, second):
    pass


def event_that_is_not_waited_for(session, first, second):
    session.call("cuEventRecord", session.event(), first)


def event_recorded_too_early(session, first, second):
    event = session.event()
    session.call("cuEventRecord", event, first)
    session.launch("write", session.at(0), np.int32(2), stream=first)
    session.call("cuStreamWaitEvent", second, event, 0)


def wait_of_the_wrong_stream(session, first, second):
    session.call("cuStreamSynchronize", second)


@pytest.mark.parametrize(
    "between",
    [nothing, event_that_is_not_waited_for, event_recorded_too_early, wait_of_the_wrong_stream],
)
def test_launches_in_streams_without_order_race(session, between):
    code, text = write_and_read(session, between)
    assert code == FAILED, text
    # Either launch may come first.
    assert re.search("of a launch of kernel (write|read) in another stream", text), text
    assert "with no event or wait between" in text
    assert "kernel.cu:111" in text
    assert "kernel.cu:112" in text
    assert "inside the 8192 bytes" in text


def event(session, first, second):
    made = session.event()
    session.call("cuEventRecord", made, first)
    session.call("cuStreamWaitEvent", second, made, 0)


def wait_for_stream(session, first, second):
    session.call("cuStreamSynchronize", first)


def wait_for_context(session, first, second):
    session.call("cuCtxSynchronize")


def wait_for_event(session, first, second):
    made = session.event()
    session.call("cuEventRecord", made, first)
    session.call("cuEventSynchronize", made)


def third_stream(session, first, second):
    third, made, other = session.stream(), session.event(), session.event()
    session.call("cuEventRecord", made, first)
    session.call("cuStreamWaitEvent", third, made, 0)
    session.call("cuEventRecord", other, third)
    session.call("cuStreamWaitEvent", second, other, 0)


def destroyed_stream(session, first, second):
    session.call("cuStreamDestroy_v2", first)
    session.call("cuCtxSynchronize")


def asked_until_it_is_idle(session, first, second):
    while session.device._driver.cuStreamQuery(first) == 600:
        pass


@pytest.mark.parametrize(
    "between",
    [
        event, wait_for_stream, wait_for_context, wait_for_event, third_stream, destroyed_stream,
        asked_until_it_is_idle,
    ],
)  # fmt: skip
def test_launches_in_order_do_not_race(session, between):
    assert write_and_read(session, between) == (0, "")


def test_the_legacy_stream_orders_those_that_block(session):
    def legacy(session, first, second):
        session.launch("own_place", session.at(1024), stream=None)

    assert write_and_read(session, legacy, flags=0, second_flags=0) == (0, "")


def test_the_legacy_stream_orders_no_other(session):
    def legacy(session, first, second):
        session.launch("own_place", session.at(1024), stream=None)

    assert write_and_read(session, legacy)[0] == FAILED


def test_memory_that_is_given_out_again_has_no_past(session):
    first, second = session.stream(), session.stream()
    for stream in (first, second):
        memory = ctypes.c_uint64()
        session.call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4096))
        session.launch("write", np.uint64(memory.value), np.int32(1), stream=stream)
        session.call("cuMemFree_v2", memory)
    assert session.outcome() == (0, "")


def wait_without_order(address):
    """Until 128 numbers are not 0: a wait by the driver would be an order."""
    numbers = (ctypes.c_int * 128).from_address(int(address))
    while min(numbers) == 0:
        pass


def test_modules_that_go_take_no_notes_of_others(opened_device, image):
    other, session = Session(opened_device, image), Session(opened_device, image)
    session.launch("write", session.at(0), np.int32(1), stream=session.stream())
    wait_without_order(session.at(0))
    other.end()
    session.launch("read", session.at(0), session.at(512), stream=session.stream())
    code, text = session.outcome()
    session.end()
    assert code == FAILED, text


def test_readers_of_earlier_launches_hide_none_of_later_ones(session):
    first, second, event = session.stream(), session.stream(), session.event()
    session.launch("share", session.at(0), session.at(512), stream=first)
    session.call("cuEventRecord", event, first)
    session.launch("share", session.at(0), session.at(1024), stream=first, blocks=1, threads=32)
    session.call("cuStreamWaitEvent", second, event, 0)
    session.launch("write", session.at(0), np.int32(1), stream=second, blocks=1, threads=32)
    code, text = session.outcome()
    assert code == FAILED, text


def test_threads_that_came_alone_are_told_after_rows_of_later_launches(session):
    first, second = session.stream(), session.stream()
    places = (ctypes.c_int * 128).from_address(int(session.at(1024)))
    places[:] = range(128)
    session.launch("scatter", session.at(0), session.at(1024), stream=first)
    session.launch("read", session.at(0), session.at(512), stream=first)
    wait_without_order(session.at(512))
    session.launch("read", session.at(5), session.at(1536), stream=second, blocks=1, threads=1)
    code, text = session.outcome()
    assert code == FAILED, text
    assert "at kernel.cu:114 by thread (5,0,0) of block (0,0,0)" in text
