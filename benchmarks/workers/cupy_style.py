# SPDX-License-Identifier: MIT
"""CuPy: its raw kernels, for launch and compile figures."""

import os
import pathlib
import sys
import tempfile
from functools import partial

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np
from worker import Case, LoopTiming, repeated, serve, unseen

FIVE = """
extern "C" __global__ void five(float *out, const float *a, const float *b, float x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + x * b[i];
}
"""


class Compile(Case):
    def __init__(self, cupy):
        self.cupy = cupy

    def prepare(self):
        self.run()

    def run(self):
        self.cupy.RawModule(code=unseen(FIVE)).get_function("five")


def make_cases():
    os.environ["CUPY_CACHE_DIR"] = tempfile.mkdtemp(prefix="bench-cupy-")
    import cupy

    kernel = cupy.RawKernel(FIVE, "five")
    buffers = [cupy.zeros(1024, "f4") for _ in range(3)]
    arguments = (*buffers, np.float32(2), np.int32(0))

    def launch(count):
        for _ in count:
            kernel((1,), (32,), arguments)

    allocate = repeated(partial(cupy.get_default_memory_pool().malloc, 1 << 20))
    synchronize = cupy.cuda.runtime.deviceSynchronize
    return {
        "launch": lambda: LoopTiming(launch, 500, synchronize),
        "compile simple": lambda: Compile(cupy),
        "allocate and free": lambda: LoopTiming(allocate, 20_000),
    }


serve(make_cases)
