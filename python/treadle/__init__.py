# SPDX-License-Identifier: MIT
"""Run-time code generation for GPUs and CPUs.

Importing this loads no driver and no compiler. What it offers is found on first use:

    treadle.devices()       the devices of every run-time system; Buffer, Program and Kernel on them
    treadle.Array           arrays on a device; treadle.numpy has NumPy's functions on them
    treadle.ElementwiseKernel, treadle.ReductionKernel, treadle.ScanKernel
                            your own C text on arrays
    treadle.random          arrays of random numbers
    treadle.scans           scans, runs and sums of segments by any associative operation
    treadle.sparse          sparse matrices and conjugate gradients
    treadle.cgen            programs as trees; treadle.templates: texts that know their lines
    treadle.testing         verdicts on kernels, and an assertion over them
    treadle.tune            spaces of configurations, and the best of them
    treadle.specialize      a kernel with arguments baked in
    treadle.cuda            devices, contexts, streams, memory, modules, kernels
    treadle.result_type     dtypes of results; also promote_types and can_cast
    treadle.compile_cuda    CUDA C++ text to a module; compile_variants: many of them
    treadle.compile         targets, statistics, the disk cache
    treadle.pycuda          the module tree of PyCUDA
    treadle.pyopencl        the module tree of PyOpenCL
    treadle.compat          makes `import pycuda` and `import pyopencl` find them
"""

import importlib
from typing import Any

_SUBMODULES = (
    "cgen",
    "codepy",
    "compat",
    "compile",
    "cuda",
    "numpy",
    "pycuda",
    "pyopencl",
    "random",
    "scans",
    "sparse",
    "templates",
    "testing",
    "tune",
)
# Where in the extension names live that are not in its top.
_HOMES = {
    "array": (
        "Array",
        "ElementwiseKernel",
        "ReductionKernel",
        "ScanKernel",
        "evaluate",
        "fusing",
        "merge",
        "top_k",
    ),
    "compile": ("compile_cuda", "compile_variants"),
    "device": (
        "AddressInfo",
        "Buffer",
        "Device",
        "DeviceIdentity",
        "DeviceLimits",
        "DevicePool",
        "DevicePerformance",
        "DeviceTraits",
        "Event",
        "Extent",
        "LiveMemory",
        "MemoryInfo",
        "Parameter",
        "ParameterKind",
        "Stream",
        "current_device",
        "current_stream",
        "default_device",
        "devices",
        "find_device",
        "missing_runtimes",
        "release_default_device",
        "trim_memory",
    ),
    "rules": ("can_cast", "promote_types", "result_type"),
    "kernel": (
        "Kernel",
        "KernelResources",
        "Local",
        "Occupancy",
        "Program",
        "Tiling",
        "explain",
        "set_tiling",
        "tiling",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
# Exceptions and functions that live in the extension.
_NAMES = (
    "CompileError",
    "DTypeError",
    "DeviceError",
    "Error",
    "FileError",
    "IndexError",
    "InvalidArgument",
    "InvalidState",
    "Language",
    "LaunchError",
    "LibraryNotFound",
    "LinAlgError",
    "MatrixShapeError",
    "NotSupported",
    "OutOfMemory",
    "OverflowError",
    "ShapeError",
    "TreadleWarning",
    "Settings",
    "TraceRange",
    "is_tracing",
    "live_objects",
    "settings",
    "start_trace",
    "write_trace",
    "__version__",
)

__all__ = [*_SUBMODULES, *_NAMES, *_HOME_OF, "specialize"]


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"treadle.{name}")
    if name == "specialize":
        return importlib.import_module("treadle.templates").specialize
    if name in _NAMES or name in _HOME_OF:
        core = importlib.import_module("treadle._core")
        value = getattr(getattr(core, _HOME_OF[name]) if name in _HOME_OF else core, name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'treadle' has no attribute {name!r}")


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext treadle` in a notebook: cells of CUDA C, and what kernels on a GPU print."""
    from treadle import _cell_printing, _magics  # late: only notebooks need them

    _magics.register(shell)
    _cell_printing.register(shell)


def _part(name: str) -> Any:
    """What C++ asks the package for."""
    from treadle import _parts  # late: importing the package loads little

    return _parts.part(name)


def __dir__() -> list[str]:
    return sorted(__all__)
