# SPDX-License-Identifier: MIT
"""Queues and kernels of several threads, each queue in a `with` block."""

import threading
import warnings

import numpy as np
import pyopencl as cl

ctx = cl.create_some_context(interactive=False)
prg = cl.Program(
    ctx,
    """
__kernel void add(__global int *x, int by) { x[get_global_id(0)] += by; }
""",
).build()
results = {}


def work(number):
    x = np.zeros(1000, np.int32)
    knl = cl.Kernel(prg, "add")  # kernels are not shared: their arguments are state
    with cl.CommandQueue(ctx) as queue:
        buf = cl.Buffer(
            queue.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=x
        )
        for _ in range(20):
            knl(queue, x.shape, None, buf, np.int32(number))
        cl.enqueue_copy(queue, x, buf)
    results[number] = x


threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
for number in range(4):
    assert (results[number] == 20 * number).all()

with cl.CommandQueue(ctx) as queue:
    pass
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    queue.flush()
assert [w.category for w in caught] == [cl.CommandQueueUsedAfterExit]
queue.finish()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(3):
        prg.add  # noqa: B018
assert [w.category for w in caught] == [cl.RepeatedKernelRetrieval]
print("threads agree")
