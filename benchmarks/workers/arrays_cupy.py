# SPDX-License-Identifier: MIT
"""CuPy's arrays, with CUB for its reductions."""

import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from array_cases import TASKS, ArrayCase, Library
from worker import serve


class CuPy(Library):
    def __init__(self):
        import cupy

        self.xp = cupy

    def put(self, values):
        return self.xp.asarray(values)

    def get(self, result):
        return result.get()

    def wait(self):
        self.xp.cuda.runtime.deviceSynchronize()

    def seconds(self, action, count):
        cuda = self.xp.cuda
        start, end = cuda.Event(), cuda.Event()
        start.record()
        for _ in range(count):
            action()
        end.record()
        end.synchronize()
        return cuda.get_elapsed_time(start, end) * 1e-3 / count


def make_cases():
    os.environ["CUPY_CACHE_DIR"] = tempfile.mkdtemp(prefix="bench-cupy-")
    os.environ["CUPY_ACCELERATORS"] = "cub"
    library = CuPy()
    snippet = library.xp.ElementwiseKernel(
        "float32 x, float32 y", "float32 z", "z = 5*x + 6*y", "linear"
    )
    return library.cases() | {
        "elementwise kernel": lambda: ArrayCase(library, TASKS["5*x + 6*y"], snippet)
    }


serve(make_cases)
