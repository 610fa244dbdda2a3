# SPDX-License-Identifier: MIT
"""Treadle's arrays on the device that TREADLE_DEVICE names: tasks, and what each step costs."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np
from array_cases import SMALL, Library
from worker import LoopTiming, serve

BATCH = 100  # fewer than are pending at most, and than drivers queue

# The launch that 5*x + 6*y needs, but written by hand. No element: the device does next to nothing.
LINEAR = """
#include <treadle/dialect.h>
TREADLE_KERNEL linear(TREADLE_GLOBAL float *z, TREADLE_GLOBAL const float *x,
                      TREADLE_GLOBAL const float *y, float five, float six, int n)
{
  int i = treadle_global_id(0);
  if (i < n) z[i] = five * x[i] + six * y[i];
}
"""


class Treadle(Library):
    def __init__(self):
        import treadle
        import treadle.numpy

        if os.environ.get("TREADLE_DEVICE") == "opencl":  # of the platform that the peers use
            wanted = os.environ["BENCH_OPENCL_PLATFORM"].lower()
            names = {d.id: d.name.lower() for d in treadle.devices() if d.id.startswith("opencl")}
            chosen = [found for found, name in names.items() if wanted in name]
            treadle.find_device((chosen or list(names))[0]).__enter__()
        self.xp = treadle.numpy
        self.evaluate = treadle.evaluate
        self.stream = treadle.current_stream()
        # The clock of an OpenCL queue is not the one that its peers are measured by.
        self.has_clock = self.stream.device.id.startswith("cuda")

    def put(self, values):
        return self.xp.array(values)

    def get(self, result):
        return result.get()

    def queue(self, result):
        self.evaluate(result)
        return result

    def wait(self):
        self.stream.synchronize()

    def seconds(self, action, count):
        if not self.has_clock:
            return super().seconds(action, count)
        start = self.stream.record()
        for _ in range(count):
            action()
        end = self.stream.record()
        end.synchronize()
        return end.seconds_since(start) / count

    def small_loop(self, a, b):
        evaluate = self.evaluate

        def loop(count):
            for _ in count:
                evaluate(a + b)

        return loop


def step_cases(library):
    """Host times of single steps, on arrays of 1000 elements."""
    import treadle

    device = library.stream.device
    # Zeros, for the null device computes nothing.
    x, y = (library.put(np.zeros(SMALL, "f4")) for _ in range(2))
    z, *memory = (treadle.Buffer(device, 4 * SMALL) for _ in range(3))
    kernel = treadle.Program(device, LINEAR).kernel("linear")
    stream, evaluate = library.stream, treadle.evaluate
    five, six, n = np.float32(5), np.float32(6), np.int32(0)
    groups, group_size = (1,), (32,)
    pending = []

    def record(count):
        for _ in count:
            x + y

    def collect():
        pending[:] = [5 * x + 6 * y for _ in range(BATCH)]

    def evaluate_all(count):
        for array in pending:
            evaluate(array)

    def launch(count):
        for _ in count:
            kernel(z, *memory, five, six, n, groups=groups, group_size=group_size, stream=stream)

    evaluation = LoopTiming(evaluate_all, BATCH, library.wait, collect)
    bare = LoopTiming(launch, BATCH, library.wait)
    return {
        "record": lambda: LoopTiming(record, 10_000),
        "evaluate": lambda: evaluation,
        "launch": lambda: bare,
        "evaluate over launch": lambda: Difference(evaluation, bare),
    }


class Difference(LoopTiming):
    """Of neighbouring batches, so that what disturbs the one disturbs the other."""

    def __init__(self, more, less):
        self.more, self.less = more, less

    def once(self):
        return max(self.more.once() - self.less.once(), 1e-9)


def make_cases():
    library = Treadle()
    return library.cases() | step_cases(library)


serve(make_cases)
