# SPDX-License-Identifier: MIT
"""`await event`."""

import asyncio
import threading

import numpy as np
import pyopencl as cl
import pytest


def test_other_tasks_run_until_the_command_is_done(context, queue):
    start = cl.UserEvent(context)
    order = []

    async def wait():
        await cl.enqueue_marker(queue, wait_for=[start])
        order.append("done")

    async def main():
        waiting = asyncio.create_task(wait())
        for _ in range(3):
            await asyncio.sleep(0)
            order.append("other")
        start.set_status(cl.command_execution_status.COMPLETE)
        await asyncio.wait_for(waiting, 20)

    asyncio.run(main())
    assert order == ["other", "other", "other", "done"]


def test_transfers_and_commands_that_are_done_are_awaited(context, queue):
    memory = cl.Buffer(context, cl.mem_flags.READ_WRITE, 400)
    read = np.zeros(100, np.float32)

    async def main():
        await cl.enqueue_copy(queue, memory, np.arange(100, dtype=np.float32), is_blocking=False)
        event = cl.enqueue_copy(queue, read, memory, is_blocking=False)
        await asyncio.gather(event, cl.enqueue_marker(queue))
        await event

    asyncio.run(main())
    assert read.tolist() == list(range(100))


def test_what_failed_is_raised(context):
    event = cl.UserEvent(context)
    threading.Timer(0.05, event.set_status, [-5]).start()

    async def main():
        await event

    with pytest.raises(cl.Error):
        asyncio.run(main())


def test_a_wait_that_is_cancelled_leaves_the_command_alone(context, queue):
    start = cl.UserEvent(context)
    event = cl.enqueue_marker(queue, wait_for=[start])

    async def main():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(_wait(event), 0.02)

    async def _wait(event):
        await event

    asyncio.run(main())
    start.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    assert event.command_execution_status == cl.command_execution_status.COMPLETE
