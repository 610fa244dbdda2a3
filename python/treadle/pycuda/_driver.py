# SPDX-License-Identifier: MIT
"""pycuda._driver: what is native, and what PyCUDA has natively and this package in Python."""

from typing import Any

from treadle import _absent
from treadle.pycuda._gl import (  # noqa: F401
    BufferObject,
    BufferObjectMapping,
    gl_init,
    make_gl_context,
)
from treadle.pycuda._host_arrays import (  # noqa: F401
    aligned_empty,
    managed_empty,
    pagelocked_empty,
    register_host_memory,
)
from treadle.pycuda._memory_pools import PageLockedMemoryPool  # noqa: F401
from treadle.pycuda._native import *  # noqa: F403
from treadle.pycuda._native import (  # noqa: F401
    _aligned_allocation,
    _compile_cuda,
    _find_static_library,
    _managed_allocation,
    _module_from_image,
    _pagelocked_allocation,
    _register_array,
)

_ABSENT = dict.fromkeys(
    ("_get_direction_vectors", "_get_scramble_constants32", "_get_scramble_constants64"),
    "the tables of Sobol's generators are cuRAND's; kernels draw from vectors of the program's own",
)


def __getattr__(name: str) -> Any:
    raise _absent.no_name("pycuda._driver", name, _ABSENT)
