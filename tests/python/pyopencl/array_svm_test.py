# SPDX-License-Identifier: MIT
"""pyopencl.array on shared virtual memory: allocators, pools, and memory of the program's own."""

import gc
import warnings

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest
from pyopencl.characterize import has_coarse_grain_buffer_svm
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.tools import SVMAllocator, SVMPool


@pytest.fixture(params=["allocator", "bound", "pool"])
def allocator(request, context, device, queue):
    if not has_coarse_grain_buffer_svm(device):
        pytest.skip("the device shares no memory")
    plain = SVMAllocator(context, 0, queue=None if request.param == "allocator" else queue)
    return SVMPool(plain) if request.param == "pool" else plain


X = np.linspace(0, 1, 1000, dtype=np.float32)


def test_arrays_lie_in_shared_memory(allocator, queue):
    x = cl_array.to_device(queue, X, allocator=allocator)
    assert isinstance(x.data, cl.SVMPointer)
    assert x.base_data is x.data
    assert x.data.size >= X.nbytes
    np.testing.assert_array_equal(x.get(), X)
    with x.data.map_ro(queue) as host:  # the same bytes
        np.testing.assert_array_equal(host[: X.nbytes].view(np.float32), X)


def test_results_come_from_the_allocator(allocator, queue):
    x = cl_array.to_device(queue, X, allocator=allocator)
    y = 2 * x + 1
    assert y.allocator is allocator
    assert isinstance(y.base_data, cl.SVMPointer)
    np.testing.assert_allclose(y.get(), 2 * X + 1)
    np.testing.assert_allclose((x**2)[10:20].get(), X[10:20] ** 2, rtol=1e-6)
    x[:100] = 7
    assert x.get()[99] == 7
    assert cl_array.sum(y).get() == pytest.approx((2 * X + 1).sum(), rel=1e-5)
    assert isinstance(cl_array.zeros(queue, 10, np.int32, allocator=allocator).data, cl.SVMPointer)
    assert isinstance(cl_array.empty_like(y).data, cl.SVMPointer)
    assert cl_array.empty(queue, 0, np.int32, allocator=allocator).data is None


def test_memory_dropped_while_commands_use_it_goes_behind_them(allocator, queue):
    """Nobody waits for the queue afterwards: the census looks for what is left."""
    for _ in range(20):
        x = cl_array.to_device(queue, X, allocator=allocator)
        x[:100] = 7


def test_kernels_take_it(allocator, context, queue, build):
    x = cl_array.to_device(queue, X, allocator=allocator)
    text = "kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }"
    twice = cl.Kernel(build(text), "twice")
    twice(queue, x.shape, None, x.data)
    np.testing.assert_array_equal(x.get(), 2 * X)
    add = ElementwiseKernel(context, "float *x, float a", "x[i] += a")
    add(x, 3)
    np.testing.assert_allclose(x.get(), 2 * X + 3)
    total = ReductionKernel(context, np.float32, "0", "a + b", "x[i]", arguments="global float *x")
    assert total(x).get() == pytest.approx((2 * X + 3).sum(), rel=1e-5)
    twice.set_scalar_arg_dtypes([cl.tools.VectorArg(np.float32, "x")])
    twice(queue, x.shape, None, x)
    np.testing.assert_allclose(x.get(), 4 * X + 6)


def test_memory_of_the_programs_own(context, device, queue):
    if not has_coarse_grain_buffer_svm(device):
        pytest.skip("the device shares no memory")
    memory = cl.SVMAllocation(context, 64, 16, cl.svm_mem_flags.READ_WRITE)
    x = cl_array.Array(queue, 8, np.int32, data=memory, offset=16)
    x.fill(5)
    assert x.base_data is memory
    with pytest.raises(cl_array.ArrayHasOffsetError):
        x.data  # noqa: B018
    with memory.map_ro(queue) as host:
        assert (host.view(np.int32)[4:12] == 5).all()
    with pytest.raises(ValueError, match="64 bytes"):
        cl_array.Array(queue, 8, np.int64, data=memory, offset=16)
    with pytest.raises(TypeError, match="shared virtual memory"):
        cl_array.Array(queue, 8, np.int32, data=bytearray(64))


def test_a_queue_that_the_memory_is_not_bound_to(context, device, queue):
    if not has_coarse_grain_buffer_svm(device):
        pytest.skip("the device shares no memory")
    bound = SVMAllocator(context, 0, queue=queue)
    x = cl_array.to_device(queue, X, allocator=bound)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x + x  # noqa: B018
    with pytest.warns(cl_array.InconsistentOpenCLQueueWarning):
        x.with_queue(cl.CommandQueue(context))
    assert x.with_queue(None).base_data is x.base_data


VIEWS = {
    "part": lambda y: y[2:],
    "element": lambda y: y[0],
    "reshape": lambda y: y.reshape(10, 100),
    "ravel": lambda y: y.ravel(),
    "view": lambda y: y.view(np.int32),
    "T": lambda y: y.T,
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("is_subclass", [False, True])
def test_views_on_another_queue_than_the_memory_are_warned_of(
    context, device, queue, view, is_subclass
):
    if not has_coarse_grain_buffer_svm(device):
        pytest.skip("the device shares no memory")
    made = type("Theirs", (cl_array.Array,), {}) if is_subclass else cl_array.Array
    x = made(queue, 1000, np.float32, allocator=SVMAllocator(context, 0, queue=queue))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        view(x)
        view(x.with_queue(None))
    with pytest.warns(cl_array.InconsistentOpenCLQueueWarning):
        y = x.with_queue(cl.CommandQueue(context))
    with pytest.warns(cl_array.InconsistentOpenCLQueueWarning):
        view(y)


def test_it_is_read_without_waiting(allocator, context, queue):
    x = cl_array.to_device(queue, X, allocator=allocator)[10:]
    gate = cl.UserEvent(context)
    x.add_event(gate)
    host, done = x.get_async()
    del x
    gc.collect()
    assert done.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    done.wait()
    np.testing.assert_array_equal(host, X[10:])
    assert type(host) is np.ndarray


def test_memory_goes_with_the_last_array(allocator, queue):
    if not isinstance(allocator, SVMPool):
        pytest.skip("only a pool tells")
    for _ in range(50):
        x = cl_array.to_device(queue, X, allocator=allocator)
        y = x + 1
        last = (x * y)[5:]
        del x, y
    np.testing.assert_allclose(last.get(), (X * (X + 1))[5:], rtol=1e-6)
    queue.finish()
    del last
    gc.collect()
    assert allocator.active_blocks == 0
    assert allocator.held_blocks >= 1
