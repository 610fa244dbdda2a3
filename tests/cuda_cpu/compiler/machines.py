# SPDX-License-Identifier: MIT
"""Where the lists of device functions run: on the CPU device through its libraries, and on an
NVIDIA GPU where there is one. Both compile and launch alike, so that one test compares both with
one reference."""

import contextlib

import device_functions
import numpy as np
import pytest


class Machine:
    """Compiles each family once. `run(name, k, n, arrays, results)` runs function k of a family."""

    is_gpu = False
    targets = (None,)  # what compile() may make code for; None: the machine itself

    def __init__(self, device):
        self.device, self.modules = device, {}

    def compile(self, source, *options, target=None):
        return self.device.compile(source, *options)

    def module(self, name, source, header):
        """`source`, compiled once as `name`. Skips the test where NVRTC lacks `header`, which is
        in CUDA's toolkit and in NVIDIA's wheels."""
        if name not in self.modules:
            try:
                self.modules[name] = self.compile(source)
            except Exception as error:
                if not self.is_gpu or "cannot open source file" not in str(error):
                    raise
                pytest.skip(f"NVRTC finds no {header}: CUDA's toolkit is not installed, or old")
        return self.modules[name]

    def run(self, family, number, inputs, results):
        if family not in self.modules:
            self.modules[family] = self.compile(device_functions.program(family))
        kernel = self.modules[family].kernel(f"f{number}")
        count = len(results[0])
        kernel(np.int32(count), *inputs, *results, block=(128,), grid=(-(-count // 128),))
        return results

    @contextlib.contextmanager
    def current(self):
        self.device.make_current(self.device.context)
        try:
            yield self
        finally:  # other tests of the same process begin without a context
            self.device.make_current(None)


class Gpu(Machine):
    is_gpu = True
    # Architectures before compute_70 had other shuffles; this one's PTX every driver translates.
    targets = (None, "compute_75")

    def __init__(self, device):
        from treadle import cuda

        super().__init__(device)
        self.context = cuda.Context.primary(device)

    def compile(self, source, *options, target=None):
        import treadle

        program = treadle.compile_cuda(source, target or self.device.target, flags=list(options))
        return GpuModule(program.image)

    @contextlib.contextmanager
    def current(self):
        self.context.push()
        try:
            yield self
        finally:
            self.context.pop()


class GpuModule:
    def __init__(self, image):
        from treadle import cuda

        self.module = cuda.Module(image)

    def kernel(self, name):
        from treadle import cuda

        function = self.module.function(name)

        def launch(*arguments, grid, block, cooperative=False):
            copies = []
            for argument in arguments:
                if isinstance(argument, np.ndarray):
                    memory = cuda.DeviceMemory(argument.nbytes)
                    memory.copy_from(argument)
                    copies.append((argument, memory))
            memories = iter(memory for _, memory in copies)
            values = [np.void(a) if isinstance(a, bytes) else a for a in arguments]
            function(
                *[next(memories) if isinstance(a, np.ndarray) else a for a in values],
                grid=grid,
                block=block,
                cooperative=cooperative,
            )
            for argument, memory in copies:
                memory.copy_to(argument)

        return launch


def gpu():
    """The default CUDA device where it is a GPU; None elsewhere."""
    try:
        from treadle import cuda

        device = cuda.default_device()
    except Exception:  # no package, no driver: the CPU device's own libraries are enough
        return None
    return None if str(device.target).startswith("cpu") else device
