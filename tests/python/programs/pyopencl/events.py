# SPDX-License-Identifier: MIT
"""Events: wait lists, profiling, states, markers, and what they know of their queue."""

import numpy as np
import pyopencl as cl

ctx = cl.create_some_context(interactive=False)
props = cl.command_queue_properties
queue = cl.CommandQueue(
    ctx, properties=props.PROFILING_ENABLE | props.OUT_OF_ORDER_EXEC_MODE_ENABLE
)
print("queue:", props.to_string(queue.properties))
assert queue.get_info(cl.command_queue_info.CONTEXT) == ctx

a = np.arange(1 << 16, dtype=np.int32)
buf = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, a.nbytes)
prg = cl.Program(
    ctx,
    """
__kernel void twice(__global int *a) { a[get_global_id(0)] *= 2; }
__kernel void plus(__global int *a, int by) { a[get_global_id(0)] += by; }
""",
).build()
twice, plus = prg.twice, prg.plus

up = cl.enqueue_copy(queue, buf, a, is_blocking=False)
e1 = twice(queue, a.shape, None, buf, wait_for=[up])
e2 = plus(queue, a.shape, None, buf, np.int32(3), wait_for=[e1])
marker = cl.enqueue_marker(queue, wait_for=[e2])
result = np.empty_like(a)
down = cl.enqueue_copy(queue, result, buf, wait_for=[marker], is_blocking=False)
cl.wait_for_events([down, marker])
assert (result == a * 2 + 3).all()

for name, event in [("up", up), ("twice", e1), ("plus", e2), ("down", down)]:
    event.wait()
    p = event.profile
    assert p.queued <= p.submit <= p.start <= p.end
    assert event.get_profiling_info(cl.profiling_info.START) == p.start
    assert event.command_execution_status == cl.command_execution_status.COMPLETE
    assert event.command_queue == queue and event.context == ctx
    kind = cl.command_type.to_string(event.command_type)
    print(
        f"{name:6} {kind:15} queued {p.submit - p.queued} ns, ran {1e-6 * (p.end - p.start):.3f} ms"
    )
assert cl.command_type.to_string(e1.command_type) == "NDRANGE_KERNEL"
assert e2.profile.start >= e1.profile.end

plain = cl.CommandQueue(ctx)
event = twice(plain, a.shape, None, buf)
event.wait()
try:
    event.profile.start  # noqa: B018
except cl.RuntimeError as error:
    assert error.code == cl.status_code.PROFILING_INFO_NOT_AVAILABLE
    print("no profiling:", error)
else:
    raise AssertionError("a queue without profiling has no time stamps")
