# SPDX-License-Identifier: MIT
"""pyopencl.array: queues, events, kernels that take arrays, and transfers."""

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

OUT_OF_ORDER = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE


@pytest.fixture
def put(queue):
    """put(values) is an array with these values."""
    return lambda values, **kwargs: cl_array.to_device(queue, np.asarray(values), **kwargs)


def values(dtype, count=20):
    return (np.arange(count) % 7 + 1).astype(dtype)


# --- queues and events ----------------------------------------------------------------------------


def test_each_result_has_one_event(put):
    a, b = put(values(np.float32)), put(values(np.float32))
    assert cl_array.empty_like(a).events == []
    for made in (a + b, a - 1, 2 * a, a / b, a**2, 2**a, a < b, -a, abs(a)):
        assert len(made.events) == 1
        made.events[0].wait()


def test_numpys_methods_and_functions_work_on_the_queue(context, put):
    a = put(values(np.float32))
    gate = cl.UserEvent(context)
    a.add_event(gate)
    results = a.mean(), a.max(), np.concatenate([a, a]), np.sum(a)
    for made in results:
        assert type(made) is cl_array.Array
        (event,) = made.events
        assert event.command_queue == a.queue
        assert event.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    assert results[1].get() == 7
    for refused in (a.with_queue(None).mean, lambda: np.sum(a.with_queue(None))):
        with pytest.raises(ValueError, match="with_queue"):
            refused()


def test_fills_are_counted_and_forgotten(queue):
    a = cl_array.empty(queue, 64, np.float32)
    for i in range(10):
        a.fill(i)
    assert len(a.events) == 10
    for i in range(1000):
        a.fill(i)
    assert len(a.events) < 100
    a.finish()
    assert a.events == []
    np.testing.assert_array_equal(a.get(), np.full(64, 999))


def test_views_share_the_events(put):
    a = put(values(np.float32))
    for view in (a[2:], a.reshape(4, 5), a.reshape(4, 5).T, a.with_queue(None), a.view(np.int32)):
        assert view.events is a.events
    a[3:5] = 0
    assert a[2:].events is a.events


def test_added_events_are_waited_for(context, queue):
    a = cl_array.to_device(queue, np.arange(4, dtype=np.float32))
    gate = cl.UserEvent(context)
    a.add_event(gate)
    assert gate in a.events
    b = a + 1
    host, done = b.get_async()
    assert done.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    done.wait()
    np.testing.assert_array_equal(host, [1, 2, 3, 4])


def insert_first(events, event):
    events.insert(0, event)
    events[1:] = []


def replace_the_last(events, event):
    events[-1] = event


def replace_all(events, event):
    events.clear()
    events.append(event)


@pytest.mark.parametrize("put_in", [replace_all, replace_the_last, insert_first])
def test_events_that_the_program_puts_in_are_waited_for(context, queue, put_in):
    """The stream has waited for as many events as the list has afterwards."""
    text = "kernel void sevens(global float *x) { x[get_global_id(0)] = 7; }"
    sevens = cl.Program(context, text).build().sevens
    other = cl.CommandQueue(context)
    a = cl_array.to_device(queue, np.zeros(4, np.float32))
    assert len(a.events) == 1
    (a + 1).get()
    gate = cl.UserEvent(context)
    put_in(a.events, sevens(other, (4,), None, a.base_data, wait_for=[gate]))
    host, done = (a + 1).get_async()
    assert done.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    done.wait()
    np.testing.assert_array_equal(host, np.full(4, 8))


CHANGES = {
    "del": lambda events: events.__delitem__(0),
    "pop": lambda events: events.pop(),
    "remove": lambda events: events.remove(events[0]),
    "reverse": lambda events: events.reverse(),
    "sort": lambda events: events.sort(key=id),
    "times": lambda events: events.__imul__(2),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_events_that_the_program_moves_are_waited_for_again(context, queue, change):
    a = cl_array.to_device(queue, np.zeros(4, np.float32))
    a.add_event(cl.enqueue_marker(queue))
    (a + 1).get()
    assert not a._has_new_events()
    change(a.events)
    assert a._has_new_events()
    np.testing.assert_array_equal((a + 1).get(), np.ones(4))
    assert not a._has_new_events()


def test_runners_give_the_event(context, queue):
    other = cl.CommandQueue(context)
    x, out = (cl_array.to_device(queue, np.arange(4, dtype=np.float32)) for _ in range(2))
    nothing = cl_array.empty(queue, 0, np.float32)
    cls = cl_array.Array
    for run, expected in (
        (lambda **kw: cls._axpbyz(out, 2, x, 3, x, **kw), 5 * np.arange(4)),
        (lambda **kw: cls._axpbz(out, 2, x, 1, **kw), 2 * np.arange(4) + 1),
        (lambda **kw: cls._copy(out, x, **kw), np.arange(4)),
        (lambda **kw: cls._fill(out, 3, **kw), np.full(4, 3)),
    ):
        gate = cl.UserEvent(context)
        event = run(queue=other, wait_for=[gate])
        assert event is out.events[-1]
        assert event.command_queue == other
        assert event.command_execution_status != cl.command_execution_status.COMPLETE
        gate.set_status(cl.command_execution_status.COMPLETE)
        event.wait()
        np.testing.assert_array_equal(out.get(), expected)
    cls._fill(nothing, 3).wait()


def test_arrays_on_a_queue_without_order(context):
    queue = cl.CommandQueue(context, properties=OUT_OF_ORDER)
    a = cl_array.to_device(queue, np.arange(1000, dtype=np.float64))
    knl = cl.Kernel(
        cl.Program(context, "__kernel void twice(__global double *x) { x[get_global_id(0)] *= 2; }")
        .build(),
        "twice",
    )  # fmt: skip
    for _ in range(20):
        b = (a + 1) * 2
        b.add_event(knl(queue, b.shape, None, b.data, wait_for=b.events))
        b -= a
        np.testing.assert_array_equal(b.get(), (np.arange(1000) + 1) * 4 - np.arange(1000))


def test_a_queue_without_order_has_work_that_waits(context):
    queue = cl.CommandQueue(context, properties=OUT_OF_ORDER)
    a = cl_array.to_device(queue, np.arange(1000, dtype=np.float64))
    b = a * 2  # waits, while others are used
    other = cl_array.to_device(queue, np.ones(1000))
    other.set(np.full(1000, 3.0))
    np.testing.assert_array_equal(other.get(), np.full(1000, 3.0))
    np.testing.assert_array_equal(b.get(), 2.0 * np.arange(1000))


def test_two_queues(context, queue):
    other = cl.CommandQueue(context)
    a = cl_array.to_device(queue, np.arange(10, dtype=np.int64))
    b = a.with_queue(other)
    assert b.queue is other
    assert b.base_data == a.base_data
    c = b + 1
    assert c.queue is other
    c += a
    np.testing.assert_array_equal(c.get(), 2 * np.arange(10) + 1)


RESULTS = {
    "sum": lambda a, queue: cl_array.sum(a, queue=queue),
    "dot": lambda a, queue: cl_array.dot(a, a, queue=queue),
    "vdot": lambda a, queue: cl_array.vdot(a, a, queue=queue),
    "max": lambda a, queue: cl_array.max(a, queue=queue),
    "max of none": lambda a, queue: cl_array.max(a[:0], queue=queue, initial=3),
    "any": lambda a, queue: cl_array.any(a, queue=queue),
    "cumsum": lambda a, queue: cl_array.cumsum(a, queue=queue),
    "mul_add": lambda a, queue: a.mul_add(2, a, 3, queue=queue),
}


@pytest.mark.parametrize("function", RESULTS.values(), ids=RESULTS)
def test_a_result_is_on_the_queue_that_computes_it(context, queue, function):
    other = cl.CommandQueue(context)
    a = cl_array.to_device(queue, np.arange(4, dtype=np.int32))
    made = function(a, other)
    assert made.queue is other
    assert made.events[-1].command_queue == other
    np.testing.assert_array_equal(made.get(), function(a, None).get())
    np.testing.assert_array_equal((made + 1).get(), made.get() + 1)
    assert a.queue is queue


def test_an_array_is_put_on_another_queue(context, queue):
    other = cl.CommandQueue(context)
    a = cl_array.to_device(queue, np.arange(10, dtype=np.int64))
    a.queue = other
    for made in (a + 1, -a, a < 5, cl_array.sum(a)):
        assert made.queue is other
        assert made.events[0].command_queue == other
    np.testing.assert_array_equal((a + 1).get(), np.arange(10) + 1)
    a.queue = None
    with pytest.raises(ValueError, match="with_queue"):
        a + 1


def test_arrays_without_a_queue(context, queue):
    a = cl_array.to_device(queue, np.arange(5, dtype=np.float32))
    b = a.with_queue(None)
    assert b.queue is None
    for refused in (lambda: b + 1, lambda: b < b, lambda: -b, b.get, lambda: b.fill(3)):
        with pytest.raises(ValueError, match="with_queue"):
            refused()
    assert "with_queue" in str(b)
    assert "with_queue" in repr(b)
    np.testing.assert_array_equal(b.get(queue), np.arange(5))
    np.testing.assert_array_equal(b[1:3].with_queue(queue).get(), [1, 2])
    on_context = cl_array.Array(context, 5, np.float32)
    assert on_context.queue is None
    assert on_context.context == context
    np.testing.assert_array_equal(on_context.with_queue(queue).fill(3).get(), np.full(5, 3))
    with pytest.raises(AssertionError):
        a.with_queue(cl.CommandQueue(cl.Context([context.devices[0]])))


def test_kernels_take_arrays(context, queue):
    text = """__kernel void add(__global float *x, __global const float *y) {
      int i = get_global_id(0); x[i] += y[i]; }"""
    add = cl.Program(context, text).build().add
    x, y = (cl_array.to_device(queue, np.arange(8, dtype=np.float32)) for _ in range(2))
    z = x * 2  # pending: it must not see what the kernel does
    add(queue, x.shape, None, x.data, (y + 1).data)
    np.testing.assert_array_equal(z.get(), 2 * np.arange(8))
    np.testing.assert_array_equal(x.get(), 2 * np.arange(8) + 1)


def test_elementwise_kernels_take_arrays(context, queue):
    from pyopencl.elementwise import ElementwiseKernel

    x = cl_array.to_device(queue, np.arange(8, dtype=np.float32))
    y = x + 1
    z = x * 2
    axpy = ElementwiseKernel(context, "float a, float *x, float *y", "y[i] += a * x[i]")
    y.add_event(axpy(2, x[2:], y[2:]))
    expected = np.arange(8) + 1.0
    expected[2:] += 2 * np.arange(2, 8)
    np.testing.assert_array_equal(y.get(), expected)
    np.testing.assert_array_equal(z.get(), 2 * np.arange(8))


# --- transfer -------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["C", "F"])
def test_order_is_kept_on_the_way(queue, order):
    host = np.asarray(np.arange(12, dtype=np.float32).reshape(3, 4), order=order)
    a = cl_array.to_device(queue, host)
    assert a.strides == host.strides
    back = a.get()
    assert back.strides == host.strides
    np.testing.assert_array_equal(back, host)
    again, done = a.get_async()
    done.wait()
    np.testing.assert_array_equal(again, host)
    assert again.strides == host.strides


def test_get_into_an_array(put):
    a = put(values(np.float32))
    host = np.zeros(20, np.float32)
    assert a.get(ary=host) is host
    np.testing.assert_array_equal(host, values(np.float32))
    with pytest.raises(TypeError, match="elements"):
        a.get(ary=np.zeros(19, np.float32))
    with pytest.raises(TypeError, match="float64"):
        a.get(ary=np.zeros(20))
    with pytest.warns(DeprecationWarning):
        a.get(ary=np.zeros((4, 5), np.float32))


def test_what_has_gaps_is_not_got_or_copied(put):
    a = put(np.arange(12).reshape(3, 4))[:, ::2]
    with pytest.raises(AssertionError):
        a.get()
    with pytest.raises(RuntimeError):
        a.copy()
    np.testing.assert_array_equal((a + 0).get(), np.arange(12).reshape(3, 4)[:, ::2])


def test_set(put):
    a = put(np.zeros((3, 4), np.float32))
    host = np.arange(12, dtype=np.float32).reshape(3, 4)
    a.set(host)
    np.testing.assert_array_equal(a.get(), host)
    a.set(host + 1, async_=True)
    np.testing.assert_array_equal(a.get(), host + 1)
    pending = a * 2
    a.set(host)
    np.testing.assert_array_equal(pending.get(), 2 * host + 2)
    with pytest.raises(AssertionError, match="elements"):
        a.set(host[:2])
    with pytest.raises(AssertionError, match="float64"):
        a.set(host.astype(np.float64))
    with pytest.raises(RuntimeError):
        a.set(np.asfortranarray(host))
    with pytest.raises(RuntimeError):
        a.set(np.zeros((3, 8), np.float32)[:, ::2])


def test_copy_and_its_queue(context, queue):
    a = cl_array.to_device(queue, np.arange(10, dtype=np.int32))
    other = cl.CommandQueue(context)
    assert a.copy().queue is queue
    assert a.copy(queue=other).queue is other
    assert a.copy(queue=None).queue is None
    b = a[3:7].copy()
    assert b.offset == 0
    a.fill(0)
    np.testing.assert_array_equal(b.get(), [3, 4, 5, 6])


def test_map_to_host(queue):
    a = cl_array.to_device(queue, np.arange(10, dtype=np.int32))
    mapped = (a + 1)[2:].map_to_host()
    np.testing.assert_array_equal(mapped, np.arange(3, 11))
    mapped.base.release(queue)
    mapped = a.map_to_host()
    mapped[:] = 7
    mapped.base.release(queue)
    np.testing.assert_array_equal(a.get(), np.full(10, 7))
    host, done = a.map_to_host(is_blocking=False)
    done.wait()
    np.testing.assert_array_equal(host, np.full(10, 7))
    host.base.release(queue)


def test_fill_astype_reverse(put):
    a = put(np.arange(6, dtype=np.float32).reshape(2, 3))
    np.testing.assert_array_equal(a.reverse().get(), a.get().ravel()[::-1].reshape(2, 3))
    assert a.astype(np.float32) is not a
    np.testing.assert_array_equal((a + 0.7).astype(np.int8).get(), a.get().astype(np.int8))
    assert a.fill(2) is a
    np.testing.assert_array_equal(a.get(), np.full((2, 3), 2))


# --- memory of allocators -------------------------------------------------------------------------


@pytest.fixture
def pool(queue):
    return cl.tools.MemoryPool(cl.tools.ImmediateAllocator(queue))


@pytest.mark.parametrize("bound", [False, True], ids=["the pool", "its method"])
def test_results_in_a_pool_wait_like_others(queue, pool, bound):
    allocator = pool.allocate if bound else pool
    x, y = (cl_array.to_device(queue, values(np.float32), allocator=allocator) for _ in range(2))
    assert pool.active_blocks == 2
    z = 5 * x + 6 * y
    assert z.is_pending
    assert z.allocator == allocator
    assert pool.active_blocks == 2  # what is recorded has no memory
    assert isinstance(z.base_data, cl.tools.PooledBuffer)
    assert z.base_data is z.data
    assert pool.active_blocks == 3  # 5 * x and 6 * y had none
    np.testing.assert_array_equal(z.get(), 11 * values(np.float32))
    del z
    assert pool.active_blocks == 2
    for made in (cl_array.sum(x), x < y, x[2:] + 1, cl_array.concatenate([x, y]), x.copy(), -x):
        held = pool.active_blocks
        assert isinstance(made.base_data, cl.tools.PooledBuffer), made
        assert made.allocator == allocator
        assert pool.active_blocks <= held + 1
    assert x[2:].base_data is x.base_data


def test_memory_of_a_pool_that_a_kernel_gets_is_read_before(context, queue, pool):
    x = cl_array.to_device(queue, values(np.float32), allocator=pool)
    z = x * 2
    text = "__kernel void clear(__global float *x) { x[get_global_id(0)] = 0; }"
    cl.Program(context, text).build().clear(queue, x.shape, None, x.data)
    np.testing.assert_array_equal(z.get(), 2 * values(np.float32))
    assert not (x + 1).is_pending  # others have its memory
    np.testing.assert_array_equal((x + 1).get(), np.ones(20))


def test_an_allocator_is_called_once_for_each_result(context, queue):
    sizes = []

    def allocator(size):
        sizes.append(size)
        return cl.Buffer(context, cl.mem_flags.READ_WRITE, size)

    x = cl_array.to_device(queue, values(np.float32), allocator=allocator)
    assert sizes == [80]
    z = x + 1
    assert sizes == [80, 80]
    assert z.allocator is allocator
    assert x[3:].allocator is allocator
    np.testing.assert_array_equal((2 * z[10:]).get(), 2 * values(np.float32)[10:] + 2)
    assert sizes == [80, 80, 40]
    z.allocator = None
    assert (z * 2).allocator is None
    assert len(sizes) == 3


def test_an_allocator_that_has_no_memory_left(queue, pool):
    class Broken(cl.tools.MemoryPool):
        def __call__(self, size):
            raise cl.MemoryError("none left")

    x = cl_array.to_device(queue, values(np.float32), allocator=pool)
    x.allocator = Broken(cl.tools.ImmediateAllocator(queue))
    with pytest.raises(cl.MemoryError, match="none left"):
        x + 1


def test_work_on_another_queue_is_what_events_tell_of(context, queue):
    other = cl.CommandQueue(context)
    a = cl_array.to_device(queue, np.zeros(10, np.float32))
    a.finish()
    gate = cl.UserEvent(context)
    a.fill(3, queue=other, wait_for=[gate])
    (event,) = a.events
    queue.finish()  # where nothing is left
    assert event.command_execution_status != cl.command_execution_status.COMPLETE
    assert event.command_queue == other
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    np.testing.assert_array_equal(a.get(), np.full(10, 3))


# --- what is refused as PyOpenCL does -------------------------------------------------------------


def test_what_gaps_are_refused_for_works_without_them(put):
    x = put(values(np.float32))
    gaps = x[::2]
    expected = values(np.float32)[::2]
    with pytest.raises(AssertionError, match="1 [*] x"):
        gaps.get()
    with pytest.raises(RuntimeError, match="1 [*] x"):
        gaps.copy()
    with pytest.raises(NotImplementedError, match="1 [*] x"):
        gaps.reverse()
    dense = 1 * gaps
    np.testing.assert_array_equal(dense.get(), expected)
    np.testing.assert_array_equal(dense.copy().get(), expected)
    np.testing.assert_array_equal(dense.reverse().get(), expected[::-1])


def test_what_other_strides_are_refused_for_goes_by_the_host(put):
    x, y = put(values(np.float32).reshape(4, 5)), put(np.ones((4, 5), np.float32, order="F"))
    with pytest.raises(NotImplementedError, match="y.get"):
        x[...] = y
    x[...] = y.get()
    np.testing.assert_array_equal(x.get(), np.ones((4, 5)))
    with pytest.raises(RuntimeError, match="= values"):
        x.set(2 * y.get())
    x[...] = 2 * y.get()
    np.testing.assert_array_equal(x.get(), np.full((4, 5), 2))


def test_shapes_that_are_none(queue, put):
    with pytest.raises(ValueError, match="one length may be left open by -1"):
        put(values(np.float32)).reshape(-1, -1)
    with pytest.raises(TypeError, match="the shape 2.5 .* is neither an integer nor a sequence"):
        cl_array.empty(queue, 2.5, np.float32)


def test_get_takes_the_async_of_older_programs(queue):
    a = cl_array.to_device(queue, np.arange(5, dtype=np.float32))
    with pytest.warns(DeprecationWarning, match="get_async"):
        assert a.get(async_=False).tolist() == [0, 1, 2, 3, 4]
    with pytest.warns(DeprecationWarning, match="get_async"):
        later = a.get(queue, np.empty(5, np.float32), async_=True)
    a.finish()
    assert later.tolist() == [0, 1, 2, 3, 4]
