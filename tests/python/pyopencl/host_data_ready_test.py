# SPDX-License-Identifier: MIT
"""When data are on the host: behind a command that waits for an event of the host's, what blocks by
default has copied when it returns, and what does not gives an event."""

import threading

import numpy as np
import pyopencl as cl
import pyopencl.array as cla
import pytest

COUNT = 64
ORIGIN = (0, 0)


class Gate:
    """Lets nothing on the queue run until the host or a timer opens it; then all bytes are 7."""

    def __init__(self, queue, memory, seconds):
        self._event = cl.UserEvent(queue.context)
        self._timer = threading.Timer(seconds, self.open)
        self._lock = threading.Lock()
        self.is_open = False
        cl.enqueue_barrier(queue, wait_for=[self._event])
        if isinstance(memory, cl.Image):
            color = np.full(4, 7, np.uint32)
            cl.enqueue_fill_image(queue, memory, color, ORIGIN, (COUNT, 1))
        elif isinstance(memory, cl.SVM):
            cl.enqueue_svm_memfill(queue, memory, np.uint8(7), COUNT)
        else:
            cl.enqueue_fill_buffer(queue, memory, np.uint8(7), 0, COUNT)
        queue.flush()
        self._timer.start()

    def open(self):
        with self._lock:
            if not self.is_open:
                self.is_open = True
                self._event.set_status(cl.command_execution_status.COMPLETE)

    def end(self):
        self.open()
        self._timer.cancel()
        self._timer.join()


def zeros():
    return np.zeros(COUNT, np.uint8)


def copied(queue, memory, **options):
    host = zeros()
    cl.enqueue_copy(queue, host, memory, **options)
    return host


RECT = {"buffer_origin": ORIGIN, "host_origin": ORIGIN, "region": (COUNT, 1)}
READS = {
    "enqueue_copy": copied,
    "enqueue_copy of a rectangle": lambda q, m: copied(q, m, **RECT),
    "enqueue_map_buffer": lambda q, m: cl.enqueue_map_buffer(
        q, m, cl.map_flags.READ, 0, COUNT, np.uint8
    )[0],
    "get": lambda q, m: cla.Array(q, COUNT, np.uint8, data=m).get(),
    "get of half": lambda q, m: np.repeat(
        cla.Array(q, COUNT, np.uint8, data=m)[: COUNT // 2].get(), 2
    ),
    "get into ary": lambda q, m: cla.Array(q, COUNT, np.uint8, data=m).get(ary=zeros()),
    "map_to_host": lambda q, m: cla.Array(q, COUNT, np.uint8, data=m).map_to_host(),
    "item": lambda q, m: np.full(COUNT, cla.Array(q, COUNT, np.uint8, data=m)[3].get()),
}


@pytest.fixture
def memory(context):
    return cl.Buffer(context, cl.mem_flags.READ_WRITE, COUNT)


def read_behind_a_gate(queue, memory, read, seconds=0.02):
    gate = Gate(queue, memory, seconds)
    try:
        values = read(queue, memory)
        return np.array(values[0] if isinstance(values, tuple) else values)
    finally:
        gate.end()
        queue.finish()


@pytest.mark.parametrize("name", READS)
def test_reads_have_read_when_they_return(queue, memory, name):
    values = read_behind_a_gate(queue, memory, READS[name])
    assert np.array_equal(values, np.full(COUNT, 7, np.uint8))


def test_reads_of_images_have_read_when_they_return(context, queue):
    if not context.devices[0].image_support:
        pytest.skip("needs images")
    pixels = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8)
    image = cl.create_image(context, cl.mem_flags.READ_WRITE, pixels, shape=(COUNT, 1))

    def copy(q, m):
        host = np.zeros((1, COUNT, 4), np.uint8)
        cl.enqueue_copy(q, host, m, origin=ORIGIN, region=(COUNT, 1))
        return host

    def map_(q, m):
        shape = (1, COUNT, 4)
        return cl.enqueue_map_image(q, m, cl.map_flags.READ, ORIGIN, (COUNT, 1), shape, np.uint8)[0]

    for read in (copy, map_):
        assert np.all(read_behind_a_gate(queue, image, read) == 7)


def test_reads_of_shared_memory_have_read_when_they_return(context, queue):
    if not context.devices[0].svm_capabilities:
        pytest.skip("needs shared virtual memory")
    svm = cl.SVM(cl.csvm_empty(context, COUNT, np.uint8))

    def map_(q, m):
        with m.map_ro(q) as values:
            return values.copy()

    for read in (copied, map_):
        assert np.all(read_behind_a_gate(queue, svm, read) == 7)


LATE_READS = {
    "enqueue_copy": lambda q, m, h: cl.enqueue_copy(q, h, m, is_blocking=False),
    "get_async": lambda q, m, h: cla.Array(q, COUNT, np.uint8, data=m).get_async(ary=h)[1],
}


@pytest.mark.parametrize("name", LATE_READS)
def test_reads_that_do_not_block_give_the_event_of_their_data(queue, memory, name):
    gate, host = Gate(queue, memory, 20), zeros()
    try:
        event = LATE_READS[name](queue, memory, host)
        has_waited = gate.is_open
    finally:
        gate.end()
    event.wait()
    assert not has_waited
    assert np.array_equal(host, np.full(COUNT, 7, np.uint8))


WRITES = {
    "enqueue_copy": lambda q, m, h: cl.enqueue_copy(q, m, h),
    "enqueue_copy of a rectangle": lambda q, m, h: cl.enqueue_copy(q, m, h, **RECT),
    "set": lambda q, m, h: cla.Array(q, COUNT, np.uint8, data=m).set(h),
    "setitem": lambda q, m, h: cla.Array(q, COUNT, np.uint8, data=m).__setitem__(..., h),
    "to_device": lambda q, m, h: cla.to_device(q, h),
}


@pytest.mark.parametrize("name", WRITES)
def test_the_host_may_change_what_it_wrote_when_a_write_returns(queue, memory, name):
    gate, host = Gate(queue, memory, 0.02), np.full(COUNT, 3, np.uint8)
    try:
        made = WRITES[name](queue, memory, host)
        host[:] = 99
    finally:
        gate.end()
    values = made.get() if isinstance(made, cla.Array) else copied(queue, memory)
    assert np.array_equal(values, np.full(COUNT, 3, np.uint8))
