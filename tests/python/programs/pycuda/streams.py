# SPDX-License-Identifier: MIT
"""Copies and kernels in several streams from page-locked memory, timed by events."""

import numpy as np
import pycuda.driver as drv
from pycuda.compiler import SourceModule

drv.init()
context = drv.Device(0).make_context(drv.ctx_flags.SCHED_BLOCKING_SYNC | drv.ctx_flags.MAP_HOST)
try:
    nstreams, nreps, n = 4, 3, 16 * 1024
    kernel = SourceModule("""
    __global__ void init_array(int *g_data, int *factor)
    {
        int idx = blockIdx.x * blockDim.x + threadIdx.x;
        for (int i = 0; i < 5; i++) g_data[idx] = *factor;
    }
    """).get_function("init_array")

    a = drv.pagelocked_zeros((n,), dtype=np.int32)
    assert isinstance(a.base, drv.PagelockedHostAllocation)
    d_a = drv.mem_alloc(a.nbytes)
    d_c = drv.to_device(np.int32(5))
    drv.memset_d32(d_a, 255, n)

    start_event = drv.Event(drv.event_flags.BLOCKING_SYNC)
    stop_event = drv.Event(drv.event_flags.BLOCKING_SYNC)
    streams = [drv.Stream() for _ in range(nstreams)]

    start_event.record(streams[0])
    drv.memcpy_dtoh_async(a, d_a, streams[0])
    stop_event.record(streams[0])
    stop_event.synchronize()
    print("memcopy:", start_event.time_till(stop_event), "ms")
    assert (a == 255).all()

    part = n // nstreams
    start_event.record()
    for _ in range(nreps):
        for s in streams:
            kernel(d_a, d_c, block=(256, 1, 1), grid=(n // 256, 1), stream=s)
        for i, s in enumerate(streams):
            drv.memcpy_dtoh_async(a[i * part : (i + 1) * part], int(d_a) + i * part * 4, s)
    stop_event.record()
    stop_event.synchronize()
    print("streams:", stop_event.time_since(start_event) / nreps, "ms")
    for s in streams:
        s.synchronize()
        assert s.is_done()
    assert (a == 5).all()

    other = drv.Stream()
    ready = drv.Event()
    drv.memset_d32_async(d_a, 7, n, streams[0])
    ready.record(streams[0])
    other.wait_for_event(ready)
    drv.memcpy_dtoh_async(a, d_a, other)
    other.synchronize()
    assert ready.query() is True and (a == 7).all()

    b = np.ones(n, np.int32)
    kernel(drv.InOut(b), drv.In(np.int32([9])), block=(256, 1, 1), grid=(n // 256,), stream=other)
    assert (b == 9).all()
    timed = drv.Event(flags=drv.event_flags.DISABLE_TIMING).record(other)
    timed.synchronize()
    try:
        timed.time_since(start_event)
    except drv.LogicError as error:
        print("untimed:", error)
    drv.Context.synchronize()
finally:
    context.pop()
    context.detach()
