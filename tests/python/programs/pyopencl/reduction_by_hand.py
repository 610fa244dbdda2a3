# SPDX-License-Identifier: MIT
"""A sum in two stages with local memory, and a histogram with atomics."""

import numpy as np
import pyopencl as cl

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
mf = cl.mem_flags
prg = cl.Program(
    ctx,
    """
__kernel void reduce(__global const uint *data, __local uint *shared, __global uint *partial)
{
    uint lid = get_local_id(0);
    shared[lid] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_ = get_local_size(0) / 2; half_ > 0; half_ >>= 1) {
        if (lid < half_) shared[lid] += shared[lid + half_];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) partial[get_group_id(0)] = shared[0];
}
__kernel void histogram(__global const uchar *data, __global uint *bins, int n)
{
    __local uint mine[256];
    for (int i = get_local_id(0); i < 256; i += get_local_size(0)) mine[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&mine[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0); i < 256; i += get_local_size(0)) atomic_add(&bins[i], mine[i]);
}
""",
).build()

groups, local = 128, 128
data = np.random.randint(0, 100, groups * local).astype(np.uint32)
data_g = cl.Buffer(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, hostbuf=data)
partial = np.empty(groups, np.uint32)
partial_g = cl.Buffer(ctx, mf.READ_WRITE, partial.nbytes)
reduce_ = prg.reduce
reduce_(queue, (data.size,), (local,), data_g, cl.LocalMemory(local * 4), partial_g)
reduce_(queue, (groups,), (groups,), partial_g, cl.LocalMemory(groups * 4), partial_g)
cl.enqueue_copy(queue, partial, partial_g)
print("sum", partial[0], data.sum())
assert partial[0] == data.sum()

text = np.frombuffer(b"the quick brown fox jumps over the lazy dog" * 50, np.uint8)
bins = np.zeros(256, np.uint32)
text_g = cl.Buffer(ctx, mf.READ_ONLY | mf.USE_HOST_PTR, hostbuf=text)
bins_g = cl.Buffer(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=bins)
prg.histogram(queue, (4 * 128,), (128,), text_g, bins_g, np.int32(text.size))
cl.enqueue_copy(queue, bins, bins_g)
assert (bins == np.bincount(text, minlength=256)).all()
print("most frequent:", chr(bins.argmax()))
