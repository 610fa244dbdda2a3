# SPDX-License-Identifier: MIT
"""Threads that share a context and a queue of jobs, each with a stream and page-locked memory."""

import queue
import threading

import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceMemoryPool

context = pycuda.autoinit.context
mod = SourceModule(
    """
__global__ void axpb(float *x, float a, float b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = a * x[i] + b;
}
"""
)
axpb = mod.get_function("axpb").prepare("Pffi")
N, GRID, BLOCK = 5000, (20, 1), (256, 1, 1)
jobs, done, failures = queue.Queue(), {}, []


def work():
    context.push()
    try:
        stream, memory = drv.Stream(), drv.mem_alloc(4 * N)
        host = drv.pagelocked_empty(N, np.float32)
        for job in iter(jobs.get, None):
            host[:] = job
            drv.memcpy_htod_async(memory, host, stream)
            axpb.prepared_async_call(GRID, BLOCK, stream, memory, 2.0, float(job), N)
            drv.memcpy_dtoh_async(host, memory, stream)
            stream.synchronize()
            done[job] = host.copy()
    except Exception as error:
        failures.append(error)
    finally:
        drv.Context.pop()


threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for job in [*range(30), *[None] * len(threads)]:
    jobs.put(job)
for thread in threads:
    thread.join()
assert not failures, failures
assert sorted(done) == list(range(30)) and all((done[job] == 3 * job).all() for job in done)

first, second, between = drv.Stream(), drv.Stream(), drv.Event()
x = gpuarray.zeros(N, np.float32)
axpb.prepared_async_call(GRID, BLOCK, first, x.gpudata, 1.0, 5.0, N)
between.record(first)
second.wait_for_event(between)
axpb.prepared_async_call(GRID, BLOCK, second, x.gpudata, 3.0, 1.0, N)
second.synchronize()
assert (x.get() == 16).all() and between.query()

pool = DeviceMemoryPool()
parts = [gpuarray.to_gpu(np.full(100, i, np.float32), allocator=pool.allocate) for i in range(5)]
assert (sum(parts[1:], parts[0]).get() == 10).all() and pool.active_blocks >= 5
