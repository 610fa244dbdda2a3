# SPDX-License-Identifier: MIT
"""A launch through treadle.Kernel, and through the shell of the same device below it; compiles.

native_style.py ID chooses the device. Both launch the same kernel with the same five arguments.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np
from bare_calls import graph_launches
from kernel_cases import source
from worker import CompileInThreads, LoopTiming, serve

BATCH = 200  # fewer than drivers queue, so the host is timed

FIVE = """
#include <treadle/dialect.h>
TREADLE_KERNEL five(TREADLE_GLOBAL float *out, TREADLE_GLOBAL const float *a,
                    TREADLE_GLOBAL const float *b, float x, int n)
{
  int i = treadle_global_id(0);
  if (i < n) out[i] = a[i] + x * b[i];
}
"""
FIVE_CUDA = """
extern "C" __global__ void five(float *out, const float *a, const float *b, float x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + x * b[i];
}
"""
FIVE_OPENCL = """
__kernel void five(__global float *out, __global const float *a, __global const float *b, float x,
                   int n)
{
    int i = get_global_id(0);
    if (i < n) out[i] = a[i] + x * b[i];
}
"""
X, N = np.float32(2), np.int32(0)  # n = 0: the device does next to nothing


def waist_case(device):
    import treadle

    kernel = treadle.Program(device, FIVE).kernel("five")
    out, a, b = (treadle.Buffer(device, 4096) for _ in range(3))
    groups, group_size = (1,), (32,)
    stream = device.make_stream()

    def loop(count):
        for _ in count:
            kernel(out, a, b, X, N, groups=groups, group_size=group_size, stream=stream)

    return LoopTiming(loop, BATCH, stream.synchronize)


def cuda_case():
    import treadle
    from treadle import cuda

    device = cuda.default_device()
    context = cuda.Context.make_current(device)
    context.__enter__()
    image = treadle.compile_cuda(FIVE_CUDA, device.target).image
    kernel = cuda.Module(image).function("five")
    out, a, b = (cuda.DeviceMemory(4096) for _ in range(3))
    grid, block = (1,), (32,)
    stream = cuda.Stream(cuda.StreamFlags.non_blocking)

    def loop(count):
        for _ in count:
            kernel(out, a, b, X, N, grid=grid, block=block, stream=stream)

    return LoopTiming(loop, BATCH, stream.synchronize)


def graph_cases():
    """A captured graph of twenty kernels, launched from Python and by the bare call."""
    import treadle
    from treadle import cuda

    image = treadle.compile_cuda(FIVE_CUDA, cuda.default_device().target).image
    kernel = cuda.Module(image).function("five")
    memory = [cuda.DeviceMemory(4096) for _ in range(3)]
    stream = cuda.Stream(cuda.StreamFlags.non_blocking)
    capture = cuda.Capture(stream)
    for _ in range(20):
        kernel(*memory, X, N, grid=(1,), block=(32,), stream=stream)
    graph = capture.end()
    graph.keep((kernel, memory))
    executable = graph.instantiate(cuda.InstantiateFlags.upload)

    def loop(count):
        for _ in count:
            executable.launch(stream)

    few = 50  # of twenty kernels each
    return {
        "graph": lambda: LoopTiming(loop, few, stream.synchronize),
        "graph bare": lambda: LoopTiming(
            graph_launches(executable.raw, stream.raw), few, stream.synchronize
        ),
    }


def opencl_case(device, properties=0):
    """The shell in Python is treadle.pyopencl; each of its calls gives an event."""
    from treadle import pyopencl as cl

    name = device.name
    context = cl.Context(
        [d for p in cl.get_platforms() for d in p.get_devices() if d.name.strip() == name][:1]
    )
    queue = cl.CommandQueue(context, properties=properties)
    kernel = cl.Kernel(cl.Program(context, FIVE_OPENCL).build(), "five")
    out, a, b = (cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096) for _ in range(3))
    size = (32,)

    def loop(count):
        for _ in count:
            kernel(queue, size, size, out, a, b, X, N)

    return LoopTiming(loop, BATCH, queue.finish)


def make_cases():
    import treadle

    device = treadle.find_device(sys.argv[1])
    waist = waist_case(device)
    cases = {"waist": lambda: waist}
    if device.id.startswith("opencl"):
        from treadle.pyopencl import command_queue_properties

        # As the queues of the waist are, whose events tell times.
        shell = opencl_case(device, command_queue_properties.PROFILING_ENABLE)
        without = opencl_case(device)
        cases["shell, no profiling"] = lambda: without
    else:
        shell = cuda_case()
        cases |= graph_cases()
    bench = source("bench.cu")

    def compile_for_gpu(text):  # by NVRTC, which needs no GPU
        treadle.compile_cuda(text, "sm_90")

    return cases | {
        "NVRTC, threads 1": lambda: CompileInThreads(compile_for_gpu, bench, 1),
        "NVRTC, threads 2": lambda: CompileInThreads(compile_for_gpu, bench, 2),
        "shell": lambda: shell,
        "waist over shell": lambda: Difference(waist, shell),
    }


class Difference(LoopTiming):
    """Of neighbouring batches, so that what disturbs the one disturbs the other."""

    def __init__(self, more, less):
        self.more, self.less = more, less

    def once(self):
        return max(self.more.once() - self.less.once(), 1e-9)


serve(make_cases)
