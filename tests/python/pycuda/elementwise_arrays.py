# SPDX-License-Identifier: MIT
"""The least of an array that kernels of the faces take: for tests without the array classes."""

import types

import numpy as np
import pycuda.driver as cuda
from pycuda.compyte.array import ArrayFlags


class DeviceArray:
    """A copy of a NumPy array, in device memory."""

    def __init__(self, values, order="K"):
        values = np.array(values, order=order)
        self.shape, self.strides, self.dtype = values.shape, values.strides, values.dtype
        self.size = self.mem_size = values.size
        self.gpudata = cuda.mem_alloc(max(values.nbytes, 1)) if values.size else None
        self.flags = ArrayFlags(values)
        self._like = values
        if values.size:
            cuda.memcpy_htod(self.gpudata, values)

    def get(self):
        result = np.empty_like(self._like)
        if self.size:
            cuda.memcpy_dtoh(result, self.gpudata)
        return result

    def with_gap(self):
        """The same memory, said to have gaps."""
        view = types.SimpleNamespace(**vars(self))
        view.flags = types.SimpleNamespace(forc=False, c_contiguous=False, f_contiguous=False)
        return view
