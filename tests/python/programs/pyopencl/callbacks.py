# SPDX-License-Identifier: MIT
"""User events that hold a queue back, threads that wait, and callbacks."""

import threading

import numpy as np
import pyopencl as cl

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
status = cl.command_execution_status

done = threading.Event()
seen = []


def finished(state):
    seen.append(state)
    done.set()


buf = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 4096)
gate = cl.UserEvent(ctx)
fill = cl.enqueue_fill_buffer(queue, buf, b"\x01", 0, 4096, wait_for=[gate])
fill.set_callback(status.COMPLETE, finished)
queue.flush()
assert fill.command_execution_status != status.COMPLETE and not done.is_set()

waiting = [
    threading.Thread(target=gate.wait),
    threading.Thread(target=cl.wait_for_events, args=([fill],)),
]
for thread in waiting:
    thread.start()
gate.set_status(status.COMPLETE)
for thread in waiting:
    thread.join(60)
    assert not thread.is_alive()
assert done.wait(60)
assert seen == [status.COMPLETE]
result = np.zeros(4096, np.uint8)
event = cl.enqueue_copy(queue, result, buf, is_blocking=False)
assert isinstance(event, cl.NannyEvent) and event.get_ward() is result
event.wait()
assert event.get_ward() is None
assert (result == 1).all()
print("callback got", status.to_string(seen[0]))
