# SPDX-License-Identifier: MIT
"""Rectangular copies: boxes of a matrix and of a volume, host and device in every pair."""

import numpy as np
import pyopencl as cl

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
mf = cl.mem_flags

# Two dimensions: a 3 x 5 box.
ary1 = np.arange(20 * 30, dtype=np.uint8).reshape(20, 30)
buf1 = cl.Buffer(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=ary1)
buf2 = cl.Buffer(ctx, mf.READ_WRITE, ary1.nbytes)
cl.enqueue_fill(queue, buf2, np.uint8(0), ary1.nbytes)

cl.enqueue_copy(
    queue, buf2, buf1,
    src_origin=(4, 2), dst_origin=(10, 7), region=(5, 3),
    src_pitches=(30,), dst_pitches=(30,),
)  # fmt: skip
box = np.zeros_like(ary1)
cl.enqueue_copy(queue, box, buf2)
assert (box[7:10, 10:15] == ary1[2:5, 4:9]).all() and box.sum() == ary1[2:5, 4:9].astype(int).sum()

part = np.zeros((3, 5), np.uint8)
cl.enqueue_copy(
    queue, part, buf1, buffer_origin=(4, 2), host_origin=(0, 0), region=(5, 3),
    buffer_pitches=(ary1.strides[0],), host_pitches=(part.strides[0],),
)  # fmt: skip
assert (part == ary1[2:5, 4:9]).all()

# Three dimensions, floats: sizes of the first axis are bytes.
volume = np.random.rand(6, 7, 8).astype(np.float32)
gpu = cl.Buffer(ctx, mf.READ_WRITE, volume.nbytes)
cl.enqueue_copy(queue, gpu, volume)
f = volume.itemsize
block = np.full((2, 3, 4), -1, np.float32)
event = cl.enqueue_copy(
    queue, gpu, block, buffer_origin=(2 * f, 1, 3), host_origin=(0, 0, 0), region=(4 * f, 3, 2),
    buffer_pitches=(8 * f, 8 * 7 * f), host_pitches=(4 * f, 4 * 3 * f), is_blocking=False,
)  # fmt: skip
event.wait()
back = np.empty_like(volume)
cl.enqueue_copy(queue, back, gpu)
volume[3:5, 1:4, 2:6] = -1
assert (back == volume).all()

# Plain copies with offsets, in both spellings of the operands.
cl.enqueue_copy(queue, dest=buf2, src=buf1, byte_count=16, src_offset=32, dst_offset=64)
tail = np.empty(16, np.uint8)
cl.enqueue_copy(queue, tail, buf2, src_offset=64)
assert (tail == ary1.ravel()[32:48]).all()
cl.enqueue_copy(queue, buf2, tail[:4], dst_offset=8)
few = np.empty(4, np.uint8)
cl.enqueue_copy(queue, few, buf2, src_offset=8)
assert (few == tail[:4]).all()
print("boxes are copied")
