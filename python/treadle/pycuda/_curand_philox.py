# SPDX-License-Identifier: MIT
"""Philox4_32_10RandomNumberGenerator of pycuda.curandom, and what is checked of every generator's
arguments."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from treadle._core import NotSupported
from treadle._core import array as _array
from treadle._face_array import assign, on_stream
from treadle.pycuda._gpuarray import GPUArray
from treadle.random import Generator, RandomDraw


def of_whole_range(dtype: Any, with_high: bool) -> RandomDraw:
    """All bits random, or floating-point numbers between 0 and 1."""
    if dtype in (np.int32, np.uint32):
        return RandomDraw.words(dtype)
    if dtype in (np.float32, np.float64):
        return RandomDraw.uniform(dtype, with_high=with_high)
    raise NotSupported(
        f"uniform random numbers of {dtype}: there are those of float32, float64, int32 and uint32"
    )


def normal_draw(dtype: Any, mean: float = 0, deviation: float = 1) -> RandomDraw:
    if dtype not in (np.float32, np.float64):
        raise NotSupported(f"normal random numbers of {dtype}: there are float32 and float64")
    return RandomDraw.normal(dtype, mean, deviation)


def poisson_draw(dtype: Any, mean: Any) -> RandomDraw:
    possible = (np.uint32,) if mean is not None else (np.uint32, np.float32, np.float64)
    if dtype not in possible:
        names = ", ".join(np.dtype(one).name for one in possible)
        raise NotSupported(f"Poisson numbers of {dtype}: there are {names}")
    return RandomDraw.poisson(dtype, mean)


def fill(random: Generator, draw: RandomDraw, data: GPUArray, stream: Any) -> None:
    with on_stream(data.device, stream):
        random.draw(draw, out=data)


class Philox4_32_10RandomNumberGenerator:  # noqa: N801 - cuRAND's name in PyCUDA's form
    """Random numbers of Philox4x32-10, one after the other, the same on every device.

    The seed is the GPUArray of two int32 that `seed_getter(2)` gives; without a getter it is of
    NumPy's global generator. `offset` is as call_skip_ahead()'s argument."""

    generator_bits = 32
    has_box_muller = True
    # One generator draws the numbers of all threads, and keeps no state on the device.
    block_count = 1
    generators_per_block = 1

    def __init__(
        self, seed_getter: Callable[[int], GPUArray] | None = None, offset: int = 0
    ) -> None:
        self._random = Generator(_seed_of(seed_getter))
        self.call_skip_ahead(offset)

    def fill_uniform(self, data: GPUArray, stream: Any = None) -> None:
        """Numbers of (0, 1] in float32 or float64, or all bits random in int32 or uint32."""
        fill(self._random, of_whole_range(data.dtype, with_high=True), data, stream)

    def gen_uniform(self, shape: Any, dtype: Any, stream: Any = None) -> GPUArray:
        """The same in a new array."""
        return self._made(of_whole_range(np.dtype(dtype), with_high=True), shape, dtype, stream)

    def fill_normal(self, data: GPUArray, stream: Any = None) -> None:
        """Numbers of mean 0 and deviation 1, in float32 or float64."""
        fill(self._random, normal_draw(data.dtype), data, stream)

    def gen_normal(self, shape: Any, dtype: Any, stream: Any = None) -> GPUArray:
        """The same in a new array."""
        return self._made(normal_draw(np.dtype(dtype)), shape, dtype, stream)

    def fill_log_normal(
        self, data: GPUArray, mean: float, stddev: float, stream: Any = None
    ) -> None:
        """exp() of normal numbers of this mean and deviation, in float32 or float64."""
        draw = normal_draw(data.dtype, mean, stddev)
        with on_stream(data.device, stream):
            self._random.draw(draw, out=data)
            assign(data, _array.apply("exp", data))

    def gen_log_normal(
        self, shape: Any, dtype: Any, mean: float, stddev: float, stream: Any = None
    ) -> GPUArray:
        """The same in a new array."""
        normal_draw(np.dtype(dtype), mean, stddev)  # raises before memory is allocated
        made = GPUArray(shape, dtype)
        self.fill_log_normal(made, mean, stddev, stream)
        return made

    def fill_poisson(self, data: GPUArray, lambda_value: Any = None, stream: Any = None) -> None:
        """Poisson numbers of this mean, in uint32; without one each of the mean that is there
        before, in uint32, float32 or float64. The mean is at most 2**30."""
        fill(self._random, poisson_draw(data.dtype, lambda_value), data, stream)

    def gen_poisson(
        self, shape: Any, dtype: Any, lambda_value: Any, stream: Any = None
    ) -> GPUArray:
        """Poisson numbers of this mean in a new array of uint32."""
        return self._made(poisson_draw(np.dtype(dtype), float(lambda_value)), shape, dtype, stream)

    def _made(self, draw: RandomDraw, shape: Any, dtype: Any, stream: Any) -> GPUArray:
        made = GPUArray(shape, dtype)
        fill(self._random, draw, made, stream)
        return made

    def call_skip_ahead(self, i: int, stream: Any = None) -> None:
        """Passes over i numbers of 32 bits, rounded up to a multiple of four."""
        state = self._random.state
        state.advance(-(-forward(i) // 4))
        self._random.state = state

    def call_skip_ahead_sequence(self, i: int, stream: Any = None) -> None:
        """Goes to the start of the i-th next sequence of the same seed; they do not overlap."""
        self._random = self._random.jumped(forward(i))

    def call_skip_ahead_array(self, i: GPUArray, stream: Any = None) -> None:
        """The same as call_skip_ahead() for each generator: `i` has one integer. Waits for it."""
        self.call_skip_ahead(_one_integer(i))

    def call_skip_ahead_sequence_array(self, i: GPUArray, stream: Any = None) -> None:
        """The same as call_skip_ahead_sequence() for each generator. Waits for the integer."""
        self.call_skip_ahead_sequence(_one_integer(i))

    def __getattr__(self, name: str) -> NoReturn:
        what = "Philox4_32_10RandomNumberGenerator"
        if name in _OF_KERNELS:
            raise AttributeError(
                f"{what}.{name} is not part of Treadle: no state of a generator lies on the "
                "device, and no kernel moves it on; call_skip_ahead() and "
                "call_skip_ahead_sequence() do"
            )
        raise AttributeError(f"{what!r} object has no attribute {name!r}")


# Attributes of PyCUDA's generators, whose state is in device memory.
_OF_KERNELS = frozenset(
    ("generators", "module", "state", "state_type", "skip_ahead", "skip_ahead_array")
    + ("skip_ahead_sequence", "skip_ahead_sequence_array", "call_skip_ahead_subsequence")
    + ("call_skip_ahead_subsequence_array",)
)


def _one_integer(i: GPUArray) -> int:
    if not (isinstance(i, GPUArray) and i.dtype.kind in "iu" and i.size == 1):
        raise TypeError(
            f"a skip by a {type(i).__name__} of {getattr(i, 'dtype', '?')} and shape "
            f"{getattr(i, 'shape', '?')}: pass a GPUArray of one integer, one for each generator"
        )
    return int(i.get().item())


def forward(i: int) -> int:
    count = operator.index(i)
    if not 0 <= count < 2**64:
        raise ValueError(f"a skip by {count}: it is from 0 to 2**64 - 1")
    return count


def _seed_of(seed_getter: Callable[[int], GPUArray] | None) -> int:
    if seed_getter is None:
        return int(np.random.randint(0, 2**64, dtype=np.uint64))
    seeds = seed_getter(2)
    if not (isinstance(seeds, GPUArray) and seeds.dtype == np.int32 and seeds.size == 2):
        raise TypeError(
            f"seed_getter(2) gave a {type(seeds).__name__} of {getattr(seeds, 'dtype', '?')} and "
            f"shape {getattr(seeds, 'shape', '?')}: let it be a GPUArray of two int32"
        )
    return int.from_bytes(seeds.get().tobytes(), "little")
