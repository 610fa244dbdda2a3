# SPDX-License-Identifier: MIT
"""The table of the CPU device: what is measured, against whom, and what was promised."""

import os
import pathlib
import shutil
import sys
import tempfile

import peers
from kernel_cases import CASES
from measure import Column, Fresh, Row, Target, Unavailable, Worker

HERE = pathlib.Path(__file__).resolve().parent
WORKERS = HERE / "workers"
MULTIPLY_ADDS = 64 * 8 * 64 * (1 << 20) * 2  # operations of one call, times bytes of the element


class Session:
    """The processes that are asked, and the rows they fill."""

    def __init__(self, arguments):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="bench-cpu-"))
        binaries = pathlib.Path(arguments.binaries or HERE.parent / "build/benchmarks")
        device = {"TREADLE_DEVICE": "cpu"}
        treadle = [sys.executable, "-m", "treadle", "run"]
        self.treadle = Worker(
            "treadle", [*treadle, WORKERS / "pycuda_style.py"], device | self.cache("python")
        )
        # Passive: its threads must not spin into the time of whoever is measured next.
        passive = {"OMP_WAIT_POLICY": "passive"}
        self.openmp = Worker("OpenMP", [sys.executable, WORKERS / "openmp.py"], passive)
        self.pocl = self.peer("PyOpenCL on PoCL", self.pocl_command)
        self.prototype = self.peer("prototype", self.prototype_command)
        self.launch = Worker("C++", [binaries / "launch"], device | self.cache("launch"))
        self.compile = Worker("C++", [binaries / "compile"], device | self.cache("compile"))
        self.memory = Worker("C++", [binaries / "memory_pool"], device)
        self.fresh = Fresh(
            "treadle",
            [*treadle, WORKERS / "first_compile.py"],
            lambda case: device | self.cache("hit" if case == "hit" else None),
        )

    def cache(self, name):
        """The environment that gives a process the cache folder `name`; None: an unused one."""
        folder = self.scratch / name if name else tempfile.mkdtemp(dir=self.scratch)
        return {"TREADLE_CACHE_DIR": str(folder)}

    def peer(self, name, command):
        """A worker of a peer that needs laying out; absent, with the reason, where that fails."""
        try:
            words, folder = command()
            return Worker(name, words, {"POCL_CACHE_DIR": str(self.scratch)}, folder)
        except Unavailable as reason:
            worker = Worker(name, [])
            worker.dead = str(reason)
            return worker

    def pocl_command(self):
        return [peers.pyopencl_python(), WORKERS / "pyopencl_style.py"], None

    def prototype_command(self):
        folder = peers.prototype_folder()
        return [sys.executable, WORKERS / "prototype.py"], folder

    def ceilings(self):
        return {
            "copy": (self.openmp, "ceiling copy", 8 << 26),
            "multiply-add f32": (self.openmp, "ceiling multiply_add_f32", MULTIPLY_ADDS / 4),
            "multiply-add f64": (self.openmp, "ceiling multiply_add_f64", MULTIPLY_ADDS / 8),
        }

    def rows(self):
        return [
            *self.kernel_rows(),
            *self.launch_rows(),
            *self.compile_rows(),
            *self.cache_rows(),
            *self.memory_rows(),
        ]

    def kernel_rows(self):
        for name, case in CASES.items():
            work = (case.bytes, "GB/s", "copy")
            if case.flops:
                kind = "multiply-add f32" if case.single else "multiply-add f64"
                work = (case.flops, "GFLOP/s", kind)
            yield Row(
                "Kernels, launch and wait",
                name,
                [
                    Column("Treadle", self.treadle, name),
                    Column("prototype", self.prototype, name),
                    Column("PyOpenCL on PoCL", self.pocl, name),
                    Column("OpenMP", self.openmp, name),
                ],
                (Target("prototype", 1.1),),
                work=work if work[0] else (),
            )

    def launch_rows(self):
        yield Row(
            "Launch",
            "empty kernel, launch and wait",
            [
                Column("Treadle, prepared", self.treadle, "launch and wait"),
                Column("PyOpenCL on PoCL", self.pocl, "launch and wait"),
                Column("prototype", self.prototype, "launch and wait"),
                Column("Treadle, C++", self.launch, "launch and wait"),
            ],
            (Target("PyOpenCL on PoCL", 0.3),),
            rounds=21,
        )

    def compile_rows(self):
        for file in ("product.cu", "bench.cu", "bench2.cu"):
            yield Row(
                "Compile, cache miss",
                file,
                [
                    Column("Treadle", self.treadle, f"compile {file}"),
                    Column("prototype", self.prototype, f"compile {file}"),
                    Column("prototype, forked clang", self.prototype, f"compile forked {file}"),
                ],
                (Target("prototype", 1.1),),
            )
        yield self.absolute("simple kernel, warm process", self.treadle, "compile simple", 25e-3)
        yield self.absolute("simple kernel, first of a fresh process", self.fresh, "miss", 40e-3)
        yield Row(
            "Compile, cache miss",
            "eight texts, bytes only",
            [
                Column("two threads", self.treadle, "threads 2"),
                Column("one thread", self.treadle, "threads 1"),
            ],
            (Target("one thread", 0.556),),
            repeats=1,
            note="1.8 times as fast is a ratio of 0.556",
        )

    def absolute(self, name, source, case, limit, group="Compile, cache miss", peers=()):
        columns = [Column("Treadle", source, case), *peers]
        return Row(group, name, columns, (Target(at_most_seconds=limit),))

    def cache_rows(self):
        group = "Cache hit"
        read = Column("reading the file", self.compile, "read file")
        yield self.absolute("memory, C++", self.compile, "memory hit", 5e-6, group)
        yield self.absolute("disk, C++", self.compile, "disk hit", 50e-6, group, (read,))
        yield self.absolute(
            "disk, ten includes of 4 KB, C++", self.compile, "disk hit includes", 100e-6, group
        )
        yield Row(group, "SourceModule() in Python", [self.python_column("recompile simple")])
        yield Row(group, "compile() in Python", [self.python_column("lookup simple")])
        yield self.absolute("disk, fresh process, loaded", self.fresh, "hit", 1e-3, group)

    def memory_rows(self):
        group, case = "Memory pool, 1 MiB allocated and freed", "allocate and free"
        driver = Column("cuMemAlloc, cuMemFree", self.memory, "driver")
        yield self.absolute("C++", self.memory, case, 0.10e-6, group, (driver,))
        pocl = Column("PyOpenCL on PoCL", self.pocl, case)
        yield self.absolute("Python", self.treadle, case, 0.17e-6, group, (pocl,))

    def python_column(self, case):
        return Column("Treadle", self.treadle, case)

    def device_facts(self):
        return {"device": "CPU", "driver": "libtreadle_cpu", "OMP threads": os.cpu_count()}

    def close(self):
        for worker in (self.treadle, self.openmp, self.pocl, self.prototype):
            worker.close()
        for worker in (self.launch, self.compile, self.memory):
            worker.close()
        shutil.rmtree(self.scratch, ignore_errors=True)
