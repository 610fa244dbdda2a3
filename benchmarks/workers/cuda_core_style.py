# SPDX-License-Identifier: MIT
"""cuda.core, NVIDIA's own Python binding: for launch and compile figures."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np
from worker import Case, LoopTiming, serve, unseen

FIVE = """
extern "C" __global__ void five(float *out, const float *a, const float *b, float x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + x * b[i];
}
"""


def compiled(core, text):
    arch = "".join(str(part) for part in core.Device().compute_capability)
    program = core.Program(text, code_type="c++", options=core.ProgramOptions(arch=f"sm_{arch}"))
    return program.compile("cubin").get_kernel("five")


class Compile(Case):
    def __init__(self, core):
        self.core = core

    def prepare(self):
        self.run()

    def run(self):
        compiled(self.core, unseen(FIVE))


def import_core():
    try:
        import cuda.core as core

        core.Device  # noqa: B018 - older releases have it in cuda.core.experimental only
    except (ImportError, AttributeError):
        import cuda.core.experimental as core
    return core


def make_cases():
    core = import_core()
    device = core.Device()
    device.set_current()
    stream = device.create_stream()
    kernel = compiled(core, FIVE)
    config = core.LaunchConfig(grid=1, block=32)
    buffers = [device.allocate(4096, stream=stream) for _ in range(3)]
    out, a, b = buffers
    x, n = np.float32(2), np.int32(0)

    def launch(count):
        for _ in count:
            core.launch(stream, config, kernel, out, a, b, x, n)

    return {
        "launch": lambda: LoopTiming(launch, 500, stream.sync),
        "compile simple": lambda: Compile(core),
    }


serve(make_cases)
