# SPDX-License-Identifier: MIT
"""Arguments of other kinds: PointerHolderBase, array interfaces, objects with gpudata."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
from pycuda.tools import context_dependent_memoize, dtype_to_ctype


class Holder(cuda.PointerHolderBase):
    def __init__(self, allocation):
        super().__init__()
        self.allocation = allocation

    def get_pointer(self):
        return int(self.allocation)


class Interface:
    def __init__(self, allocation, n):
        self.allocation = allocation
        self.__cuda_array_interface__ = {
            "shape": (n,), "typestr": "<f4", "data": (int(allocation), False), "version": 3,
        }  # fmt: skip


class Array:
    """What an array class of a program's own looks like."""

    def __init__(self, host):
        self.gpudata = cuda.to_device(host)
        self.shape, self.dtype, self.size = host.shape, host.dtype, host.size

    @staticmethod
    @context_dependent_memoize
    def _kernel(dtype, op):
        c = dtype_to_ctype(dtype)
        module = SourceModule(
            f"__global__ void k({c} *a, {c} *b, int n) "
            f"{{ int i = threadIdx.x + blockIdx.x * blockDim.x; if (i < n) a[i] = a[i] {op} b[i]; }}"
        )
        return module.get_function("k")

    def __iadd__(self, other):
        blocks = (self.size + 63) // 64
        self._kernel(self.dtype, "+")(
            self, other, np.int32(self.size), block=(64, 1, 1), grid=(blocks, 1)
        )
        return self

    def get(self):
        return cuda.from_device(self.gpudata, self.shape, self.dtype)


for dtype in [np.float32, np.float64, np.int32, np.uint8]:
    x = Array(np.arange(100, dtype=dtype))
    x += Array(np.ones(100, dtype))
    x += x
    assert (x.get() == 2 * (np.arange(100, dtype=dtype) + 1)).all()
assert Array._kernel(np.dtype(np.float32), "+") is Array._kernel(np.dtype(np.float32), "+")

fill = SourceModule("__global__ void fill(float *a, float v) { a[threadIdx.x] = v; }").get_function(
    "fill"
)
memory = cuda.mem_alloc(32)
fill(Interface(memory, 8), np.float32(3), block=(8, 1, 1))
holder = Holder(memory)
assert (cuda.from_device(holder, 8, np.float32) == 3).all()
cuda.memset_d32(holder, 0, 8)
fill.prepare("Pf")
fill.prepared_call((1, 1), (8, 1, 1), holder, 1.5)
assert (cuda.from_device(holder, (2, 4), np.float32, order="F") == 1.5).all()
assert int(holder) == int(memory)
for wrong in [5, 2.5, None, "text", True, [1]]:
    try:
        fill(wrong, np.float32(1), block=(8, 1, 1))
    except TypeError as error:
        assert "#0" in str(error), error
    else:
        raise AssertionError(f"{wrong!r} was accepted")
fill.note = "functions and allocations take attributes"
print(fill.note)
