#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds and tests what a change touches: run_check.py [--base COMMIT] [--limit SECONDS] [--jobs N]

The change: what differs from the commit at which this branch left `main`, files that are not
committed yet included; on `main` itself, what is not committed, or else the last commit.
No step goes on past the limit; what did not run, or was ended, is named at the end, and the exit
status is then 2.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable

import run_tests

ROOT = run_tests.ROOT
LIMIT_S = 170.0
CPP = (".cpp", ".hpp", ".h")

# The Python tests of each room that cover most in the least time.
ROOM_TESTS = {
    "process": ("tests/python/trace_test.py", "tests/python/warning_test.py"),
    "base": ("tests/python/pycuda/exceptions_test.py", "tests/python/warning_test.py"),
    "cuda": (
        *("tests/python/pycuda/context_test.py", "tests/python/device_test.py"),
        *("tests/python/pycuda/memory_test.py", "tests/python/pycuda/launch_test.py"),
    ),
    "opencl": ("tests/python/pyopencl",),
    "compile": ("tests/python/pycuda/compiler_test.py",),
    "codegen": ("tests/python/native_test.py", "tests/python/op_text_test.py"),
    "device": ("tests/python/native_test.py", "tests/python/native_errors_test.py"),
    "kernel": ("tests/python/native_test.py",),
    "array": ("tests/python/array_test.py",),
    "fft": ("tests/python/fft_test.py",),
    "library": ("tests/python/library_test.py",),
    "linalg": (
        "tests/python/matmul_test.py",
        "tests/python/linalg_test.py",
        "tests/python/linalg_bounds_test.py",
    ),
    "sparse": ("tests/python/sparse_test.py", "tests/python/sparse_solvers_test.py"),
    "tune": ("tests/python/tune_test.py",),
    "memory": ("tests/python/pycuda/memory_pool_test.py", "tests/python/pyopencl/pool_test.py"),
    "cuda_cpu/runtime": (
        *("tests/python/kernel_faults_test.py", "tests/cuda_cpu/compiler/barriers_test.py"),
        *("tests/cuda_cpu/compiler/grid_test.py", "tests/python/asynchronous_errors_test.py"),
    ),
    "cuda_cpu/compiler": (
        *("tests/cuda_cpu/compiler/semantics_test.py", "tests/cuda_cpu/compiler/barriers_test.py"),
        *("tests/cuda_cpu/compiler/steps_test.py", "tests/cuda_cpu/compiler/guards_test.py"),
        "tests/cuda_cpu/compiler/inline_ptx_test.py",
    ),
}
ROOM = re.compile(r"(?:include/treadle|src|tests)/(cuda_cpu/runtime|cuda_cpu/compiler|[a-z_]+)/")
# Python tests of other files, by the beginning of their path. Every match counts.
FOLDER_TESTS = {
    "README.md": ("tests/docs",),
    "ARCHITECTURE.md": ("tests/docs",),
    "CONTRIBUTING.md": ("tests/docs",),
    "Makefile": ("tests/docs",),
    "docs/": ("tests/docs",),
    "tests/docs/": ("tests/docs",),
    "tools/": ("tests/tools",),
    "tests/tools/": ("tests/tools",),
    "benchmarks/": ("tests/tools/benchmarks_test.py",),
    "examples/python/generated_kernels/": ("tests/examples/generated_kernels_test.py",),
    "examples/python/native/": ("tests/examples/native_examples_test.py",),
    "examples/python/pyopencl/": ("tests/python/pyopencl/examples_test.py",),
    "examples/": ("tests/examples/python_examples_test.py",),
    "apps/": ("tests/apps",),
    "kernels/dialect/": ("tests/python/native_test.py",),
    "kernels/elements/": ("tests/python/op_text_test.py",),
    "kernels/cuda/": ("tests/python/curand_test.py", "tests/python/pycuda/pycuda_complex_test.py"),
    "kernels/cuda_cpu/": ROOM_TESTS["cuda_cpu/compiler"],
    "kernels/standard/": ("tests/cuda_cpu/compiler/std_headers_test.py",),
    "kernels/nvrtc/": ROOM_TESTS["compile"],
    "tests/conftest.py": ("tests/python/pycuda/launch_test.py",),
    "tests/python/conftest.py": ("tests/python/pycuda/launch_test.py",),
    "tests/python/programs/": ("tests/python/programs_test.py",),
    "python/treadle/pyopencl/": ("tests/python/pyopencl",),
    "python/treadle/pycuda/": ROOM_TESTS["cuda"],
    "python/treadle/_core/": ("tests/python/stubs_test.py",),
    "python/treadle/": ("tests/python/import_test.py", "tests/python/command_line_test.py"),
    "python/treadle/_gdb.py": ("tests/python/debugging_test.py",),
    "python/bindings/pyopencl/": ("tests/python/pyopencl",),
    "python/bindings/native/": ROOM_TESTS["device"],
    "python/bindings/memory/": ROOM_TESTS["memory"],
    "python/bindings/": ("tests/python/stubs_test.py", "tests/python/pycuda/launch_test.py"),
    "pyproject.toml": ("tests/packaging",),
    "cmake/": ("tests/packaging",),
    "CMakeLists.txt": ("tests/packaging",),
}
# Folders whose C++ test programs also test files of another folder.
FOLDER_PROGRAMS = {
    "kernels/dialect/": "tests/codegen",
    "kernels/elements/": "tests/codegen",
    "kernels/nvrtc/": "tests/compile",
    "kernels/standard/": "tests/compile",
    "kernels/": "tests/kernel",
}
COMPILED = ("src/", "include/", "kernels/", "python/bindings/", "cmake/", "CMakeLists.txt")


@dataclasses.dataclass
class Plan:
    """What to lint, build and run for a change, in this order."""

    sources: list[str]  # the changed files that still exist
    programs: list[str]  # targets that are test programs
    examples: list[str]  # targets that are examples in C++
    extension: bool  # the libraries and the Python extension
    pytests: list[str]


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def base_commit() -> str:
    """Where the change begins; see the top of this file."""
    head = git("rev-parse", "HEAD")
    for name in ("main", "origin/main"):
        base = git("merge-base", "HEAD", name)
        if base:
            break
    if base and base != head:
        return base
    return "HEAD" if git("status", "--porcelain") else "HEAD~1"


def changed_files(base: str) -> list[str]:
    differing = git("diff", "--name-only", base).splitlines()
    return sorted({*differing, *git("ls-files", "--others", "--exclude-standard").splitlines()})


def programs_of(folder: str, root: pathlib.Path = ROOT) -> list[str]:
    """The test programs that the CMakeLists.txt of a folder and of its subfolders define."""
    lists = sorted((root / folder).rglob("CMakeLists.txt"))
    return [
        name for path in lists for name in re.findall(r"\btreadle_test\((\w+)", path.read_text())
    ]


def room_of(path: str) -> str:
    """The room whose folder has a file; "" for other files. cuda_cpu is two rooms."""
    match = ROOM.match(path)
    room = match[1] if match else ""
    return room if room in ROOM_TESTS or room == "cuda_cpu" else ""


def tests_named_like(path: str, root: pathlib.Path = ROOT) -> list[str]:
    """Python tests named after a source file: memory_test.py for memory_place.cpp."""
    word = pathlib.PurePosixPath(path).stem.removeprefix("_")
    if "pyopencl" in path:
        folders = ["tests/python/pyopencl"]
    elif "cuda_cpu/compiler" in path:
        folders = ["tests/cuda_cpu/compiler"]
    elif path.startswith(("python/", "tests/python/")):
        folders = ["tests/python", "tests/python/pycuda"]
    else:
        return []
    tests = [test for folder in folders for test in sorted((root / folder).glob("*_test.py"))]
    names = [(t.name.removesuffix("_test.py"), str(t.relative_to(root))) for t in tests]
    return [test for name, test in names if word == name or word.startswith(f"{name}_")]


def choose(paths: Iterable[str], root: pathlib.Path = ROOT) -> Plan:
    """What the changed files touch. Tests that changed or are named like a file come first."""
    paths = list(paths)
    folders: dict[str, None] = {}  # in order, each once
    first: dict[str, None] = {}
    then: dict[str, None] = {}
    for path in paths:
        if path.endswith("_test.py"):
            first[path] = None
            continue
        first.update(dict.fromkeys(tests_named_like(path, root)))
        room = room_of(path)
        if room:
            folders[f"tests/{room}"] = None
            if not (path.startswith("tests/") and path.endswith(CPP)):
                for name in ROOM_TESTS:
                    if name == room or name.startswith(f"{room}/"):
                        then.update(dict.fromkeys(ROOM_TESTS[name]))
        if path.startswith("tests/fuzz/"):
            folders["tests/fuzz"] = None
        for prefix, folder in FOLDER_PROGRAMS.items():
            if path.startswith(prefix):
                folders[folder] = None
        for prefix, tests in FOLDER_TESTS.items():
            if path.startswith(prefix):
                then.update(dict.fromkeys(tests))
    pytests = files_of({**first, **then}, root)
    programs = {name: None for folder in folders for name in programs_of(folder, root)}
    examples = [f"example_{pathlib.Path(p).stem}" for p in paths if p.startswith("examples/cpp/")]
    return Plan(
        sources=[path for path in paths if (root / path).is_file()],
        programs=list(programs),
        examples=[name for name in examples if name != "example_CMakeLists"],
        extension=bool(pytests) or any(path.startswith(COMPILED) for path in paths),
        pytests=pytests,
    )


def files_of(tests: Iterable[str], root: pathlib.Path) -> list[str]:
    """Each file with tests once, those of folders too: a file is a step of its own."""
    files: dict[str, None] = {}
    for test in tests:
        path = root / test
        found = sorted(path.rglob("*_test.py")) if path.is_dir() else [path]
        files.update((str(file.relative_to(root)), None) for file in found if file.exists())
    return list(files)


def is_configured() -> bool:
    """Whether the build folder has the tests: `make demo` makes one without."""
    cache = run_tests.BUILD / "CMakeCache.txt"
    return cache.exists() and "TREADLE_BUILD_TESTS:BOOL=ON" in cache.read_text()


def end_all_of(process: subprocess.Popen[str]) -> None:
    """Ends a process and its children: ninja removes unfinished files if it is asked first."""
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


class Check:
    """Runs the steps of a plan until the limit."""

    def __init__(self, limit_s: float, jobs: int) -> None:
        self.end = time.monotonic() + limit_s
        self.runner = run_tests.Runner(jobs)
        self.results: list[run_tests.Result] = []
        self.left: list[str] = []

    def execute(self, step: str, *command: object, env: dict[str, str] | None = None) -> bool:
        """Runs one step and shows its output if it fails. False if it failed or ran out of time."""
        start = time.monotonic()
        if start >= self.end:
            self.left.append(step)
            return False
        process = subprocess.Popen(
            [str(word) for word in command], cwd=ROOT, env={**os.environ, **(env or {})},
            text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        try:
            output, _ = process.communicate(timeout=self.end - start)
        except subprocess.TimeoutExpired:
            end_all_of(process)
            self.left.append(step)
            return False
        runner = run_tests.Runner(1)
        runner.result = result = run_tests.Result(step, process.returncode == 0)
        result.seconds = time.monotonic() - start
        count = runner.count_pytest if "pytest" in command else runner.count_gtest
        count(output)
        if not result.ok:
            result.failures = run_tests.failures(output)
            print(f"$ {' '.join(map(str, command))}\n{output}", flush=True)
        print(f"{'ok    ' if result.ok else 'FAILED'} {step} {result.seconds:.1f} s", flush=True)
        self.results.append(result)
        return result.ok

    def lint(self, sources: list[str]) -> None:
        cpp = [p for p in sources if p.endswith(CPP) and not p.startswith("kernels/")]
        python = [p for p in sources if p.endswith(".py")]
        tools = run_tests.TOOLS
        if cpp:
            self.execute("clang-format", tools / "clang-format", "--dry-run", "-Werror", *cpp)
        if python:
            self.execute("ruff check", tools / "ruff", "check", "-q", "--force-exclude", *python)
            format_command = ("format", "-q", "--check", "--force-exclude")
            self.execute("ruff format", tools / "ruff", *format_command, *python)
            run_tests.link_faces()
            self.execute("mypy", tools / "mypy", "--no-error-summary")
        if sources:
            options = ("--format", "brief", "--force-exclude")
            self.execute("typos", tools / "typos", *options, *sources)
        for check in run_tests.CHECKS:
            self.execute(check, sys.executable, ROOT / "tools" / check)

    def build(self, *targets: str) -> bool:
        command = ("cmake", "--build", run_tests.BUILD, "-j", self.runner.jobs, "--target")
        return self.execute(f"build {' '.join(targets)}", *command, *targets)

    def run(self, plan: Plan) -> None:
        self.lint(plan.sources)
        if (plan.programs or plan.extension) and not is_configured():
            self.runner.configure_build()
        environment = run_tests.environment_of_tests()
        for name in [*plan.programs, *plan.examples]:
            if self.build(name):
                quiet = () if name in plan.examples else ("--gtest_brief=1",)
                self.execute(name, self.program(name), *quiet, env=environment)
            else:
                self.left.append(name)
        if not plan.extension:
            return
        if not self.build("_core", "treadle_cpu", "treadle_clang"):
            self.left += plan.pytests
            return
        subprocess.run([sys.executable, ROOT / "tools/link_package.py", run_tests.BUILD / "python"])
        with concurrent.futures.ThreadPoolExecutor(self.runner.jobs) as pool:
            list(pool.map(self.run_pytest, plan.pytests))

    def run_pytest(self, path: str) -> None:
        command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", path)
        self.execute(path, *command, env=run_tests.BYTECODE)

    def program(self, name: str) -> pathlib.Path:
        """Where the build put a test program or an example."""
        return next(path for path in run_tests.BUILD.rglob(name) if path.is_file())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base", help="the commit the change begins at")
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds, default %(default)s")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    start = time.monotonic()
    base = arguments.base or base_commit()
    paths = changed_files(base)
    plan = choose(paths)
    print(f"{len(paths)} files differ from {git('rev-parse', '--short', base)}")
    check = Check(arguments.limit, arguments.jobs)
    check.run(plan)
    status = run_tests.summarise(check.results, time.monotonic() - start)
    if check.left:
        print(f"not run (no time left, or not built; make test does): {', '.join(check.left)}")
    return status or (2 if check.left else 0)


if __name__ == "__main__":
    sys.exit(main())
