# SPDX-License-Identifier: MIT
"""Spaces of configurations, and the best of them by few measurements.

    from treadle import tune

    space = tune.Space(n=1 << 20)
    space.add_powers_of_two("block", 32, 1024)
    space.add("unroll", [1, 2, 4])
    space.add("padding", [0, 1], when="unroll > 1")
    space.require("block * unroll <= n // 4")
    space.require(lambda block, unroll: block % unroll == 0)

    found = tune.minimize(space, seconds_of, evaluations=50)
    found.configuration["block"], found.value

A configuration is a mapping of names and values; kernels' texts take it as `text % configuration`,
`Template(text).render(**configuration)` or `specialize(kernel, **configuration)`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import treadle
from treadle._core import tune as _tune
from treadle._core.tune import Configuration, Found, Trial

__all__ = [
    "Configuration",
    "Found",
    "Search",
    "Space",
    "Trial",
    "minimize",
    "successive_halving",
]


class Space(_tune.Space):
    """Configurations of parameters that fulfil all constraints, numbered from 0.

    Keyword arguments are names that formulas may use, the size of a problem, say; with `device`
    (a treadle.Device or its id) they know what it allows, as device.max_group_items,
    device.local_bytes, device.sub_group_width and so on. A space is counted, drawn from and
    indexed (`space[7]`, `len(space)`) without being listed.
    """

    def __init__(self, *, device: Any = None, **names: Any):
        super().__init__()
        self._functions: list[Callable[..., Any]] = []
        if device is not None:
            found = treadle.find_device(device) if isinstance(device, str) else device
            self.let_device(found)
        for name, value in names.items():
            self.let(name, value)

    def require(self, constraint: str | Callable[..., Any]) -> Space:
        """Adds a constraint: a formula in Python's syntax over parameters, or a function whose
        arguments have the names of parameters. A function is called at most once for each
        combination of them."""
        if isinstance(constraint, str):
            super().require(constraint)
        else:
            names = list(inspect.signature(constraint).parameters)
            self._functions.append(constraint)
            self.require_function(names, constraint)
        return self


class Search(_tune.Search):
    """A search for callers who measure in their own way: it is asked what to try, and told.

    strategy: "automatic", "exhaustive", "random", "hill_climbing", "annealing", "genetic" or
    "differential_evolution". The search is over after `evaluations` configurations, `seconds`, or
    as many as random ones would need to have one of the best `fraction` among them with
    `probability`. `start` has mappings of names and values that are tried first.
    """

    def __init__(self, space: Space, **options: Any):
        super().__init__(space, **options)
        self._space = space

    @property
    def space(self) -> Space:
        """The space that is searched."""
        return self._space

    @property
    def configuration(self) -> Configuration | None:
        """The best configuration so far; None if all failed."""
        return None if self.best is None else self.space[self.best.number]


def minimize(space: Space, measure: Callable[[Configuration], float], **options: Any) -> Found:
    """The configuration for which measure(configuration) is least. Blocking.

    What `measure` raises of treadle.Error, and NaN, fails that configuration; other exceptions end
    the search. Raises InvalidState if all fail. The options are those of Search.
    """
    return _tune.minimize(space, measure, **options)


def successive_halving(
    space: Space,
    measure: Callable[[Configuration, int], float],
    *,
    first: int = 0,
    rounds: int = 4,
    keep: float = 1 / 3,
    seed: int = 0,
) -> Found:
    """The same where small problems are cheaper and tell something of large ones.

    measure(configuration, round) takes a larger problem in each round from 0 to rounds - 1, and
    the best `keep` of a round's configurations go on. `first`: configurations of the first round;
    0: as many as leave one for the last. Only the last round's trials are in Found.
    """
    return _tune.successive_halving(space, measure, first, rounds, keep, seed)
