# SPDX-License-Identifier: MIT
"""Random numbers in arrays of OpenCL: those of treadle.random, which are the same on every device.

    generator = PhiloxGenerator(context)
    x = generator.normal(queue, (1000,), np.float32)

Key and counter say which numbers those are; a seed draws what is not given.
"""

from __future__ import annotations

import operator
import random as _random
import warnings
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from treadle._core import array as _native
from treadle._core.array import Array as NativeArray
from treadle.pyopencl import _cl, cltypes
from treadle.pyopencl import array as cl_array
from treadle.pyopencl.array import Array
from treadle.pyopencl.tools import first_arg_dependent_memoize
from treadle.random import Generator, RandomGenerator, RandomState

__all__ = ["PhiloxGenerator", "Random123GeneratorBase", "ThreefryGenerator", "fill_rand", "rand"]

_INTEGERS = (np.int32, np.int64)
_REALS = (np.float32, np.float64)


class Random123GeneratorBase:
    """Random numbers, one after the other. `key` and `counter` are integers of 32 bits, as many as
    the generator has; random.Random(seed) draws what is not given."""

    key_length: ClassVar[int]
    header_name: ClassVar[str]
    generator_name: ClassVar[str]
    _generator: ClassVar[RandomGenerator]

    def __init__(
        self,
        context: _cl.Context,
        key: Sequence[int] | None = None,
        counter: Sequence[int] | None = None,
        seed: int | None = None,
    ) -> None:
        if key is not None and counter is not None and seed is not None:
            raise TypeError("a seed draws a key or a counter that is not given: leave it out")
        source = _random.Random(seed)

        def words(given: Sequence[int] | None, count: int, name: str) -> list[int]:
            if given is None:
                given = [source.randrange(-(2**31), 2**31) for _ in range(count)]
            numbers = [operator.index(word) for word in given]
            if len(numbers) != count or not all(-(2**31) <= word < 2**32 for word in numbers):
                raise ValueError(
                    f"{name}={list(given)}: it is {count} integers of 32 bits for "
                    f"{self.generator_name}"
                )
            return numbers

        self.context = context
        self.key = words(key, self.key_length - 1, "key")
        self.counter = words(counter, 4, "counter")
        low, high, third = (word % 2**32 for word in (*self.key, 0, 0)[:3])
        c = [word % 2**32 for word in self.counter]
        stream = c[2] | (c[3] ^ third) << 32
        state = RandomState(low | high << 32, stream, c[0] | c[1] << 32, self._generator)
        self._random = Generator(state)

    def fill_uniform(self, ary: Array, a: Any = 0, b: Any = 1, queue: Any = None) -> _cl.Event:
        """Numbers of [a, b)."""

        def draw(out: NativeArray) -> None:
            by = self._random.integers if out.dtype in _INTEGERS else self._random.uniform
            by(a, b, out=out)

        return _fill(ary, draw, (*_REALS, *_INTEGERS), queue)

    def uniform(self, *args: Any, a: Any = 0, b: Any = 1, **kwargs: Any) -> Array:
        """The same in an array that array.empty(*args, **kwargs) makes."""
        made = cl_array.empty(*args, **kwargs)
        self.fill_uniform(made, a, b)
        return made

    def fill_normal(
        self, ary: Array, mu: float = 0, sigma: float = 1, queue: Any = None
    ) -> _cl.Event:
        """Normal numbers of this mean and deviation."""
        return _fill(ary, lambda out: self._random.normal(mu, sigma, out=out), _REALS, queue)

    def normal(self, *args: Any, mu: float = 0, sigma: float = 1, **kwargs: Any) -> Array:
        """The same in an array that array.empty(*args, **kwargs) makes."""
        made = cl_array.empty(*args, **kwargs)
        self.fill_normal(made, mu, sigma)
        return made


def _fill(
    ary: Array, draw: Callable[[NativeArray], Any], dtypes: Sequence[Any], queue: Any
) -> _cl.Event:
    dtype, _ = cltypes.vec_type_to_scalar_and_count.get(ary.dtype, (ary.dtype, 1))
    width = ary.dtype.itemsize // dtype.itemsize  # includes the padding of vectors of 3
    if dtype not in dtypes:
        names = ", ".join(np.dtype(one).name for one in dtypes)
        raise TypeError(f"random numbers of {dtype}: there are {names}, and vectors of them")
    with ary._work(queue=queue) as place:
        target: NativeArray = ary
        if width != 1:
            shape, strides = (*ary.shape, width), (*ary.strides, dtype.itemsize)
            target = _native.viewed(ary, dtype, shape, strides)
        draw(target)
        marker = place.stream.record()
    event = _cl.Event.from_int_ptr(marker.raw)
    ary.add_event(event)
    return event


class PhiloxGenerator(Random123GeneratorBase):
    """Philox4x32-10."""

    header_name = "philox"
    generator_name = "philox4x32"
    key_length = 2
    _generator = RandomGenerator.philox


class ThreefryGenerator(Random123GeneratorBase):
    """Threefry4x32-20."""

    header_name = "threefry"
    generator_name = "threefry4x32"
    key_length = 4
    _generator = RandomGenerator.threefry


class RanluxGenerator(PhiloxGenerator):
    """The generator that PyOpenCL had until 2018, by name: the numbers are Philox's, whatever the
    luxury, so that a seed gives others than there."""

    def __init__(
        self,
        queue: _cl.CommandQueue,
        num_work_items: int | None = None,
        luxury: int | None = None,
        seed: int | None = None,
        max_work_items: int | None = None,
    ) -> None:
        warnings.warn(
            "pyopencl.clrandom.RanluxGenerator is an old name, and its numbers are Philox's, not "
            "RANLUX's: PhiloxGenerator(context, seed=seed)",
            DeprecationWarning,
            stacklevel=2,
        )
        super().__init__(queue.context, seed=seed)
        # Programs read these. Neither the work-items nor the numbers depend on them.
        self.num_work_items = num_work_items
        self.luxury = luxury
        self.max_work_items = max_work_items

    def synchronize(self, queue: Any = None) -> None:
        """Nothing: fills are ordered by the arrays' events, and no state lies on the device."""


@first_arg_dependent_memoize
def _get_generator(context: _cl.Context) -> Random123GeneratorBase:
    return PhiloxGenerator(context)


def fill_rand(result: Array, queue: Any = None, a: Any = 0, b: Any = 1) -> None:
    """Fills an array with numbers of [a, b), by a generator that its context has."""
    queue = result._queue_for(queue)
    _get_generator(queue.context).fill_uniform(result, a=a, b=b, queue=queue)


# over 6 parameters because they are those of PyOpenCL's
def rand(queue: Any, shape: Any, dtype: Any, luxury: Any = None, a: Any = 0, b: Any = 1) -> Array:
    """A new array of numbers of [a, b), by a generator that its context has."""
    if luxury is not None:
        warnings.warn("rand() has no use for luxury: leave it out", stacklevel=2)
    return _get_generator(queue.context).uniform(queue, shape, dtype, a=a, b=b)
