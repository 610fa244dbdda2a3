# SPDX-License-Identifier: MIT
"""One buffer, three writers, no wait: another library's work, a kernel of Treadle's and a copy take
turns 10 000 times, each ordered behind the one before by events and streams alone.

The other library is CuPy or PyTorch where one of them finds a GPU; else `treadle.cuda` stands in,
in a context of its own. A mistake of the order is counted on the device, and read once at the end.
"""

import contextlib
import importlib

import numpy as np

import treadle

ROUNDS = 10_000
COUNT = 256
SOURCE = """
extern "C" __global__ void step(int *values, int *mistakes, int round) {
  int i = threadIdx.x;
  if (values[i] != 2 * round + 1) atomicAdd(mistakes, 1);
  values[i] = 2 * round + 2;
}
extern "C" __global__ void other(int *values) { values[threadIdx.x] += 1; }
"""


class CuPy:
    """Its array on its own stream."""

    def __init__(self):
        import cupy

        cupy.cuda.runtime.getDeviceCount()  # raises where there is no GPU
        self.stream = cupy.cuda.Stream(non_blocking=True)
        with self.stream:
            self.array = cupy.zeros(COUNT, cupy.int32)
        self.device = treadle.Device.of(cuda_context_of_cupy())

    def add_one(self):
        with self.stream:
            self.array += 1

    def read(self):
        return self.array.get(stream=self.stream)


def cuda_context_of_cupy():
    """CuPy works in the primary context of its device."""
    import cupy

    driver = treadle.cuda.Driver.nvidia()
    return treadle.cuda.Context.primary(driver.device(cupy.cuda.Device().id))


class PyTorch:
    """Its tensor on its current stream."""

    def __init__(self):
        import torch

        if not torch.cuda.is_available():
            raise RuntimeError("no GPU")
        self.torch = torch
        self.stream = torch.cuda.Stream()
        with torch.cuda.stream(self.stream):
            self.array = torch.zeros(COUNT, dtype=torch.int32, device="cuda")
        driver = treadle.cuda.Driver.nvidia()
        primary = treadle.cuda.Context.primary(driver.device(torch.cuda.current_device()))
        self.device = treadle.Device.of(primary)

    def add_one(self):
        with self.torch.cuda.stream(self.stream):
            self.array += 1

    def read(self):
        return self.array.cpu().numpy()


class OwnContext:
    """A context, a stream and memory of a program that knows only CUDA."""

    def __init__(self):
        self.context = treadle.cuda.Context.create(treadle.cuda.default_device())
        self.context.push()
        self.stream = treadle.cuda.Stream(treadle.cuda.StreamFlags.non_blocking)
        self.memory = treadle.cuda.DeviceMemory(4 * COUNT)
        self.memory.copy_from(np.zeros(COUNT, np.int32))
        self.device = treadle.Device.of(self.context)
        image = treadle.compile_cuda(SOURCE, self.device.target).image
        self.other = treadle.cuda.Module(image).function("other")
        self.array = self

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": (COUNT,),
            "typestr": "<i4",
            "data": (self.memory.address, False),
            "stream": self.stream.raw,
            "version": 3,
        }

    def add_one(self):
        self.other(self.memory, grid=(1,), block=(COUNT,), stream=self.stream)

    def read(self):
        values = np.empty(COUNT, np.int32)
        self.memory.copy_to(values, self.stream)
        self.stream.synchronize()
        self.context.pop()
        return values


def other_library():
    for name, library in (("cupy", CuPy), ("torch", PyTorch)):
        with contextlib.suppress(Exception):
            importlib.import_module(name)
            return library()
    return OwnContext()


def main():
    library = other_library()
    device = library.device
    theirs, ours = device.adopt_stream(library.stream), device.make_stream()
    values = treadle.Buffer.adopt(library.array, ours)
    mistakes = treadle.Buffer(device, np.zeros(1, np.int32))
    step = treadle.Program(device, SOURCE).kernel("step")
    done = device.make_event(timing=False)
    for number in range(ROUNDS):
        library.add_one()  # on its own stream
        theirs.record(done)
        step(
            values,
            mistakes,
            np.int32(number),
            groups=1,
            group_size=COUNT,
            stream=ours,
            wait_for=done,
            event=done,
        )
        theirs.wait(done)
    found = np.empty(1, np.int32)
    with ours:
        mistakes.copy_to(found)
    assert found[0] == 0, f"{found[0]} values were seen too early or too late"
    assert (library.read() == 2 * ROUNDS).all()
    print(f"{type(library).__name__} and Treadle on {device.name}: {ROUNDS} rounds in order")


if __name__ == "__main__":
    main()
