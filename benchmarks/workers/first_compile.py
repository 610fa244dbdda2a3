# SPDX-License-Identifier: MIT
"""The first SourceModule() of a process, timed; the cache folder given decides if it compiles.

The context stands before the clock starts; what is timed includes opening whatever a compile needs.
"""

import json
import time

import pycuda.autoinit  # noqa: F401
from pycuda.compiler import SourceModule

SIMPLE = """
__global__ void twice(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2;
}
"""
began = time.perf_counter()
function = SourceModule(SIMPLE).get_function("twice")
print(json.dumps({"seconds": [time.perf_counter() - began]}))
