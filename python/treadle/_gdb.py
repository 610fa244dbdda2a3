# SPDX-License-Identifier: MIT
"""`python -m treadle run --gdb`: gdb on a program, told what kernels of the CPU device need; on a
GPU cuda-gdb, where it is installed."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from treadle import Error, NotSupported, cuda
from treadle import compile as compiling
from treadle._sanitize import toolkit_program

# Options of gdb 13 whose value may be the next word. gdb takes one dash for two.
_WITH_VALUE = {
    f"-{name}"
    for name in (
        *("ex", "eval-command", "x", "command", "iex", "init-eval-command", "ix", "init-command"),
        *("eiex", "early-init-eval-command", "eix", "early-init-command"),
        *("cd", "d", "directory", "D", "data-directory", "s", "symbols", "e", "exec", "se"),
        *("c", "core", "p", "pid", "tty", "b", "l", "i", "interpreter", "annotate"),
    )
}


def take_options(words: list[str]) -> list[str]:
    """gdb's own options, taken from the front of what stands behind --gdb."""
    options: list[str] = []
    while words and words[0].startswith("-"):
        options.append(words.pop(0))
        if options[-1].replace("--", "-", 1) in _WITH_VALUE and words:
            options.append(words.pop(0))
    return options


def setup() -> list[str]:
    """Commands for gdb, to be given before the user's."""
    sources = Path(compiling.cache_state().folder) / "treadle-debug" / "source"
    # The CPU device takes threads out of kernels that are to end by one of these.
    realtime = (f"SIG{number}" for number in range(signal.SIGRTMIN, signal.SIGRTMAX))
    return [
        # Kernels are no part of the program yet when breakpoints are set.
        "set breakpoint pending on",
        f'set substitute-path /treadle/source "{sources}"',
        f"handle {' '.join(realtime)} nostop noprint pass",
        # Where a kernel's assert, trap or check fails. What memory accesses do wrong are signals:
        # gdb stops at the kernel's line, and `continue` lets Treadle make an error of them.
        "break treadle_cpu_kernel_failed",
    ]


def _device_is_gpu() -> bool:
    try:
        return cuda.default_driver().provider == cuda.Provider.nvidia
    except Error:  # TREADLE_DEVICE names one of OpenCL, or none: the program says so
        return False


def debugger() -> str | None:
    """cuda-gdb, which stops in kernels of a GPU, where there are both; else gdb."""
    return (toolkit_program("cuda-gdb") if _device_is_gpu() else None) or shutil.which("gdb")


def command_line(options: Sequence[str], program: Sequence[str]) -> list[str]:
    """What is run instead of the program. Raises NotSupported if there is no gdb."""
    gdb = debugger()
    if gdb is None:
        raise NotSupported(
            "run --gdb needs gdb, and there is none on PATH\ntry: install it: apt-get install gdb"
        )
    words = [gdb, "-quiet"]
    for text in setup():
        words += ["-ex", text]
    return [*words, *options, "--args", *program]


def _is_program(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def start(options: Sequence[str], run_options: Sequence[str], words: Sequence[str]) -> int:
    """Becomes gdb; returns only where that fails. `words` are a script, or a program of machine
    code, and its arguments; behind a last option -m, a module and its arguments."""
    try:
        python = [sys.executable, "-m", "treadle", "run", *run_options]
        is_program = run_options[-1:] != ["-m"] and _is_program(words[0])
        program = [*words] if is_program else [*python, *words]
        command = command_line(options, program)
    except OSError as error:
        print(f"can't open file {words[0]!r}: {error.strerror}", file=sys.stderr)
        return 2
    except NotSupported as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    sys.stdout.flush()
    os.execv(command[0], command)
