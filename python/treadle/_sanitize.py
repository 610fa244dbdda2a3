# SPDX-License-Identifier: MIT
"""`python -m treadle run --sanitize`: compute-sanitizer on a GPU, the CPU device's own checks on
the processor."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

from treadle import Error, InvalidArgument, NotSupported, cuda

# What TREADLE_CHECK calls a check, and compute-sanitizer.
_TOOLS = {"memory": "memcheck", "race": "racecheck", "init": "initcheck", "sync": "synccheck"}


def _checks(named: str) -> list[str]:
    checks = named.split(",") if named else []
    for check in checks:
        if check not in _TOOLS:
            raise InvalidArgument(
                f"--sanitize={named}: {check!r} is none of {', '.join(_TOOLS)}"
                "\ntry: --sanitize=memory,race"
            )
    return checks


def toolkit_program(name: str) -> str | None:
    """Where a program of NVIDIA's toolkit is."""
    folders = [os.environ.get("PATH", ""), "/usr/local/cuda/bin"]
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if variable in os.environ:
            folders.append(os.path.join(os.environ[variable], "bin"))
    return shutil.which(name, path=os.pathsep.join(folders))


def _sanitizer() -> str:
    found = toolkit_program("compute-sanitizer")
    if found is None:
        raise NotSupported(
            "run --sanitize on a GPU needs compute-sanitizer, and there is none on PATH"
            "\ntry: install NVIDIA's toolkit, or run on the CPU device: TREADLE_DEVICE=cpu"
        )
    return found


def _device_is_gpu() -> bool:
    if os.environ.get("TREADLE_DEVICE", "").startswith("opencl"):
        raise NotSupported(
            f"run --sanitize: TREADLE_DEVICE={os.environ['TREADLE_DEVICE']} is a device of OpenCL, "
            "which has no sanitizer\ntry: TREADLE_DEVICE=cpu"
        )
    return cuda.default_driver().provider == cuda.Provider.nvidia


def command_lines(checks: Sequence[str], program: Sequence[str]) -> list[list[str]]:
    """What is run on a GPU, one after another: the sanitizer looks for one kind of fault at a
    time."""
    tools = [_TOOLS[check] for check in checks or ("memory",)]
    return [[_sanitizer(), "--tool", tool, "--error-exitcode", "1", *program] for tool in tools]


def start(named: str, run_options: Sequence[str], words: Sequence[str]) -> int:
    """Runs the script in processes of its own; the first exit status that is not 0, or 0."""
    program = [sys.executable, "-m", "treadle", "run", *run_options, *words]
    environment = dict(os.environ)
    try:
        checks = _checks(named)
        if _device_is_gpu():
            commands = command_lines(checks, program)
        else:
            commands = [program]
            environment["TREADLE_CHECK"] = ",".join(checks or _TOOLS)
    except Error as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2 if isinstance(error, InvalidArgument) else 1
    sys.stdout.flush()
    for command in commands:
        status = subprocess.run(command, env=environment).returncode
        if status != 0:
            return status if status > 0 else 128 - status
    return 0
