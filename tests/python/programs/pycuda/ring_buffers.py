# SPDX-License-Identifier: MIT
"""A kernel that stays: it takes batches from a ring buffer in the host's memory and puts results
into another, while the host fills the one and empties the other. Nothing is copied or launched."""

import time

import numpy as np
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.driver as drv
from pycuda.compiler import SourceModule

SLOTS, WIDTH, BATCHES = 4, 64, 50
mod = SourceModule(
    """
#define SLOTS %(slots)d
#define WIDTH %(width)d
// Counters only grow, and each has one writer. What is counted is written before.
enum { IN_WRITTEN, IN_READ, OUT_WRITTEN, OUT_READ, STOP };

__global__ void serve(const volatile float *in, volatile float *out, volatile unsigned *counters)
{
    __shared__ bool stopped;
    __shared__ float row[WIDTH];
    for (unsigned batch = 0;; batch++) {
        int slot = (batch %% SLOTS) * WIDTH + threadIdx.x;
        if (threadIdx.x == 0) {
            while (counters[IN_WRITTEN] == batch && !counters[STOP]) __nanosleep(200);
            stopped = counters[IN_WRITTEN] == batch;
        }
        __syncthreads();
        if (stopped) return;
        row[threadIdx.x] = in[slot];
        __syncthreads();
        if (threadIdx.x == 0) {
            counters[IN_READ] = batch + 1;
            while (batch - counters[OUT_READ] >= SLOTS && !counters[STOP]) __nanosleep(200);
        }
        __syncthreads();
        // Running sums of the batch.
        for (int step = 1; step < WIDTH; step *= 2) {
            float add = threadIdx.x >= step ? row[threadIdx.x - step] : 0.f;
            __syncthreads();
            row[threadIdx.x] += add;
            __syncthreads();
        }
        out[slot] = row[threadIdx.x];
        __threadfence_system();
        __syncthreads();
        if (threadIdx.x == 0) counters[OUT_WRITTEN] = batch + 1;
    }
}
"""
    % {"slots": SLOTS, "width": WIDTH}
)
IN_WRITTEN, IN_READ, OUT_WRITTEN, OUT_READ, STOP = range(5)
MAPPED = drv.host_alloc_flags.DEVICEMAP
ring_in = drv.pagelocked_zeros((SLOTS, WIDTH), np.float32, mem_flags=MAPPED)
ring_out = drv.pagelocked_zeros((SLOTS, WIDTH), np.float32, mem_flags=MAPPED)
counters = drv.pagelocked_zeros(5, np.uint32, mem_flags=MAPPED)

stream, done = drv.Stream(), drv.Event()
mod.get_function("serve")(
    *(np.intp(memory.base.get_device_pointer()) for memory in (ring_in, ring_out, counters)),
    block=(WIDTH, 1, 1), stream=stream,
)  # fmt: skip
done.record(stream)

data = np.random.RandomState(5).randint(0, 100, (BATCHES, WIDTH)).astype(np.float32)
results = np.zeros_like(data)
sent = received = 0
most = 0  # on their way at a time
deadline = time.monotonic() + 60
try:
    while received < BATCHES and time.monotonic() < deadline:
        if sent < BATCHES and sent - int(counters[IN_READ]) < SLOTS:
            ring_in[sent % SLOTS] = data[sent]
            sent += 1
            counters[IN_WRITTEN] = sent
        most = max(most, sent - received)
        # The first results wait until the kernel cannot go on: both rings are full.
        full = counters[OUT_WRITTEN] == SLOTS and sent > 2 * SLOTS
        if counters[OUT_WRITTEN] > received and (received or full):
            results[received] = ring_out[received % SLOTS]
            received += 1
            counters[OUT_READ] = received
    assert not done.query()  # it is one launch still
finally:
    counters[STOP] = 1
    stream.synchronize()
assert (sent, received) == (BATCHES, BATCHES)
assert (results == data.cumsum(axis=1)).all()
assert most > 2 * SLOTS
assert counters[:4].tolist() == [BATCHES] * 4
print("at most", most, "batches on their way")
