# SPDX-License-Identifier: MIT
"""TREADLE_CHECK and kernels that launch kernels: a gallery of wrong ones, and of right ones."""

import re

import pytest
from global_races_test import Session

SOURCE = """#define ME (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" {
__global__ void put(int *p, int value) { p[ME] = value; }                                // line 3
__global__ void copy(int *p, const int *q) { p[ME] = q[ME]; }                            // line 4

__global__ void writes_on(int *p) {
    if (threadIdx.x != 0) return;
    put<<<1, 4>>>(p, 1);
    p[2] = 5;                                                                            // line 9
}
__global__ void two_streams(int *p) {
    put<<<1, 4, 0, cudaStreamFireAndForget>>>(p, 1);
    copy<<<1, 4, 0, cudaStreamFireAndForget>>>(p + 8, p);
}
__global__ void other_block(int *p) {
    p[16 + blockIdx.x] = 1;                                                              // line 16
    if (blockIdx.x == 0) copy<<<1, 4>>>(p, p + 16);
}
__global__ void event_too_early(int *p) {
    cudaStream_t s;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    cudaEventRecord(e, 0);
    put<<<1, 4>>>(p, 1);
    cudaStreamWaitEvent(s, e);
    copy<<<1, 4, 0, s>>>(p + 8, p);
}
__global__ void out_of_bounds(int *p) { if (ME == 0) put<<<1, 4>>>(p + 2046, 1); }

__global__ void one_stream(int *p) {
    p[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x != 0) return;
    copy<<<1, 4>>>(p + 64, p);
    put<<<1, 4>>>(p, 1);
    copy<<<1, 4>>>(p + 68, p);
}
__global__ void waits(int *p) {
    put<<<1, 4>>>(p, 1);
    cudaDeviceSynchronize();
    p[2] += 1;
    copy<<<1, 4, 0, cudaStreamFireAndForget>>>(p + 8, p);
}
__global__ void event(int *p) {
    cudaStream_t s;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    put<<<1, 4>>>(p, 1);
    cudaEventRecord(e, 0);
    cudaStreamWaitEvent(s, e);
    copy<<<1, 4, 0, s>>>(p + 8, p);
}
__global__ void tail(int *p) {
    put<<<1, 4>>>(p, 1);
    p[8] = 3;
    copy<<<1, 4, 0, cudaStreamTailLaunch>>>(p + 9, p);
    put<<<1, 16, 0, cudaStreamTailLaunch>>>(p, 7);
}
__global__ void deep(int *p, int n) {
    p[n] = n;
    if (n < 5) deep<<<1, 1>>>(p, n + 1);
}
__global__ void own_parts(int *p) { if (threadIdx.x == 0) put<<<1, 4>>>(p + 4 * blockIdx.x, 1); }
}
"""
CHECKS = "memory,race,init"
# kernel -> words of the text, whichever of two comes first
WRONG = {
    "writes_on": "put, which this one launched|writes_on, which launched this one",
    "two_streams": "of a launch of kernel (put|copy) in another stream",
    "other_block": "other_block, which launched this one|copy, which this one launched",
    "event_too_early": "with no event or wait between",
    "out_of_bounds": "kernel.cu:3: write of 4 bytes at 0x.*past the end of the 8192 bytes",
}
ONE = {"blocks": 1, "threads": 1}
RIGHT = {
    "one_stream": {"blocks": 1, "threads": 64},
    "waits": ONE,
    "event": ONE,
    "tail": ONE,
    "own_parts": {"blocks": 8, "threads": 32},
}


@pytest.fixture(scope="module")
def image(opened_device):
    return opened_device.image(SOURCE, f"--treadle-check={CHECKS}", "-rdc=true")


@pytest.fixture
def session(opened_device, image):
    made = Session(opened_device, image)
    yield made
    made.end()


@pytest.mark.parametrize("name", WRONG)
def test_wrong_launches_are_caught(session, name):
    session.launch(name)
    code, text = session.outcome()
    assert code != 0 and re.search(WRONG[name], text), text


def test_right_launches_are_silent(session):
    for number, name in enumerate(RIGHT):
        session.launch(name, session.at(128 * number), **RIGHT[name])
        # What launches left is known to the next kernel, and to the program.
        session.launch("put", session.at(128 * number), 9, threads=64, blocks=1)
    session.launch("deep", session.at(1024), 0, blocks=1, threads=1)
    assert session.outcome() == (0, "")
