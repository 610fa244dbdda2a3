# SPDX-License-Identifier: MIT
"""A matrix product in tiles of local memory, with typed scalars, time stamps and a failed build."""

import sys

import numpy as np
import pyopencl as cl

TILE = 8
SOURCE = """
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void product(__global const float *a, __global const float *b, __global float *c, int n,
             float scale, __local float *tile_a, __local float *tile_b)
{
    int x = get_local_id(0), y = get_local_id(1);
    float total = 0;
    for (int t = 0; t < n; t += TILE) {
        tile_a[y * TILE + x] = a[get_global_id(1) * n + t + x];
        tile_b[y * TILE + x] = b[(t + y) * n + get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; ++k) total += tile_a[y * TILE + k] * tile_b[k * TILE + x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[get_global_id(1) * n + get_global_id(0)] = scale * total;
}
"""

n = 128
a = np.random.default_rng(1).random((n, n), np.float32)
b = np.random.default_rng(2).random((n, n), np.float32)

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx, properties=cl.command_queue_properties.PROFILING_ENABLE)
device = queue.device
print(f"device: {device.name}, {device.max_compute_units} compute units")

program = cl.Program(ctx, SOURCE).build(options=[f"-DTILE={TILE}"])
product = program.product
product.set_scalar_arg_dtypes([None, None, None, np.int32, np.float32, None, None])

mf = cl.mem_flags
a_cl = cl.Buffer(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, hostbuf=a)
b_cl = cl.Buffer(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, hostbuf=b)
c_cl = cl.Buffer(ctx, mf.WRITE_ONLY, a.nbytes)
tile, other_tile = cl.LocalMemory(4 * TILE * TILE), cl.LocalMemory(4 * TILE * TILE)
event = product(queue, (n, n), (TILE, TILE), a_cl, b_cl, c_cl, n, 2.0, tile, other_tile)
event.wait()
seconds = 1e-9 * (event.profile.end - event.profile.start)
print(f"kernel: {1e3 * seconds:.3f} ms, {2e-9 * n**3 / seconds:.2f} GFLOP/s")

c, mapped = cl.enqueue_map_buffer(queue, c_cl, cl.map_flags.READ, 0, (n, n), np.float32)
correct = bool(np.allclose(c, 2 * (a @ b), rtol=1e-4))
c.base.release(queue)

try:
    cl.Program(ctx, SOURCE.replace("total +=", "totl +=")).build(options=[f"-DTILE={TILE}"])
except cl.RuntimeError as error:
    print("a failed build shows:", [line for line in str(error).splitlines() if "totl" in line][0])

try:
    product(queue, (n, n), (TILE, TILE), a_cl, b_cl, c_cl, 2.5, 2.0, tile, other_tile)
except cl.LogicError as error:
    print("a wrong argument is refused:", error)

print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
