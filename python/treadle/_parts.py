# SPDX-License-Identifier: MIT
"""Where the parts of the package are that C++ calls: those that are spelling more than work."""

from __future__ import annotations

import importlib
import sys
from typing import Any

# {what C++ calls it: (module, name in it; empty: the module itself)}
_PARTS = {
    "numpy protocols": ("treadle.numpy._protocols", ""),
    "progress in notebooks": ("treadle._progress", "notebook_listener"),
    "combined error class": ("treadle._error_classes", "combined"),
    "tune model": ("treadle._tune_model", "Model"),
    "pycuda enumerations": ("treadle.pycuda._enums", ""),
    "pycuda CompileError": ("treadle.pycuda._errors", "CompileError"),
    "pyopencl errors": ("treadle.pyopencl._errors", ""),
    "pyopencl warnings": ("treadle.pyopencl._warnings", ""),
    "pyopencl shared memory": ("treadle.pyopencl._svm", ""),
    "pyopencl Program": ("treadle.pyopencl._program", "Program"),
    "pyopencl awaiting": ("treadle.pyopencl._awaiting", "awaited"),
    "pyopencl captured calls": ("treadle.pyopencl.capture_call", "_capture_call"),
}


def part(name: str) -> Any:
    """A part, whose module is imported when it is first asked for."""
    home, attribute = _PARTS[name]
    module = sys.modules.get(home) or importlib.import_module(home)
    return getattr(module, attribute) if attribute else module
