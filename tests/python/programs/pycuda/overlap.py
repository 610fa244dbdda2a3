# SPDX-License-Identifier: MIT
"""Chunks go up, through a kernel and down again in several streams, breadth first and depth first;
page-locked buffers are used again and again, and a last stream waits for all the others."""

import numpy as np
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.driver as drv
from pycuda.compiler import SourceModule

STREAMS, CHUNKS, CHUNK = 3, 10, 4096  # chunks are not a multiple of streams
mod = SourceModule("""
__global__ void work(const float *in, float *out, int n, int steps)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i];
        for (int step = 0; step < steps; step++) x = 0.5f * (x + in[i] / x);  // sqrt by Heron
        out[i] = x;
    }
}
__global__ void add_chunk(float *sum, const float *chunk, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] += chunk[i];
}
""")
work, add_chunk = mod.get_function("work"), mod.get_function("add_chunk")


class Lane:
    """A stream with buffers of its own on both sides."""

    def __init__(self):
        self.stream = drv.Stream()
        self.up = drv.pagelocked_empty(CHUNK, np.float32)
        self.down = drv.pagelocked_empty(CHUNK, np.float32)
        self.source, self.target = drv.mem_alloc(4 * CHUNK), drv.mem_alloc(4 * CHUNK)
        self.copied, self.computed, self.returned = (drv.Event() for _ in range(3))
        self.chunk = None  # that is on its way

    def send(self, values, chunk):
        self.up[:] = values  # collect() has seen the copy before
        self.chunk = chunk
        drv.memcpy_htod_async(self.source, self.up, self.stream)
        self.copied.record(self.stream)

    def compute(self):
        work(
            self.source, self.target, np.int32(CHUNK), np.int32(12),
            block=(128, 1, 1), grid=(4, 1), stream=self.stream,
        )  # fmt: skip
        self.computed.record(self.stream)

    def fetch(self):
        drv.memcpy_dtoh_async(self.down, self.target, self.stream)
        self.returned.record(self.stream)

    def collect(self, results):
        if self.chunk is not None:
            self.returned.synchronize()
            assert self.copied.query() and self.computed.query()
            results[self.chunk] = self.down
            self.chunk = None


def depth_first(lanes, data, results):
    for i, values in enumerate(data):
        lane = lanes[i % STREAMS]
        lane.collect(results)
        lane.send(values, i)
        lane.compute()
        lane.fetch()


def breadth_first(lanes, data, results):
    for first in range(0, CHUNKS, STREAMS):
        busy = list(zip(lanes, range(first, min(first + STREAMS, CHUNKS))))
        for lane, i in busy:
            lane.collect(results)
            lane.send(data[i], i)
        for lane, _ in busy:
            lane.compute()
        for lane, _ in busy:
            lane.fetch()


data = (1 + 99 * np.random.RandomState(3).rand(CHUNKS, CHUNK)).astype(np.float32)
lanes = [Lane() for _ in range(STREAMS)]
for order in (depth_first, breadth_first):
    results = np.zeros_like(data)
    start, end = drv.Event(), drv.Event()
    start.record()
    order(lanes, data, results)
    last = {lane.chunk for lane in lanes}
    for lane in lanes:
        lane.collect(results)
    end.record()
    end.synchronize()
    assert last == {CHUNKS - 3, CHUNKS - 2, CHUNKS - 1}
    np.testing.assert_allclose(results, np.sqrt(data), rtol=1e-6)
    print(order.__name__, end.time_since(start), "ms")

# The streams meet in another one: each waits there, on the device, for what it depends on.
meeting = drv.Stream()
total = drv.to_device(np.zeros(CHUNK, np.float32))
for lane in lanes:
    lane.compute()
for lane in lanes:
    meeting.wait_for_event(lane.computed)
    add_chunk(
        total, lane.target, np.int32(CHUNK), block=(256, 1, 1), grid=(CHUNK // 256, 1),
        stream=meeting,
    )  # fmt: skip
met = drv.Event(drv.event_flags.DISABLE_TIMING)
met.record(meeting)
for lane in lanes:  # nobody may write what the meeting still reads
    lane.stream.wait_for_event(met)
    drv.memset_d32_async(lane.target, 0, CHUNK, lane.stream)
met.synchronize()
expected = sum(np.sqrt(lane.up, dtype=np.float32) for lane in lanes)
np.testing.assert_allclose(drv.from_device(total, CHUNK, np.float32), expected, rtol=1e-6)
for lane in lanes:
    lane.stream.synchronize()
