# SPDX-License-Identifier: MIT
"""Measuring in a process of its own, which may crash or hang: both ends of the connection.

The parent starts `python -m treadle._tune_worker FD`, sends the problem once, and a variant at a
time. A child that ends, or does not answer, is a crash or a timeout of the variant that it was
given; the next variant gets a new child.
"""

from __future__ import annotations

import contextlib
import os
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


class IsolatedMeasurer:
    """Measures variants in a child: what tune_kernel() calls in the place of a Measurer."""

    def __init__(
        self, device: str, arguments: list[Any], options: dict[str, Any], limit_seconds: float
    ):
        self._problem = (device, arguments, options)
        # The child ends what it can end itself; a run, its check and warm-up come before an answer.
        self._limit = 2 * limit_seconds + 1
        self._reference: Variant | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None

    def set_reference(self, variant: Variant) -> None:
        """What this variant writes is what all have to write."""
        self._reference = variant
        answer = self._ask(("ready",))
        if isinstance(answer, _tune.Measured):
            raise treadle.InvalidState(f"the reference: {answer.outcome}: {answer.error}")

    def __call__(self, variant: Variant, best: float | None) -> Any:
        return self._ask(("measure", variant, best))

    def _ask(self, question: tuple[Any, ...]) -> Any:
        connection = self._connected()
        try:
            if connection is None:
                return self._ended()
            connection.send(question)
            if not connection.poll(self._limit):
                self.close()
                return _tune.Measured.failed("timeout", f"no answer for {self._limit:g} seconds")
            answer, is_usable = connection.recv()
        except (EOFError, OSError):
            return self._ended()
        if not is_usable:
            self.close()
        if isinstance(answer, str):
            raise treadle.InvalidState(f"measuring in a process of its own: {answer}")
        return answer

    def _connected(self) -> Connection | None:
        """A child that knows the problem; None: it ended on the way."""
        if self._connection is not None:
            return self._connection
        here, there = socket.socketpair()
        self._child = subprocess.Popen(
            [sys.executable, "-m", "treadle._tune_worker", str(there.fileno())],
            pass_fds=[there.fileno()],
            start_new_session=True,
        )
        there.close()
        connection = Connection(here.detach())
        self._connection = connection
        try:
            connection.send((*self._problem, self._reference))
            error = connection.recv()
        except (EOFError, OSError):
            return None
        if error is not None:
            self.close()
            raise treadle.InvalidState(f"measuring in a process of its own: {error}")
        return connection

    def _ended(self) -> Any:
        child = self._child
        code = child.wait() if child is not None else 0
        self.close()
        how = f"status {code}"
        with contextlib.suppress(ValueError):
            how = signal.Signals(-code).name
        return _tune.Measured.failed("crash", f"its process ended: {how}")

    def close(self) -> None:
        """Ends the child."""
        if self._connection is not None:
            self._connection.close()
        if self._child is not None:
            self._child.kill()
            self._child.wait()
        self._connection = self._child = None


def serve(connection: Connection) -> None:
    """The child: measures what it is sent until the parent hangs up."""
    device_id, arguments, options, reference = connection.recv()
    try:
        device = treadle.find_device(device_id)
        made, _kept = problem_arguments(device, arguments)
        measurer = _tune.Measurer(device, made, measure_options(options))
        if reference is not None and measurer.needs_reference:
            measurer.set_reference(reference)
    except treadle.Error as error:
        connection.send(str(error))
        return
    connection.send(None)
    while True:
        try:
            question = connection.recv()
        except EOFError:
            return
        if question[0] == "ready":
            connection.send((None, True))
            continue
        try:
            answer = measurer.measure(question[1], question[2])
        except treadle.Error as error:
            answer = _tune.Measured.failed("compile error", str(error))
        except Exception as error:  # of a check: the parent raises it
            connection.send((f"{type(error).__name__}: {error}", False))
            return
        is_usable = measurer.is_usable
        connection.send((answer, is_usable))
        if not is_usable:
            os._exit(0)  # nothing of the device can be put in order any more


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
