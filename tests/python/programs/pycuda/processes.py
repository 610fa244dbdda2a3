# SPDX-License-Identifier: MIT
"""Work spread over processes, each with a context of its own."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pycuda.driver as drv
from pycuda.compiler import SourceModule


def squares(start):
    import pycuda.autoinit

    values = np.arange(start, start + 8, dtype=np.int32)
    mod = SourceModule("__global__ void square(int *x) { x[threadIdx.x] *= x[threadIdx.x]; }")
    mod.get_function("square")(drv.InOut(values), block=(8, 1, 1))
    return pycuda.autoinit.device.name(), values


if __name__ == "__main__":
    for method in ("spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        with ProcessPoolExecutor(2, mp_context=context) as pool:
            for start, (name, values) in zip([0, 100], pool.map(squares, [0, 100])):
                assert (values == np.arange(start, start + 8) ** 2).all()
                print(method, name, values[:3])
