# SPDX-License-Identifier: MIT
"""What the tests of pycuda.gpuarray share."""

import numpy as np
import pycuda.driver as cuda
from pycuda.gpuarray import GPUArray


def floats(*shape, start=0):
    count = int(np.prod(shape))
    return (np.arange(count) + start).astype(np.float32).reshape(shape)


def same(ours, theirs):
    """Equal in shape, dtype and elements."""
    assert isinstance(ours, GPUArray)
    theirs = np.asarray(theirs)
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    np.testing.assert_array_equal(ours.get(), theirs)


class CountingAllocator:
    """As a program would write one: it counts what is asked of it."""

    def __init__(self):
        self.sizes = []

    def __call__(self, size):
        self.sizes.append(size)
        return cuda.mem_alloc(size)
