# SPDX-License-Identifier: MIT
"""The arrays that are timed: what is computed of which inputs, the bytes that it touches, and the
check against NumPy.

Every library computes the same tasks through `Library`, each in NumPy's words where it has them.
"""

import concurrent.futures
import dataclasses
import functools
import os
import time
import typing

import numpy as np
from worker import Absent, Case, LoopTiming

COUNT = 1 << int(os.environ.get("BENCH_LOG2", "24"))
BATCH_S = 0.02  # runs timed together take about as long
PIECE = 1 << 20  # elements that the host makes or checks at a time
SMALL = 1000  # elements, where the host's time is measured


def for_pieces(function, length, size=PIECE):
    """[function(slice), ...] for consecutive slices, by as many threads as there are cores."""
    pieces = [slice(first, min(first + size, length)) for first in range(0, length, size)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(threads.map(function, pieces))


@functools.cache
def host_inputs():
    """x and y, float32 in [0, 1), but for one element of x that is the largest."""
    x, y = inputs = [np.empty(COUNT, "f4") for _ in range(2)]

    def fill(piece):
        numbers = np.random.default_rng([11, piece.start])
        for values in inputs:
            numbers.random(dtype="f4", out=values[piece])

    for_pieces(fill, COUNT)
    x[COUNT * 2 // 3] = 2
    return x, y


@dataclasses.dataclass(frozen=True)
class Task:
    """`formula(xp, *operands)` is what is timed; `operands(x, y)` are views, made before.

    `expected(x, y)` is the result of a reduction, in more digits than the timed one has.
    """

    formula: typing.Callable
    operands: typing.Callable
    touched: float  # bytes read and written for each element of x, in whole sectors of 32 bytes
    expected: typing.Callable | None = None
    tolerance: float = 1e-5
    moments: tuple[float, float] | None = None  # of random numbers: mean and deviation

    def is_right(self, result, x, y):
        if self.moments is not None:
            some = result[:PIECE].astype("f8")
            found = some.mean(), some.std()
            allowed = 10 / len(some) ** 0.5
            return len(result) == len(x) and np.allclose(found, self.moments, rtol=0, atol=allowed)
        if self.expected is None:
            return self.is_right_by_element(result, self.operands(x, y))
        expected = expected_result(self.expected)
        same_shape = np.shape(result) == np.shape(expected)
        return same_shape and bool(np.allclose(result, expected, rtol=self.tolerance, atol=0))

    def is_right_by_element(self, result, operands):
        shape = np.broadcast_shapes(*(operand.shape for operand in operands))
        if result.shape != shape:
            return False

        def worst(piece):
            # An operand of fewer axes is the same for all rows.
            parts = [part[piece] if part.ndim == len(shape) else part for part in operands]
            expected = self.formula(np, *parts)
            return np.abs(result[piece] - expected).max() / np.abs(expected).max()

        rows = max(1, PIECE * len(result) // result.size)
        return bool(np.max(for_pieces(worst, len(result), rows)) <= self.tolerance)


@functools.cache
def expected_result(expected):
    return expected(*host_inputs())


def flat(x, y):
    return x, y


def first(x, y):
    return (x,)


def every_second(x, y):
    return x[::2], y[::2]


def side(count):
    return 1 << (count.bit_length() - 1) // 2


def squares(x, y):
    return x.reshape(side(COUNT), -1), y.reshape(side(COUNT), -1)


def inner_columns(x, y):
    m, k = squares(x, y)
    return m[:, 1:-1], k[:, 1:-1]


def with_row(x, y):
    m = squares(x, y)[0]
    return m, y[: m.shape[1]]


def with_column(x, y):
    m = squares(x, y)[0]
    return m, y[: m.shape[0]].reshape(-1, 1)


def linear(xp, x, y):
    return 5 * x + 6 * y


def curve(xp, x, y):
    return xp.sin(x) * y + x * x


def plus(xp, x, y):
    return x + y


@functools.cache
def generator_of(xp):
    return xp.random.default_rng(7)


def drawn(kind):
    """As many random numbers as x has elements."""

    def formula(xp, x):
        if hasattr(xp, "randn"):  # torch, whose generators draw from functions
            function = xp.rand if kind == "random" else xp.randn
            return function(x.shape, device=x.device)
        return getattr(generator_of(xp), kind)(x.shape, dtype=np.float32)

    return formula


def sum_in_pieces(terms, x, y):
    """In float64, of terms that are float32."""
    return sum(for_pieces(lambda piece: terms(np, x[piece], y[piece]).sum(dtype="f8"), len(x)))


def sums_so_far(x, y):
    """In float64, by pieces as `sum_in_pieces` has them."""
    result = np.empty(len(x), "f8")
    totals = for_pieces(
        lambda piece: np.cumsum(x[piece], dtype="f8", out=result[piece])[-1], len(x)
    )
    before = np.cumsum([0, *totals])

    def lift(piece):
        result[piece] += before[piece.start // PIECE]

    for_pieces(lift, len(x))
    return result


SHAPES = {
    "square": lambda: (side(COUNT), -1),
    "tall": lambda: (-1, 64),
    "wide": lambda: (64, -1),
}


def sum_over(axis, shape):
    def formula(xp, m):
        return xp.sum(m, axis=axis)

    def operands(x, y):
        return (x.reshape(*SHAPES[shape]()),)

    def expected(x, y):
        return operands(x, y)[0].sum(axis=axis, dtype="f8")

    # NumPy adds the rows of a tall array one after another.
    return Task(formula, operands, 4, expected, tolerance=1e-4)


TASKS = {
    "5*x + 6*y": Task(linear, flat, 12),
    "sin(x)*y + x*x": Task(curve, flat, 12),
    "sum(sin(x)*y + x*x)": Task(
        lambda xp, x, y: xp.sum(xp.sin(x) * y + x * x), flat, 8,
        functools.partial(sum_in_pieces, curve),
    ),
    "dot(x, y)": Task(
        lambda xp, x, y: xp.dot(x, y), flat, 8,
        functools.partial(sum_in_pieces, lambda xp, x, y: x * y),
        tolerance=1e-4,  # NumPy's differs by 1e-5
    ),
    "sum(x)": Task(lambda xp, x: xp.sum(x), first, 4, lambda x, y: x.sum(dtype="f8")),
    "max(x)": Task(lambda xp, x: xp.max(x), first, 4, lambda x, y: x.max(), tolerance=0),
    "argmax(x)": Task(lambda xp, x: xp.argmax(x), first, 4, lambda x, y: x.argmax(), tolerance=0),
    "cumsum(x)": Task(
        lambda xp, x: xp.cumsum(x, 0), first, 8, sums_so_far, tolerance=1e-4
    ),
    "uniform random numbers": Task(drawn("random"), first, 4, moments=(0.5, 12**-0.5)),
    "normal random numbers": Task(drawn("standard_normal"), first, 4, moments=(0, 1)),
    "x[::2] + y[::2]": Task(plus, every_second, 10),
    "m[:, 1:-1] + k[:, 1:-1]": Task(plus, inner_columns, 12),
    "m + row": Task(plus, with_row, 8),
    "m + column": Task(plus, with_column, 8),
    **{
        f"sum over axis {axis}, {shape}": sum_over(axis, shape)
        for axis in (0, 1)
        for shape in SHAPES
    },
}  # fmt: skip


# Of numexpr; its sums are wrong in the fifth digit.
NUMEXPR = ("5*x + 6*y", "sin(x)*y + x*x")


class Library:
    """What the tasks need of a library of arrays. `xp` has NumPy's names."""

    xp: typing.Any = np

    def put(self, values):
        return values

    def get(self, result):
        return result

    def queue(self, result):
        """Has a result computed that its library would defer; returns it."""
        return result

    def wait(self):
        """For all that is queued."""

    def seconds(self, action, count):
        """Of one run among `count` that follow each other; by the device's clock if it has one."""
        self.wait()
        began = time.perf_counter()
        for _ in range(count):
            action()
        self.wait()
        return (time.perf_counter() - began) / count

    @functools.cached_property
    def inputs(self):
        return tuple(self.put(values) for values in host_inputs())

    def cases(self):
        """Every task, and the sum of two small arrays."""
        return {name: functools.partial(ArrayCase, self, task) for name, task in TASKS.items()} | {
            "a + b, queued": lambda: self.small_sum()
        }

    def small_sum(self):
        a, b = (self.put(values[:SMALL]) for values in host_inputs())
        if not np.array_equal(self.get(self.queue(a + b)), np.add(*self.small_values())):
            raise ValueError("a + b is wrong")
        return LoopTiming(self.small_loop(a, b), 200, self.wait)

    def small_values(self):
        return [values[:SMALL] for values in host_inputs()]

    def small_loop(self, a, b):
        def loop(count):
            for _ in count:
                a + b

        return loop


class ArrayCase(Case):
    """One task by one library; `formula` is another spelling of it, on the operands alone."""

    def __init__(self, library, task, formula=None):
        self.library = library
        self.task = task
        self.formula = formula or functools.partial(task.formula, library.xp)

    def prepare(self):
        try:
            return self.prepare_run()
        except (AttributeError, NotImplementedError, TypeError) as error:
            # A name, a layout or an argument that this library does not have.
            raise Absent(f"{type(error).__name__}: {error}".splitlines()[0]) from None

    def prepare_run(self):
        library = self.library
        operands = self.task.operands(*library.inputs)
        self.run = lambda: library.queue(self.formula(*operands))
        correct = self.task.is_right(np.asarray(library.get(self.run())), *host_inputs())
        taken = library.seconds(self.run, 1)
        self.count = min(max(round(BATCH_S / taken), 1), 100)
        return correct

    def measure(self, repeats):
        return [self.library.seconds(self.run, self.count) for _ in range(repeats)]
