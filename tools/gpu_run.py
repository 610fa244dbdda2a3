#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs .gpu-bundle/ on a machine with a GPU and no network: gpu_run.py PART, one of test, bench,
arrays, lines, sanitize, random

After "test", half=1 or half=2 chooses one half of the parts: the first needs no programs.tar.xz of
the bundle, and the second finds what the first installed. After "random", seconds=500 and jobs=24
say how long it runs, and in how many processes. Words choose those parts whose names
contain one of them: gpu_run.py test half=1; gpu_run.py test pyopencl/ tests/treadle_array_test;
@FILE names parts themselves, one a line. A run writes those that did not pass into again.txt.

A failing part does not stop the next. Results go to $OUT (or .gpu-bundle/out): summary.txt, all
logs in one archive, and the parts' times (tools/gpu_plan.py), for few files come back from such a
machine; the last lines are a summary. A run of tests takes less than nine minutes: the longest
parts are begun first, and those that had no time are named at the end.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Sequence

import gpu_package
import gpu_plan
import gpu_programs

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUNDLE = ROOT / ".gpu-bundle"
OUT = pathlib.Path(os.environ.get("OUT", BUNDLE / "out"))
SITE, PEERS, PROGRAMS = BUNDLE / "site", BUNDLE / "peers-site", BUNDLE / "programs"
# Where images with the driver but without a desktop keep the name of its library of EGL.
EGL_VENDOR = pathlib.Path("/usr/local/nvidia/share/glvnd/egl_vendor.d/10_nvidia.json")
STARTED = time.monotonic()
LIMITS_S = {"tests": 500, "bench": 450, "lines": 235, "sanitizer": 300, "random": 360}
NOT_BEGUN = "not begun"


@dataclasses.dataclass
class Part:
    name: str
    ok: bool
    seconds: float
    remark: str = ""


def environment() -> dict[str, str]:
    """The environment of programs and Python: the bundle's own libraries and packages."""
    egl = {"__EGL_VENDOR_LIBRARY_FILENAMES": str(EGL_VENDOR)} if EGL_VENDOR.exists() else {}
    return {
        **egl,
        # Each class of shapes would compile the other engine's kernels, too; a test asks for that.
        "TREADLE_MEASURE": "0",
        **os.environ,
        "PYTHONPATH": str(SITE),
        "PYTHONUNBUFFERED": "1",
        # As a package that was installed: its Python is not compiled in each process.
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(BUNDLE / "bytecode"),
        "TREADLE_LIBRARY_DIR": str(SITE / "treadle/lib"),
        "TREADLE_TEST_PROGRAMS": str(PROGRAMS / "tests"),  # tools/random_runs.py
        "TREADLE_SOURCE_DIR": str(ROOT),
        "TREADLE_CACHE_DIR": str(BUNDLE / "cache"),
        # tests/holds_devices.hpp: contexts for each test take longer than the tests.
        "TREADLE_TEST_HOLD_DEVICES": "1",
        "PATH": f"{os.environ.get('PATH', '')}:/usr/local/cuda/bin",
    }


def execute(
    command: Sequence[object], log: pathlib.Path, limit_s: float
) -> tuple[bool, str, float]:
    """Runs a command, appending its output to a log: (success, output, seconds)."""
    start = time.monotonic()
    words = [str(word) for word in command]
    try:
        process = subprocess.Popen(
            words, cwd=ROOT, env=environment(), text=True, errors="replace",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        output, ended = communicate(process, limit_s)
        status = 124 if ended else process.returncode
    except OSError as error:
        status, output = 127, f"{error}\n"
    seconds = time.monotonic() - start
    with log.open("a") as file:
        file.write(f"$ {' '.join(words)}\n{output}\n(status {status}, {seconds:.1f} s)\n\n")
    return status == 0, output, seconds


def communicate(process: subprocess.Popen[str], limit_s: float) -> tuple[str, bool]:
    """(what a process wrote, whether the limit ended it, with the processes that it started)"""
    try:
        return process.communicate(timeout=limit_s)[0], False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    try:
        output = process.communicate(timeout=5)[0]
    except subprocess.TimeoutExpired:  # a process in a session of its own has the pipe
        output = ""
    return f"{output}\nended after its {limit_s:.0f} s\n", True


def install() -> list[Part]:
    """Installs wheels and programs into folders of their own, not into the machine's Python: what
    an earlier run on this machine has not installed."""
    offer_nvidia_opencl()
    unpack_gl()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        parts = list(pool.map(if_new, ("package", "programs"), (install_package, link_programs)))
    peers = list((BUNDLE / "peers").glob("*.whl"))
    if peers:
        parts.append([install_wheels("peers", PEERS, "for the benchmarks")])
    return sum(parts, [])


def if_new(name: str, install: Callable[[pathlib.Path], list[Part]]) -> list[Part]:
    """Installs from an archive of the bundle, unless that very one was installed."""
    archive, stamp = BUNDLE / f"{name}.tar.xz", BUNDLE / f"{name}.installed"
    if not archive.exists():
        return []
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return [Part(f"{name}, as it was", True, 0)]
    stamp.unlink(missing_ok=True)
    parts = install(archive)
    if all(part.ok for part in parts):
        stamp.write_text(digest)
    return parts


def install_package(archive: pathlib.Path) -> list[Part]:
    folder = BUNDLE / "package"
    for old in (folder, BUNDLE / "cache"):
        shutil.rmtree(old, ignore_errors=True)
    gpu_package.unpack(archive, folder, BUNDLE / "wheels")
    revision = (BUNDLE / "revision.txt").read_text().strip()
    return [install_wheels("wheels", SITE, f"revision {revision}"), write_preludes(folder)]


def link_programs(archive: pathlib.Path) -> list[Part]:
    for old in (PROGRAMS, BUNDLE / "link"):
        shutil.rmtree(old, ignore_errors=True)
    extract(archive)
    start = time.monotonic()
    unlinked = gpu_programs.link_all(BUNDLE)
    (OUT / "link.log").write_text(unlinked)
    return [Part("link", not unlinked, time.monotonic() - start, unlinked.partition("\n")[0])]


def extract(archive: pathlib.Path) -> None:
    with tarfile.open(archive) as tar:
        tar.extractall(BUNDLE, filter="data")


def write_preludes(folder: pathlib.Path) -> Part:
    """The precompiled preludes of the CPU device's compiler: made faster than carried."""
    library = SITE / "treadle/lib/libtreadle_clang.so"
    command = [folder / "write_preludes", library, library.parent]
    ok, _, seconds = execute(command, OUT / "install.log", 60)
    return Part("preludes", ok, seconds)


def install_wheels(name: str, site: pathlib.Path, remark: str) -> Part:
    shutil.rmtree(site, ignore_errors=True)
    wheels = sorted((BUNDLE / name).glob("*.whl"))
    options = ("--no-index", "--no-deps", "--no-compile", "--no-cache-dir", "--target", site)
    command = [sys.executable, "-m", "pip", "install", "-q", *options, *wheels]
    ok, _, seconds = execute(command, OUT / "install.log", 120)
    return Part(f"install {name}", ok, seconds, f"{len(wheels)} wheels, {remark}")


def offer_nvidia_opencl() -> None:
    """The OpenCL loader finds a platform by a file; images with CUDA often lack NVIDIA's."""
    vendors = pathlib.Path("/etc/OpenCL/vendors")
    if os.geteuid() == 0 and not (vendors / "nvidia.icd").exists():
        vendors.mkdir(parents=True, exist_ok=True)
        (vendors / "nvidia.icd").write_text("libnvidia-opencl.so.1\n")


def unpack_gl() -> None:
    """Loaders of OpenGL and EGL into the machine itself, where it has none: they look for NVIDIA's
    libraries by themselves. Without them tests with OpenGL are skipped."""
    log = OUT / "install.log"
    has_egl = "libEGL.so.1" in execute(["ldconfig", "-p"], log, 30)[1]
    if has_egl or os.geteuid() != 0 or not shutil.which("dpkg"):
        return
    for package in sorted((BUNDLE / "gl").glob("*.deb")):
        execute(["dpkg", "-x", package, "/"], log, 30)
    execute(["ldconfig"], log, 30)


def describe_machine() -> list[Part]:
    log = OUT / "install.log"
    query = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    ok, output, seconds = execute(query, log, 30)
    info_ok, _, more = execute([sys.executable, "-m", "treadle", "info", "--all"], log, 60)
    return [
        Part("nvidia-smi", ok, seconds, output.strip().split("\n")[0]),
        Part("info", info_ok, more),
    ]


def program_command(
    program: pathlib.Path, tests: str = "", excluded: Sequence[str] = ()
) -> list[object]:
    """With the options of GoogleTest where it is one of its programs. A test that fails while it
    holds a multicast object can put GPUs of a host that others share out of service."""
    if program.parent.name != "tests":
        return [program]
    if "TREADLE_TEST_MULTICAST" not in os.environ:
        excluded = ("*Multicast*", *excluded)
    chosen = f"{tests}-{':'.join(excluded)}" if excluded else tests
    return [program, "--gtest_color=no", *([f"--gtest_filter={chosen}"] if chosen else [])]


def run_program(program: pathlib.Path, shard: int, shards: int, limit_s: float) -> Part:
    """A GoogleTest program, or an example, whose exit status is the result."""
    numbers = (f"GTEST_TOTAL_SHARDS={shards}", f"GTEST_SHARD_INDEX={shard}")
    command = [*(("env", *numbers) if shards > 1 else ()), *program_command(program)]
    log = OUT / f"{program.name}.{shard}.log"
    ok, output, seconds = execute(command, log, limit_s)
    ok = ok or re.search(r"^skipped: ", output, re.MULTILINE) is not None  # it needs LAPACK
    tests = re.findall(r"\[  (PASSED|FAILED)  \] (\d+) tests?", output)
    remark = ", ".join(f"{count} {word.lower()}" for word, count in tests)
    failing = re.findall(r"^\[  FAILED  \] (\S+\.\S+)", output, re.MULTILINE)
    names = " ".join(dict.fromkeys(name.rstrip(",") for name in failing))
    return Part(job_name(program, shard, shards), ok, seconds, f"{remark} {names}".strip())


def run_pytest(path: pathlib.Path, limit_s: float) -> Part:
    # -v: if a file exceeds its limit, the log names the test that was running.
    command = [sys.executable, "-m", "pytest", "-v", "-rf", "-p", "no:cacheprovider", path]
    log = OUT / f"{path.parent.name}-{path.stem}.log"
    ok, output, seconds = execute(command, log, limit_s)
    leak = "nanobind: leaked" in output
    failing = re.findall(r"^FAILED \S+?::(\S+)", output, re.MULTILINE)
    remark = " ".join([last_line(output).strip("= "), *failing])
    return Part(job_name(path), ok and not leak, seconds, remark + (" LEAK" if leak else ""))


# A program's tests, in so many processes. Tests of treadle_cuda_test start parts of theirs in
# processes of their own, by filters, which would find nothing in a share.
# Odd numbers, because tests often alternate between two devices.
TEST_SHARDS = {
    "treadle_array_test": 5,
    "treadle_cuda_kernel_test": 5,
    "treadle_device_conformance_test": 3,
    "treadle_kernel_test": 11,
    "treadle_opencl_test": 7,
}
Job = tuple[str, Callable[[float], Part]]


def job_name(path: pathlib.Path, shard: int = 0, shards: int = 1) -> str:
    return f"{path.parent.name}/{path.name}" + (f" {shard + 1}/{shards}" if shards > 1 else "")


def test_jobs() -> list[Job]:
    """Each program, or share of one, and each file of Python tests, is a process of its own."""
    jobs: list[Job] = []
    for program in sorted([*PROGRAMS.glob("tests/*_test"), *PROGRAMS.glob("examples/*")]):
        shards = TEST_SHARDS.get(program.name, 1)
        for shard in range(shards):
            run = functools.partial(run_program, program, shard, shards)
            jobs.append((job_name(program, shard, shards), run))
    files = gpu_plan.python_parts(ROOT).values()
    jobs += [(job_name(path), functools.partial(run_pytest, path)) for path in files]
    return [*jobs, ("demo", run_demo)]


def run_job(job: Job, deadline: float) -> Part:
    name, run = job
    left = deadline - time.monotonic()
    part = run(left) if left > 0 else Part(name, False, 0, NOT_BEGUN)
    print(line_of(part), flush=True)  # what is known if the machine's own limit ends this run
    return part


def chosen_jobs(words: Sequence[str]) -> list[Job]:
    """The parts that the words of the command line choose, those first that take longest."""
    times = gpu_plan.read_times()
    jobs = dict(test_jobs())
    names = list(jobs)
    numbers = [word.removeprefix("half=") for word in words if word.startswith("half=")]
    if numbers:
        if numbers[-1] not in ("1", "2"):
            raise SystemExit(f"gpu_run: half={numbers[-1]}; there are half=1 and half=2")
        names = gpu_plan.halves(names, times)[int(numbers[-1]) - 1]
    texts = [word for word in words if not word.startswith(("half=", "@"))]
    listed = [pathlib.Path(word[1:]).read_text().splitlines() for word in words if word[0] == "@"]
    if texts or listed:
        exact = {name for lines in listed for name in lines}
        names = [name for name in names if name in exact or any(text in name for text in texts)]
    planned = gpu_plan.planned_seconds(names, times, processors())
    print(f"{len(names)} of {len(jobs)} parts, {planned:.0f} s by tools/gpu_times.json", flush=True)
    return [(name, jobs[name]) for name in gpu_plan.longest_first(names, times)]


def processors() -> int:
    """Those of this process: two runs at once, each on a GPU, share a machine by taskset."""
    return len(os.sched_getaffinity(0))


def few_threads() -> dict[str, str]:
    """What keeps processes that run beside each other from having a thread for each core: those of
    OpenBLAS spin while they wait, so that 490 s went by in tests that take 25."""
    names = ("TREADLE_CPU_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS",
             "POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT")  # fmt: skip
    return dict.fromkeys(names, str(max(2, processors() // gpu_plan.GPU_PROCESSES)))


def run_tests() -> list[Part]:
    jobs = chosen_jobs(sys.argv[2:])
    os.environ.update(few_threads())
    deadline = STARTED + LIMITS_S["tests"]
    others = gpu_plan.other_processes(processors())
    with (
        concurrent.futures.ThreadPoolExecutor(gpu_plan.GPU_PROCESSES) as gpu,
        concurrent.futures.ThreadPoolExecutor(others) as cpu,
    ):
        results = [
            (gpu if gpu_plan.needs_gpu(job[0]) else cpu).submit(run_job, job, deadline)
            for job in jobs
        ]
    parts = [result.result() for result in results]
    record_times(parts)
    return parts


def record_times(parts: Sequence[Part]) -> None:
    """What tools/gpu_plan.py records in the tree."""
    begun = [part for part in parts if part.remark != NOT_BEGUN]
    times = {
        word: {part.name: round(part.seconds, 1) for part in begun if part.ok == ok}
        for word, ok in (("passed", True), ("failed", False))
    }
    (OUT / "gpu_times.json").write_text(json.dumps(times, indent=0) + "\n")
    (OUT / "again.txt").write_text("".join(f"{part.name}\n" for part in parts if not part.ok))


def run_demo(limit_s: float) -> Part:
    command = [sys.executable, ROOT / "examples/run_demo.py"]
    ok, output, seconds = execute(command, OUT / "demo.log", limit_s)
    return Part("demo", ok, seconds, last_line(output))


def run_bench(table: str = "gpu") -> list[Part]:
    folders = ("--binaries", PROGRAMS / "benchmarks", "--peers", PEERS, "--out", OUT)
    command = [sys.executable, ROOT / "benchmarks/run.py", table, *folders]
    ok, output, seconds = execute(command, OUT / "bench.log", LIMITS_S["bench"])
    print(output)
    return [Part(f"bench, {table}", ok, seconds, last_line(output))]


def run_array_bench() -> list[Part]:
    return run_bench("arrays-gpu")


def run_lines() -> list[Part]:
    """Everyday lines beside CuPy, in less than four minutes."""
    script = ROOT / "benchmarks/lines.py"
    command = [sys.executable, script, "--device", "cuda:0", "--seconds", "190", "--out", OUT]
    ok, output, seconds = execute(command, OUT / "lines.log", LIMITS_S["lines"])
    print(output)
    remark = next((line for line in output.splitlines() if " lines: median" in line), "")
    return [Part("everyday lines", ok and bool(remark), seconds, remark)]


def run_random() -> list[Part]:
    """The random tests with new seeds: for seconds=N by jobs=N processes, of the kinds that words
    choose, or of all."""
    words = [word for word in sys.argv[2:] if "=" not in word]
    numbers = dict(word.split("=") for word in sys.argv[2:] if "=" in word)
    seconds = int(numbers.pop("seconds", LIMITS_S["random"]))
    jobs = int(numbers.pop("jobs", processors()))
    if numbers:
        raise SystemExit(f"gpu_run: {', '.join(numbers)}; there are seconds=N and jobs=N")
    options = ("--minutes", f"{seconds / 60:.3f}", "--jobs", str(jobs), "--out", OUT)
    command = [sys.executable, ROOT / "tools/random_runs.py", *options, *words]
    ok, output, taken = execute(command, OUT / "random.log", seconds + 60)
    print(output)
    return [Part("random runs", ok, taken)]


# CUDA only: the tools do not support OpenCL (hence not example_opencl_kernel).
# Tests that provoke a fault on the GPU do so in child processes, which the tools do not follow. API
# errors are not reported, because many tests provoke them.
SANITIZER = ("compute-sanitizer", "--report-api-errors", "no", "--error-exitcode", "9")
KERNEL_TESTS = (
    ("tests/treadle_cuda_kernel_test",),
    ("tests/treadle_kernel_test", "*/cuda_*"),
    ("tests/treadle_array_test", "*/cuda_*"),
)
SANITIZED = {
    "memcheck": (
        *KERNEL_TESTS,
        ("tests/treadle_cuda_test",),
        ("tests/treadle_device_test",),
        ("tests/treadle_device_conformance_test", "*cuda_*"),
        ("tests/treadle_memory_test",),
        ("examples/example_[!o]*",),
        ("python", "examples/run_demo.py"),
    ),
    "racecheck": KERNEL_TESTS,
    "initcheck": (*KERNEL_TESTS, ("examples/example_[!o]*",)),
    "synccheck": (*KERNEL_TESTS, ("examples/example_[!o]*",)),
}
# Their tests take minutes under a tool: so many processes share them.
SHARDS = {"treadle_cuda_kernel_test": 3, "treadle_kernel_test": 6, "treadle_array_test": 3}
SANITIZERS_AT_ONCE = 8
# The tools wait for each kernel where it is launched, so that one which waits for the host never
# ends, and a graph's switch faults under them. All but memcheck know no kernels that launch
# kernels; racecheck loses track where several threads launch at once, calls that an error of its
# own and may hang.
NOT_SANITIZED = ("*EventsAreRecordedByTheLaunch*", "*TheBodyOfThatNumberRuns/nvidia*")
NOT_BUT_BY_MEMCHECK = (*NOT_SANITIZED, "*KernelsThatLaunchKernels*")
EXCLUDED = {
    "memcheck": NOT_SANITIZED,
    "racecheck": (*NOT_BUT_BY_MEMCHECK, "*Threads*", "*ArrayStreamsTest*"),
    "initcheck": NOT_BUT_BY_MEMCHECK,
    "synccheck": NOT_BUT_BY_MEMCHECK,
}

# Under memcheck the first has not ended in 300 s; to initcheck memory that another context wrote
# was written by nobody.
PROGRAMS_EXCLUDED = {"memcheck": ("example_two_processes",), "initcheck": ("example_peers",)}


def sanitized_commands(tool: str, command: Sequence[str]) -> list[list[object]]:
    """Of ("python", program ...), or (programs, the tests of theirs)."""
    if command[0] == "python":
        return [[sys.executable, *command[1:]]]
    return [
        program_command(program, "".join(command[1:]), EXCLUDED[tool])
        for program in sorted(PROGRAMS.glob(command[0]))
        if program.name not in PROGRAMS_EXCLUDED.get(tool, ())
    ]


def run_sanitizer(tool: str, command: Sequence[object], shard: int, shards: int) -> Part:
    log = OUT / f"{tool}.log"
    numbers = (f"GTEST_TOTAL_SHARDS={shards}", f"GTEST_SHARD_INDEX={shard}")
    words = [*(("env", *numbers) if shards > 1 else ()), *SANITIZER, "--tool", tool, *command]
    ok, output, seconds = execute(words, log, LIMITS_S["sanitizer"])
    found = re.findall(r"^========= (?:ERROR|RACECHECK) SUMMARY: (.*)$", output, re.MULTILINE)
    files = [word for word in map(str, command) if not word.startswith("-")]
    name = pathlib.Path(files[-1]).stem + (f" {shard + 1}/{shards}" if shards > 1 else "")
    return Part(f"{tool}, {name}", ok and bool(found), seconds, "; ".join(found))


def run_sanitizers() -> list[Part]:
    jobs = []
    for tool, patterns in SANITIZED.items():
        for pattern in patterns:
            for command in sanitized_commands(tool, pattern):
                shards = SHARDS.get(pathlib.Path(str(command[0])).name, 1)
                jobs += [(tool, command, shard, shards) for shard in range(shards)]
    with concurrent.futures.ThreadPoolExecutor(SANITIZERS_AT_ONCE) as pool:
        return list(pool.map(lambda job: run_sanitizer(*job), jobs))


def last_line(output: str) -> str:
    return (output.strip().splitlines() or [""])[-1]


def line_of(part: Part) -> str:
    verdict = "ok    " if part.ok else "FAILED"
    return f"{verdict} {part.name:32} {part.seconds:6.1f} s  {part.remark}"


def summarise(parts: list[Part], seconds: float) -> int:
    failed = [line_of(part) for part in parts if not part.ok]
    count = f"{len(failed)} of {len(parts)} parts failed in {seconds:.0f} s"
    verdict = f"===== {count}: {OUT}/logs.tar.xz ====="
    # Each share of a program is another part, which a word cannot name.
    missing = {gpu_plan.program_of(p.name)[0]: None for p in parts if p.remark == NOT_BEGUN}
    ending = [f'not begun: make gpu-test words="{" ".join(missing)}"'] if missing else []
    print("\n".join([*failed, *ending, verdict]))
    lines = [line_of(part) for part in parts]
    (OUT / "summary.txt").write_text("\n".join([*lines, *ending, verdict]) + "\n")
    pack_logs()
    return len(failed) > 0


def pack_logs() -> None:
    logs = sorted(OUT.glob("*.log"))
    with tarfile.open(OUT / "logs.tar.xz", "w:xz") as tar:
        for log in logs:
            tar.add(log, log.name)
    for log in logs:
        log.unlink()


PARTS = {
    "test": (describe_machine, run_tests),
    "bench": (describe_machine, run_bench),
    "arrays": (describe_machine, run_array_bench),
    "lines": (describe_machine, run_lines),
    "random": (describe_machine, run_random),
    "sanitize": (describe_machine, run_sanitizers),
}


def main() -> int:
    OUT.mkdir(parents=True, exist_ok=True)
    if not (BUNDLE / "package.tar.xz").exists():
        raise SystemExit(
            "gpu_run: no .gpu-bundle here; make gpu-bundle makes it where there is a network"
        )
    parts = install()
    for part in PARTS[sys.argv[1]]:
        parts += part()
    return summarise(parts, time.monotonic() - STARTED)


if __name__ == "__main__":
    sys.exit(main())
