# SPDX-License-Identifier: MIT
"""Memory pools in a loop that allocates."""

import numpy as np
import pyopencl as cl
from pyopencl.tools import DeferredAllocator, ImmediateAllocator, MemoryPool

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
pool = MemoryPool(ImmediateAllocator(queue))
square = cl.Program(
    ctx, "__kernel void sq(__global int *a) { a[get_global_id(0)] *= a[get_global_id(0)]; }"
)
square = square.build().sq

for size in [128, 1024, 1024, 256, 1024]:
    x = np.arange(size, dtype=np.int32)
    buf = pool.allocate(x.nbytes)
    assert isinstance(buf, cl.MemoryObjectHolder) and buf.size >= x.nbytes
    cl.enqueue_copy(queue, buf, x)
    square(queue, x.shape, (64,), buf)
    y = np.empty_like(x)
    cl.enqueue_copy(queue, y, buf)
    assert (y == x * x).all()
    buf.release()
print("held", pool.held_blocks, "active", pool.active_blocks, "bytes", pool.managed_bytes)
assert pool.active_blocks == 0 and pool.held_blocks == 3
kept = pool(4096)
assert pool.active_bytes == 4096 and pool.managed_bytes >= 4096
pool.free_held()
assert pool.held_blocks == 0
del kept
pool.stop_holding()
assert pool.held_blocks == 0 and pool.managed_bytes == 0
assert pool.alloc_size(pool.bin_number(1000)) == 1023

import pyopencl

other = pyopencl.tools.MemoryPool(cl.tools.ImmediateAllocator(queue, cl.mem_flags.READ_ONLY))
assert other.allocate(10).flags & cl.mem_flags.READ_ONLY
allocator = DeferredAllocator(ctx, mem_flags=cl.mem_flags.READ_WRITE)
assert isinstance(allocator(128), cl.Buffer) and allocator(0) is None
