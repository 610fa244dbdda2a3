# SPDX-License-Identifier: MIT
"""The native half of pycuda.driver: classes and functions from C++, enumerations from tables."""

from treadle._core.driver import *  # noqa: F403
from treadle._core.driver import (  # noqa: F401
    _aligned_allocation,
    _compile_cuda,
    _find_static_library,
    _managed_allocation,
    _module_from_image,
    _pagelocked_allocation,
    _register_array,
)
from treadle.pycuda._enums import *  # noqa: F403


def bitlog2(value: int) -> int:
    """The largest n with 2**n <= value; 0 for 0."""
    number = value.__index__()
    if number < 0:
        raise OverflowError("can't convert negative value to unsigned int")
    return max(number.bit_length() - 1, 0)


def get_curand_version() -> None:
    """None: the cuRAND library is not used. The generators of pycuda.curandom are Treadle's own."""
