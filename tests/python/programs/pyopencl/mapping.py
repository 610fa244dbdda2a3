# SPDX-License-Identifier: MIT
"""Buffers mapped into the host's memory, by hand and by context manager."""

import numpy as np
import pyopencl as cl

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
mf = cl.mem_flags
shape = (16, 64)
dtype = np.dtype(np.float32)
size = int(np.prod(shape)) * dtype.itemsize
pinned = cl.Buffer(ctx, mf.READ_WRITE | mf.ALLOC_HOST_PTR, size)

host, event = cl.enqueue_map_buffer(
    queue, pinned, cl.map_flags.WRITE, 0, shape, dtype, "C", is_blocking=False
)
event.wait()
assert host.shape == shape and host.dtype == dtype
assert isinstance(host.base, cl.MemoryMap)
host[:] = np.arange(host.size).reshape(shape)
host.base.release(queue)

prg = cl.Program(ctx, "__kernel void half_(__global float *a) { a[get_global_id(0)] *= 0.5f; }")
prg.build().half_(queue, (16 * 64,), None, pinned)

(mapped, _) = cl.enqueue_map_buffer(
    queue, pinned, cl.map_flags.READ | cl.map_flags.WRITE, 0, 16 * 64, np.float32
)
with mapped.base:
    assert np.allclose(mapped, np.arange(16 * 64) * 0.5)
    mapped += 1
row, _ = cl.enqueue_map_buffer(
    queue, pinned, flags=cl.map_flags.READ, offset=64 * 4, shape=(64,), dtype=np.float32
)
assert row[0] == 33.0
del row

own = np.zeros(64, np.int32)
shared = cl.Buffer(ctx, mf.READ_WRITE | mf.USE_HOST_PTR, hostbuf=own)
cl.enqueue_fill_buffer(queue, shared, np.int32(7), 0, own.nbytes)
view = shared.get_host_array(64, np.int32)
assert view.base is shared
m, _ = cl.enqueue_map_buffer(queue, shared, cl.map_flags.READ, 0, own.shape, own.dtype)
assert (m == 7).all()
m.base.release(queue).wait()
queue.finish()
print("mapped", pinned.size, "bytes,", cl.mem_flags.to_string(pinned.flags))
