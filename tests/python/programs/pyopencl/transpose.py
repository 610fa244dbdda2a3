# SPDX-License-Identifier: MIT
"""A matrix transposed through local memory, and its throughput by profiling events."""

import numpy as np
import pyopencl as cl

block_size = 8


class NaiveTranspose:
    def __init__(self, ctx):
        self.kernel = (
            cl.Program(
                ctx,
                """
            __kernel void transpose(
              __global float *a_t, __global float *a,
              unsigned a_width, unsigned a_height)
            {
              int read_idx = get_global_id(0) + get_global_id(1) * a_width;
              int write_idx = get_global_id(1) + get_global_id(0) * a_height;
              a_t[write_idx] = a[read_idx];
            }
            """,
            )
            .build()
            .transpose
        )

    def __call__(self, queue, tgt, src, shape):
        w, h = shape
        assert w % block_size == 0
        assert h % block_size == 0
        return self.kernel(
            queue, (w, h), (block_size, block_size), tgt, src, np.uint32(w), np.uint32(h)
        )


class TransposeWithLocal(NaiveTranspose):
    def __init__(self, ctx):
        self.kernel = (
            cl.Program(
                ctx,
                """
            #define BLOCK_SIZE %(block_size)d
            #define A_BLOCK_STRIDE (BLOCK_SIZE * a_width)
            #define A_T_BLOCK_STRIDE (BLOCK_SIZE * a_height)
            __kernel __attribute__((reqd_work_group_size(BLOCK_SIZE, BLOCK_SIZE, 1)))
            void transpose(
              __global float *a_t, __global float *a,
              unsigned a_width, unsigned a_height, __local float *a_local)
            {
              int base_idx_a = get_group_id(0) * BLOCK_SIZE + get_group_id(1) * A_BLOCK_STRIDE;
              int base_idx_a_t = get_group_id(1) * BLOCK_SIZE + get_group_id(0) * A_T_BLOCK_STRIDE;
              int glob_idx_a = base_idx_a + get_local_id(0) + a_width * get_local_id(1);
              int glob_idx_a_t = base_idx_a_t + get_local_id(0) + a_height * get_local_id(1);
              a_local[get_local_id(1) * BLOCK_SIZE + get_local_id(0)] = a[glob_idx_a];
              barrier(CLK_LOCAL_MEM_FENCE);
              a_t[glob_idx_a_t] = a_local[get_local_id(0) * BLOCK_SIZE + get_local_id(1)];
            }
            """
                % {"block_size": block_size},
            )
            .build()
            .transpose
        )

    def __call__(self, queue, tgt, src, shape):
        w, h = shape
        return self.kernel(
            queue,
            (w, h),
            (block_size, block_size),
            tgt,
            src,
            np.uint32(w),
            np.uint32(h),
            cl.LocalMemory(4 * block_size * (block_size + 1)),
        )


def transpose_using_cl(ctx, queue, cpu_src, transpose):
    mf = cl.mem_flags
    a_buf = cl.Buffer(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, hostbuf=cpu_src)
    a_t_buf = cl.Buffer(ctx, mf.WRITE_ONLY, size=cpu_src.nbytes)
    event = transpose(queue, a_t_buf, a_buf, cpu_src.shape[::-1])
    w, h = cpu_src.shape
    result = np.empty((h, w), dtype=cpu_src.dtype)
    cl.enqueue_copy(queue, result, a_t_buf).wait()
    a_buf.release()
    a_t_buf.release()
    return result, event


ctx = cl.create_some_context(False)
queue = cl.CommandQueue(ctx, properties=cl.command_queue_properties.PROFILING_ENABLE)
for cls in [NaiveTranspose, TransposeWithLocal]:
    transpose = cls(ctx)
    for i in range(3, 5):
        source = np.random.rand(1 << i, 2 << i).astype(np.float32)
        result, event = transpose_using_cl(ctx, queue, source, transpose)
        assert (source.T == result).all()
        gb = 2 * source.nbytes / 1e9 / ((event.profile.end - event.profile.start) * 1e-9)
        print(f"{cls.__name__} {source.shape}: {gb:.3f} GB/s")
