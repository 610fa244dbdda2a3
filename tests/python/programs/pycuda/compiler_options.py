# SPDX-License-Identifier: MIT
"""Templates of C++, options, headers, errors of the compiler, caches, PTX by hand."""

import os
import tempfile
import warnings

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import DEFAULT_NVCC_FLAGS, SourceModule, compile

assert isinstance(DEFAULT_NVCC_FLAGS, list)
mod = SourceModule(
    """
template <class T, int N> struct Polynomial {
    T factors[N];
    __device__ T operator()(T x) const {
        T sum = 0;
        for (int i = N; i-- > 0;) sum = sum * x + factors[i];
        return sum;
    }
};
template <class T> __device__ void evaluate(T *x) {
    Polynomial<T, 3> p = {{1, 2, 3}};
    x[threadIdx.x] = p(x[threadIdx.x]);
}
extern "C" __global__ void floats(float *x) { evaluate(x); }
extern "C" __global__ void doubles(double *x) { evaluate(x); }
""",
    no_extern_c=True,
    options=["-std=c++17", "--use_fast_math", "-O3"],
)
for name, dtype in [("floats", np.float32), ("doubles", np.float64)]:
    x = np.arange(5, dtype=dtype)
    mod.get_function(name)(cuda.InOut(x), block=(5, 1, 1))
    assert (x == 1 + 2 * np.arange(5) + 3 * np.arange(5) ** 2).all()

with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "answer.cuh"), "w") as header:
        header.write("#pragma once\n#define ANSWER 42\n")
    text = '#include <stdio.h>\n#include "answer.cuh"\n__global__ void f(int *x) { *x = ANSWER * FACTOR; }'
    value = np.zeros(1, np.int32)
    SourceModule(text, include_dirs=[folder], options=["-DFACTOR=2"]).get_function("f")(
        cuda.Out(value), block=(1, 1, 1)
    )
    assert value[0] == 84
    SourceModule(text, options=["-DFACTOR=3", "-I" + folder], cache_dir=False).get_function("f")(
        cuda.Out(value), block=(1, 1, 1)
    )
    assert value[0] == 126
    os.mkdir(os.path.join(folder, "cache"))
    SourceModule("__global__ void g() {}", cache_dir=os.path.join(folder, "cache"))

try:
    SourceModule("__global__ void broken(float *a) { a[0] = not_declared; }")
except cuda.CompileError as error:
    assert "not_declared" in error.stderr and isinstance(error.command_line, (list, tuple))
    assert isinstance(error, cuda.Error) and error.msg
    print(str(error)[:200])
else:
    raise AssertionError("a broken kernel was compiled")

image = compile("__global__ void h(int *x) { *x = 7; }", arch=None, keep=False)
assert isinstance(image, bytes)
module = cuda.module_from_buffer(image)
module.get_function("h")(cuda.Out(value), block=(1, 1, 1))
assert value[0] == 7
with tempfile.NamedTemporaryFile(suffix=".cubin") as f:
    f.write(image)
    f.flush()
    assert isinstance(cuda.module_from_file(f.name), cuda.Module)
with warnings.catch_warnings():
    warnings.simplefilter("error")  # a program without warnings causes none
    SourceModule("__global__ void quiet(int *x) { *x = 1; }")
