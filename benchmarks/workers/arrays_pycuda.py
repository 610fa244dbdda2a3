# SPDX-License-Identifier: MIT
"""pycuda.gpuarray, by whichever package answers to it.

Run by `python -m treadle run` it measures Treadle; run by `python` it measures PyCUDA.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from array_cases import TASKS, ArrayCase, Library
from worker import serve


class Names:
    """NumPy's names, each looked up when it is used: where one is missing, so is one row."""

    def __getattr__(self, name):
        from pycuda import gpuarray

        if name != "sin":
            return getattr(gpuarray, name)
        from pycuda import cumath

        return cumath.sin


class PyCUDA(Library):
    def __init__(self):
        import pycuda.autoinit
        import pycuda.driver
        import pycuda.gpuarray

        assert pycuda.autoinit.context is not None
        self.cuda = pycuda.driver
        self.gpuarray = pycuda.gpuarray
        self.xp = Names()

    def put(self, values):
        return self.gpuarray.to_gpu(values)

    def get(self, result):
        return result.get()

    def queue(self, result):
        # Treadle's are computed when somebody asks for their memory; PyCUDA's have been.
        result.gpudata  # noqa: B018
        return result

    def small_loop(self, a, b):
        def loop(count):
            for _ in count:
                (a + b).gpudata  # noqa: B018

        return loop

    def wait(self):
        self.cuda.Context.synchronize()

    def seconds(self, action, count):
        start, end = self.cuda.Event(), self.cuda.Event()
        start.record()
        for _ in range(count):
            action()
        end.record()
        end.synchronize()
        return start.time_till(end) * 1e-3 / count


def elementwise_case(library):
    from pycuda.elementwise import ElementwiseKernel

    kernel = ElementwiseKernel("float *z, float *x, float *y", "z[i] = 5*x[i] + 6*y[i]", "linear")
    out = library.gpuarray.empty_like(library.inputs[0])

    def formula(x, y):
        kernel(out, x, y)
        return out

    return ArrayCase(library, TASKS["5*x + 6*y"], formula)


def make_cases():
    library = PyCUDA()
    return library.cases() | {"elementwise kernel": lambda: elementwise_case(library)}


serve(make_cases)
