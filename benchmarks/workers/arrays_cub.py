# SPDX-License-Identifier: MIT
"""CUB's own reductions (kernels/cub.cu), built by the nvcc of this machine."""

import ctypes
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from array_cases import COUNT, TASKS, host_inputs
from kernel_cases import FOLDER
from worker import Absent, Case, serve

REPEATS = 100


def build():
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if not nvcc:
        raise Absent("no nvcc")
    path = pathlib.Path(tempfile.mkdtemp(prefix="bench-cub-")) / "libcub_cases.so"
    command = [nvcc, "-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler", "-fPIC"]
    built = subprocess.run(
        [*command, FOLDER / "cub.cu", "-o", path], capture_output=True, text=True, check=False
    )
    if built.returncode:
        raise Absent((built.stderr.strip().splitlines() or ["nvcc failed"])[-1])
    library = ctypes.CDLL(str(path))
    library.cub_reduce.restype = ctypes.c_double
    x = host_inputs()[0]
    if error := library.cub_put(x.ctypes.data_as(ctypes.c_void_p), COUNT):
        raise Absent(f"CUDA error {error}")
    return library


class Reduction(Case):
    def __init__(self, library, task, is_largest):
        self.library = library
        self.task = task
        self.is_largest = is_largest
        self.result = ctypes.c_float()

    def prepare(self):
        self.measure(1)
        return self.task.is_right(self.result.value, *host_inputs())

    def measure(self, repeats):
        return [self.once() for _ in range(repeats)]

    def once(self):
        result = ctypes.byref(self.result)
        seconds = self.library.cub_reduce(self.is_largest, REPEATS, result)
        if seconds < 0:
            raise RuntimeError(f"CUDA error {-seconds:.0f}")
        return seconds


def make_cases():
    library = build()
    return {
        "sum(x)": lambda: Reduction(library, TASKS["sum(x)"], 0),
        "max(x)": lambda: Reduction(library, TASKS["max(x)"], 1),
    }


serve(make_cases)
