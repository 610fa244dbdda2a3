# SPDX-License-Identifier: MIT
"""Random numbers in GPUArrays: those of treadle.random, which are the same on every device.

    x = curandom.rand((1000, 3))
    generator = curandom.Philox4_32_10RandomNumberGenerator()
    y = generator.gen_normal((1000,), numpy.float32)

There are no other generators: cuRAND itself is not used.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from treadle import _absent
from treadle._core import NotSupported
from treadle._core import array as _array
from treadle._face_array import assign, on_stream
from treadle.pycuda import driver as cuda
from treadle.pycuda.driver import get_curand_version
from treadle.pycuda.gpuarray import GPUArray
from treadle.random import Generator, RandomDraw

__all__ = [
    "Philox4_32_10RandomNumberGenerator",
    "get_curand_version",
    "rand",
    "seed_getter_uniform",
    "seed_getter_unique",
]

# Of other generators.
_ABSENT = dict.fromkeys(
    (
        "MRG32k3aRandomNumberGenerator",
        "ScrambledSobol32RandomNumberGenerator",
        "ScrambledSobol64RandomNumberGenerator",
        "Sobol32RandomNumberGenerator",
        "Sobol64RandomNumberGenerator",
        "XORWOWRandomNumberGenerator",
        "_PseudoRandomNumberGeneratorBase",
        "_RandomNumberGeneratorBase",
        "_ScrambledSobolRandomNumberGeneratorBase",
        "_SobolRandomNumberGeneratorBase",
        "direction_vector_set",
        "generate_direction_vectors",
        "generate_scramble_constants32",
        "generate_scramble_constants64",
    ),
    "Philox4_32_10RandomNumberGenerator has the same methods, and the same numbers on every device",
) | dict.fromkeys(
    ("gen_template", "md5_code", "random_source"),
    "rand() and the generators run kernels of treadle.random, whose text is not taken apart",
)


def __getattr__(name: str) -> NoReturn:
    raise _absent.no_name("pycuda.curandom", name, _ABSENT)


def _of_whole_range(dtype: Any, with_high: bool) -> RandomDraw:
    """All bits random, or floating-point numbers between 0 and 1."""
    if dtype in (np.int32, np.uint32):
        return RandomDraw.words(dtype)
    if dtype in (np.float32, np.float64):
        return RandomDraw.uniform(dtype, with_high=with_high)
    raise NotSupported(
        f"uniform random numbers of {dtype}: there are those of float32, float64, int32 and uint32"
    )


def _normal(dtype: Any, mean: float = 0, deviation: float = 1) -> RandomDraw:
    if dtype not in (np.float32, np.float64):
        raise NotSupported(f"normal random numbers of {dtype}: there are float32 and float64")
    return RandomDraw.normal(dtype, mean, deviation)


def _poisson(dtype: Any, mean: Any) -> RandomDraw:
    possible = (np.uint32,) if mean is not None else (np.uint32, np.float32, np.float64)
    if dtype not in possible:
        names = ", ".join(np.dtype(one).name for one in possible)
        raise NotSupported(f"Poisson numbers of {dtype}: there are {names}")
    return RandomDraw.poisson(dtype, mean)


def _fill(random: Generator, draw: RandomDraw, data: GPUArray, stream: cuda.Stream | None) -> None:
    with on_stream(data.device, stream):
        random.draw(draw, out=data)


def rand(shape: Any, dtype: Any = np.float32, stream: cuda.Stream | None = None) -> GPUArray:
    """Numbers of [0, 1) in float32 or float64, or all bits random in int32 or uint32.

    NumPy's global generator gives the seed: numpy.random.seed() makes them reproducible."""
    draw = _of_whole_range(np.dtype(dtype), with_high=False)
    made = GPUArray(shape, dtype)
    _fill(Generator(_random_int32()), draw, made, stream)
    return made


def _random_int32() -> int:
    return int(np.random.randint(2**31 - 1))


def seed_getter_uniform(n: int) -> GPUArray:
    """n times the same random int32."""
    made = GPUArray((n,), np.int32)
    assign(made, _random_int32())
    return made


def seed_getter_unique(n: int) -> GPUArray:
    """n random int32."""
    return rand((n,), np.int32)


class Philox4_32_10RandomNumberGenerator:  # noqa: N801 - cuRAND's name in PyCUDA's form
    """Random numbers of Philox4x32-10, one after the other, the same on every device.

    The seed is the GPUArray of two int32 that `seed_getter(2)` gives; without a getter it is of
    NumPy's global generator. `offset` is as call_skip_ahead()'s argument."""

    generator_bits = 32
    has_box_muller = True
    # One generator makes the numbers of all threads, and leaves nothing on the device.
    block_count = 1
    generators_per_block = 1

    def __init__(
        self, seed_getter: Callable[[int], GPUArray] | None = None, offset: int = 0
    ) -> None:
        self._random = Generator(_seed_of(seed_getter))
        self.call_skip_ahead(offset)

    def fill_uniform(self, data: GPUArray, stream: cuda.Stream | None = None) -> None:
        """Numbers of (0, 1] in float32 or float64, or all bits random in int32 or uint32."""
        _fill(self._random, _of_whole_range(data.dtype, with_high=True), data, stream)

    def gen_uniform(self, shape: Any, dtype: Any, stream: cuda.Stream | None = None) -> GPUArray:
        """The same in a new array."""
        return self._made(_of_whole_range(np.dtype(dtype), with_high=True), shape, dtype, stream)

    def fill_normal(self, data: GPUArray, stream: cuda.Stream | None = None) -> None:
        """Numbers of mean 0 and deviation 1, in float32 or float64."""
        _fill(self._random, _normal(data.dtype), data, stream)

    def gen_normal(self, shape: Any, dtype: Any, stream: cuda.Stream | None = None) -> GPUArray:
        """The same in a new array."""
        return self._made(_normal(np.dtype(dtype)), shape, dtype, stream)

    def fill_log_normal(
        self, data: GPUArray, mean: float, stddev: float, stream: cuda.Stream | None = None
    ) -> None:
        """exp() of normal numbers of this mean and deviation, in float32 or float64."""
        draw = _normal(data.dtype, mean, stddev)
        with on_stream(data.device, stream):
            self._random.draw(draw, out=data)
            assign(data, _array.apply("exp", data))

    def gen_log_normal(
        self, shape: Any, dtype: Any, mean: float, stddev: float, stream: cuda.Stream | None = None
    ) -> GPUArray:
        """The same in a new array."""
        _normal(np.dtype(dtype), mean, stddev)  # refuses what is wrong before memory is taken
        made = GPUArray(shape, dtype)
        self.fill_log_normal(made, mean, stddev, stream)
        return made

    def fill_poisson(
        self, data: GPUArray, lambda_value: Any = None, stream: cuda.Stream | None = None
    ) -> None:
        """Poisson numbers of this mean, in uint32; without one each of the mean that is there
        before, in uint32, float32 or float64. The mean is at most 2**30."""
        _fill(self._random, _poisson(data.dtype, lambda_value), data, stream)

    def gen_poisson(
        self, shape: Any, dtype: Any, lambda_value: Any, stream: cuda.Stream | None = None
    ) -> GPUArray:
        """Poisson numbers of this mean in a new array of uint32."""
        return self._made(_poisson(np.dtype(dtype), float(lambda_value)), shape, dtype, stream)

    def _made(
        self, draw: RandomDraw, shape: Any, dtype: Any, stream: cuda.Stream | None
    ) -> GPUArray:
        made = GPUArray(shape, dtype)
        _fill(self._random, draw, made, stream)
        return made

    def call_skip_ahead(self, i: int, stream: cuda.Stream | None = None) -> None:
        """Passes over i numbers of 32 bits, rounded up to a multiple of four."""
        state = self._random.state
        state.advance(-(-_forward(i) // 4))
        self._random.state = state

    def call_skip_ahead_sequence(self, i: int, stream: cuda.Stream | None = None) -> None:
        """Goes to the start of the i-th next sequence of the same seed; they do not overlap."""
        self._random = self._random.jumped(_forward(i))

    def call_skip_ahead_array(self, i: GPUArray, stream: cuda.Stream | None = None) -> None:
        """The same as call_skip_ahead() for each generator: `i` has one integer. Waits for it."""
        self.call_skip_ahead(_one_integer(i))

    def call_skip_ahead_sequence_array(
        self, i: GPUArray, stream: cuda.Stream | None = None
    ) -> None:
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


# Of PyCUDA's generators, whose state is in device memory.
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


def _forward(i: int) -> int:
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
