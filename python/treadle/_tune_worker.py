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
import time
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

import treadle
from treadle._core import tune as _tune
from treadle._tune_arguments import (
    Output,
    Updated,
    Written,
    measure_options,
    on_host,
    problem_arguments,
)

Variant = tuple[Any, ...]
# Of a variant that is asked for when the time is up, beside what one run of the best takes.
MOST_TIMES_BEST, LOADING_SECONDS = 20, 5
MOST_COMPILE_SECONDS = 120  # after which a compiler hangs
# PoCL compiles a kernel for groups of a size when it is first launched, and for large grids apart.
LARGE_GRID, MOST_TRY_SECONDS, MOST_TRY_BYTES = 1 << 16, 5, 1 << 28


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


def compiles_at_launch(device: Any) -> bool:
    """Whether most of a kernel is compiled by its first launch, and kept for all processes."""
    return device.kind == "cpu" and "PoCL" in str(device.runtime)


def zeros_for(arguments: Any) -> list[Any] | None:
    """Arguments of these sizes, for a launch whose results are nobody's; None: too large ones."""
    made: list[Any] = []
    for argument in map(on_host, arguments):
        memory = argument.memory if isinstance(argument, Written) else argument
        if isinstance(memory, np.ndarray):
            memory = np.zeros_like(memory)
        if isinstance(argument, Written):
            memory = (Updated if argument.is_updated else Output)(memory)
        made.append(memory)
    memories = [each.memory if isinstance(each, Written) else each for each in made]
    size = sum(each.nbytes for each in memories if isinstance(each, np.ndarray))
    return made if size <= MOST_TRY_BYTES else None


def of_one_group(variant: Variant) -> Variant:
    """The variant on a grid as small as is compiled in the same way."""
    *parts, (groups, group_size, local_bytes) = variant
    least = [-(-LARGE_GRID // size) for size in group_size]
    few = [each if count >= each else 1 for count, each in zip(groups, least, strict=True)]
    return (*parts, (tuple(few), group_size, local_bytes))


class CompileWorkers:
    """Compiles variants into the cache, each thread that calls by a child of its own.

    With arguments each is launched there, too, with zeros: see compiles_at_launch().
    """

    def __init__(self, device: str, arguments: list[Any] | None = None):
        once = {"repeats": 1, "warm_up": 0, "sample_seconds": 0, "limit_seconds": MOST_TRY_SECONDS}
        self._problem = (device,) if arguments is None else (device, arguments, once, None)
        self._tries = arguments is not None
        self._idle: queue.SimpleQueue[Child] = queue.SimpleQueue()
        self._all: list[Child] = []

    def __call__(self, variant: Variant) -> Any:
        try:
            child = self._idle.get_nowait()
        except queue.Empty:
            child = Child(self._problem)
            self._all.append(child)
        try:
            if not self._tries:
                return child.ask(("compile", variant), MOST_COMPILE_SECONDS)
            answer = child.ask(("try", of_one_group(variant), None, None), MOST_COMPILE_SECONDS)
            # Zeros are not what it is for: who measures it will see.
            has_died = answer.outcome in ("crash", "timeout")
            return _tune.Measured.compiled(0) if has_died else answer
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
                began = time.perf_counter()
                answer = measurer.measure(*given)
                if question == "try":
                    answer = _tune.Measured.compiled(time.perf_counter() - began)
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
    device: Any, arguments: Any = None, options: Any = None, reference: Any = None
) -> tuple[Any, Any]:
    """Of the problem, and the problem's memory; of a child that compiles neither: a context of a
    GPU in each would take its memory and its time."""
    if options is None:
        return None, None
    made, kept = problem_arguments(device, arguments)
    measurer = _tune.Measurer(device, made, measure_options(options))
    if reference is not None and measurer.needs_reference:
        measurer.set_reference(reference)
    return kept, measurer


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
