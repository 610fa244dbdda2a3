# SPDX-License-Identifier: MIT
"""CUB's own reductions and scan (kernels/cub.cu), built by the nvcc of this machine."""

import ctypes
import functools
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np
from array_cases import COUNT, TASKS, host_inputs
from kernel_cases import FOLDER
from worker import Absent, Case, serve

REPEATS = 100
SCAN = 2


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
    library.cub_run.restype = ctypes.c_double
    x = host_inputs()[0]
    if error := library.cub_put(x.ctypes.data_as(ctypes.c_void_p), COUNT):
        raise Absent(f"CUDA error {error}")
    return library


class CubCase(Case):
    def __init__(self, library, name, number):
        self.library = library
        self.task = TASKS[name]
        self.number = number  # as cub.cu counts

    def prepare(self):
        x, y = host_inputs()
        result = np.empty(len(x) if self.number == SCAN else 1, "f4")
        self.once(result.ctypes.data_as(ctypes.c_void_p))
        return self.task.is_right(result if self.number == SCAN else result[0], x, y)

    def measure(self, repeats):
        return [self.once(None) for _ in range(repeats)]

    def once(self, result):
        seconds = self.library.cub_run(self.number, REPEATS, result)
        if seconds < 0:
            raise RuntimeError(f"CUDA error {-seconds:.0f}")
        return seconds


def make_cases():
    library = build()
    return {
        name: functools.partial(CubCase, library, name, number)
        for number, name in enumerate(("sum(x)", "max(x)", "cumsum(x)"))
    }


serve(make_cases)
