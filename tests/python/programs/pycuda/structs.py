# SPDX-License-Identifier: MIT
"""Structures with pointers in device memory, filled by hand, and passed by value."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule


class DoubleOpStruct:
    mem_size = 8 + np.intp(0).nbytes

    def __init__(self, array, struct_arr_ptr):
        self.data = cuda.to_device(array)
        self.shape, self.dtype = array.shape, array.dtype
        cuda.memcpy_htod(int(struct_arr_ptr), np.int32(array.size))
        cuda.memcpy_htod(int(struct_arr_ptr) + 8, np.intp(int(self.data)))

    def __str__(self):
        return str(cuda.from_device(self.data, self.shape, self.dtype))


struct_arr = cuda.mem_alloc(2 * DoubleOpStruct.mem_size)
do2_ptr = int(struct_arr) + DoubleOpStruct.mem_size
array1 = DoubleOpStruct(np.array([1, 2, 3], dtype=np.float32), struct_arr)
array2 = DoubleOpStruct(np.array([0, 4], dtype=np.float32), do2_ptr)
print("original arrays\n", array1, "\n", array2)

mod = SourceModule("""
    struct DoubleOperation {
        int datalen, __padding; // so 64-bit ptrs can be aligned
        float *ptr;
    };
    __global__ void double_array(DoubleOperation *a)
    {
        a = a + blockIdx.x;
        for (int idx = threadIdx.x; idx < a->datalen; idx += blockDim.x)
        {
            float *a_ptr = a->ptr;
            a_ptr[idx] *= 2;
        }
    }
    struct Affine { float scale; int offset; double bias; };
    __global__ void affine(float *x, Affine by)
    {
        x[threadIdx.x] = x[threadIdx.x] * by.scale + by.offset + (float) by.bias;
    }
    """)
func = mod.get_function("double_array")
func(struct_arr, block=(32, 1, 1), grid=(2, 1))
assert str(array1) == "[2. 4. 6.]" and str(array2) == "[0. 8.]"
func(np.uintp(do2_ptr), block=(32, 1, 1), grid=(1, 1))
assert str(array1) == "[2. 4. 6.]" and str(array2) == "[ 0. 16.]"
print("doubled arrays\n", array1, "\n", array2)

by = np.zeros((), np.dtype([("scale", "f4"), ("offset", "i4"), ("bias", "f8")]))
by["scale"], by["offset"], by["bias"] = 3, 10, 0.5
x = np.arange(8, dtype=np.float32)
affine = mod.get_function("affine")
affine(cuda.InOut(x), by, block=(8, 1, 1))
assert (x == np.arange(8) * 3 + 10.5).all()
affine(cuda.InOut(x), by[()], block=(8, 1, 1))
assert (x == (np.arange(8) * 3 + 10.5) * 3 + 10.5).all()
