# SPDX-License-Identifier: MIT
"""The least of an array that kernels of the face take: for tests without the array class."""

import numpy as np
import pyopencl as cl
from pyopencl.compyte.array import ArrayFlags


class DeviceArray:
    """A copy of a NumPy array, in a buffer of its own, or behind `offset` bytes of it."""

    def __init__(self, queue, values, offset=0):
        values = np.asarray(values)
        self.queue, self.offset, self.events = queue, offset, []
        self.shape, self.strides, self.dtype = values.shape, values.strides, values.dtype
        self.size, self.flags = values.size, ArrayFlags(values)
        self.base_data = None
        if values.size:
            flags = cl.mem_flags.READ_WRITE
            self.base_data = cl.Buffer(queue.context, flags, values.nbytes + offset)
            cl.enqueue_copy(queue, self.base_data, values, dst_offset=offset)

    def get(self):
        result = np.empty(self.shape, self.dtype)
        if self.size:
            cl.enqueue_copy(self.queue, result, self.base_data, src_offset=self.offset)
        return result
