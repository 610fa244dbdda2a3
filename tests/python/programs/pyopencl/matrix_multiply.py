# SPDX-License-Identifier: MIT
"""A matrix product with tiles in local memory, timed with a profiling queue."""

from time import time

import numpy as np
import pyopencl as cl

block_size = 16
ctx = cl.create_some_context(interactive=False)
for dev in ctx.devices:
    assert dev.local_mem_size > 0
queue = cl.CommandQueue(ctx, properties=cl.command_queue_properties.PROFILING_ENABLE)

a_height, a_width, b_width = 10 * block_size, 6 * block_size, 8 * block_size
h_a = np.random.rand(a_height, a_width).astype(np.float32)
h_b = np.random.rand(a_width, b_width).astype(np.float32)
h_c = np.empty((a_height, b_width)).astype(np.float32)

kernel_params = {
    "block_size": block_size, "w_a": a_width, "h_a": a_height, "w_b": b_width,
}  # fmt: skip
if "NVIDIA" in queue.device.vendor:
    options = "-cl-mad-enable -cl-fast-relaxed-math"
else:
    options = ""
prg = cl.Program(
    ctx,
    """
#define BLOCK_SIZE %(block_size)d
#define WA %(w_a)d
#define WB %(w_b)d
#define AS(j, i) As[i + j * BLOCK_SIZE]
#define BS(j, i) Bs[i + j * BLOCK_SIZE]
__kernel __attribute__((reqd_work_group_size(BLOCK_SIZE,BLOCK_SIZE,1)))
void matrixMul( __global float* C, __global float* A, __global float* B)
{
    __local float As[BLOCK_SIZE*BLOCK_SIZE];
    __local float Bs[BLOCK_SIZE*BLOCK_SIZE];
    int bx = get_group_id(0), by = get_group_id(1);
    int tx = get_local_id(0), ty = get_local_id(1);
    int aBegin = WA * BLOCK_SIZE * by;
    float Csub = 0.0f;
    for (int a = aBegin, b = BLOCK_SIZE * bx; a <= aBegin + WA - 1;
         a += BLOCK_SIZE, b += BLOCK_SIZE * WB) {
        AS(ty, tx) = A[a + WA * ty + tx];
        BS(ty, tx) = B[b + WB * ty + tx];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < BLOCK_SIZE; ++k)
            Csub += AS(ty, k) * BS(k, tx);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[get_global_id(1) * get_global_size(0) + get_global_id(0)] = Csub;
}
"""
    % kernel_params,
).build(options=options)
kernel = prg.matrixMul

mf = cl.mem_flags
t1 = time()
d_a_buf = cl.Buffer(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, hostbuf=h_a)
d_b_buf = cl.Buffer(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, hostbuf=h_b)
d_c_buf = cl.Buffer(ctx, mf.WRITE_ONLY, size=h_c.nbytes)
push_time = time() - t1

event = kernel(queue, h_c.shape[::-1], (block_size, block_size), d_c_buf, d_a_buf, d_b_buf)
event.wait()
count = 5
t1 = time()
for _ in range(count):
    event = kernel(queue, h_c.shape[::-1], (block_size, block_size), d_c_buf, d_a_buf, d_b_buf)
event.wait()
gpu_time = (time() - t1) / count
cl.enqueue_copy(queue, h_c, d_c_buf)
gflop = h_c.size * (a_width * 2.0) / (1000**3.0)
print(f"push {push_time:.6f} s, {gflop / gpu_time:.3f} GFlops")
assert np.allclose(h_c, h_a @ h_b, rtol=1e-3)
