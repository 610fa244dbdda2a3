# SPDX-License-Identifier: MIT
"""The table of the CPU device: what is measured, compared with which peers, and the targets."""

import os
import sys

import peers
import session
from kernel_cases import CASES
from measure import Column, LaidOut, Row, Target, Worker

# The table of issue 5: kernel, peer, largest ratio of Treadle's time to the peer's.
PROMISED = {
    "saxpy": Target("OpenMP", 1.2),
    "stencil": Target("OpenMP", 1.2),
    "transcendental": Target("OpenMP", 1.0),
    "reduce": Target("OpenMP", 2.0),
    "product": Target("NumPy", 1 / 0.55),
    "matmul": Target("NumPy", 1 / 0.55),
    "nbody": Target("PyOpenCL on PoCL", 0.7),
    "histogram": Target("PyOpenCL on PoCL", 0.7),
    "transpose": Target("PyOpenCL on PoCL", 0.7),
    "scan": Target("PyOpenCL on PoCL", 0.7),
    "mandelbrot": Target("PyOpenCL on PoCL", 0.7),
    "shuffle_sum": Target("PyOpenCL on PoCL", 1.0),
}

MULTIPLY_ADDS = 64 * 8 * 64 * (1 << 20) * 2  # operations of one call, times bytes of the element


class Session(session.Session):
    """Treadle on the CPU device, and its peers there."""

    def __init__(self, arguments, **whose):
        super().__init__("cpu", arguments, **whose)
        # Passive: its threads must not spin while the next back end is measured.
        passive = {"OMP_WAIT_POLICY": "passive"}
        openmp = [sys.executable, self.workers / "openmp.py"]
        self.openmp = self.keep(Worker("OpenMP", openmp, passive))
        numpy = [sys.executable, self.workers / "numpy_style.py"]
        self.numpy = self.keep(
            Worker("NumPy", numpy, {"OPENBLAS_NUM_THREADS": str(os.cpu_count())})
        )
        self.pocl = self.peer("PyOpenCL on PoCL", self.pocl_command)
        self.prototype = self.peer("prototype", self.prototype_command)

    def peer(self, name, command):
        """A worker of a peer, installed on first use; absent if that fails."""
        return self.keep(LaidOut(name, command, {"POCL_CACHE_DIR": str(self.scratch)}))

    def pocl_command(self):
        return [peers.python_of_peers(), self.workers / "pyopencl_style.py"], None

    def prototype_command(self):
        folder = peers.prototype_folder()
        return [sys.executable, self.workers / "prototype.py"], folder

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
            *self.enqueue_rows(self.pocl),
            *self.command_rows(self.pocl),
            *self.waist_rows(),
            *self.own_rows(),
            *self.compile_rows(),
            *self.cache_rows(),
            *self.memory_rows(),
            *self.texture_rows(),
            self.absolute("import, after NumPy's", self.importing, "treadle", 10e-3, "Python"),
        ]

    def kernel_rows(self):
        for name, case in CASES.items():
            work = (case.bytes, "GB/s", "copy")
            if case.flops:
                kind = "multiply-add f32" if case.single else "multiply-add f64"
                work = (case.flops, "GFLOP/s", kind)
            columns = [
                Column("Treadle", self.treadle, name),
                Column("prototype", self.prototype, name),
                Column("PyOpenCL on PoCL", self.pocl, name),
                Column("OpenMP", self.openmp, name),
            ]
            promised = [PROMISED[case.name]] if case.name in PROMISED else []
            if any(target.against == "NumPy" for target in promised):
                columns.append(Column("NumPy", self.numpy, name))
            yield Row(
                "Kernels, launch and wait",
                name,
                columns,
                (Target("prototype", 1.1), *promised),
                work=work if work[0] else (),
            )

    def texture_rows(self):
        """Fetches of a 2-D texture of float in software; promised a core: 60 and 150 million/s."""
        fetches = 8 * 4096 * 4096
        for case, rate in (("object", 60e6), ("nearest", 150e6)):
            yield Row(
                "Textures, launch and wait",
                f"8 {'linear' if case == 'object' else case} fetches a pixel, 4096 x 4096",
                [Column("Treadle", self.fetches, case)],
                (Target(at_most_seconds=fetches / (rate * os.cpu_count())),),
                work=(fetches, "fetches/s", "-"),
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
        long = "a kernel of 100 ms, not waited for"
        yield self.absolute(long, self.treadle, "launch long", 1e-3, "Launch")

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
        yield self.two_threads("eight texts, bytes only", self.treadle)
        name = "eight texts for sm_90 by NVRTC, bytes only"
        yield self.two_threads(name, self.native, "NVRTC, ")

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
        yield self.absolute("C++, ordered by streams", self.memory, "ordered", 0.10e-6, group)
        pocl = Column("PyOpenCL on PoCL", self.pocl, case)
        yield self.absolute("Python", self.treadle, case, 0.17e-6, group, (pocl,))
        yield self.absolute("Python, OpenCL", self.opencl, case, 0.17e-6, group, (pocl,))

    def python_column(self, case):
        return Column("Treadle", self.treadle, case)

    def device_facts(self):
        return {"device": "CPU", "driver": "libtreadle_cpu", "OMP threads": os.cpu_count()}
