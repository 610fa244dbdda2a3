# SPDX-License-Identifier: MIT
"""How long transfers and kernels take on a queue."""

from __future__ import annotations

import abc
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from treadle.pyopencl import _cl
from treadle.pyopencl._constants import command_queue_properties, mem_flags
from treadle.pyopencl._copy import enqueue_copy
from treadle.pyopencl._program import Program


class Timer(abc.ABC):
    """Measures what is between start() and stop()."""

    last_event: Any = None

    def __init__(self, queue: Any) -> None:
        self.queue = queue

    @abc.abstractmethod
    def start(self) -> None:
        """Begins."""

    @abc.abstractmethod
    def stop(self) -> None:
        """Ends."""

    def add_event(self, evt: Any) -> None:
        """Tells of a command that is measured."""
        self.last_event = evt

    @abc.abstractmethod
    def get_elapsed(self) -> float:
        """Seconds."""


class WallTimer(Timer):
    """By the host's clock, the queue empty at both ends."""

    def start(self) -> None:
        self.queue.finish()
        self._began = time.perf_counter()

    def stop(self) -> None:
        self.queue.finish()
        self._ended = time.perf_counter()

    def get_elapsed(self) -> float:
        return self._ended - self._began


def _measured(queue: Any, do: Callable[[], Any], timer_factory: Any = None) -> float:
    """The seconds of one `do`, measured over as many as take a tenth of a second."""
    do()  # first run: one-time work
    count = 1
    while True:
        timer = (timer_factory or WallTimer)(queue)
        timer.start()
        for _ in range(count):
            timer.add_event(do())
        timer.stop()
        elapsed = timer.get_elapsed()
        if elapsed > 0.1 or count >= 1 << 20:
            return elapsed / count
        count *= 2


class _Transfer(abc.ABC):
    def __init__(self, queue: Any, block_size: int) -> None:
        self.queue = queue
        self.buffer = _cl.Buffer(queue.context, mem_flags.READ_WRITE, block_size)

    @abc.abstractmethod
    def do(self) -> Any:
        """Enqueues one, and gives its event."""


class HostToDeviceTransfer(_Transfer):
    """Writes a block."""

    def __init__(self, queue: Any, block_size: int) -> None:
        super().__init__(queue, block_size)
        self.host = np.zeros(block_size, np.uint8)

    def do(self) -> Any:
        return enqueue_copy(self.queue, self.buffer, self.host)


class DeviceToHostTransfer(HostToDeviceTransfer):
    """Reads a block."""

    def do(self) -> Any:
        return enqueue_copy(self.queue, self.host, self.buffer)


class DeviceToDeviceTransfer(_Transfer):
    """Copies a block."""

    def __init__(self, queue: Any, block_size: int) -> None:
        super().__init__(queue, block_size)
        self.target = _cl.Buffer(queue.context, mem_flags.READ_WRITE, block_size)

    def do(self) -> Any:
        return enqueue_copy(self.queue, self.target, self.buffer, byte_count=self.buffer.size)


def transfer_latency(queue: Any, transfer_type: Any, timer_factory: Any = None) -> float:
    """Seconds of a transfer of one byte."""
    return _measured(queue, transfer_type(queue, 1).do, timer_factory)


def transfer_bandwidth(
    queue: Any, transfer_type: Any, block_size: int, timer_factory: Any = None
) -> float:
    """Bytes per second, in blocks of a size."""
    return block_size / _measured(queue, transfer_type(queue, block_size).do, timer_factory)


def _empty_kernel(queue: Any) -> Callable[[], Any]:
    program = Program(queue.context, "__kernel void empty() { }").build()
    kernel = _cl.Kernel(program, "empty")
    return lambda: kernel(queue, (1,), (1,))


def get_profiling_overhead(ctx: Any, timer_factory: Any = None) -> tuple[float, float]:
    """Seconds of an empty kernel, on a queue with profiling and on one without."""
    profiling = _cl.CommandQueue(ctx, properties=command_queue_properties.PROFILING_ENABLE)
    plain = _cl.CommandQueue(ctx)
    return tuple(_measured(q, _empty_kernel(q), timer_factory) for q in (profiling, plain))  # type: ignore[return-value]


def get_empty_kernel_time(queue: Any, timer_factory: Any = None) -> float:
    """Seconds of a kernel that does nothing."""
    return _measured(queue, _empty_kernel(queue), timer_factory)


_ADDITIONS = """
#define TWICE(x) x x
__kernel void add(__global TYPE *to) {
  TYPE a = get_global_id(0), b = get_local_id(0), c = 1, d = 2;
  for (int i = 0; i < ROUNDS; ++i) { TWICE(TWICE(TWICE(a += b; b += c; c += d; d += a;))) }
  if (a == 1 && b == 1) to[0] = c + d;
}
"""


def get_add_rate(queue: Any, type: str = "float", timer_factory: Any = None) -> float:  # noqa: A002
    """Additions per second of a C type."""
    rounds, items = 256, 1 << 14
    options = [f"-DTYPE={type}", f"-DROUNDS={rounds}"]
    program = Program(queue.context, _ADDITIONS).build(options)
    kernel = _cl.Kernel(program, "add")
    to = _cl.Buffer(queue.context, mem_flags.READ_WRITE, 64)
    seconds = _measured(queue, lambda: kernel(queue, (items,), None, to), timer_factory)
    return rounds * 8 * 4 * items / seconds
