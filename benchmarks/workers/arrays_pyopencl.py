# SPDX-License-Identifier: MIT
"""pyopencl.array, by whichever package answers to it.

Run by `python -m treadle run` it measures Treadle; run by `python` it measures PyOpenCL.
"""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from array_cases import TASKS, ArrayCase, Library
from worker import Absent, serve


class Names:
    """NumPy's names, each looked up when it is used: where one is missing, so is one row."""

    def __getattr__(self, name):
        from pyopencl import array

        if name == "cumsum":
            return lambda x, axis: array.cumsum(x)
        if name != "sin":
            return getattr(array, name)
        from pyopencl import clmath

        return clmath.sin


class PyOpenCL(Library):
    def __init__(self):
        import pyopencl
        import pyopencl.array
        from pyopencl.tools import ImmediateAllocator, MemoryPool

        wanted = os.environ.get("BENCH_OPENCL_PLATFORM", "Portable Computing")
        platforms = [p for p in pyopencl.get_platforms() if wanted in p.name]
        if not platforms:
            raise Absent(f"no OpenCL platform is called {wanted}")
        self.context = pyopencl.Context(platforms[0].get_devices()[:1])
        self.queue_of_commands = pyopencl.CommandQueue(self.context)
        self.allocator = MemoryPool(ImmediateAllocator(self.queue_of_commands))
        self.array = pyopencl.array
        self.xp = Names()

    def put(self, values):
        return self.array.to_device(self.queue_of_commands, values, allocator=self.allocator)

    def get(self, result):
        return result.get()

    def queue(self, result):
        # Treadle's are computed when somebody asks for their memory; PyOpenCL's have been.
        result.base_data  # noqa: B018
        return result

    def small_loop(self, a, b):
        def loop(count):
            for _ in count:
                (a + b).base_data  # noqa: B018

        return loop

    def wait(self):
        self.queue_of_commands.finish()


def elementwise_case(library):
    from pyopencl.elementwise import ElementwiseKernel

    kernel = ElementwiseKernel(
        library.context, "float *z, float *x, float *y", "z[i] = 5*x[i] + 6*y[i]", "linear"
    )
    out = library.array.empty_like(library.inputs[0])

    def formula(x, y):
        kernel(out, x, y)
        return out

    return ArrayCase(library, TASKS["5*x + 6*y"], formula)


def make_cases():
    library = PyOpenCL()
    return library.cases() | {"elementwise kernel": lambda: elementwise_case(library)}


serve(make_cases)
