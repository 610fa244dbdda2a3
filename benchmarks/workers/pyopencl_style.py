# SPDX-License-Identifier: MIT
"""PyOpenCL on PoCL: kernels written in OpenCL C, and the cost of launching and waiting."""

import pathlib
import sys
from functools import partial

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np
from kernel_cases import CASES, source
from worker import Absent, KernelRun, LoopTiming, serve


class Device:
    def __init__(self, cl, context, queue):
        self.cl = cl
        self.context = context
        self.queue = queue
        self.program = cl.Program(context, source("bench.cl")).build()

    def upload(self, array):
        flags = self.cl.mem_flags
        return self.cl.Buffer(
            self.context,
            flags.READ_WRITE | flags.COPY_HOST_PTR,
            hostbuf=np.ascontiguousarray(array),
        )

    def download(self, buffer, like):
        result = np.empty_like(like)
        self.cl.enqueue_copy(self.queue, result, buffer)
        return result

    def function(self, file, name):
        try:
            return self.cl.Kernel(self.program, name)
        except self.cl.Error:
            raise Absent(f"{name} is not written in OpenCL C") from None

    def run(self, function, grid, block, shared, arguments):
        size = tuple(g * b for g, b in zip(grid, block, strict=False))
        function(self.queue, size, block[: len(size)], *arguments)
        self.queue.finish()


def make_cases():
    import pyopencl as cl
    from pyopencl.tools import ImmediateAllocator, MemoryPool

    platforms = [p for p in cl.get_platforms() if "Portable" in p.name or "pocl" in p.name.lower()]
    if not platforms:
        raise Absent("no PoCL platform")
    context = cl.Context(platforms[0].get_devices()[:1])
    queue = cl.CommandQueue(context)
    device = Device(cl, context, queue)
    empty = cl.Kernel(cl.Program(context, "__kernel void empty() {}").build(), "empty")

    def empty_and_wait():
        empty(queue, (32,), (32,))
        queue.finish()

    cases = {name: lambda case=case: KernelRun(device, case) for name, case in CASES.items()}
    cases["launch and wait"] = lambda: LoopTiming(empty_and_wait, 200)
    pool = MemoryPool(ImmediateAllocator(queue))
    cases["allocate and free"] = lambda: LoopTiming(partial(pool.allocate, 1 << 20), 20_000)
    return cases


serve(make_cases)
