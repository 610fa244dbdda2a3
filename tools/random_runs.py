#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the random tests with new seeds for a given time: `make random minutes=60 words="numpy"`.

    tools/random_runs.py --minutes 60                all kinds, on all cores
    tools/random_runs.py --minutes 60 numpy branches  kinds whose names contain one of the words

Each batch is a pytest process with seeds of its own; the kind that has run for the shortest time is
next, so that none waits for another. A batch draws as many cases as shall take a minute, or half of
the time that is left, by what the kind's last batch took. A table says how many cases each kind
drew, in how many seconds of the clock and of processors; a batch that fails is printed with the
variables that draw its cases again, and both are written into the folder of --out. No part of make
test, which draws few cases with the same seeds each time.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
PROGRAMS = pathlib.Path(os.environ.get("TREADLE_TEST_PROGRAMS", BUILD / "tests/bin"))
FOLDERS = {
    "TREADLE_SOURCE_DIR": str(ROOT),
    "TREADLE_LIBRARY_DIR": os.environ.get("TREADLE_LIBRARY_DIR", str(BUILD / "lib")),
}
BATCH_S, BATCH_LIMIT_S, GRACE_S = 60, 900, 15
FIRST_SHARE, LEAST_SHARE = 1 / 8, 1 / 64  # of a kind's cases, in its first batch and in any
SHOWN_LINES = 60
# Contexts on one GPU at a time (tools/gpu_plan.py); other batches use the CPU device alone.
GPU_BATCHES = 8


@dataclasses.dataclass(frozen=True)
class Kind:
    """The tests of one file, or of one program in C++, and the variables that say which cases they
    draw."""

    name: str
    path: str
    cases: int  # of a batch, which shall take a minute
    variables: tuple[tuple[str, str], ...]  # their values are formats of first, cases and last
    tests: str = ""  # pytest's -k, or what a program in C++ calls its filter; one of PARTS

    def environment(self, seed: int, cases: int) -> dict[str, str]:
        numbers = {"first": seed, "cases": cases, "last": seed + cases}
        return {name: value.format(**numbers) for name, value in self.variables}

    def program(self) -> pathlib.Path | None:
        return None if self.path.endswith(".py") else PROGRAMS / self.path

    def command(self, seed: int) -> list[str]:
        tests = self.tests.format(part=seed % PARTS)
        if program := self.program():
            return [str(program), f"--gtest_filter={tests}"]
        words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", self.path]
        return words + (["-k", tests] if tests else [])

    def uses_gpu(self) -> bool:
        return not self.path.startswith(COMPILER)


SEEDED = (("TREADLE_RANDOM_CASES", "{cases}"), ("TREADLE_RANDOM_SEED", "{first}"))
COMPILER = "tests/cuda_cpu/compiler"
PARTS = 40  # of half_made_objects_test.py
KINDS = (
    Kind("numpy", "tests/python/numpy_random_test.py", 2000, SEEDED),
    Kind("functions", "tests/python/array_functions_random_test.py", 1000, SEEDED),
    Kind("stores", "tests/python/numpy_stores_test.py", 4000, SEEDED, "stored"),
    Kind("lines", "tests/python/everyday_lines_test.py", 1500, SEEDED),
    Kind("reductions", "tests/python/user_reductions_random_test.py", 30, SEEDED),
    Kind("trees", "tests/python/cgen_test.py", 3000, SEEDED, "random"),
    Kind("division", "tests/python/array_division_test.py", 8, SEEDED),
    Kind("faults", "treadle_array_test", 60, SEEDED, "ArrayDrawnFaults.*"),
    Kind("distributions", "tests/python/distributions_test.py", 1_000_000, SEEDED, "have or come"),
    Kind("words", "tests/python/random_words_test.py", 1 << 24, SEEDED),
    Kind("transforms", "tests/python/fft_test.py", 4000, SEEDED, "random"),
    Kind("matrices", "tests/python/linalg_bounds_test.py", 2000, SEEDED, "drawn"),
    Kind("lengths", "tests/python/fft_test.py", 400, SEEDED, "drawn_lengths"),
    Kind("places", "tests/python/array_places_test.py", 40, SEEDED),
    Kind("sums", "tests/python/array_sums_test.py", 300, SEEDED, "drawn"),
    Kind("pools", "tests/python/pool_release_test.py", 40, SEEDED, "drawn"),
    Kind("counting", "tests/python/counting_test.py", 400, SEEDED, "random"),
    Kind("sorting", "tests/python/sorting_test.py", 400, SEEDED, "random"),
    Kind("quantiles", "tests/python/order_statistics_test.py", 300, SEEDED, "random"),
    Kind("searching", "tests/python/searching_test.py", 400, SEEDED, "random"),
    Kind("programs", "treadle_array_test", 300, SEEDED, "*RandomProgramsAreRight*"),
    Kind("tilings", "treadle_kernel_test", 4, SEEDED, "*AllNumbersMayBeOtherOnes*"),
    Kind(
        "objects", "tests/python/half_made_objects_test.py", 200,
        (("TREADLE_RANDOM_CALLS", "{first}:{cases}"),), "process[{part}]",
    ),
    Kind(
        "calls", "tests/python/hostile_calls_test.py", 6000,
        (("TREADLE_RANDOM_CALLS", "{first}:{cases}"),),
    ),
    Kind(
        "branches", f"{COMPILER}/branches_test.py", 400,
        (("TREADLE_RANDOM_BRANCHES", "{first}:{last}"),), "random",
    ),
    Kind(
        "kernels", f"{COMPILER}/random_kernels_test.py", 160,
        (("TREADLE_RANDOM_KERNELS", "{first}:{last}"),),
    ),
    Kind(
        "checks", f"{COMPILER}/row_checks_random_test.py", 240,
        (("TREADLE_RANDOM_CHECKS", "{first}:{last}"),),
    ),
    Kind(
        "writes", f"{COMPILER}/wild_writes_test.py", 200,
        (("TREADLE_WILD_WRITES", "{cases}"), ("TREADLE_WILD_SEED", "{first}")), "random",
    ),
    Kind(
        "math", f"{COMPILER}/math_bounds_test.py", 200_000,
        (("TREADLE_MATH_ARGUMENTS", "{cases}"), ("TREADLE_RANDOM_SEED", "{first}")), "bounds",
    ),
)  # fmt: skip


@dataclasses.dataclass
class Spent:
    share: float = FIRST_SHARE  # of the kind's cases, that the next batch draws
    cases: int = 0
    batches: int = 0
    failed: int = 0
    cut_off: int = 0
    seconds: float = 0
    processor_s: float = 0
    running: int = 0


@dataclasses.dataclass(frozen=True)
class Batch:
    """How a process ended."""

    status: int | None  # None: it was ended, because its time was over
    output: str
    seconds: float
    processor_s: float  # with those that it started


def run_batch(command: list[str], variables: dict[str, str], limit_s: float) -> Batch:
    """Ends the process, with those that it started, at its limit."""
    start, is_over = time.monotonic(), False
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **variables},
                                   stdout=output, stderr=subprocess.STDOUT,
                                   start_new_session=True)  # fmt: skip
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            if not is_over and time.monotonic() - start > limit_s:
                os.killpg(process.pid, signal.SIGKILL)
                is_over = True
            time.sleep(0.05)
        process.returncode = status  # so that nobody waits for it once more
        output.seek(0)
        used = usage.ru_utime + usage.ru_stime
        text = output.read()
    return Batch(None if is_over else status, text, time.monotonic() - start, used)


class Runs:
    """Batches until a deadline, by as many threads as there are jobs."""

    def __init__(self, kinds: list[Kind], deadline: float, jobs: int, out: pathlib.Path | None):
        self.spent = {kind: Spent() for kind in kinds}
        self.deadline, self.out = deadline, out
        if out:
            out.mkdir(parents=True, exist_ok=True)
        self.lock = threading.Lock()
        self.on_gpu = 0
        threads = str(max(2, (os.cpu_count() or 1) // jobs))
        names = ("TREADLE_CPU_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS",
                 "POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT")  # fmt: skip
        self.threads = {name: threads for name in names if name not in os.environ}

    def work(self) -> None:
        while (left := self.deadline - time.monotonic()) > 1:
            with self.lock:
                kind = min(self.spent, key=lambda k: self.spent[k].seconds + self.guess(k))
                self.spent[kind].running += 1
                takes_gpu = kind.uses_gpu() and self.on_gpu < GPU_BATCHES
                self.on_gpu += takes_gpu
            try:
                self.run(kind, left, kind.uses_gpu() and not takes_gpu)
            finally:
                with self.lock:
                    self.spent[kind].running -= 1
                    self.on_gpu -= takes_gpu

    def guess(self, kind: Kind) -> float:
        """What the batches that run now will have taken."""
        spent = self.spent[kind]
        return spent.running * (spent.seconds / spent.batches if spent.batches else BATCH_S)

    def run(self, kind: Kind, left_s: float, on_processor: bool) -> None:
        cases = max(1, int(kind.cases * self.spent[kind].share))
        seed = secrets.randbelow(10**8)
        drawn = kind.environment(seed, cases)
        if kind.program():
            drawn |= FOLDERS
        if on_processor:
            drawn |= {"TREADLE_DEVICE": "cpu", "CUDA_VISIBLE_DEVICES": ""}
        words = kind.command(seed)
        limit_s = min(left_s + GRACE_S, BATCH_LIMIT_S)
        batch = run_batch(words, self.threads | drawn, limit_s)
        # A batch that the deadline cuts off has not failed, and its cases do not count.
        is_cut_off = batch.status is None and limit_s < BATCH_LIMIT_S
        self.count(kind, cases, batch, is_cut_off)
        if batch.status != 0 and not is_cut_off:
            variables = " ".join(f"{name}={value}" for name, value in drawn.items())
            said = f"FAILED {variables} {' '.join(words)}"
            ending = f"not ended after {batch.seconds:.0f} s" if batch.status is None else ""
            tail = "\n".join(batch.output.splitlines()[-SHOWN_LINES:])
            self.tell(f"{said}\n{tail}\n{ending}\n")

    def tell(self, text: str) -> None:
        print(text, flush=True)
        if self.out:
            with self.lock, (self.out / "random_failures.txt").open("a") as file:
                file.write(f"{text}\n")

    def count(self, kind: Kind, cases: int, batch: Batch, is_cut_off: bool) -> None:
        with self.lock:
            spent = self.spent[kind]
            spent.seconds += batch.seconds
            spent.processor_s += batch.processor_s
            spent.batches += 1
            spent.cut_off += is_cut_off
            spent.failed += batch.status != 0 and not is_cut_off
            spent.cases += cases * (batch.status == 0)
            wanted_s = min(BATCH_S, max(1.0, (self.deadline - time.monotonic()) / 2))
            share = spent.share * min(4.0, wanted_s / max(batch.seconds, 0.1))
            spent.share = min(1.0, max(LEAST_SHARE, share))

    def table(self) -> str:
        lines = [f"{'kind':13} {'clean cases':>12} {'clock s':>8} {'core s':>8} {'batches':>8} "
                 f"{'failed':>7} {'cut off':>8}"]  # fmt: skip
        for kind, spent in self.spent.items():
            lines.append(
                f"{kind.name:13} {spent.cases:12} {spent.seconds:8.0f} {spent.processor_s:8.0f} "
                f"{spent.batches:8} {spent.failed:7} {spent.cut_off:8}"
            )
        return "\n".join(lines)


def run_kinds(words: list[str], seconds: float, jobs: int, out: pathlib.Path | None = None) -> Runs:
    kinds = [k for k in KINDS if not words or any(word in k.name for word in words)]
    if not kinds:
        known = ", ".join(kind.name for kind in KINDS)
        raise SystemExit(f"random_runs: no kind is called {' or '.join(words)}; there are {known}")
    for kind in list(kinds):
        if (program := kind.program()) and not program.exists():
            print(f"left out: {kind.name}, {program} is not built")
            kinds.remove(kind)
    runs = Runs(kinds, time.monotonic() + seconds, jobs, out)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda _: runs.work(), range(jobs)))
    return runs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="kinds whose names contain one of them")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=pathlib.Path, help="folder of the table and of failures")
    options = parser.parse_args()
    runs = run_kinds(options.words, options.minutes * 60, options.jobs, options.out)
    print(runs.table())
    if options.out:
        (options.out / "random.txt").write_text(runs.table() + "\n")
    return any(spent.failed for spent in runs.spent.values())


if __name__ == "__main__":
    sys.exit(main())
