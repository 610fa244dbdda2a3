# SPDX-License-Identifier: MIT
"""Parts of a buffer as buffers of their own, filled, migrated and described."""

import numpy as np
import pyopencl as cl

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
device = ctx.devices[0]
align = device.mem_base_addr_align // 8
n = align // 4
a = np.arange(4 * n, dtype=np.float32)
whole = cl.Buffer(ctx, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=a)

second = whole.get_sub_region(align, align)
third = whole[2 * align : 3 * align]
for number, part in enumerate([second, third], 1):
    assert isinstance(part, cl.Buffer)
    assert part.size == align and part.offset == number * align
    assert part.associated_memobject == whole
    assert part.type == cl.mem_object_type.BUFFER
assert whole.associated_memobject is None
print("flags", cl.mem_flags.to_string(third.flags))

prg = cl.Program(
    ctx, "kernel void neg(global float *x) { size_t i = get_global_id(0); x[i] = -x[i]; }"
)
prg.build().neg(queue, (n,), None, second)
cl.enqueue_fill_buffer(queue, third, np.float32(0.5), 0, third.size).wait()
cl.enqueue_migrate_mem_objects(queue, [whole], cl.mem_migration_flags.HOST)
cl.enqueue_barrier(queue)
b = np.empty_like(a)
cl.enqueue_copy(queue, b, whole).wait()
expected = a.copy()
expected[n : 2 * n] *= -1
expected[2 * n : 3 * n] = 0.5
assert (b == expected).all()

try:
    whole.get_sub_region(1, 3)
except cl.RuntimeError as error:
    assert error.code == cl.status_code.MISALIGNED_SUB_BUFFER_OFFSET, error
    print(error)
try:
    whole[10:5]
except cl.LogicError as error:
    print("refused:", type(error).__name__)
try:
    cl.Buffer(ctx, cl.mem_flags.READ_ONLY, 0)
except cl.LogicError as error:
    assert error.code == cl.status_code.INVALID_BUFFER_SIZE
    print(error)
whole.release()
