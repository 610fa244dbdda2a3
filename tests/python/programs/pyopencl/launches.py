# SPDX-License-Identifier: MIT
"""Every way to launch: sizes, offsets, set_args, typed scalars, local memory, g_times_l."""

import numpy as np
import pyopencl as cl

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
prg = cl.Program(
    ctx,
    """
__kernel void mark(__global int *out, int v, float f, uchar c)
{
    int w = get_global_size(0);
    int at = (get_global_id(1) - get_global_offset(1)) * w + get_global_id(0) - get_global_offset(0);
    out[at] = v + (int) f + c + (int) get_global_id(0) * 1000 + (int) get_local_size(0) * 100000;
}
""",
).build()
mark = prg.mark
out = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 64 * 4)


def values(n):
    cl.enqueue_barrier(queue)
    found = np.empty(n, np.int32)
    cl.enqueue_copy(queue, found, out)
    return found


ids = np.arange(16)
mark(queue, (16,), (4,), out, np.int32(1), np.float32(2), np.uint8(3))
assert (values(16) == 6 + ids * 1000 + 400000).all()
mark(queue, (4,), (4,), out, np.int32(1), np.float32(2), np.uint8(3), g_times_l=True)
assert (values(16) == 6 + ids * 1000 + 400000).all()
mark(queue, [16], [8], out, np.int32(0), np.float32(0), np.uint8(0), global_offset=(5,))
assert (values(16) == (ids + 5) * 1000 + 800000).all()
mark(queue, (8, 2), (4, 1), out, np.int32(0), np.float32(0), np.uint8(0), global_offset=(1, 2))
assert (values(16) == (ids % 8 + 1) * 1000 + 400000).all()
mark(queue, (np.int64(16),), None, out, np.int32(0), np.float32(0), np.uint8(9), wait_for=None)
assert (values(16) % 1000 == 9).all()

mark.set_args(out, np.int32(5), np.float32(5), np.uint8(5))
event = cl.enqueue_nd_range_kernel(queue, mark, (16,), (2,))
assert isinstance(event, cl.Event)
event.wait()
assert (values(16) == 15 + ids * 1000 + 200000).all()
mark.set_arg(1, np.int32(7))
cl.enqueue_nd_range_kernel(queue, mark, (16,), None, wait_for=[event])
assert (values(16) % 1000 == 17).all()

mark.set_scalar_arg_dtypes([None, np.int32, np.float32, np.uint8])
mark(queue, (16,), (16,), out, 10, 20.5, 30)
assert (values(16) == 60 + ids * 1000 + 1600000).all()
assert mark(queue, (0,), None, out, 0, 0, 0, allow_empty_ndrange=True).wait() is None

for wrong, kind in [
    (lambda: mark(queue, (16,), None, out, 1), TypeError),
    (lambda: mark(queue, (16,), None, out, 1, 2.0, 3, 4), TypeError),
    (lambda: cl.Kernel(prg, "mark")(queue, (16,), None, out, 1, 2.0, 3), cl.LogicError),
    (lambda: mark(queue, (16,), (5, 5), out, 1, 2.0, 3), cl.LogicError),
    (lambda: mark(queue, (16,), (1 << 30,), out, 1, 2.0, 3), cl.LogicError),
    (lambda: mark(queue, (16,), None, out, 1, 2.0, 3, nonsense=1), TypeError),
]:
    try:
        wrong()
    except kind as error:
        print(type(error).__name__, str(error).splitlines()[0][:80])
    else:
        raise AssertionError("a wrong launch was accepted")
