# SPDX-License-Identifier: MIT
"""The strategy "model": trees of scikit-learn's are fitted to what was measured, and what they
expect to be best, or know least of, is tried next. (F. Hutter, H. Hoos, K. Leyton-Brown: Sequential
model-based optimization for general algorithm configuration. LION 2011.)"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

import treadle

MOST_CANDIDATES = 2000  # of a space that are looked at for one fit
FIRST_EACH = 2  # random configurations before the first fit, of each parameter
TOLD_EACH = 10  # a fit for each of these parts of what was told


class Model:
    """Names configurations of a space and learns what came of them: what a search is guided by."""

    def __init__(self, space: Any, seed: int = 0):
        try:
            from sklearn.ensemble import ExtraTreesRegressor  # late: few need it
        except ImportError as error:
            raise treadle.LibraryNotFound(
                "strategy 'model' needs scikit-learn: pip install 'treadle[tune]'"
            ) from error
        # Few trees more tell no more of a hundred points; single leaves say how far they differ.
        self._trees = ExtraTreesRegressor(n_estimators=50, random_state=seed % (1 << 32))
        self._space, self._random = space, np.random.default_rng(seed)
        self._columns = _Columns(space)
        self._values: dict[int, float] = {}
        self._given: set[int] = set()
        self._queue: list[int] = []
        self._first = max(8, FIRST_EACH * len(space.names))

    def next(self) -> int:
        """The number of one to try; C++ asks again for those that were tried."""
        if len(self._given) >= self._first and len(self._finite()) > 1 and not self._queue:
            self._queue = self._best_expected()
        number = self._queue.pop() if self._queue else int(self._random.integers(len(self._space)))
        self._given.add(number)
        return number

    def learn(self, number: int, value: float) -> None:
        """What came of one; infinity: it failed."""
        self._values[number] = value

    def _finite(self) -> list[float]:
        return [value for value in self._values.values() if math.isfinite(value)]

    def _candidates(self) -> np.ndarray:
        size = len(self._space)
        if size <= MOST_CANDIDATES:
            near = np.arange(size)
        else:
            best = sorted(self._values, key=self._values.__getitem__)[:10]
            near = np.concatenate(
                [self._random.integers(size, size=MOST_CANDIDATES // 2)]
                + [np.asarray(self._space.neighbours(number), np.int64) for number in best]
            )
        tried = np.fromiter(self._given | self._values.keys(), np.int64)
        return np.setdiff1d(near, tried)

    def _best_expected(self) -> list[int]:
        """A few, the best one last."""
        candidates = self._candidates()
        if not len(candidates):
            return []
        numbers = np.fromiter(self._values, np.int64)
        worst = max(self._finite())
        told = np.array([v if math.isfinite(v) else 2 * worst for v in self._values.values()])
        told = np.log(np.maximum(told, np.finfo(float).tiny))
        self._trees.fit(self._columns.rows(numbers), told)
        rows = self._columns.rows(candidates)
        each = np.stack([tree.predict(rows) for tree in self._trees.estimators_])
        gain = _expected_gain(each.mean(axis=0), each.std(axis=0), told.min())
        count = max(1, len(self._values) // TOLD_EACH)
        chosen = candidates[np.argsort(-gain, kind="stable")[:count]][::-1]
        if count > 1:  # where the model is wrong it does not know it
            chosen[0] = self._random.choice(candidates)
        return [int(number) for number in chosen]


def _expected_gain(mean: np.ndarray, spread: np.ndarray, best: float) -> np.ndarray:
    """By how much values of these distributions are below the best, on average."""
    spread = np.maximum(spread, 1e-9)
    z = (best - mean) / spread
    density = np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    below = 0.5 * (1 + _error_function(z / math.sqrt(2)))
    return (best - mean) * below + spread * density


_error_function = np.vectorize(math.erf, otypes=[float])


class _Columns:
    """Configurations as numbers: of each parameter the position of its value, or one of whether it
    is each of some texts, and sums of logarithms of two, since tiles are products."""

    def __init__(self, space: Any):
        self._space = space
        self._known: dict[int, list[float]] = {}
        values = {name: space.values(name) for name in space.names}
        self._texts = {n: v for n, v in values.items() if isinstance(v[0], str) and len(v) > 2}
        self._places = {n: {v: k for k, v in enumerate(vs)} for n, vs in values.items()}
        self._pairs = list(
            itertools.combinations(
                [n for n, vs in values.items() if len(vs) > 2 and all(map(_is_size, vs))], 2
            )
        )

    def rows(self, numbers: np.ndarray) -> np.ndarray:
        for number in numbers:
            if number not in self._known:
                self._known[number] = self._row(self._space[int(number)])
        return np.array([self._known[number] for number in numbers], np.float32)

    def _row(self, configuration: Any) -> list[float]:
        made: list[float] = []
        for name, value in configuration.items():
            if name in self._texts:
                made += [float(value == text) for text in self._texts[name]]
            else:
                made.append(float(self._places[name][value]))
        made += [math.log2(configuration[a] * configuration[b]) for a, b in self._pairs]
        return made


def _is_size(value: Any) -> bool:
    return not isinstance(value, bool | str) and value > 0
