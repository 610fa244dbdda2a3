# SPDX-License-Identifier: MIT
"""Ctrl-C as a question that is asked between steps."""

from __future__ import annotations

import signal
import threading
from typing import Any


class NotedInterrupt:
    """While it is entered, the first Ctrl-C is noted: calling it tells. A second one raises
    KeyboardInterrupt. Other threads than the main one are never interrupted."""

    def __init__(self) -> None:
        self._came = False
        self._before: Any = None

    def __call__(self) -> bool:
        return self._came

    def __enter__(self) -> NotedInterrupt:
        # A program with a handler of its own keeps it.
        is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if threading.current_thread() is threading.main_thread() and is_default:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None

    def _note(self, number: int, frame: Any) -> None:
        if self._came:
            signal.default_int_handler(number, frame)
        self._came = True
