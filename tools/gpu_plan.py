#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plans `make gpu-test` by the seconds that its parts took: gpu_plan.py [FILE ...]

FILE: the gpu_times.json of a run. Its seconds are recorded in tools/gpu_times.json, which plans the
next runs; parts that are no longer there are left out of it. Without FILE the plan is printed.
"""

from __future__ import annotations

import functools
import heapq
import json
import pathlib
import re
import sys
from collections.abc import Iterable, Mapping, Sequence

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMES = ROOT / "tools/gpu_times.json"
# A part that never ran, and no share of its program either: a share is of a long program, and a
# file of Python tests takes as long as it is.
UNKNOWN_SHARE_S, UNKNOWN_S, BYTES_A_SECOND = 40.0, 5.0, 1000
SHARE = re.compile(r"^(.*) \d+/(\d+)$")
# Tests of the CPU device's compiler and of tools.
WITHOUT_GPU = ("compiler/", "docs/", "tools/", "tests/cuda_cpu", "tests/treadle_codegen")
# Each process has contexts of its own, and the driver makes one after the other: with 16 at once,
# tests that take 0.3 s each took 3.
GPU_PROCESSES = 8


def read_times(path: pathlib.Path = TIMES) -> dict[str, float]:
    return json.loads(path.read_text()) if path.exists() else {}


def write_times(times: Mapping[str, float], path: pathlib.Path = TIMES) -> None:
    """One part to a line, so that a change of one is a change of one line."""
    rounded = {name: round(seconds, 1) for name, seconds in sorted(times.items())}
    path.write_text(json.dumps(rounded, indent=0) + "\n")


def expected_seconds(name: str, times: Mapping[str, float]) -> float:
    """What a part took; of a program that is now shared otherwise, its whole time, shared so."""
    if name in times:
        return times[name]
    program, shares = program_of(name)
    whole = sum(seconds for other, seconds in times.items() if program_of(other)[0] == program)
    if whole:
        return whole / shares
    file = python_parts().get(name)
    unknown = UNKNOWN_SHARE_S if shares > 1 else UNKNOWN_S
    return unknown + (file.stat().st_size / BYTES_A_SECOND if file else 0.0)


def program_of(name: str) -> tuple[str, int]:
    """(program, number of its shares): a part is one share, or a whole program."""
    match = SHARE.match(name)
    return (match[1], int(match[2])) if match else (name, 1)


def needs_gpu(name: str) -> bool:
    return not name.startswith(WITHOUT_GPU)


def longest_first(names: Iterable[str], times: Mapping[str, float]) -> list[str]:
    return sorted(names, key=lambda name: (-expected_seconds(name, times), name))


def halves(names: Iterable[str], times: Mapping[str, float]) -> tuple[list[str], list[str]]:
    """Two lists, each longest first, whose parts take the same time: those that use the GPU and
    those that do not are balanced each by itself, because they run beside each other. Programs in
    C++ are in the second, all of them, so that the first runs where they are not. `times` says how
    long they take, and both calls thus divide the other parts the same way."""
    parts: tuple[list[str], list[str]] = ([], [])
    for kind in (True, False):
        others = [n for n in names if needs_gpu(n) == kind]
        sums = [0.0, sum(s for n, s in times.items() if needs_gpu(n) == kind and is_program(n))]
        for name in longest_first(others, times):
            half = 1 if is_program(name) else sums.index(min(sums))
            parts[half].append(name)
            sums[half] += 0.0 if is_program(name) else expected_seconds(name, times)
    first, second = (longest_first(half, times) for half in parts)
    return first, second


def is_program(name: str) -> bool:
    """One in C++: a test, an example or a share of one."""
    return name.startswith(("tests/", "examples/")) and not name.endswith(".py")


def planned_seconds(names: Sequence[str], times: Mapping[str, float], processors: int) -> float:
    """When the last of the parts ends, if each takes what is expected of it."""
    ends = [0.0]
    for kind, processes in ((True, GPU_PROCESSES), (False, other_processes(processors))):
        free = [0.0] * processes
        for name in longest_first((n for n in names if needs_gpu(n) == kind), times):
            end = heapq.heappop(free) + expected_seconds(name, times)
            heapq.heappush(free, end)
            ends.append(end)
    return max(ends)


def other_processes(processors: int) -> int:
    """How many parts that do not use the GPU run at a time, beside those that do."""
    return max(1, processors - GPU_PROCESSES)


def merge(
    times: Mapping[str, float], run: Mapping[str, Mapping[str, float]], files: Iterable[str]
) -> dict[str, float]:
    """The table after a run. What passed there replaces what was known, and shares of its program
    by another count; what failed may have ended early, so that it only lengthens what was known.
    `files`: the parts that are files of Python tests, all of them."""
    shared = {program_of(name) for name in run["passed"]}
    programs = {program for program, _ in shared}
    kept = {
        name: seconds
        for name, seconds in times.items()
        if program_of(name) in shared or program_of(name)[0] not in programs
    }
    merged = {**kept, **run["passed"]}
    for name, seconds in run["failed"].items():
        merged[name] = max(seconds, merged.get(name, 0.0))
    known = set(files)
    return {n: s for n, s in merged.items() if not n.endswith(".py") or n in known}


@functools.cache
def python_parts(root: pathlib.Path = ROOT) -> dict[str, pathlib.Path]:
    """The files of Python tests by the names of their parts. Those of packaging need a network."""
    files = sorted((root / "tests").rglob("*_test.py"))
    files = [file for file in files if file.parent.name != "packages"]  # make packages
    return {f"{p.parent.name}/{p.name}": p for p in files if p.parent.name != "packaging"}


def main() -> int:
    times = read_times()
    for path in sys.argv[1:]:
        run = json.loads(pathlib.Path(path).read_text())
        times = merge(times, run, python_parts())
    if sys.argv[1:]:
        write_times(times)
    names = {*times, *python_parts()}
    for number, half in enumerate(halves(names, times), 1):
        seconds = planned_seconds(half, times, 2 * GPU_PROCESSES)
        print(f"half {number}: {len(half)} parts, {seconds:.0f} s")
        for name in half[:10]:
            print(f"  {expected_seconds(name, times):7.1f} s  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
