# SPDX-License-Identifier: MIT
"""A matrix transposed twice: plainly, and by tiles in local memory that keep accesses in rows.

transpose.py [--size N]
"""

import argparse
import sys

import numpy as np
import pyopencl as cl

TILE = 16
SOURCE = """
kernel void plain(global const float *a, global float *b, int rows, int columns) {
    int column = get_global_id(0), row = get_global_id(1);
    if (row < rows && column < columns) b[column * rows + row] = a[row * columns + column];
}
kernel void tiled(global const float *a, global float *b, int rows, int columns) {
    local float tile[TILE][TILE + 1]; /* one more: a column lies in different banks */
    int x = get_local_id(0), y = get_local_id(1);
    int left = TILE * get_group_id(0), top = TILE * get_group_id(1);
    if (top + y < rows && left + x < columns) tile[y][x] = a[(top + y) * columns + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (left + y < columns && top + x < rows) b[(left + y) * rows + top + x] = tile[x][y];
}
"""

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=1000)
options = parser.parse_args()
rows, columns = options.size, options.size * 3 // 2 + 1

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx, properties=cl.command_queue_properties.PROFILING_ENABLE)
print("device:", queue.device.name)

a = np.random.default_rng(4).random((rows, columns), np.float32)
mf = cl.mem_flags
a_cl = cl.Buffer(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, hostbuf=a)
b_cl = cl.Buffer(ctx, mf.WRITE_ONLY, a.nbytes)
program = cl.Program(ctx, SOURCE).build(options=[f"-DTILE={TILE}"])

whole_tiles = tuple(-(-length // TILE) * TILE for length in (columns, rows))
correct = True
for kernel in (program.plain, program.tiled):
    cl.enqueue_fill_buffer(queue, b_cl, np.float32(-1), 0, a.nbytes)
    arguments = (a_cl, b_cl, np.int32(rows), np.int32(columns))
    kernel(queue, whole_tiles, (TILE, TILE), *arguments)  # the first call prepares the kernel
    event = kernel(queue, whole_tiles, (TILE, TILE), *arguments)
    event.wait()
    seconds = 1e-9 * (event.profile.end - event.profile.start)
    name = kernel.function_name
    print(f"{name}: {1e3 * seconds:.3f} ms, {2e-9 * a.nbytes / seconds:.2f} GB/s")
    b = np.empty((columns, rows), np.float32)
    cl.enqueue_copy(queue, b, b_cl)
    correct = correct and np.array_equal(b, a.T)
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
