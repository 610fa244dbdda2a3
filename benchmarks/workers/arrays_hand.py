# SPDX-License-Identifier: MIT
"""Kernels written by hand for one device (kernels/ceilings.cu): what its memory allows."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np
from array_cases import BATCH_S, COUNT, TASKS, host_inputs
from kernel_cases import source
from worker import Case, serve

THREADS = 256


class Ceiling(Case):
    """The fastest form of a kernel: how many float4 a thread moves is tried."""

    def __init__(self, machine, name, memory, is_right=None):
        self.machine = machine
        self.name = name
        self.memory = memory
        self.is_right = is_right

    def prepare(self):
        forms = [(each, self.machine.kernel(self.name, each)) for each in (1, 2, 4, 8)]
        taken = {form: self.machine.seconds(*form, self.memory, 5) for form in forms}
        self.form = min(taken, key=taken.get)
        self.count = min(max(round(BATCH_S / taken[self.form]), 1), 100)
        return self.is_right() if self.is_right else None

    def measure(self, repeats):
        run = (*self.form, self.memory, self.count)
        return [self.machine.seconds(*run) for _ in range(repeats)]


class Machine:
    """The device that TREADLE_DEVICE names, with x, y and room for a result."""

    def __init__(self):
        import treadle

        self.device = treadle.default_device()
        self.stream = self.device.make_stream()
        self.program = {
            each: treadle.Program(self.device, f"#define EACH {each}\n{source('ceilings.cu')}")
            for each in (1, 2, 4, 8)
        }
        self.x, self.y = (treadle.Buffer(self.device, values) for values in host_inputs())
        self.z = treadle.Buffer(self.device, 4 * COUNT)

    def kernel(self, name, each):
        return self.program[each].kernel(name)

    def seconds(self, each, kernel, memory, count):
        groups, size = (COUNT // 4 // THREADS // each,), (THREADS,)
        kernel(*memory, groups=groups, group_size=size, stream=self.stream)
        start = self.stream.record()
        for _ in range(count):
            kernel(*memory, groups=groups, group_size=size, stream=self.stream)
        end = self.stream.record()
        end.synchronize()
        return end.seconds_since(start) / count

    def result(self):
        values = np.empty(COUNT, "f4")
        self.z.copy_to(values)
        return values


def make_cases():
    machine = Machine()
    x, y, z = machine.x, machine.y, machine.z

    def is_copied():
        return np.array_equal(machine.result(), host_inputs()[0])

    def is_linear():
        return TASKS["5*x + 6*y"].is_right(machine.result(), *host_inputs())

    return {
        "copy": lambda: Ceiling(machine, "copy", (z, x), is_copied),
        "float4": lambda: Ceiling(machine, "linear", (z, x, y), is_linear),
        "read 1": lambda: Ceiling(machine, "read_one", (z, x)),
        "read 2": lambda: Ceiling(machine, "read_two", (z, x, y)),
    }


serve(make_cases)
