# SPDX-License-Identifier: MIT
"""The prototype of shared/prototypes/cuda-cpu, built in a folder of its own (see run.py).

Its working folder is that copy. A compile is measured as the sum of its parts as the prototype
proved them: clang in process with a precompiled prelude (the program inproc19), barrier splitting,
code generation.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

sys.path.insert(0, os.getcwd())
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from kernel_cases import CASES, source
from worker import Absent, Case, KernelRun, LoopTiming, repeated, serve, timed, unseen


class Device:
    def __init__(self, nat):
        self.nat = nat
        self.modules = {}

    def upload(self, array):
        return self.nat.to_dev(array)

    def download(self, buffer, like):
        return self.nat.from_dev(buffer, like.size, like.dtype).reshape(like.shape)

    def function(self, file, name):
        if file not in self.modules:
            self.modules[file] = self.nat.Module(source(file))
        return self.modules[file].get_function(name)

    def run(self, function, grid, block, shared, arguments):
        function(*arguments, grid=grid, block=block, shared=shared)


class CompileForked(Case):
    """As the prototype's own harness compiles: clang as a process, then its JIT, every kernel."""

    def __init__(self, nat, file):
        self.nat = nat
        self.text = source(file)

    def prepare(self):
        self.run()

    def run(self):
        module = self.nat.Module(unseen(self.text))
        generate_all(self.nat, module)


class CompileInProcess(Case):
    """Parsing by inproc19 (its own clock), then splitting and code generation of its bitcode."""

    def __init__(self, nat, file):
        if not pathlib.Path("inproc19").exists():
            raise Absent("inproc19 was not built")
        self.nat = nat
        self.file = pathlib.Path(f"case-{file}").resolve()
        self.file.write_text(source(file))

    def prepare(self):
        bitcode = self.file.with_suffix(".bc")
        subprocess.run(self.nat.clang_cmd(str(self.file), str(bitcode)), check=True)
        self.bitcode = bitcode.read_bytes()
        self.run()

    def measure(self, repeats):
        return [self.parse_seconds() + timed(self.run) for _ in range(repeats)]

    def parse_seconds(self):
        told = subprocess.run(
            ["./inproc19", str(self.file), "pch"], capture_output=True, text=True, check=True
        ).stdout
        warm = [float(ms) for ms in re.findall(r"^ok ([\d.]+) ms", told, re.MULTILINE)][1:]
        return 1e-3 * statistics.median(warm)

    def run(self):
        module = self.nat.Module.__new__(self.nat.Module)
        module.h = self.nat.nj.nj_compile(self.bitcode, len(self.bitcode))
        module.info = json.loads(self.nat.nj.nj_info(module.h))
        generate_all(self.nat, module)


def generate_all(nat, module):
    for name in module.info["kernels"]:
        kernel = nat.nj.nj_kernel(module.h, name.encode())
        if not nat.nj.nj_prepare(kernel):
            raise RuntimeError(f"{name}: {nat.nj.nj_error().decode()}")


def make_cases():
    os.environ.setdefault("NJ_LIB", "libnatjit19.so")
    os.environ.setdefault("CUCL_CLANG", "clang++-19")
    if not pathlib.Path(os.environ["NJ_LIB"]).exists():
        raise Absent("the prototype is not built here")
    import nat

    device = Device(nat)
    cases = {name: lambda case=case: KernelRun(device, case) for name, case in CASES.items()}
    for file in ("product.cu", "bench.cu", "bench2.cu"):
        cases[f"compile {file}"] = lambda file=file: CompileInProcess(nat, file)
        cases[f"compile forked {file}"] = lambda file=file: CompileForked(nat, file)
    empty = nat.Module('extern "C" __global__ void empty() {}').get_function("empty")
    empty_and_wait = repeated(lambda: empty(block=(32,), grid=(1,)))
    cases["launch and wait"] = lambda: LoopTiming(empty_and_wait, 200)
    return cases


serve(make_cases)
