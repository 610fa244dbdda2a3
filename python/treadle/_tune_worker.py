# SPDX-License-Identifier: MIT
"""Measuring in a process of its own, which may crash or hang: both ends of the connection.

The parent starts `python -m treadle._tune_worker FD`, sends the problem once, and a variant at a
time. A child that ends, or does not answer, is a crash or a timeout of the variant that it was
given; the next variant gets a new child.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import socket
import subprocess
import sys
from multiprocessing.connection import Connection
from typing import Any

import treadle
from treadle._core import tune as _tune
from treadle._tune_arguments import measure_options, problem_arguments

Variant = tuple[Any, ...]
# Of a variant that is asked for when the time is up, beside what one run of the best takes.
MOST_TIMES_BEST, LOADING_SECONDS = 20, 5
MOST_COMPILE_SECONDS = 120  # after which a compiler hangs


class Child:
    """A process that is asked, and may crash or hang."""

    def __init__(self, problem: tuple[Any, ...]):
        self.problem = problem  # what it is told first
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None

    def ask(self, question: tuple[Any, ...], limit: float) -> Any:
        """Its answer; a Measured of why there is none."""
        connection = self._connected()
        try:
            if connection is None:
                return self._ended()
            connection.send(question)
            if not connection.poll(limit):
                self.close()
                return _tune.Measured.failed("timeout", f"no answer for {limit:g} seconds")
            answer, is_usable = connection.recv()
        except (EOFError, OSError):
            return self._ended()
        if not is_usable:
            self.close()
        if isinstance(answer, str):
            raise treadle.InvalidState(f"measuring in a process of its own: {answer}")
        return answer

    def _connected(self) -> Connection | None:
        """To a child that knows the problem; None: it ended on the way."""
        if self._connection is not None:
            return self._connection
        here, there = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "treadle._tune_worker", str(there.fileno())],
            pass_fds=[there.fileno()],
            start_new_session=True,
        )
        there.close()
        connection = Connection(here.detach())
        self._connection = connection
        try:
            connection.send(self.problem)
            error = connection.recv()
        except (EOFError, OSError):
            return None
        if error is not None:
            self.close()
            raise treadle.InvalidState(f"measuring in a process of its own: {error}")
        return connection

    def _ended(self) -> Any:
        code = self._process.wait() if self._process is not None else 0
        self.close()
        how = f"status {code}"
        with contextlib.suppress(ValueError):
            how = signal.Signals(-code).name
        return _tune.Measured.failed("crash", f"its process ended: {how}")

    def close(self) -> None:
        """Ends it."""
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._connection = self._process = None


class IsolatedMeasurer:
    """Measures variants in a child: what tune_kernel() calls in the place of a Measurer."""

    def __init__(
        self, device: str, arguments: list[Any], options: dict[str, Any], limit_seconds: float
    ):
        # The child ends what it can end itself; a run, its check and warm-up come before an answer.
        self._limit = 2 * limit_seconds + 1
        self._child = Child((device, arguments, options, None))

    def set_reference(self, variant: Variant) -> None:
        """What this variant writes is what all have to write."""
        self._child.problem = (*self._child.problem[:3], variant)
        answer = self._child.ask(("ready",), self._limit)
        if isinstance(answer, _tune.Measured):
            raise treadle.InvalidState(f"the reference: {answer.outcome}: {answer.error}")

    def __call__(self, variant: Variant, best: float | None, left: float | None) -> Any:
        limit = self._limit
        if best is not None and left is not None:
            limit = min(limit, left + MOST_TIMES_BEST * best + LOADING_SECONDS)
        return self._child.ask(("measure", variant, best, left), limit)

    def close(self) -> None:
        """Ends the child."""
        self._child.close()


class CompileWorkers:
    """Compiles variants into the cache, each thread that calls by a child of its own."""

    def __init__(self, device: str):
        self._device = device
        self._idle: queue.SimpleQueue[Child] = queue.SimpleQueue()
        self._all: list[Child] = []

    def __call__(self, variant: Variant) -> Any:
        try:
            child = self._idle.get_nowait()
        except queue.Empty:
            child = Child((self._device,))
            self._all.append(child)
        try:
            return child.ask(("compile", variant), MOST_COMPILE_SECONDS)
        finally:
            self._idle.put(child)

    def close(self) -> None:
        """Ends the children."""
        for child in self._all:
            child.close()


def serve(connection: Connection) -> None:
    """The child: compiles or measures what it is sent until the parent hangs up."""
    device_id, *problem = connection.recv()
    try:
        device = treadle.find_device(device_id)
        kept, measurer = _measurer(device, *problem)
    except treadle.Error as error:
        connection.send(str(error))
        return
    connection.send(None)
    while True:
        try:
            question, *given = connection.recv()
        except EOFError:
            del kept  # memory of the problem
            return
        is_usable = True
        try:
            if question == "ready":
                answer = None
            elif question == "compile":
                answer = _tune.Measured.compiled(_tune.compile_variant(device, *given))
            else:
                answer = measurer.measure(*given)
                is_usable = measurer.is_usable
        except treadle.Error as error:
            answer = _tune.Measured.failed("compile error", str(error))
        except Exception as error:  # of a check: the parent raises it
            connection.send((f"{type(error).__name__}: {error}", False))
            return
        connection.send((answer, is_usable))
        if not is_usable:
            os._exit(0)  # nothing of the device can be put in order any more


def _measurer(
    device: Any, arguments: Any = (), options: Any = None, reference: Any = None
) -> tuple[Any, Any]:
    """Of the problem, of none for a child that compiles, and the problem's memory."""
    made, kept = problem_arguments(device, arguments)
    measurer = _tune.Measurer(device, made, measure_options(options or {}))
    if reference is not None and measurer.needs_reference:
        measurer.set_reference(reference)
    return kept, measurer


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
