# SPDX-License-Identifier: MIT
"""PyOpenCL on PoCL: kernels written in OpenCL C, and the cost of launching and waiting."""

import os
import pathlib
import sys
from functools import partial

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np
from bare_calls import opencl_commands, opencl_enqueues
from kernel_cases import CASES, COMMANDS, source
from worker import Absent, KernelRun, LoopTiming, repeated, serve


class Device:
    def __init__(self, cl, context, queue):
        self.cl = cl
        self.context = context
        self.queue = queue
        text = source("bench.cl") + source("bench2.cl")
        self.program = cl.Program(context, text).build()

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
        local = [self.cl.LocalMemory(shared)] if shared else []
        function(self.queue, size, block[: len(size)], *arguments, *local)
        self.queue.finish()


FIVE = """
__kernel void five(__global float *out, __global const float *a, __global const float *b, float x,
                   int n)
{
    int i = get_global_id(0);
    if (i < n) out[i] = a[i] + x * b[i];
}
"""


class Gate:
    """Keeps a queue's commands waiting, so that the host is timed and no device competes.

    Never left closed: a queue that waits for ever is one that drivers wait for when it is released,
    or when the process ends.
    """

    def __init__(self, cl, context, queue):
        self.cl, self.context, self.queue = cl, context, queue

    def close(self):
        self.event = self.cl.UserEvent(self.context)
        self.cl.enqueue_marker(self.queue, wait_for=[self.event])

    def pass_all(self):
        self.event.set_status(0)
        self.queue.finish()


def enqueue_cases(cl, context):
    """A kernel of five arguments, as users write them: NumPy scalars, or declared types."""
    program = cl.Program(context, FIVE).build()
    buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096) for _ in range(3)]
    plain, typed = cl.Kernel(program, "five"), cl.Kernel(program, "five")
    typed.set_scalar_arg_dtypes([None, None, None, np.float32, np.int32])
    size = (32,)

    def timing(make_loop):
        queue = cl.CommandQueue(context)
        gate = Gate(cl, context, queue)
        return LoopTiming(make_loop(queue), 200, gate.pass_all, gate.close)

    def calls(kernel, x, n):
        out, a, b = buffers

        def make_loop(queue):
            def loop(count):
                for _ in count:
                    kernel(queue, size, size, out, a, b, x, n)

            return loop

        return timing(make_loop)

    def bare(queue):
        # A kernel of its own: one whose handle is known to others is set whole each time.
        memory = [buffer.int_ptr for buffer in buffers]
        return opencl_enqueues(queue.int_ptr, handed_out.int_ptr, memory, 2, 0)

    handed_out = cl.Kernel(program, "five")
    return {
        "enqueue plain": lambda: calls(plain, np.float32(2), np.int32(0)),
        "enqueue typed": lambda: calls(typed, 2.0, 0),
        "enqueue bare": lambda: timing(bare),
    }


def command_cases(cl, context):
    """Copies of 4 KB, markers, and events that are done."""
    queue = cl.CommandQueue(context)
    host = np.zeros(1024, np.float32)
    first, second = (cl.Buffer(context, cl.mem_flags.READ_WRITE, host.nbytes) for _ in range(2))
    done = cl.enqueue_marker(queue)
    done.wait()

    def gated(command):
        """Of a command that is enqueued and not waited for."""
        queue = cl.CommandQueue(context)
        gate = Gate(cl, context, queue)
        loop = repeated(partial(command, queue))
        return LoopTiming(loop, 200, gate.pass_all, gate.close)

    def plain(call):
        return LoopTiming(repeated(call), 2000)

    def bare(name):
        handles = [buffer.int_ptr for buffer in (first, second)]
        is_gated = name in ("copy between buffers", "marker")
        own = cl.CommandQueue(context) if is_gated else queue
        loop = opencl_commands(name, own.int_ptr, handles, done.int_ptr, host)
        if not is_gated:
            return LoopTiming(loop, 2000)
        gate = Gate(cl, context, own)
        return LoopTiming(loop, 200, gate.pass_all, gate.close)

    return {f"bare {name}": partial(bare, name) for name in COMMANDS} | {
        "copy to the device": lambda: plain(partial(cl.enqueue_copy, queue, first, host)),
        "copy to the host": lambda: plain(partial(cl.enqueue_copy, queue, host, first)),
        "copy between buffers": lambda: gated(
            lambda queue: cl.enqueue_copy(queue, second, first, byte_count=host.nbytes)
        ),
        "marker": lambda: gated(cl.enqueue_marker),
        "wait for a done event": lambda: plain(done.wait),
        "status of an event": lambda: plain(lambda: done.command_execution_status),
    }


def make_cases():
    import pyopencl as cl
    from pyopencl.tools import ImmediateAllocator, MemoryPool

    wanted = os.environ.get("BENCH_OPENCL_PLATFORM", "Portable Computing")
    platforms = [p for p in cl.get_platforms() if wanted in p.name]
    if not platforms:
        raise Absent(f"no OpenCL platform is called {wanted}")
    context = cl.Context(platforms[0].get_devices()[:1])
    queue = cl.CommandQueue(context)
    device = Device(cl, context, queue)
    empty = cl.Kernel(cl.Program(context, "__kernel void empty() {}").build(), "empty")

    def empty_and_wait():
        empty(queue, (32,), (32,))
        queue.finish()

    cases = {name: lambda case=case: KernelRun(device, case) for name, case in CASES.items()}
    cases["launch and wait"] = lambda: LoopTiming(repeated(empty_and_wait), 200)
    cases |= enqueue_cases(cl, context)
    cases |= command_cases(cl, context)
    pool = MemoryPool(ImmediateAllocator(queue))
    allocate = repeated(partial(pool.allocate, 1 << 20))
    cases["allocate and free"] = lambda: LoopTiming(allocate, 20_000)
    return cases


serve(make_cases)
