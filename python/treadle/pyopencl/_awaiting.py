# SPDX-License-Identifier: MIT
"""`await event`: tasks of asyncio that wait for commands."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Any

from treadle.pyopencl._constants import command_execution_status

_LOOK_SECONDS = 0.05


def _set_done(future: asyncio.Future[None]) -> None:
    if not future.done():  # the task may have been cancelled
        future.set_result(None)


async def _until_done(event: Any) -> None:
    loop = asyncio.get_running_loop()
    future = loop.create_future()

    def notify(_: int) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(_set_done, future)

    event._hand_over()
    event.set_callback(command_execution_status.COMPLETE, notify)
    # PoCL makes no callback for a failed user event, so check the event's status, too.
    while not (await asyncio.wait([future], timeout=_LOOK_SECONDS))[0]:
        if event.command_execution_status <= command_execution_status.COMPLETE:
            break
    event.wait()  # raises if the command failed


def awaited(event: Any) -> Generator[Any, None, None]:
    """What `await event` iterates over."""
    return _until_done(event).__await__()
