# SPDX-License-Identifier: MIT
"""`import pyopencl` in a process that multiprocessing started: see treadle._run."""

import importlib
import sys

del sys.modules[__name__]  # until now a module of this name is no PyOpenCL that came first
import treadle.compat  # noqa: E402, F401 - answers every import below this name

sys.modules[__name__] = importlib.import_module("treadle.pyopencl")
