#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the random tests with new seeds for a given time: `make random minutes=60 words="numpy"`.

    tools/random_runs.py --minutes 60                all kinds, on all cores
    tools/random_runs.py --minutes 60 numpy branches  kinds whose names contain one of the words

Each batch is a pytest process with seeds of its own; the kind that has run for the shortest time is
next. A table says how many cases each kind drew in how many seconds of processes; a batch that
fails is printed with the variables that draw its cases again. No part of make test, which draws few
cases with the same seeds each time.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import secrets
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
FOLDERS = {"TREADLE_SOURCE_DIR": str(ROOT), "TREADLE_LIBRARY_DIR": str(BUILD / "lib")}
BATCH_LIMIT_S = 900
SHOWN_LINES = 60


@dataclasses.dataclass(frozen=True)
class Kind:
    """The tests of one file, or of one program in C++, and the variables that say which cases they
    draw."""

    name: str
    path: str
    cases: int  # of a batch, which shall take a minute
    variables: tuple[tuple[str, str], ...]  # their values are formats of first, cases and last
    tests: str = ""  # pytest's -k, or what a program in C++ calls its filter

    def environment(self, seed: int) -> dict[str, str]:
        numbers = {"first": seed, "cases": self.cases, "last": seed + self.cases}
        return {name: value.format(**numbers) for name, value in self.variables}

    def program(self) -> pathlib.Path | None:
        return None if self.path.endswith(".py") else BUILD / "tests/bin" / self.path

    def command(self) -> list[str]:
        if program := self.program():
            return [str(program), f"--gtest_filter={self.tests}"]
        words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", self.path]
        return words + (["-k", self.tests] if self.tests else [])


SEEDED = (("TREADLE_RANDOM_CASES", "{cases}"), ("TREADLE_RANDOM_SEED", "{first}"))
COMPILER = "tests/cuda_cpu/compiler"
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
    batches: int = 0
    failed: int = 0
    seconds: float = 0
    running: int = 0


class Runs:
    """Batches until a deadline, by as many threads as there are jobs."""

    def __init__(self, kinds: list[Kind], deadline: float) -> None:
        self.spent = {kind: Spent() for kind in kinds}
        self.deadline = deadline
        self.lock = threading.Lock()

    def work(self) -> None:
        while time.monotonic() < self.deadline:
            with self.lock:
                kind = min(self.spent, key=lambda k: self.spent[k].seconds + self.guess(k))
                self.spent[kind].running += 1
            self.run(kind)

    def guess(self, kind: Kind) -> float:
        """What the batches that run now will have taken."""
        spent = self.spent[kind]
        return spent.running * (spent.seconds / spent.batches if spent.batches else 60)

    def run(self, kind: Kind) -> None:
        variables = kind.environment(secrets.randbelow(10**8))
        if kind.program():
            variables |= FOLDERS
        words = kind.command()
        start = time.monotonic()
        left = max(self.deadline - start, 1) + 60
        try:
            result = subprocess.run(
                words, cwd=ROOT, env={**os.environ, **variables}, text=True, errors="replace",
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                timeout=min(left, BATCH_LIMIT_S),
            )  # fmt: skip
            ok, output = result.returncode == 0, result.stdout
        except subprocess.TimeoutExpired as expired:
            # A batch that the deadline cuts off has not failed, and its cases do not count.
            if time.monotonic() > self.deadline:
                return
            ok, output = False, f"not ended after {expired.timeout:.0f} s"
        self.count(kind, ok, time.monotonic() - start)
        if not ok:
            drawn = " ".join(f"{name}={value}" for name, value in variables.items())
            tail = "\n".join(output.splitlines()[-SHOWN_LINES:])
            print(f"FAILED {drawn} {' '.join(words)}\n{tail}\n", flush=True)

    def count(self, kind: Kind, ok: bool, seconds: float) -> None:
        with self.lock:
            spent = self.spent[kind]
            spent.batches += 1
            spent.failed += not ok
            spent.seconds += seconds
            spent.running -= 1

    def table(self) -> str:
        lines = [f"{'kind':10} {'cases':>10} {'minutes':>8} {'batches':>8} {'failed':>7}"]
        for kind, spent in self.spent.items():
            cases = spent.batches * kind.cases
            minutes = spent.seconds / 60
            line = f"{cases:10} {minutes:8.1f} {spent.batches:8} {spent.failed:7}"
            lines.append(f"{kind.name:10} {line}")
        return "\n".join(lines)


def run_kinds(words: list[str], seconds: float, jobs: int) -> Runs:
    kinds = [k for k in KINDS if not words or any(word in k.name for word in words)]
    if not kinds:
        known = ", ".join(kind.name for kind in KINDS)
        raise SystemExit(f"random_runs: no kind is called {' or '.join(words)}; there are {known}")
    for kind in list(kinds):
        if (program := kind.program()) and not program.exists():
            print(f"left out: {kind.name}, {program} is not built")
            kinds.remove(kind)
    runs = Runs(kinds, time.monotonic() + seconds)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda _: runs.work(), range(jobs)))
    return runs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="kinds whose names contain one of them")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    runs = run_kinds(options.words, options.minutes * 60, options.jobs)
    print(runs.table())
    return any(spent.failed for spent in runs.spent.values())


if __name__ == "__main__":
    sys.exit(main())
