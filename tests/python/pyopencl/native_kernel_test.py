# SPDX-License-Identifier: MIT
"""Python functions as commands, and callbacks at the end of memory and contexts."""

import sys
import threading

import numpy as np
import pyopencl as cl
import pytest

_NATIVE = cl.device_exec_capabilities.NATIVE_KERNEL


@pytest.fixture
def memory(context):
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    return cl.Buffer(context, flags, hostbuf=np.arange(4, dtype=np.int32))


@pytest.fixture
def needs_native_kernels(context):
    if not context.devices[0].execution_capabilities & _NATIVE:
        pytest.skip("the device runs no native kernels")


def test_a_function_runs_in_the_queues_order(queue, memory, needs_native_kernels):
    cl.enqueue_fill_buffer(queue, memory, np.int32(5), 0, 8)

    def double(view):
        numbers = np.frombuffer(view, np.int32)
        numbers *= 2

    cl.enqueue_native_kernel(queue, double, [memory])
    result = np.empty(4, np.int32)
    cl.enqueue_copy(queue, result, memory)
    assert result.tolist() == [10, 10, 4, 6]


def test_it_starts_after_its_events_and_needs_no_memory(context, queue, needs_native_kernels):
    start, ran = cl.UserEvent(context), threading.Event()
    event = cl.enqueue_native_kernel(queue, ran.set, wait_for=[start])
    queue.flush()
    assert not ran.is_set()
    start.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    assert ran.is_set()


def test_what_it_raises_is_printed(queue, needs_native_kernels, capfd, monkeypatch):
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)  # not pytest's
    cl.enqueue_native_kernel(queue, lambda: 1 / 0).wait()
    queue.finish()
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_what_is_no_function_is_refused(queue, memory):
    with pytest.raises(TypeError, match="function is 3 .int., wanted: a function"):
        cl.enqueue_native_kernel(queue, 3, [memory])


def test_memory_tells_of_its_end(context, queue):
    freed = threading.Event()
    memory = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)
    memory.on_destruction(freed.set)
    cl.enqueue_fill_buffer(queue, memory, b"\1", 0, 64)
    queue.finish()
    assert not freed.is_set()
    memory.release()
    assert freed.wait(20)


def test_a_context_tells_of_its_end(context):
    device = context.devices[0]
    if device._get_cl_version() < (3, 0):
        pytest.skip("before OpenCL 3.0")
    ended = threading.Event()
    other = cl.Context([device])
    other.on_destruction(ended.set)
    del other
    assert ended.wait(20)


def test_buffers_are_made_with_properties(context):
    if context.devices[0]._get_cl_version() < (3, 0):
        pytest.skip("before OpenCL 3.0")
    flags = cl.mem_flags.READ_WRITE
    assert cl.Buffer(context, flags, 64, properties=[]).size == 64
    with pytest.raises(cl.Error):
        cl.Buffer(context, flags, 64, properties=[0x7FFF, 1])


def test_a_suggested_local_size_divides_the_global_one(context, queue):
    program = cl.Program(
        context, "__kernel void k(__global int *x) { x[get_global_id(0)] = 1; }"
    ).build()
    kernel = program.k
    kernel.set_args(cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096))
    if "cl_khr_suggested_local_work_size" not in context.devices[0].extensions:
        with pytest.raises(cl.LogicError, match="cl_khr_suggested_local_work_size|not offered"):
            kernel.get_suggested_local_size(queue, (1024,))
        return
    (size,) = kernel.get_suggested_local_size(queue, (1024,))
    assert 1024 % size == 0


def test_functions_that_are_installed_take_the_calls(context, queue):
    program = cl.Program(context, "__kernel void k(__global int *x, int n) { x[0] = n; }").build()
    kernel = program.k
    calls = []
    kernel._set_enqueue_and_set_args(
        lambda self, *args, **keywords: calls.append((self, args, keywords)),
        lambda self, *args: calls.append((self, args)),
    )
    kernel(queue, (1,), None, 1, n=2)
    kernel.set_args(3)
    assert calls == [(kernel, (queue, (1,), None, 1), {"n": 2}), (kernel, (3,))]
