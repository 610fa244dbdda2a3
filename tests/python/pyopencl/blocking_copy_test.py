# SPDX-License-Identifier: MIT
"""Copies that block: whatever is before them, Ctrl-C ends the wait, and the bytes are there."""

import threading

import numpy as np
import pyopencl as cl
import pytest

# The event never happens: without an answer to Ctrl-C the copy would wait for ever.
SCRIPT = """
import os, signal, sys, threading
import numpy as np
import treadle.compat, pyopencl as cl
sys.setswitchinterval(1000)  # the timer gets its turn in the wait, not before it
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
memory = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)
host = np.zeros(16, np.float32)
cl.enqueue_copy(queue, memory, host)  # nothing is before it
cl.enqueue_copy(queue, host, memory)
gate = cl.UserEvent(context)
BEFORE
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    COPY
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted")
gate.set_status(0)
queue.finish()
cl.enqueue_copy(queue, host, memory)
print("done", flush=True)
os._exit(0)
"""
BEHIND = "cl.enqueue_fill_buffer(queue, memory, np.float32(1), 0, 64, wait_for=[gate])"


@pytest.mark.parametrize(
    ("before", "copy"),
    [
        (BEHIND, "cl.enqueue_copy(queue, host, memory)"),
        (BEHIND, "cl.enqueue_copy(queue, memory, host)"),
        ("", "cl.enqueue_copy(queue, host, memory, wait_for=[gate])"),
        ("cl.enqueue_barrier(queue, wait_for=[gate])", "cl.enqueue_copy(queue, host, memory)"),
    ],
)
def test_ctrl_c_ends_a_small_blocking_copy(run_python, context, tmp_path, before, copy):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("BEFORE", before).replace("COPY", copy))
    result = run_python(str(script), timeout=60)
    assert result.stdout.split() == ["interrupted", "done"], result.stdout + result.stderr


@pytest.mark.parametrize("count", [1, 1 << 14, 1 << 18])  # 4 bytes, 64 KiB, 1 MiB
@pytest.mark.parametrize(
    "properties", [0, cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE]
)
def test_a_blocking_copy_has_copied_when_it_returns(context, count, properties):
    if properties & ~context.devices[0].queue_properties:
        pytest.skip("the device has no such queues")
    queue = cl.CommandQueue(context, properties=properties)
    there = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * count)
    for value in range(5):
        sent = np.full(count, value, np.int32)
        event = cl.enqueue_copy(queue, there, sent)
        sent[:] = -1
        back = np.empty(count, np.int32)
        assert cl.enqueue_copy(queue, back, there).get_ward() is back
        assert (back == value).all()
        assert event.command_execution_status == cl.command_execution_status.COMPLETE
        event.wait()
        assert event.get_ward() is None
        filled = cl.enqueue_fill_buffer(queue, there, np.int32(value + 100), 0, 4 * count)
        cl.enqueue_copy(queue, back, there, wait_for=[filled])
        assert (back == value + 100).all()


def test_other_threads_run_while_a_copy_waits(context):
    queue = cl.CommandQueue(context)
    there = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)
    gate = cl.UserEvent(context)
    cl.enqueue_barrier(queue, wait_for=[gate])
    threading.Timer(0.1, gate.set_status, (0,)).start()
    cl.enqueue_copy(queue, np.zeros(16, np.float32), there)  # needs the other thread to end
