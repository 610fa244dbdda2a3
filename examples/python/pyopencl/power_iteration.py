# SPDX-License-Identifier: MIT
"""The largest eigenvalue of a matrix: a product with a vector in local memory, dot products and
norms of arrays.

power_iteration.py [--size N]
"""

import argparse
import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=256)
options = parser.parse_args()
n = options.size

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
print("device:", queue.device.name)

GROUP = 64
program = cl.Program(
    ctx,
    """
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void times(__global const float *matrix, __global const float *x, __global float *y, int n)
{
    __local float parts[GROUP];
    int row = get_group_id(0), lane = get_local_id(0);
    float sum = 0;
    for (int k = lane; k < n; k += GROUP) sum += matrix[row * n + k] * x[k];
    parts[lane] = sum;
    for (int width = GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < width) parts[lane] += parts[lane + width];
    }
    if (lane == 0) y[row] = parts[0];
}
""",
).build(options=[f"-DGROUP={GROUP}"])
times = program.times

rng = np.random.default_rng(5)
matrix = rng.random((n, n), np.float32)
matrix = matrix + matrix.T
matrix_dev = cl_array.to_device(queue, matrix)
x = cl_array.to_device(queue, rng.random(n, np.float32))
y = cl_array.empty_like(x)

value, before, steps = 0.0, np.inf, 0
while abs(value - before) > 1e-6 * abs(value) and steps < 200:
    x /= np.float32(np.sqrt(cl_array.dot(x, x).get()))
    times(queue, (n * GROUP,), (GROUP,), matrix_dev.data, x.data, y.data, np.int32(n))
    before, value = value, float(cl_array.dot(x, y).get())
    x, y = y, x
    steps += 1

expected = np.linalg.eigvalsh(matrix.astype(np.float64))[-1]
print(f"largest eigenvalue after {steps} steps: {value:.3f}, NumPy's {expected:.3f}")
correct = abs(value - expected) < 1e-4 * expected
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
