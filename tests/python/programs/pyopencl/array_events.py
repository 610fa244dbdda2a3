# SPDX-License-Identifier: MIT
"""Arrays on queues that run out of order, with events passed on; profiling; arrays without queue."""

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.clrandom as clrandom
from pyopencl.elementwise import ElementwiseKernel

ctx = cl.create_some_context(interactive=False)
device = ctx.devices[0]
flags = cl.command_queue_properties.PROFILING_ENABLE
if device.queue_properties & cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE:
    flags |= cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
queue = cl.CommandQueue(ctx, properties=flags)
other = cl.CommandQueue(ctx)

a = clrandom.rand(queue, 3000, np.float64)
b = clrandom.rand(queue, 3000, np.float64, a=1, b=2)
total = a
for k in range(20):
    total = total + k * b
    assert len(total.events) == 1
host = a.get() + sum(range(20)) * b.get()
assert np.allclose(total.get(), host)

axpy = ElementwiseKernel(ctx, "double *y, double a, double *x", "y[i] += a * x[i]", name="axpy")
event = axpy(total, -1.5, b)
total.add_event(event)
event.wait()
assert event.profile.end >= event.profile.start
assert np.allclose(total.get(), host - 1.5 * b.get())

waiting = cl.UserEvent(ctx)
later = axpy(total, 1.5, b, wait_for=[waiting])
waiting.set_status(cl.command_execution_status.COMPLETE)
total.add_event(later)
assert np.allclose(total.get(), host)

there = total.with_queue(other)
assert there.queue is other and np.allclose((there * 2).get(), 2 * host)
nowhere = total.with_queue(None)
try:
    nowhere + 1
except ValueError as error:
    print(error)
else:
    raise AssertionError("there was no queue to work on")
assert np.allclose(nowhere.get(queue=other), host)
result, event = total.get_async()
event.wait()
assert np.allclose(result, host)
mapped = total.map_to_host()
mapped[0] = 77
mapped.base.release(queue)
queue.finish()
assert total.get()[0] == 77
total.finish()
print("queue", "out of order" if flags > 2 else "in order")
