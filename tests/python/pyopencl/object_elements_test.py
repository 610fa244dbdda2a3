# SPDX-License-Identifier: MIT
"""Bytes are never copied to or from elements that are Python objects."""

import numpy as np
import pyopencl as cl
import pyopencl.array as cla
import pytest


@pytest.mark.parametrize("dtype", [object, [("n", "i4"), ("o", object)]])
def test_copies_of_objects_are_refused(context, queue, dtype):
    host = np.zeros(2, dtype)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 256)
    flags = cl.mem_flags
    for call in (
        lambda: cl.enqueue_copy(queue, host, buffer),
        lambda: cl.enqueue_copy(queue, buffer, host),
        lambda: cl.enqueue_fill_buffer(queue, buffer, host, 0, 256),
        lambda: cl.Buffer(context, flags.COPY_HOST_PTR, hostbuf=host),
        lambda: cl.Buffer(context, flags.USE_HOST_PTR, hostbuf=host),
        lambda: cl.enqueue_map_buffer(queue, buffer, cl.map_flags.READ, 0, (2,), host.dtype),
        lambda: cl.svm_empty(context, cl.svm_mem_flags.READ_WRITE, 2, host.dtype),
        lambda: cla.to_device(queue, host),
        lambda: cla.empty(queue, 2, host.dtype),
        lambda: cla.zeros(queue, 2, np.float32).get(ary=host),
    ):
        with pytest.raises((TypeError, ValueError, cl.Error)):
            call()
