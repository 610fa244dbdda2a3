# SPDX-License-Identifier: MIT
"""The tables of arrays on a GPU and on the CPU device: rows, peers, floors and goals.

The first column of a row is Treadle's. Kernels written by hand (kernels/ceilings.cu) are columns of
the rows that are judged by them, so that both are measured at the same time.
"""

import os
import sys

import peers
import rows_gpu
import session
from array_cases import NUMEXPR, TASKS
from measure import Bar, Column, LaidOut, Row, Worker
from session import python_path

READ, FLOAT4, COPY = "read kernel", "float4 kernel", "copy kernel"
ARRAYS = "treadle.numpy"
AXES = [name for name in TASKS if name.startswith("sum over")]
# Not linear in memory, with the kernel by hand whose mix of reads and writes is theirs.
VIEWS = {
    "x[::2] + y[::2]": FLOAT4,
    "m[:, 1:-1] + k[:, 1:-1]": FLOAT4,
    "m + row": COPY,
    "m + column": COPY,
}
# What torch's rate is to be multiplied by at least, and the goal.
RANDOM = {"uniform random numbers": (1.2, 1.6), "normal random numbers": (1.1, 1.5)}
# Neither PyCUDA's nor PyOpenCL's arrays have them.
OURS_ONLY = {*AXES, *VIEWS, *RANDOM}
# Compiling each takes seconds.
COMPILED = ("5*x + 6*y", "sin(x)*y + x*x", "sum(sin(x)*y + x*x)", "sum over axis 0, square", *VIEWS)
NOTES = {"x[::2] + y[::2]": "of both operands every sector is read"}
SNIPPET = "elementwise kernel"
# workers/generators_pyopencl.py
GENERATED = (
    "segmented scan", "copy_if", "partition", "unique", "RadixSort of 30 bits, with values",
    "KeyValueSorter, 1000 keys", "ListOfListsBuilder", "BitonicSort",
)  # fmt: skip
BY_HAND = {READ: ("read 1", 4), FLOAT4: ("float4", 12), COPY: ("copy", 8)}


class Arrays(session.Session):
    """Treadle's arrays on one device and on an OpenCL platform."""

    def __init__(self, device, platform, arguments, **whose):
        super().__init__(device, arguments, **whose)
        self.size = {"BENCH_LOG2": str(arguments.log2 or self.log2)}
        self.count = 1 << int(self.size["BENCH_LOG2"])
        self.platform = {"BENCH_OPENCL_PLATFORM": platform}
        self.arrays = self.ours(ARRAYS, "arrays_treadle.py")
        opencl = {"TREADLE_DEVICE": "opencl"} | self.platform
        self.arrays_opencl = self.ours(f"{ARRAYS} on OpenCL", "arrays_treadle.py", opencl)
        self.null = self.ours(f"{ARRAYS}, null", "arrays_treadle.py", {"TREADLE_DEVICE": "null"})
        run = ("-m", "treadle", "run")
        self.face = self.ours("treadle.pycuda", "arrays_pycuda.py", None, run)
        self.face_opencl = self.ours("treadle.pyopencl", "arrays_pyopencl.py", self.platform, run)
        self.generators_log2 = {"BENCH_LOG2": str((arguments.log2 or self.log2) - 4)}
        environment = self.platform | self.generators_log2
        script = "generators_pyopencl.py"
        self.generators = self.ours("treadle.pyopencl", script, environment, run)
        binaries = os.path.dirname(self.environment["BENCH_BARE_CALLS"])
        program = [f"{binaries}/arrays"]
        self.cpp = self.worker("C++", [*program, device], "arrays-cpp")
        self.cpp_null = self.worker("C++, null", [*program, "null"], "arrays-cpp")

    def keep(self, worker):
        worker.restarts = True
        return super().keep(worker)

    def ours(self, name, script, more=None, before=()):
        command = [sys.executable, *before, self.workers / script]
        return self.worker(name, command, "arrays", self.size | (more or {}))

    def peer(self, name, script, environment=None):
        command = [sys.executable, self.workers / script]
        return self.keep(Worker(name, command, self.size | (environment or {})))

    def row(self, group, name, columns, bars=(), ceiling="copy", **more):
        """A task whose rate is known by the bytes that it touches."""
        work = (TASKS[name].touched * self.count, "GB/s", ceiling)
        return Row(group, name, columns, tuple(bars), rounds=5, work=work, **more)

    def snippet_columns(self, pyopencl):
        """A user's text for each element."""
        faces = (self.face, self.face_opencl, pyopencl)
        return [Column(worker.name, worker, SNIPPET) for worker in faces]

    def snippet_row(self, group, columns, bars=()):
        row = self.row(group, "5*x + 6*y", columns, bars)
        row.name = "ElementwiseKernel, z[i] = 5*x[i] + 6*y[i]"
        return row

    def opencl_peers(self, name, pyopencl):
        own = Column("treadle.pyopencl", self.face_opencl, name)
        has_it = name not in OURS_ONLY and name != "argmax(x)"
        return [Column("PyOpenCL", pyopencl, name), own] if has_it else [own]

    def rows(self):
        return [
            *self.task_rows(),
            *self.host_rows(),
            self.import_row(),
            *self.opencl_rows(),
            *self.generator_rows(),
        ]

    def generator_rows(self):
        """Scans, selections and sorts of the OpenCL face, beside PyOpenCL's."""
        count = 1 << int(self.generators_log2["BENCH_LOG2"])
        group = f"Scans, selections and sorts of {count} int32, OpenCL"
        for name in GENERATED:
            workers = (self.generators, self.generators_peer)
            columns = [Column(worker.name, worker, name) for worker in workers]
            yield Row(group, name, columns, (Bar(1.0, 2.0, "PyOpenCL"),), rounds=5, repeats=3)

    def import_row(self):
        column = Column("Treadle", self.importing, "treadle.numpy")
        group = "Arrays, the host's time"
        return Row(group, "import treadle.numpy, after NumPy's", [column], (Bar(60e-3, 60e-3),))

    def small_row(self, name, worker, case, others, bars):
        group = "Arrays, the host's time"
        columns = [Column("Treadle", worker, case)]
        columns += [Column(label, *source) for label, source in others.items()]
        return Row(group, name, columns, bars, rounds=15, repeats=9)

    def step_rows(self):
        """Single steps: of which the null device's are the library's alone."""
        for language, worker, bar in (
            ("Python", self.null, Bar(0.4e-6, 0.2e-6)),
            ("C++", self.cpp_null, Bar(0.1e-6, 0.08e-6)),
        ):
            name = f"recording one operation, {language}, null device"
            yield self.small_row(name, worker, "record", {}, (bar,))
        for where, python, cpp in (
            ("null device", self.null, self.cpp_null),
            (self.environment["TREADLE_DEVICE"], self.arrays, self.cpp),
        ):
            for language, worker in (("Python", python), ("C++", cpp)):
                name = f"evaluating a cached expression, over the launch, {language}, {where}"
                parts = {"evaluate": (worker, "evaluate"), "launch": (worker, "launch")}
                bars = (Bar(1.5e-6, 0.8e-6),)
                yield self.small_row(name, worker, "evaluate over launch", parts, bars)


class GpuSession(Arrays):
    """An NVIDIA GPU, under CUDA and under its own OpenCL."""

    log2 = 28

    def __init__(self, arguments, **whose):
        device = arguments.device or "cuda:0"
        platform = "NVIDIA" if device.startswith("cuda") else "Portable Computing"
        super().__init__(device, platform, arguments, **whose)
        self.hand = self.ours("by hand", "arrays_hand.py")
        self.cupy = self.peer("CuPy", "arrays_cupy.py")
        self.torch = self.peer("torch", "arrays_torch.py")
        self.cub = self.peer("CUB", "arrays_cub.py")
        peer_cache = self.scratch / "pycuda"
        peer_cache.mkdir()  # PyCUDA makes only its default folder
        with_peers = python_path(arguments.peers) | {"PYCUDA_CACHE_DIR": str(peer_cache)}
        self.pycuda = self.peer("PyCUDA", "arrays_pycuda.py", with_peers)
        self.pyopencl = self.peer("PyOpenCL", "arrays_pyopencl.py", with_peers | self.platform)
        environment = with_peers | self.platform | self.generators_log2
        self.generators_peer = self.peer("PyOpenCL", "generators_pyopencl.py", environment)

    def ceilings(self):
        return {
            "copy": (self.hand, "copy", 8 * self.count),
            "float4": (self.hand, "float4", 12 * self.count),
            "read": (self.hand, "read 1", 4 * self.count),
        }

    def device_facts(self):
        return rows_gpu.nvidia_facts() | {"elements": f"{self.count} float32"}

    def columns(self, case, by_hand):
        """`case` by every library; `by_hand` is (label, case)."""
        found = [Column(ARRAYS, self.arrays, case)]
        if by_hand:
            found.append(Column(by_hand[0], self.hand, by_hand[1]))
        found += [Column("CuPy", self.cupy, case), Column("torch", self.torch, case)]
        if case in COMPILED:
            found.append(Column("torch.compile", self.torch, f"compiled {case}"))
        if case not in OURS_ONLY:
            found.append(Column("PyCUDA", self.pycuda, case))
        return [*found, Column("treadle.pycuda", self.face, case)]

    def task_rows(self):
        group = "Arrays, expressions"
        name = "5*x + 6*y"
        columns = self.columns(name, (FLOAT4, "float4"))
        yield self.row(group, name, columns, (Bar(0.95, 0.99, FLOAT4),), "float4")
        yield self.kernel_row(group)
        name = "sin(x)*y + x*x"
        columns = self.columns(name, (FLOAT4, "float4"))
        yield self.row(group, name, columns, ceiling="float4")
        yield from self.reduction_rows("Arrays, reductions")
        name = "cumsum(x)"
        others = [(COPY, self.hand, "copy"), ("CUB", self.cub, name)]
        others += [("CuPy", self.cupy, name), ("torch", self.torch, name)]
        columns = [Column(ARRAYS, self.arrays, name), *(Column(*other) for other in others)]
        yield self.row("Arrays, scans", name, columns)
        for name, bounds in RANDOM.items():
            workers = {ARRAYS: self.arrays, "CuPy": self.cupy, "torch": self.torch}
            columns = [Column(label, worker, name) for label, worker in workers.items()]
            yield self.row("Arrays, random numbers", name, columns, (Bar(*bounds, "torch"),))
        for name, label in VIEWS.items():
            case, touched = BY_HAND[label]
            bars = (Bar(0.80, 0.92, label, TASKS[name].touched / touched),)
            columns = self.columns(name, (label, case))
            ceiling = label.partition(" ")[0]
            note = NOTES.get(name, "")
            group = "Arrays, views and broadcasting"
            yield self.row(group, name, columns, bars, ceiling, note=note)

    def kernel_row(self, group):
        columns = self.snippet_columns(self.pyopencl)
        columns.insert(1, Column(FLOAT4, self.hand, "float4"))
        columns += [Column(peer.name, peer, SNIPPET) for peer in (self.pycuda, self.cupy)]
        return self.snippet_row(group, columns, (Bar(0.90, 0.98, FLOAT4),))

    def reduction_rows(self, group):
        for name in ("sum(sin(x)*y + x*x)", "dot(x, y)"):
            columns = self.columns(name, (READ, "read 2"))
            yield self.row(group, name, columns, (Bar(0.92, 0.98, READ),), "read")
        for name in ("sum(x)", "max(x)"):
            columns = self.columns(name, (READ, "read 1"))
            columns.insert(2, Column("CUB", self.cub, name))
            yield self.row(group, name, columns, (Bar(0.93, 1.0, "CUB"),), "read")
        columns = self.columns("argmax(x)", (READ, "read 1"))
        yield self.row(group, "argmax(x)", columns, (Bar(0.93, 1.0, READ),), "read")
        for name in AXES:
            columns = self.columns(name, (READ, "read 1"))
            yield self.row(group, name, columns, (Bar(0.85, 0.96, READ),), "read")

    def opencl_rows(self):
        for name in TASKS:
            columns = [
                Column(ARRAYS, self.arrays_opencl, name),
                Column(f"{ARRAYS}, CUDA", self.arrays, name),
                *self.opencl_peers(name, self.pyopencl),
            ]
            bars = (Bar(0.9, 1.0, f"{ARRAYS}, CUDA"),)
            yield self.row("Arrays under NVIDIA's OpenCL", name, columns, bars)

    def host_rows(self):
        case = "a + b, queued"
        others = {
            "C++": (self.cpp, case),
            "torch": (self.torch, case),
            "CuPy": (self.cupy, case),
            "PyCUDA": (self.pycuda, case),
            "treadle.pycuda": (self.face, case),
        }
        bars = (Bar(4.2e-6, 3.2e-6),)
        yield self.small_row("a + b of 1000, until it is queued", self.arrays, case, others, bars)
        yield from self.step_rows()
        others = {
            "PyOpenCL": (self.pyopencl, case),
            "treadle.pyopencl": (self.face_opencl, case),
        }
        bars = (Bar(1 / 0.3, 1 / 0.15, "PyOpenCL"),)
        name = "a + b of 1000, until it is queued, OpenCL"
        yield self.small_row(name, self.arrays_opencl, case, others, bars)


class CpuSession(Arrays):
    """The CPU device and PoCL."""

    log2 = 24

    def __init__(self, arguments, **whose):
        super().__init__("cpu", "Portable Computing", arguments, **whose)
        python = {"OPENBLAS_NUM_THREADS": str(os.cpu_count())}
        self.numpy = self.python_peer("NumPy", "arrays_numpy.py", python)
        self.pocl = self.python_peer("PyOpenCL", "arrays_pyopencl.py", self.platform)
        environment = self.platform | self.generators_log2
        self.generators_peer = self.python_peer("PyOpenCL", "generators_pyopencl.py", environment)
        openmp = [sys.executable, self.workers / "openmp.py"]
        self.openmp = self.keep(Worker("OpenMP", openmp, {"OMP_WAIT_POLICY": "passive"}))

    def python_peer(self, name, script, environment):
        """By the Python that has PyOpenCL and numexpr, installed on first use."""
        environment = self.size | {"POCL_CACHE_DIR": str(self.scratch)} | environment
        command = [self.workers / script]
        return self.keep(
            LaidOut(name, lambda: ([peers.python_of_peers(), *command], None), environment)
        )

    def ceilings(self):
        return {"copy": (self.openmp, "ceiling copy", 8 << 26)}

    def device_facts(self):
        facts = {"device": "CPU", "driver": "libtreadle_cpu", "elements": f"{self.count} float32"}
        return facts | {"OMP threads": os.cpu_count()}

    def task_rows(self):
        both = (Bar(2.5, 4, "NumPy"), Bar(0.9, 1.2, "numexpr"))
        numpy = (Bar(0.8, 1.0, "NumPy"),)
        bars = {"5*x + 6*y": both, "sin(x)*y + x*x": both, "sum(x)": numpy, "dot(x, y)": numpy}
        for name in TASKS:
            columns = [Column(ARRAYS, self.arrays, name), Column("NumPy", self.numpy, name)]
            if name in NUMEXPR:
                columns.append(Column("numexpr", self.numpy, f"numexpr {name}"))
            if name != "cumsum(x)":  # PyCUDA has it in its scans only
                columns.append(Column("treadle.pycuda", self.face, name))
            yield self.row("Arrays on the CPU device", name, columns, bars.get(name, ()))
        yield self.snippet_row("Arrays on the CPU device", self.snippet_columns(self.pocl))

    def opencl_rows(self):
        for name in TASKS:
            others = self.opencl_peers(name, self.pocl)
            bars = (Bar(1.0, 2.0, "PyOpenCL"),) if len(others) > 1 else ()
            columns = [Column(ARRAYS, self.arrays_opencl, name), *others]
            yield self.row("Arrays on PoCL", name, columns, bars, repeats=1)

    def host_rows(self):
        case = "a + b, queued"
        others = {"C++": (self.cpp, case), "NumPy": (self.numpy, case)}
        yield self.small_row("a + b of 1000, until it is queued", self.arrays, case, others, ())
        yield from self.step_rows()
        others = {"PyOpenCL": (self.pocl, case), "treadle.pyopencl": (self.face_opencl, case)}
        name = "a + b of 1000, until it is queued, PoCL"
        yield self.small_row(name, self.arrays_opencl, case, others, ())
