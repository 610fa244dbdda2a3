# SPDX-License-Identifier: MIT
"""What the current context's device and its compiler are like."""

from __future__ import annotations

import struct

import numpy as np

import treadle.pycuda.driver as cuda
from treadle.pycuda.compiler import SourceModule
from treadle.pycuda.tools import context_dependent_memoize


def platform_bits() -> int:
    """The width of the host's pointers, which is that of the device's: 64."""
    return 8 * struct.calcsize("P")


def has_stack() -> bool:
    """Whether device functions may be recursive: since compute capability 2.0."""
    return cuda.Context.get_device().compute_capability() >= (2, 0)


def has_double_support() -> bool:
    """Whether there is `double`: since compute capability 1.3."""
    return cuda.Context.get_device().compute_capability() >= (1, 3)


@context_dependent_memoize
def sizeof(type_name: str, preamble: str = "") -> int:
    """Bytes that a type has on the device; `preamble` declares it. Runs a kernel, once for each
    context."""
    text = f"""{preamble}
extern "C" __global__ void write_size(size_t *size) {{ *size = sizeof({type_name}); }}
"""
    size = np.zeros((), np.uintp)
    kernel = SourceModule(text, no_extern_c=True).get_function("write_size")
    kernel(cuda.Out(size), block=(1, 1, 1))
    return int(size)
