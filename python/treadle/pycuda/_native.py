# SPDX-License-Identifier: MIT
"""The native half of pycuda.driver: classes and functions from C++, enumerations from tables."""

import operator
from typing import TYPE_CHECKING, Any

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
    number = operator.index(value)
    if number < 0:
        raise OverflowError("can't convert negative value to unsigned int")
    return max(number.bit_length() - 1, 0)


def get_curand_version() -> tuple[int, int, int]:
    """The cuRAND whose numbers curand_kernel.h draws. The library itself is not used."""
    return 10, 40, 0


if TYPE_CHECKING:  # the enumerations are made at run time

    def __getattr__(name: str) -> Any: ...
