# SPDX-License-Identifier: MIT
"""The same jobs in C++ with OpenMP, and the machine's ceilings (kernels/openmp.cpp)."""

import ctypes
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np
from kernel_cases import CASES, FOLDER
from worker import Absent, Case, KernelRun, serve

MULTIPLY_ADD_STEPS = 1 << 20


class Device:
    def __init__(self, library):
        self.library = library

    def upload(self, array):
        return np.array(array)

    def download(self, buffer, like):
        return buffer

    def function(self, file, name):
        try:
            return getattr(self.library, name)
        except AttributeError:
            raise Absent(f"{name} is not written for OpenMP") from None

    def run(self, function, grid, block, shared, arguments):
        function(*[as_ctypes(a) for a in arguments])


def as_ctypes(value):
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    return ctypes.c_float(value) if isinstance(value, np.floating) else ctypes.c_int(int(value))


class Ceiling(Case):
    """Calls one of the ceilings' functions; run.py knows how much work that is."""

    def __init__(self, function, *arguments):
        self.function = function
        self.arguments = arguments

    def prepare(self):
        self.run()

    def run(self):
        self.function(
            *[as_ctypes(a) for a in self.arguments[:-1]], ctypes.c_int64(self.arguments[-1])
        )


# The compiler that the CPU device is made of, with CUDA C's rules for floating point: contraction,
# no errno, nothing else; glibc's vector functions, as ours. Debian: libomp-19-dev.
COMPILE = ("clang++-19", "-std=c++20", "-O3", "-march=native", "-fopenmp", "-shared", "-fPIC")
FLOATING_POINT = ("-ffp-contract=fast", "-fno-math-errno", "-fveclib=libmvec")


def build():
    library = pathlib.Path(tempfile.mkdtemp(prefix="bench-openmp-")) / "libopenmp_cases.so"
    command = [*COMPILE, *FLOATING_POINT, str(FOLDER / "openmp.cpp"), "-o", str(library)]
    if shutil.which(COMPILE[0]) is None:
        raise Absent(f"no {COMPILE[0]}: apt-get install clang-19 libomp-19-dev")
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode != 0:
        raise Absent(f"apt-get install libomp-19-dev ({built.stderr.strip().splitlines()[-1]})")
    return ctypes.CDLL(str(library))


def make_cases():
    library = build()
    device = Device(library)
    cases = {name: lambda case=case: KernelRun(device, case) for name, case in CASES.items()}
    big = np.zeros(1 << 26, "f4")
    cases["ceiling copy"] = lambda: Ceiling(library.copy, np.zeros_like(big), big, big.size)
    for name, dtype in (("multiply_add_f32", "f4"), ("multiply_add_f64", "f8")):
        cases[f"ceiling {name}"] = lambda name=name, dtype=dtype: Ceiling(
            getattr(library, name), np.ones(64 * 128, dtype), MULTIPLY_ADD_STEPS
        )
    return cases


serve(make_cases)
