# SPDX-License-Identifier: MIT
"""Arrays on the device, as PyCUDA's users know them.

    a = gpuarray.to_gpu(numpy.random.rand(400).astype(numpy.float32))
    print((2 * a + a**2).get())     # one kernel

They are Treadle's arrays: what an expression gives is computed when somebody looks at it, by one
kernel. To ask for `gpudata`, or to pass an array to a kernel, is to look.
"""

from __future__ import annotations

from treadle._contiguity import ArrayFlags  # noqa: F401
from treadle.pycuda import _gpuarray_memory
from treadle.pycuda._gpuarray import GPUArray
from treadle.pycuda._gpuarray import memcpy_discontig as _memcpy_discontig  # noqa: F401
from treadle.pycuda._gpuarray_creation import *  # noqa: F403
from treadle.pycuda._gpuarray_creation import _array_like_helper  # noqa: F401
from treadle.pycuda._gpuarray_functions import *  # noqa: F403
from treadle.pycuda._gpuarray_functions import (  # noqa: F401
    _builtin_max,
    _builtin_min,
    _get_broadcasted_binary_op_result,
    _get_common_dtype,
    _make_binary_op,
)
from treadle.pycuda._splay import splay  # noqa: F401
from treadle.pycuda._vec import vec  # noqa: F401

empty = GPUArray
_compact_strides = _gpuarray_memory.compact_strides
