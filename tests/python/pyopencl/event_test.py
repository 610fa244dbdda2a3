# SPDX-License-Identifier: MIT
"""Events: waiting, time stamps, callbacks, and those that a program ends itself."""

import gc
import io
import sys
import threading

import numpy as np
import pyopencl as cl
import pytest

COMPLETE = cl.command_execution_status.COMPLETE


def test_information(queue, context):
    event = cl.enqueue_marker(queue)
    event.wait()
    assert event.command_execution_status == COMPLETE
    assert event.command_type == cl.command_type.MARKER
    assert event.command_queue == queue
    assert event.context == context
    assert event.reference_count >= 1
    assert event.get_info(cl.event_info.COMMAND_TYPE) == cl.command_type.MARKER


def test_time_stamps(context, build, upload):
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    x = upload(np.zeros(1 << 12, np.float32))
    kernel = build("__kernel void f(__global float *x) { x[get_global_id(0)] += 1; }").f
    event = kernel(queue, (1 << 12,), None, x)
    event.wait()
    profile = event.profile
    assert 0 < profile.queued <= profile.submit <= profile.start <= profile.end
    assert profile.end == event.get_profiling_info(cl.profiling_info.END)
    with pytest.warns(DeprecationWarning, match="end"):
        assert profile.END == profile.end
    with pytest.raises(AttributeError, match="nonsense"):
        profile.nonsense  # noqa: B018


def test_no_time_stamps_without_profiling(queue):
    event = cl.enqueue_marker(queue)
    event.wait()
    with pytest.raises(cl.RuntimeError, match="PROFILING_INFO_NOT_AVAILABLE"):
        event.profile.start  # noqa: B018


def test_user_event_lets_waiting_threads_go(context, queue):
    gate = cl.UserEvent(context)
    assert gate.command_type == cl.command_type.USER
    assert gate.command_queue is None
    behind = cl.enqueue_marker(queue, [gate])
    arrived = []
    threads = [
        threading.Thread(target=lambda: (gate.wait(), arrived.append("event"))),
        threading.Thread(
            target=lambda: (cl.wait_for_events([behind, gate]), arrived.append("list"))
        ),
        threading.Thread(target=lambda: (queue.finish(), arrived.append("queue"))),
    ]
    for thread in threads:
        thread.start()
    assert behind.command_execution_status != COMPLETE
    assert arrived == []
    gate.set_status(COMPLETE)
    for thread in threads:
        thread.join(60)
    assert sorted(arrived) == ["event", "list", "queue"]


def test_user_event_that_fails_fails_what_waits_for_it(context, queue):
    gate = cl.UserEvent(context)
    behind = cl.enqueue_marker(queue, [gate])
    gate.set_status(-5)
    with pytest.raises(cl.Error):
        behind.wait()
    with pytest.raises(cl.Error):
        gate.set_status(COMPLETE)  # once


def test_callback(context, queue, capfd):
    gate = cl.UserEvent(context)
    called = threading.Event()
    seen = []

    def note(status):
        seen.append((status, threading.current_thread() is threading.main_thread()))
        called.set()

    event = cl.enqueue_marker(queue, [gate])
    event.set_callback(COMPLETE, note)
    assert seen == []
    gate.set_status(COMPLETE)
    assert called.wait(60)
    assert seen == [(COMPLETE, False)]


def test_callback_of_an_event_that_is_done(queue):
    event = cl.enqueue_marker(queue)
    event.wait()
    called = threading.Event()
    event.set_callback(COMPLETE, lambda status: called.set())
    assert called.wait(60)


class Printed(io.StringIO):
    """An stderr that another thread prints to."""

    def __init__(self, awaited):
        super().__init__()
        self.awaited, self.came = awaited, threading.Event()

    def write(self, text):
        count = super().write(text)
        if self.awaited in self.getvalue():
            self.came.set()
        return count


def test_callback_that_raises_is_printed(queue, monkeypatch):
    printed = Printed("ValueError: from the callback")
    monkeypatch.setattr(sys, "stderr", printed)
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)  # not pytest's
    event = cl.enqueue_marker(queue)

    def fail(status):
        raise ValueError("from the callback")

    event.set_callback(COMPLETE, fail)
    event.wait()
    assert printed.came.wait(60), printed.getvalue()


def test_nanny_event_keeps_the_host_memory(context, queue):
    host = np.arange(1000, dtype=np.float32)
    buffer = cl.Buffer(context, 1, host.nbytes)
    gate = cl.UserEvent(context)
    event = cl.enqueue_copy(queue, buffer, host, is_blocking=False, wait_for=[gate])
    assert type(event) is cl.NannyEvent
    assert event.get_ward() is host
    gate.set_status(COMPLETE)
    event.wait()
    assert event.get_ward() is None


def test_nanny_event_keeps_a_growing_array_in_place(context, queue):
    host = bytearray(64)
    gate = cl.UserEvent(context)
    event = cl.enqueue_copy(
        queue, host, cl.Buffer(context, 1, 64), is_blocking=False, wait_for=[gate]
    )
    with pytest.raises(BufferError):
        host.extend(b"more")
    gate.set_status(COMPLETE)
    event.wait()
    host.extend(b"more")


def test_dropping_a_nanny_event_waits_and_lets_others_run(context, queue):
    gate = cl.UserEvent(context)
    host = np.zeros(16, np.float32)
    opener = threading.Timer(0.2, gate.set_status, [COMPLETE])
    source = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.ones(16, np.float32))
    event = cl.enqueue_copy(queue, host, source, is_blocking=False, wait_for=[gate])
    opener.start()
    del event  # waits, although only the other thread can end it
    assert (host == 1).all()
    opener.join()


def test_threads_that_drop_nanny_events_do_not_block_each_other(context):
    def work():
        queue = cl.CommandQueue(context)
        buffer = cl.Buffer(context, 1, 1 << 16)
        for _ in range(50):
            host = np.zeros(1 << 14, np.float32)
            cl.enqueue_copy(queue, host, buffer, is_blocking=False)
            gc.collect(0)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)


@pytest.mark.parametrize("make", [cl.enqueue_marker, cl.enqueue_barrier])
@pytest.mark.parametrize("kind", [list, tuple, iter, lambda events: None])
def test_wait_lists_are_any_iterable(make, kind, queue):
    events = [cl.enqueue_marker(queue), cl.enqueue_marker(queue)]
    make(queue, wait_for=kind(events)).wait()


def test_older_forms(queue):
    native = cl._cl
    native._enqueue_marker(queue).wait()
    assert native._enqueue_barrier(queue) is None
    native._enqueue_wait_for_events(queue, [native._enqueue_marker_with_wait_list(queue)])
    native._enqueue_barrier_with_wait_list(queue).wait()
