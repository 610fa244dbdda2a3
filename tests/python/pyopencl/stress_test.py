# SPDX-License-Identifier: MIT
"""Threads that make, use and drop everything at once, while the garbage collector runs."""

import gc
import threading
import time

import numpy as np
import pyopencl as cl
import pyopencl.tools as tools
import pytest

import treadle

THREADS, ROUNDS, COUNT = 4, 150, 256
TEXT = "__kernel void add(__global float *a) { a[get_global_id(0)] += 1; }"
OUT_OF_ORDER = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
READ_WRITE = cl.mem_flags.READ_WRITE


class Rounds:
    """What one thread does, and what it found wrong."""

    def __init__(self, context, program, pool):
        self.context, self.program, self.pool = context, program, pool
        coarse = cl.device_svm_capabilities.COARSE_GRAIN_BUFFER
        self.has_svm = bool(context.devices[0].svm_capabilities & coarse)
        self.has_images = bool(context.devices[0].image_support)
        self.called = 0
        self.wrong = []

    def run(self):
        try:
            kernel = cl.Kernel(self.program, "add")
            for number in range(ROUNDS):
                self.one_round(kernel, number)
                if number % 25 == 0:
                    gc.collect()
        except BaseException as error:
            self.wrong.append(error)

    def count(self, status, host):
        assert host.size == COUNT  # which the callback keeps
        self.called += 1

    def one_round(self, kernel, number):
        queue = cl.CommandQueue(self.context, properties=OUT_OF_ORDER if number % 2 else 0)
        # Blocks of a pool are given back when their work is done, for another queue may get them;
        # buffers are dropped with work in flight.
        is_waited_for = number % 4 == 0
        memory = self.pool.allocate(4 * COUNT) if is_waited_for else self.buffer()
        host = np.full(COUNT, number, np.float32)
        written = cl.enqueue_copy(queue, memory, host, is_blocking=False)
        del host  # the event keeps it
        added = kernel(queue, (COUNT,), None, memory, wait_for=[written])
        result = np.empty(COUNT, np.float32)
        read = cl.enqueue_copy(queue, result, memory, is_blocking=False, wait_for=[added])
        read.set_callback(
            cl.command_execution_status.COMPLETE, lambda s, host=result: self.count(s, host)
        )
        self.others(queue, number)
        if number % 5 == 0:
            cycle = [read, queue, None if is_waited_for else memory]
            cycle.append(cycle)  # only the collector finds it, with its work in flight
        if is_waited_for:
            read.wait()
            if not (result == number + 1).all():
                self.wrong.append(result)
        # All is dropped here, mostly before it is done.

    def buffer(self):
        return cl.Buffer(self.context, READ_WRITE, 4 * COUNT)

    def others(self, queue, number):
        if number % 7 == 0:
            flags = cl.addressing_mode.CLAMP, cl.filter_mode.NEAREST
            cl.Sampler(self.context, False, *flags)
        if self.has_images and number % 10 == 0:
            pixels = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
            image = cl.create_image(self.context, READ_WRITE, pixels, shape=(8, 8))
            values = np.full((8, 8, 4), number, np.uint8)
            cl.enqueue_copy(queue, image, values, origin=(0, 0), region=(8, 8), is_blocking=False)
        if self.has_svm and number % 10 == 5:
            shared = cl.SVMAllocation(self.context, 4 * COUNT, 0, READ_WRITE, queue=None)
            cl.enqueue_fill(queue, shared, np.float32(number), 4 * COUNT).wait()


def _pool(queue):
    return tools.MemoryPool(tools.ImmediateAllocator(queue))


def _live():
    gc.collect()
    return {k: n for k, n in treadle.live_objects().items() if "opencl" in k or "pool" in k}


def _settled(before):
    """What there is more of than before, when nothing ends any more."""
    for _ in range(100):
        more = {k: n - before.get(k, 0) for k, n in _live().items() if n > before.get(k, 0)}
        if not more:
            break
        time.sleep(0.05)
    return more


@pytest.mark.parametrize("is_shared", [True, False], ids=["one pool", "a pool for each thread"])
def test_threads_leave_nothing_behind(context, queue, build, is_shared):
    program = build(TEXT)
    cl.Kernel(program, "add")(queue, (1,), None, cl.Buffer(context, READ_WRITE, 4)).wait()
    before = _live()
    one = _pool(queue)
    pools = [
        one if is_shared else tools.MemoryPool(tools.ImmediateAllocator(queue))
        for _ in range(THREADS)
    ]
    workers = [Rounds(context, program, pool) for pool in pools]
    threads = [threading.Thread(target=worker.run) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive(), "a deadlock"
    assert [worker.wrong for worker in workers] == [[]] * THREADS
    for _ in range(200):
        if sum(worker.called for worker in workers) == THREADS * ROUNDS:
            break
        time.sleep(0.05)
    assert [worker.called for worker in workers] == [ROUNDS] * THREADS
    for pool in pools:
        pool.stop_holding()
    del one, pools, pool, workers, threads
    assert _settled(before) == {}


def test_shared_memory_is_counted(context, queue):
    capabilities = context.devices[0].svm_capabilities
    if not capabilities & cl.device_svm_capabilities.COARSE_GRAIN_BUFFER:
        pytest.skip("the device has no shared virtual memory")
    count = lambda: treadle.live_objects().get("opencl shared memory", 0)  # noqa: E731
    before = count()
    first, second, third = (cl.SVMAllocation(context, 64, 0, READ_WRITE) for _ in range(3))
    assert count() == before + 3
    first.release()
    second.enqueue_release(queue)
    del third
    assert count() == before
