# SPDX-License-Identifier: MIT
"""Queues of one context wait for each other only where the program says so."""

import threading

import numpy as np
import pyopencl as cl
import pyopencl.array
from pyopencl.algorithm import RadixSort


def test_a_queue_is_not_held_up_by_one_that_a_user_event_holds(context):
    """Both take scratch memory from one pool, the second what the first one gave back."""
    first, second = cl.CommandQueue(context), cl.CommandQueue(context)
    sort = RadixSort(context, "int *keys", "keys[i]", ["keys"])
    keys = np.arange(50_000, dtype=np.int32)[::-1].copy()
    on_first, on_second = (cl.array.to_device(queue, keys) for queue in (first, second))
    sort(on_first, queue=first)[1].wait()
    for queue in (first, second):
        queue.finish()
    gate = cl.UserEvent(context)
    cl.enqueue_barrier(first, wait_for=[gate])
    (held,), _ = sort(on_first, queue=first)
    (free,), _ = sort(on_second, queue=second)
    late = threading.Event()
    rescue = threading.Timer(20, lambda: (late.set(), gate.set_status(0)))
    rescue.start()
    second.finish()
    rescue.cancel()
    assert not late.is_set()
    gate.set_status(0)
    first.finish()
    for result in (held, free):
        np.testing.assert_array_equal(result.get(), np.sort(keys))
