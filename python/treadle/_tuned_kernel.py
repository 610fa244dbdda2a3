# SPDX-License-Identifier: MIT
"""Kernels that are launched by the best variant that is known for a call's arguments."""

from __future__ import annotations

import atexit
import functools
import os
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import treadle
from treadle._core import tune as _tune
from treadle._tune_arguments import Output, Updated, measure_options, on_host, problem_arguments

# Python's threads do not survive its end: what tunes in the background is ended before.
_LIVING: weakref.WeakSet[TunedKernel] = weakref.WeakSet()


def store_of(store: Any) -> Any:
    """A Store: the user's for True and None, that of a file's name, or the one given."""
    if store is None or store is True:
        return _tune.Store.of_user()
    return _tune.Store(store) if isinstance(store, str | os.PathLike) else store


def _seeds_of(seeds: Any) -> Any:
    """A Store of a file's wisdom, ours or another tuner's."""
    if not isinstance(seeds, str | os.PathLike):
        return seeds
    store = _tune.Store()
    with open(seeds, encoding="utf-8") as file:
        store.import_lines(_tune.foreign_wisdom(file.read()))
    return store


class TunedKernel:
    """A kernel, tuned for each problem. Calling it with the kernel's arguments launches it.

    problem(*arguments) returns a mapping: what the space's and the launch shape's formulas call by
    these names, and under which what was measured is kept. outputs and updated: the numbers of
    arguments that the kernel writes, and reads and writes; tuning copies them and all other memory.
    policy, at the first call for a problem that was not measured here: "never": the nearest that
    the store knows is used, or `defaults`; "background": the same, until another thread has tuned
    it; "block": it is tuned first. store: None is the user's; a Store, or a file's name. seeds: the
    name of a file of wisdom that the program ships, which is asked before the defaults. version:
    told apart in the store, for texts that functions write. Other options are those of
    tune_kernel().
    """

    def __init__(
        self,
        template: tuple[Any, Any, Any],
        problem: Callable[..., Mapping[str, Any]],
        **options: Any,
    ):
        self._device, self._space, self._written = template
        self._problem = problem
        self._outputs = frozenset(options.pop("outputs", ()))
        self._updated = frozenset(options.pop("updated", ()))
        self._kept = options.pop("kept", ())
        self._how: dict[str, Any] = {
            "policy": options.pop("policy", "never"),
            "defaults": dict(options.pop("defaults", {})),
            "store": store_of(options.pop("store", None)),
            "seeds": _seeds_of(options.pop("seeds", None)),
            "version": options.pop("version", ""),
            "arguments": self._arguments,
            "measure": measure_options(options.pop("measure", None) or {}),
        }
        for name in ("compile_threads", "ahead", "overlap", "finalists", "progress"):
            self._how[name] = options.pop(name, None)
        self._search = options
        self._names: tuple[str, ...] = ()
        self._native: Any = None
        self._final: dict[tuple[Any, ...], Any] = {}
        self._waiting: dict[tuple[Any, ...], Any] = {}
        _LIVING.add(self)
        functools.update_wrapper(self, problem)

    def __call__(self, *arguments: Any, stream: Any = None) -> None:
        """Launches the variant for these arguments, as a Kernel is called."""
        chosen = self.choose(*arguments)
        chosen.kernel(
            *arguments,
            groups=chosen.groups,
            group_size=chosen.group_size,
            local_bytes=chosen.local_bytes,
            stream=stream,
        )

    def choose(self, *arguments: Any) -> Any:
        """What is launched for these arguments: configuration, match, kernel, groups, group_size
        and local_bytes."""
        problem = self._problem(*arguments)
        key = tuple(problem.values())
        final = self._final.get(key)
        if final is not None:
            return final
        native = self._for(problem)
        policy = self._how["policy"]
        if policy != "never" and key not in self._waiting:
            self._waiting[key] = self._copied(arguments)
        chosen = native.choose(key)
        if policy == "never" or chosen.match == "exact":
            self._waiting.pop(key, None)
            self._final[key] = chosen
        return chosen

    def tune(self, *arguments: Any) -> Any:
        """Tunes for these arguments now, whatever the policy; returns what choose() does."""
        problem = self._problem(*arguments)
        key = tuple(problem.values())
        native = self._for(problem)
        self._waiting[key] = self._copied(arguments)
        self._final[key] = native.tune(key)
        del self._waiting[key]
        return self._final[key]

    def wait(self) -> None:
        """Waits until nothing is tuned in the background; raises what failed there."""
        if self._native is not None:
            self._native.wait()

    def close(self) -> None:
        """Stops what tunes in the background, and waits for it. Of no more use then."""
        if self._native is not None:
            self._native.close()

    def __del__(self) -> None:
        if hasattr(self, "_native"):
            self.close()

    def _for(self, problem: Mapping[str, Any]) -> Any:
        names = tuple(problem)
        if self._native is None:
            self._names = names
            self._native = _tune.TunedKernel(
                self._device, self._space, self._written, list(names), self._how, **self._search
            )
        if names != self._names:
            raise TypeError(f"problem has the names {names}, and had {self._names} before")
        return self._native

    def _copied(self, arguments: tuple[Any, ...]) -> Any:
        made: list[Any] = []
        for number, argument in enumerate(arguments):
            if number in self._outputs:
                made.append(Output(_like(argument)))
            elif number in self._updated:
                made.append(Updated(on_host(argument)))
            else:
                made.append(on_host(argument))
        return problem_arguments(self._device, made)[0]

    def _arguments(self, problem: dict[str, Any]) -> Any:
        return self._waiting[tuple(problem[name] for name in self._names)]


def _like(argument: Any) -> Any:
    if isinstance(argument, treadle.Buffer):
        return np.empty(argument.size_bytes, np.uint8)
    return np.empty(argument.shape, argument.dtype)


@atexit.register
def _close_all() -> None:
    for kernel in list(_LIVING):
        kernel.close()
