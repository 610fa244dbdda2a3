# SPDX-License-Identifier: MIT
"""The table of an NVIDIA GPU: what is measured, compared with which peers, and the targets."""

import subprocess
import sys

import session
from kernel_cases import CASES
from measure import Column, Row, Target, Worker
from session import python_path


class Session(session.Session):
    """Treadle on the GPU, and its peers there."""

    def __init__(self, arguments, **whose):
        super().__init__("cuda:0", arguments, **whose)
        peer_cache = self.scratch / "pycuda"
        peer_cache.mkdir()  # PyCUDA makes only its default folder
        with_peers = python_path(arguments.peers) | {"PYCUDA_CACHE_DIR": str(peer_cache)}
        self.pycuda = self.peer("PyCUDA", "pycuda_style.py", with_peers)
        opencl_peers = python_path(arguments.peers) | {"BENCH_OPENCL_PLATFORM": "NVIDIA"}
        self.pyopencl = self.peer("PyOpenCL", "pyopencl_style.py", opencl_peers)
        self.cupy = self.peer("CuPy", "cupy_style.py")
        self.cuda_core = self.peer("cuda.core", "cuda_core_style.py")

    def peer(self, name, script, environment=None):
        return self.keep(Worker(name, [sys.executable, self.workers / script], environment))

    def ceilings(self):
        return {"copy": (self.treadle, "ceiling copy", 2 << 30)}

    def rows(self):
        return [
            *self.launch_rows(),
            self.graph_row(),
            *self.enqueue_rows(self.pyopencl),
            *self.command_rows(self.pyopencl),
            *self.waist_rows(),
            *self.own_rows(),
            *self.compile_rows(),
            *self.cache_rows(),
            *self.memory_rows(),
            *self.kernel_rows(),
            self.texture_row(),
            self.import_row(),
        ]

    def launch_rows(self):
        group = "Launch, five arguments, not waited for"
        yield Row(
            group,
            "C++",
            [
                Column("Treadle, C++", self.launch, "launch"),
                Column("bare loop", self.launch, "bare"),
            ],
            (Target("bare loop", 1.03),),
            rounds=31,
            repeats=9,
        )
        yield Row(
            group,
            "Python, prepared",
            [
                Column("Treadle, prepared", self.treadle, "launch prepared"),
                Column("bare loop", self.treadle, "launch bare"),
                Column("PyCUDA, prepared", self.pycuda, "launch prepared"),
                Column("cuda.core", self.cuda_core, "launch"),
                Column("CuPy", self.cupy, "launch"),
            ],
            (Target("bare loop", 1.15),),
            rounds=31,
            repeats=9,
        )
        yield Row(
            group,
            "Python, plain",
            [
                Column("Treadle, plain", self.treadle, "launch plain"),
                Column("bare loop", self.treadle, "launch bare"),
                Column("PyCUDA, plain", self.pycuda, "launch plain"),
                Column("CuPy", self.cupy, "launch"),
            ],
            (Target("bare loop", 1.3),),
            rounds=31,
            repeats=9,
        )
        yield Row(
            "Launch and wait",
            "empty kernel",
            [
                Column("Treadle, prepared", self.treadle, "launch and wait"),
                Column("PyCUDA, prepared", self.pycuda, "launch and wait"),
                Column("Treadle, C++", self.launch, "launch and wait"),
            ],
        )

    def graph_row(self):
        return Row(
            "Launch of a graph, 20 captured kernels, not waited for",
            "Python",
            [
                Column("Treadle", self.native, "graph"),
                Column("bare loop", self.native, "graph bare"),
            ],
            (Target("bare loop", 1.1),),
            rounds=31,
            repeats=9,
        )

    def compile_rows(self):
        group = "Compile, cache miss"
        yield Row(
            group,
            "simple kernel to bytes, C++",
            [
                Column("Treadle", self.compile, "cold"),
                Column("bare NVRTC", self.compile, "cold bare"),
            ],
            (Target("bare NVRTC", 1.2),),
            rounds=21,
        )
        yield Row(
            group,
            "simple kernel, loaded",
            [
                Column("Treadle", self.treadle, "compile simple"),
                Column("PyCUDA (nvcc)", self.pycuda, "compile simple"),
                Column("CuPy", self.cupy, "compile simple"),
                Column("cuda.core", self.cuda_core, "compile simple"),
            ],
        )
        yield Row(
            group,
            "simple kernel, first of a fresh process",
            [Column("Treadle", self.fresh, "miss")],
        )
        yield self.two_threads("eight texts, bytes only", self.treadle)
        for name, case in (("", ""), (", bare NVRTC", "bare ")):
            yield Row(
                group,
                f"eight texts, bytes only, C++{name}",
                [
                    Column("two threads", self.compile, f"{case}threads 2"),
                    Column("one thread", self.compile, f"{case}threads 1"),
                ],
                repeats=1,
                note="what the compiler library itself makes of two threads" if case else "",
            )

    def cache_rows(self):
        group = "Cache hit"
        for name, case, limit in (
            ("memory, C++", "memory hit", 5e-6),
            ("disk, C++", "disk hit", 50e-6),
            ("disk, ten includes of 4 KB, C++", "disk hit includes", 100e-6),
        ):
            yield Row(
                group,
                name,
                [Column("Treadle", self.compile, case)],
                (Target(at_most_seconds=limit),),
            )
        yield Row(
            group,
            "compile() in Python",
            [
                Column("Treadle", self.treadle, "lookup simple"),
                Column("PyCUDA", self.pycuda, "lookup simple"),
            ],
        )
        yield Row(group, "disk, fresh process, loaded", [Column("Treadle", self.fresh, "hit")])

    def memory_rows(self):
        group, case = "Memory pool, 1 MiB allocated and freed", "allocate and free"
        yield Row(
            group,
            "C++",
            [
                Column("Treadle", self.memory, case),
                Column("Treadle, ordered by streams", self.memory, "ordered"),
                Column("cuMemAllocAsync, cuMemFreeAsync", self.memory, "driver's pool"),
                Column("cuMemAlloc, cuMemFree", self.memory, "driver"),
            ],
            (Target(at_most_seconds=0.10e-6),),
        )
        yield Row(
            group,
            "Python",
            [
                Column("Treadle", self.treadle, case),
                Column("PyCUDA", self.pycuda, case),
                Column("CuPy", self.cupy, case),
            ],
            (Target(at_most_seconds=0.17e-6),),
        )

    def kernel_rows(self):
        for name, case in CASES.items():
            work = (case.bytes, "GB/s", "copy") if case.bytes else (case.flops, "GFLOP/s", "-")
            yield Row(
                "Kernels, launch and wait",
                name,
                [Column("Treadle", self.treadle, name), Column("PyCUDA", self.pycuda, name)],
                work=work if work[0] else (),
            )

    def texture_row(self):
        return Row(
            "Textures, launch and wait",
            "8 linear fetches of float a pixel, 4096 x 4096",
            [
                Column("texture reference", self.fetches, "reference"),
                Column("texture object", self.fetches, "object"),
            ],
            (Target("texture object", 1.02),),
            work=(8 * 4096 * 4096, "fetches/s", "-"),
        )

    def import_row(self):
        column = Column("Treadle", self.importing, "treadle")
        return Row("Python", "import, after NumPy's", [column], (Target(at_most_seconds=10e-3),))

    def device_facts(self):
        return nvidia_facts()


def nvidia_facts():
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        told = subprocess.run(query, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return {"device": "unknown", "driver": "unknown"}
    name, _, driver = told.splitlines()[0].partition(", ")
    return {"device": name, "driver": driver}
