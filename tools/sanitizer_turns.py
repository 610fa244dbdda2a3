# SPDX-License-Identifier: MIT
"""Which sanitized programs `make test` builds and runs: a third, by the number of commits.

The sanitized builds of everything would take a third of `make test`. Parts that are named
(`make test parts='sanitize fuzz races'`) run as a whole; TREADLE_SANITIZER_TURN=1, 2, 3 chooses.
"""

from __future__ import annotations

import os
import pathlib
import subprocess

# What a turn builds under AddressSanitizer. These need few of the rooms' libraries.
FIRST = (
    "treadle_base_test",
    "treadle_process_test",
    "treadle_codegen_test",
    "treadle_compile_test",
    "treadle_cuda_test",
    "treadle_fuzz_test",
    "treadle_library_test",
    "treadle_memory_test",
)
SECOND = (
    "cuda_cpu_runtime_test",
    "treadle_array_test",
    "treadle_device_conformance_test",
    "treadle_device_test",
    "treadle_fft_test",
    "treadle_kernel_test",
    "treadle_opencl_test",
    "treadle_tune_kernel_test",
    "treadle_tune_test",
)
# The longest programs, which start no process of their own: as many processes share the cases of
# each as there are jobs.
SHARED = ("treadle_array_test", "treadle_kernel_test")
# The parts of each turn, and the programs of its part `sanitize`; `races` is of all rooms, and
# `headers` are those checks of the part `build` that each header compiles by itself.
TURNS: tuple[dict[str, tuple[str, ...]], ...] = (
    {"sanitize": FIRST, "fuzz": ()},
    {"sanitize": SECOND},
    {"races": (), "headers": ()},
)
PARTS = ("sanitize", "fuzz", "races")


def turn_of(commits: int, wish: str = "") -> int:
    """The number of the turn, from 1."""
    if not wish:
        return commits % len(TURNS) + 1
    if wish not in {str(number + 1) for number in range(len(TURNS))}:
        raise SystemExit(f"TREADLE_SANITIZER_TURN={wish}; there are 1 to {len(TURNS)}")
    return int(wish)


def current_turn(root: pathlib.Path) -> int:
    command = ["git", "rev-list", "--count", "HEAD"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    commits = int(done.stdout) if done.returncode == 0 else 0
    return turn_of(commits, os.environ.get("TREADLE_SANITIZER_TURN", ""))


def programs(turn: int, part: str) -> tuple[str, ...] | None:
    """What a part builds in this turn, () for all; None if it is not its turn. Turn 0 is all."""
    return TURNS[turn - 1].get(part) if turn else ()


def remark(turn: int, part: str) -> str:
    """What the summary says of a part that is not run as a whole."""
    if not turn or part not in PARTS:
        return ""
    names = programs(turn, part)
    which = f"turn {turn} of {len(TURNS)}"
    if names is None:
        return f"not in {which}; make test parts={part}"
    return f"{which}: {len(names)} programs" if names else which
