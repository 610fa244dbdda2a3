# SPDX-License-Identifier: MIT
"""The processes that run Treadle, the same for every table."""

import os
import pathlib
import shutil
import sys
import tempfile

from kernel_cases import COMMANDS
from measure import Column, Fresh, Row, Target, Worker

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Session:
    """Treadle's own workers on one device. A table's Session adds its peers and its rows.

    `arguments` are those of run.py. `tree` is the tree whose workers run; `package`, the folder
    that `import treadle` finds, if not the one this Python has.
    """

    def __init__(self, device, arguments, tree=ROOT, package=None):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="bench-"))
        self.workers = tree / "benchmarks/workers"
        self.all = []
        # Resolved, because workers link to them from other folders.
        binaries = pathlib.Path(arguments.binaries or tree / "build/benchmarks").resolve()
        platform = "Portable Computing" if device == "cpu" else "NVIDIA"
        self.environment = {"TREADLE_DEVICE": device, "BENCH_OPENCL_PLATFORM": platform}
        self.environment |= {"BENCH_BARE_CALLS": str(binaries / "bare_calls.so")}
        self.environment |= python_path(package)
        # Installed programs find Treadle's libraries by their path; these are not installed.
        if package or "TREADLE_LIBRARY_DIR" not in os.environ:
            self.environment |= {"TREADLE_LIBRARY_DIR": str(tree / "build/lib")}
        run = [sys.executable, "-m", "treadle", "run"]
        self.treadle = self.worker("treadle", [*run, self.workers / "pycuda_style.py"], "python")
        self.fetches = self.worker("treadle", [*run, self.workers / "texture_fetches.py"], "python")
        opencl = [*run, self.workers / "pyopencl_style.py"]
        self.opencl = self.worker("treadle on OpenCL", opencl, "opencl")
        self.launch = self.worker("C++", [binaries / "launch"], "launch")
        self.enqueue = self.worker("C++ on OpenCL", [binaries / "enqueue"], "enqueue")
        self.waist = self.worker("C++", [binaries / "waist"], "waist")
        self.waist_opencl = self.worker("C++ on OpenCL", [binaries / "waist", "opencl"], "waist")
        native = [sys.executable, self.workers / "native_style.py"]
        self.native = self.worker("treadle", [*native, device], "native")
        self.native_opencl = self.worker("treadle on OpenCL", [*native, "opencl"], "native")
        silent = self.silent_cuda(device, binaries)
        pycuda = [*run, self.workers / "pycuda_style.py"]
        self.silent = self.worker("treadle, silent driver", pycuda, "python", silent)
        waist = [binaries / "waist"]
        self.silent_waist = self.worker("C++, silent driver", waist, "waist", silent)
        self.silent_native = self.worker("treadle, silent", [*native, device], "native", silent)
        silent = {"TREADLE_LIBOPENCL": str(binaries / "silent_opencl.so")}
        self.silent_opencl = self.worker("treadle, silent OpenCL", opencl, "opencl", silent)
        waist = [*waist, "opencl"]
        self.silent_waist_opencl = self.worker("C++, silent OpenCL", waist, "waist", silent)
        native = [*native, "opencl"]
        self.silent_native_opencl = self.worker("treadle, silent OpenCL", native, "native", silent)
        self.compile = self.worker("C++", [binaries / "compile"], "compile")
        self.memory = self.worker("C++", [binaries / "memory_pool"], "memory")
        self.fresh = Fresh(
            "treadle",
            [*run, self.workers / "first_compile.py"],
            lambda case: self.environment | self.cache("hit" if case == "hit" else None),
        )
        self.importing = Fresh(
            "treadle",
            [sys.executable, self.workers / "import_time.py"],
            lambda case: self.environment,
        )

    def worker(self, name, command, cache, more=None):
        """A worker of Treadle's, with a cache folder of its own and `more` environment."""
        environment = self.environment | self.cache(cache) | (more or {})
        return self.keep(Worker(name, command, environment))

    def silent_cuda(self, device, binaries):
        """The environment that gives a process a CUDA driver whose launches do nothing."""
        if device != "cpu":
            return {"TREADLE_LIBCUDA": str(binaries / "silent_cuda.so")}
        # The CPU device and its compiler are searched in one folder, so both are put there.
        real = pathlib.Path(
            self.environment.get("TREADLE_LIBRARY_DIR") or os.environ["TREADLE_LIBRARY_DIR"]
        )
        folder = self.scratch / "silent"
        folder.mkdir()
        for path in real.glob("*"):
            if path.name != "libtreadle_cpu.so":
                (folder / path.name).symlink_to(path)
        (folder / "libtreadle_cpu.so").symlink_to(binaries / "silent_cpu.so")
        return {"TREADLE_LIBRARY_DIR": str(folder), "LD_LIBRARY_PATH": str(real)}

    def keep(self, worker):
        """Registers a worker to be closed at the end."""
        self.all.append(worker)
        return worker

    def cache(self, name):
        """The environment that gives a process the cache folder `name`; None: an unused one."""
        folder = self.scratch / name if name else tempfile.mkdtemp(dir=self.scratch)
        return {"TREADLE_CACHE_DIR": str(folder)}

    def waist_rows(self):
        """The cost of a launch through the waist beyond that of one through the shell below it."""
        for language, name, worker in (
            ("C++", "CUDA", self.waist),
            ("C++", "OpenCL", self.waist_opencl),
            ("Python", "CUDA", self.native),
            ("Python", "OpenCL", self.native_opencl),
        ):
            columns = [
                Column("Treadle, over the shell", worker, "waist over shell"),
                Column("Treadle, waist", worker, "waist"),
                Column("Treadle, shell", worker, "shell"),
            ]
            if worker is self.native_opencl:
                without = Column("Treadle, shell, no profiling", worker, "shell, no profiling")
                columns.append(without)
            target = Target(at_most_seconds=0.15e-6)
            group = f"Launch through the waist, {language}"
            yield Row(group, name, columns, (target,), rounds=21, repeats=9)

    def two_threads(self, name, worker, case=""):
        """Eight sources compiled by two threads, and by one."""
        columns = [
            Column("two threads", worker, f"{case}threads 2"),
            Column("one thread", worker, f"{case}threads 1"),
        ]
        note = "1.8 times as fast is a ratio of 0.556"
        target = Target("one thread", 0.556)
        group = "Compile, cache miss"
        return Row(group, name, columns, (target,), rounds=15, repeats=1, note=note)

    def own_rows(self):
        """Treadle's own share of a launch: the driver does nothing here."""
        group = "Launch, five arguments, with a driver that does nothing"
        for name, worker, case in (
            ("Python, prepared", self.silent, "launch prepared"),
            ("Python, plain", self.silent, "launch plain"),
            ("Python, OpenCL, plain", self.silent_opencl, "enqueue plain"),
            ("Python, OpenCL, typed", self.silent_opencl, "enqueue typed"),
        ):
            yield Row(group, name, [Column("Treadle", worker, case)], rounds=21)
        for name, worker in (
            ("C++, CUDA", self.silent_waist),
            ("C++, OpenCL", self.silent_waist_opencl),
            ("Python, native, CUDA", self.silent_native),
            ("Python, native, OpenCL", self.silent_native_opencl),
        ):
            columns = [
                Column("Treadle, waist", worker, "waist"),
                Column("Treadle, shell", worker, "shell"),
            ]
            yield Row(group, name, columns, rounds=21)

    def enqueue_rows(self, peer):
        """An OpenCL kernel of five arguments; `peer` is a worker that runs PyOpenCL."""
        group = "OpenCL enqueue, five arguments, not waited for"
        columns = [
            Column("Treadle, C++", self.enqueue, "enqueue"),
            Column("bare calls", self.enqueue, "bare"),
        ]
        targets = (Target("bare calls", 1.5),)
        yield Row(group, "C++", columns, targets, rounds=31, repeats=9)
        for form in ("plain", "typed"):
            columns = [
                Column("Treadle", self.opencl, f"enqueue {form}"),
                Column("bare calls", self.opencl, "enqueue bare"),
                Column("PyOpenCL", peer, f"enqueue {form}"),
            ]
            targets = (Target("PyOpenCL", 0.7), Target("bare calls", at_most_more=0.5e-6))
            yield Row(group, f"Python, {form}", columns, targets, rounds=31, repeats=9)

    def command_rows(self, peer):
        """Copies, markers and events from Python; `peer` is a worker that runs PyOpenCL."""
        for name in COMMANDS:
            columns = [
                Column("Treadle", self.opencl, name),
                Column("bare calls", self.opencl, f"bare {name}"),
                Column("PyOpenCL", peer, name),
            ]
            targets = (Target("PyOpenCL", 0.5),)
            yield Row("OpenCL commands from Python", name, columns, targets, rounds=21, repeats=9)

    def close_workers(self):
        """Ends every process; the next request starts a new one."""
        for worker in self.all:
            worker.close()

    def close(self):
        self.close_workers()
        shutil.rmtree(self.scratch, ignore_errors=True)


def python_path(folder):
    """An environment in which packages of `folder` take precedence."""
    if not folder:
        return {}
    inherited = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(folder), inherited]))}
