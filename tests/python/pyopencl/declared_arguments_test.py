# SPDX-License-Identifier: MIT
"""Arrays handed to kernels of a program's own whose arguments are declared."""

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest
from pyopencl import tools

SCALE = """
__kernel void scale(__global float *x__base, long x__offset, float a) {
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  x[get_global_id(0)] *= a;
}
"""


@pytest.fixture
def scale(build):
    kernel = build(SCALE).scale
    kernel.set_arg_types([tools.VectorArg(np.float32, "x", with_offset=True), np.float32])
    return kernel


def test_array_of_a_declared_kernel_keeps_its_expressions(scale, queue):
    x = cl_array.arange(queue, 8, dtype=np.float32) + 1
    twice = x * 2  # pending: it must not see what the kernel does
    scale(queue, (8,), None, x, 10)
    assert (x + 1).is_pending  # nobody else knows the memory
    assert (x.get() == 10 * np.arange(1, 9)).all()
    assert (twice.get() == 2 * np.arange(1, 9)).all()


def test_part_of_an_array_is_passed_with_its_offset(scale, queue):
    x = cl_array.arange(queue, 8, dtype=np.float32)
    scale(queue, (3,), None, x[4:7], 10)
    assert (x.get() == [0, 1, 2, 3, 40, 50, 60, 7]).all()
    with pytest.raises(RuntimeError, match="gaps between its elements"):
        scale(queue, (3,), None, x[::2], 10)
    assert (x.get() == [0, 1, 2, 3, 40, 50, 60, 7]).all()


def test_declared_kernel_waits_for_events_that_the_program_added(scale, context, queue):
    x = cl_array.arange(queue, 8, dtype=np.float32)
    assert (x.get() == np.arange(8)).all()
    user = cl.UserEvent(context)
    x.add_event(user)
    done = scale(queue, (8,), None, x, 10)
    queue.flush()
    assert done.command_execution_status != cl.command_execution_status.COMPLETE
    user.set_status(cl.command_execution_status.COMPLETE)
    done.wait()
    x.events.clear()
    assert (x.get() == 10 * np.arange(8)).all()


def test_array_on_another_queue_is_passed_in_the_order_of_both(scale, context, queue):
    other = cl.CommandQueue(context)
    x = cl_array.arange(queue, 1000, dtype=np.float32) + 1
    scale(other, (1000,), None, x, 10).wait()
    assert ((x + 1).get() == 10 * np.arange(1, 1001) + 1).all()


def test_error_of_an_arrays_property_reaches_the_program(scale, queue):
    class Broken:
        @property
        def flags(self):
            raise ZeroDivisionError("in flags")

    with pytest.raises(ZeroDivisionError, match="in flags"):
        scale(queue, (8,), None, Broken(), 10)
