# SPDX-License-Identifier: MIT
"""PyOpenCL's warnings."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any


class CompilerWarning(UserWarning):
    """The compiler had something to say, although it succeeded."""


class CommandQueueUsedAfterExit(UserWarning):
    """A queue was used behind the end of its `with` block."""


class RepeatedKernelRetrieval(UserWarning):
    """A program was asked for the same kernel twice, and made it twice."""


for _class in (CompilerWarning, CommandQueueUsedAfterExit, RepeatedKernelRetrieval):
    _class.__module__ = "pyopencl"

_TRUE = ("y", "yes", "t", "true", "on", "1")
_FALSE = ("n", "no", "f", "false", "off", "0")


def setting_is_on(name: str) -> bool:
    """An environment variable as a truth value; ValueError for any other text."""
    text = os.environ.get(name, "0").lower()
    if text not in _TRUE + _FALSE:
        raise ValueError(f"{name}={text!r} is none of {', '.join(_TRUE + _FALSE)}")
    return text in _TRUE


def _place_of_user() -> tuple[str, int, dict[str, Any]]:
    """File, line and global names of the innermost code outside of this package."""
    frame: Any = sys._getframe(1)
    while frame.f_back is not None and _is_own(frame.f_globals.get("__name__")):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno, frame.f_globals


def _is_own(module: Any) -> bool:
    return isinstance(module, str) and module.partition(".")[0] == "treadle"


def warn_at_user(text: str, category: type[Warning], module: str | None = None) -> None:
    """Warns at the line of the innermost code that is not of this package, in the name of its
    module or of another."""
    filename, line, names = _place_of_user()
    registry = names.setdefault("__warningregistry__", {})
    module = names.get("__name__") if module is None else module
    warnings.warn_explicit(text, category, filename, line, module, registry)


def compiler_output(text: str) -> None:
    """Warns with the compiler's text, or with a hint that there is one."""
    if not setting_is_on("PYOPENCL_COMPILER_OUTPUT"):
        text = (
            "Non-empty compiler output encountered. Set the environment variable "
            "PYOPENCL_COMPILER_OUTPUT=1 to see more."
        )
    # Programs filter warnings by the name of PyOpenCL's module.
    warn_at_user(text, CompilerWarning, "pyopencl.cache")


def log_text(logs: Sequence[tuple[Any, str]]) -> str:
    """What the compiler said for each device; empty where it said nothing."""
    line = 75 * "="
    return "\n".join(
        f"{line}\nBuild on {device}:\n\n{log.strip()}" for device, log in logs if log.strip()
    )


def report_build(kind: str, logs: Sequence[tuple[Any, str]]) -> None:
    """Warns of what the compiler said of a build that succeeded."""
    text = log_text(logs)
    if text:
        compiler_output(f"Built kernel from {kind} with compiler output:\n{text}")
