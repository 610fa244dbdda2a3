# SPDX-License-Identifier: MIT
"""Random numbers in GPUArrays: those of treadle.random, which are the same on every device, and
those of cuRAND's generators.

    x = curandom.rand((1000, 3))
    generator = curandom.Philox4_32_10RandomNumberGenerator()
    y = generator.gen_normal((1000,), numpy.float32)
    z = curandom.XORWOWRandomNumberGenerator().gen_uniform((1000,), numpy.float32)

XORWOW, MRG32k3a and the Sobol sequences have a state for each of block_count * generators_per_block
threads, in device memory, and draw cuRAND's numbers by Treadle's own <curand_kernel.h>: how many
there are, and so which numbers an array gets, is the device's matter. Philox's are not.
"""

from __future__ import annotations

import enum
import functools
import operator
from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

import numpy as np

from treadle import _absent
from treadle._core import NotSupported
from treadle._core.random import sobol_shifts, sobol_vectors
from treadle._face_array import assign, on_stream
from treadle.pycuda import driver as cuda
from treadle.pycuda._curand_philox import (
    Philox4_32_10RandomNumberGenerator,
    fill,
    forward,
    normal_draw,
    of_whole_range,
    poisson_draw,
)
from treadle.pycuda.compiler import SourceModule
from treadle.pycuda.driver import get_curand_version
from treadle.pycuda.gpuarray import GPUArray, to_gpu
from treadle.pycuda.tools import context_dependent_memoize
from treadle.random import Generator

__all__ = [
    "MRG32k3aRandomNumberGenerator",
    "Philox4_32_10RandomNumberGenerator",
    "ScrambledSobol32RandomNumberGenerator",
    "ScrambledSobol64RandomNumberGenerator",
    "Sobol32RandomNumberGenerator",
    "Sobol64RandomNumberGenerator",
    "XORWOWRandomNumberGenerator",
    "direction_vector_set",
    "generate_direction_vectors",
    "generate_scramble_constants32",
    "generate_scramble_constants64",
    "get_curand_version",
    "rand",
    "seed_getter_uniform",
    "seed_getter_unique",
]

_ABSENT = dict.fromkeys(
    ("gen_template", "md5_code", "random_source"),
    "rand() and the generators run kernels of treadle.random and <curand_kernel.h>, whose text is "
    "not taken apart",
)


def __getattr__(name: str) -> NoReturn:
    raise _absent.no_name("pycuda.curandom", name, _ABSENT)


def rand(shape: Any, dtype: Any = np.float32, stream: cuda.Stream | None = None) -> GPUArray:
    """Numbers of [0, 1) in float32 or float64, or all bits random in int32 or uint32.

    NumPy's global generator gives the seed: numpy.random.seed() makes them reproducible."""
    draw = of_whole_range(np.dtype(dtype), with_high=False)
    made = GPUArray(shape, dtype)
    fill(Generator(_random_int32()), draw, made, stream)
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


class direction_vector_set(enum.IntEnum):  # noqa: N801 - PyCUDA's name
    """cuRAND's sets of direction vectors."""

    VECTOR_32 = 101
    SCRAMBLED_VECTOR_32 = 102
    VECTOR_64 = 103
    SCRAMBLED_VECTOR_64 = 104


# The scrambling seed if the program gives none: the same in every run, as cuRAND's is.
_SCRAMBLING = 0x5EED


def generate_direction_vectors(count: int, direction: Any = None) -> GPUArray:
    """A row of direction vectors for each of `count` dimensions: 32 of uint32, or 64 of uint64.

    Plain ones are cuRAND's, those of Joe and Kuo; 20000 dimensions have vectors of their own. The
    scrambled ones are Treadle's."""
    if not isinstance(direction, (int, np.integer)):
        names = ", ".join(f"direction_vector_set.{one.name}" for one in direction_vector_set)
        raise TypeError(f"direction is {direction!r}: it is one of {names}")
    vectors = direction_vector_set(int(direction))
    is_scrambled = vectors in (
        direction_vector_set.SCRAMBLED_VECTOR_32,
        direction_vector_set.SCRAMBLED_VECTOR_64,
    )
    bits = 32 if vectors < direction_vector_set.VECTOR_64 else 64
    return to_gpu(sobol_vectors(bits, _count(count), _SCRAMBLING if is_scrambled else None))


def generate_scramble_constants32(count: int) -> GPUArray:
    """A random uint32 for each of `count` dimensions, the same in every run."""
    return to_gpu(sobol_shifts(32, _count(count), _SCRAMBLING))


def generate_scramble_constants64(count: int) -> GPUArray:
    """The same of uint64."""
    return to_gpu(sobol_shifts(64, _count(count), _SCRAMBLING))


def _count(count: int) -> int:
    number = operator.index(count)
    if number < 0:
        raise ValueError(f"vectors of {number} dimensions: give 0 or more")
    return number


@context_dependent_memoize
def _module_of(state_type: str, macros: str) -> SourceModule:
    return SourceModule(f'#include "treadle/curand_fills.h"\n{macros}')


class _RandomNumberGeneratorBase:
    """States of a generator in device memory, one for each thread of a launch of block_count
    blocks, and kernels that draw from them. Thread t of T draws elements t, t + T, t + 2 T, ..."""

    generator_bits: ClassVar[int] = 32
    has_box_muller: ClassVar[bool] = False
    state_type: ClassVar[str]
    # Kernels that skip numbers, with pycuda's names.
    skip_ahead: Any
    skip_ahead_array: Any
    _macros: ClassVar[tuple[str, ...]]
    _skips: ClassVar[tuple[str, ...]] = ("skip_ahead",)

    def __init__(self) -> None:
        device = cuda.Context.get_device()
        self.module = _module_of(self.state_type, "\n".join(self._texts()))
        names = [f"{one}_{kind}" for one in ("uniform", "normal", "log_normal") for kind in _KINDS]
        names += [
            "uniform_int",
            "poisson_int",
            *(f"poisson_inplace_{one}" for one in ("int", *_KINDS)),
        ]
        if self.has_box_muller:
            names += [f"{one}_{kind}2" for one in ("normal", "log_normal") for kind in _KINDS]
        if self.generator_bits == 64:
            names.append("uniform_longlong")
        self.generators = {name: self.module.get_function(name) for name in names}
        self._prepare = self.module.get_function("prepare")
        for name in self._skips:
            setattr(self, name, self.module.get_function(name))
            setattr(self, f"{name}_array", self.module.get_function(f"{name}_array"))
        self.block_count = device.multiprocessor_count

    @classmethod
    def _texts(cls) -> list[str]:
        return [f"{macro.replace('STATE', cls.state_type)}" for macro in cls._macros]

    @functools.cached_property
    def generators_per_block(self) -> int:
        """Threads of a block that every kernel can be launched with."""
        kernels = [self._prepare, *self.generators.values()]
        kernels += [
            getattr(self, f"{name}{more}") for name in self._skips for more in ("", "_array")
        ]
        return int(min(kernel.max_threads_per_block for kernel in kernels))

    @functools.cached_property
    def state(self) -> cuda.DeviceAllocation:
        """Device memory of the states."""
        place, _ = self.module.get_global("state_bytes")
        size = np.empty(1, np.uint32)
        cuda.memcpy_dtoh(size, place)
        return cuda.mem_alloc(self._threads * int(size[0]))

    @property
    def _threads(self) -> int:
        return int(self.block_count * self.generators_per_block)

    def _launch(self, kernel: Any, *arguments: Any, stream: Any = None) -> None:
        kernel(
            self.state,
            *arguments,
            block=(self.generators_per_block, 1, 1),
            grid=(self.block_count, 1),
            stream=stream,
        )

    def _begin(self, *arguments: Any) -> None:
        try:
            self._launch(self._prepare, *arguments)
        except cuda.LaunchError as error:
            raise ValueError("Initialisation failed. Decrease number of threads.") from error

    # over 6 parameters because a draw has two
    def _fill(
        self,
        name: str,
        data: GPUArray,
        stream: cuda.Stream | None,
        mean: float = 0,
        deviation: float = 1,
    ) -> None:
        if not isinstance(data, GPUArray):
            raise TypeError(f"random numbers go into a GPUArray, not a {type(data).__name__}")
        if data.size == 0:
            return
        with on_stream(data.device, stream):
            target = data
            if not data.flags.forc:
                target = GPUArray(data.shape, data.dtype)
                if name.startswith("poisson_inplace"):
                    assign(target, data)
            count = data.size
            is_normal = name.startswith(("normal", "log_normal"))
            if is_normal and self.has_box_muller and count % 2 == 0:
                name, count = f"{name}2", count // 2
            numbers = np.uint64(count), np.float64(mean), np.float64(deviation)
            self._launch(self.generators[name], target, *numbers, stream=stream)
            if target is not data:
                assign(data, target)

    def fill_uniform(self, data: GPUArray, stream: cuda.Stream | None = None) -> None:
        """Numbers of (0, 1] in float32 or float64, or all bits random in int32 or uint32; of
        generators of 64 bits in int64 and uint64, too."""
        kind = {"f4": "float", "f8": "double", "i4": "int", "u4": "int"}.get(data.dtype.str[1:])
        if self.generator_bits == 64 and data.dtype.str[1:] in ("i8", "u8"):
            kind = "longlong"
        if kind is None:
            raise NotSupported(
                f"uniform random numbers of {data.dtype}: there are those of float32, float64, "
                f"int32 and uint32{', int64 and uint64' if self.generator_bits == 64 else ''}"
            )
        self._fill(f"uniform_{kind}", data, stream)

    def fill_normal(self, data: GPUArray, stream: cuda.Stream | None = None) -> None:
        """Numbers of mean 0 and deviation 1, in float32 or float64."""
        normal_draw(data.dtype)
        self._fill(f"normal_{_KINDS_OF[data.dtype.str[1:]]}", data, stream)

    def fill_log_normal(
        self, data: GPUArray, mean: float, stddev: float, stream: cuda.Stream | None = None
    ) -> None:
        """exp() of normal numbers of this mean and deviation, in float32 or float64."""
        normal_draw(data.dtype, mean, stddev)
        self._fill(f"log_normal_{_KINDS_OF[data.dtype.str[1:]]}", data, stream, mean, stddev)

    def fill_poisson(
        self, data: GPUArray, lambda_value: Any = None, stream: cuda.Stream | None = None
    ) -> None:
        """Poisson numbers of this mean, in uint32; without one each of the mean that is there
        before, in uint32, float32 or float64."""
        poisson_draw(data.dtype, lambda_value)
        if lambda_value is not None:
            return self._fill("poisson_int", data, stream, lambda_value)
        kind = {"u4": "int", "f4": "float", "f8": "double"}[data.dtype.str[1:]]
        return self._fill(f"poisson_inplace_{kind}", data, stream)

    def gen_uniform(self, shape: Any, dtype: Any, stream: cuda.Stream | None = None) -> GPUArray:
        """fill_uniform() of a new array."""
        made = GPUArray(shape, dtype)
        self.fill_uniform(made, stream)
        return made

    def gen_normal(self, shape: Any, dtype: Any, stream: cuda.Stream | None = None) -> GPUArray:
        """fill_normal() of a new array."""
        made = GPUArray(shape, dtype)
        self.fill_normal(made, stream)
        return made

    def gen_log_normal(
        self, shape: Any, dtype: Any, mean: float, stddev: float, stream: cuda.Stream | None = None
    ) -> GPUArray:
        """fill_log_normal() of a new array."""
        made = GPUArray(shape, dtype)
        self.fill_log_normal(made, mean, stddev, stream)
        return made

    def gen_poisson(
        self, shape: Any, dtype: Any, lambda_value: Any, stream: cuda.Stream | None = None
    ) -> GPUArray:
        """fill_poisson() of a new array of uint32."""
        poisson_draw(np.dtype(dtype), float(lambda_value))
        made = GPUArray(shape, dtype)
        self.fill_poisson(made, lambda_value, stream)
        return made

    def call_skip_ahead(self, i: int, stream: cuda.Stream | None = None) -> None:
        """Passes over i numbers of every state."""
        self._launch(self.skip_ahead, np.uint64(forward(i)), stream=stream)

    def call_skip_ahead_array(self, i: GPUArray, stream: cuda.Stream | None = None) -> None:
        """Passes over i[t] numbers of state t: as many integers as there are states."""
        self._launch(self.skip_ahead_array, self._counts(i), stream=stream)

    def _counts(self, i: GPUArray) -> GPUArray:
        if not (isinstance(i, GPUArray) and i.dtype.kind in "iu" and i.size == self._threads):
            raise TypeError(
                f"a skip by a {type(i).__name__} of {getattr(i, 'dtype', '?')} and shape "
                f"{getattr(i, 'shape', '?')}: pass a GPUArray of {self._threads} integers, one for "
                "each generator"
            )
        return i.astype(np.uint64)


_KINDS = ("float", "double")
_KINDS_OF = {"f4": "float", "f8": "double"}


class _PseudoRandomNumberGeneratorBase(_RandomNumberGeneratorBase):
    """States that begin from seeds: the GPUArray of as many int32 as there are states that
    `seed_getter` gives; without a getter they are of NumPy's global generator."""

    has_box_muller = True
    _macros: ClassVar[tuple[str, ...]] = ("__TREADLE_FILLS(STATE)", "__TREADLE_PAIR_FILLS(STATE)")
    _skips: ClassVar[tuple[str, ...]] = ("skip_ahead", "skip_ahead_sequence")
    skip_ahead_sequence: Any
    skip_ahead_sequence_array: Any

    def __init__(
        self, seed_getter: Callable[[int], GPUArray] | None = None, offset: int = 0
    ) -> None:
        super().__init__()
        if seed_getter is None:
            whole = np.random.randint(-(2**31), 2**31, self._threads, dtype=np.int32)
            seeds = to_gpu(whole)
        else:
            seeds = seed_getter(self._threads)
        if not (
            isinstance(seeds, GPUArray)
            and seeds.dtype == np.int32
            and seeds.shape == (self._threads,)
        ):
            raise TypeError(
                f"seed_getter({self._threads}) gave a {type(seeds).__name__} of "
                f"{getattr(seeds, 'dtype', '?')} and shape {getattr(seeds, 'shape', '?')}: let it "
                f"be a GPUArray of {self._threads} int32"
            )
        self._begin(seeds, np.uint64(forward(offset)))

    def call_skip_ahead_sequence(self, i: int, stream: cuda.Stream | None = None) -> None:
        """Passes over i sequences of every state."""
        self._launch(self.skip_ahead_sequence, np.uint64(forward(i)), stream=stream)

    def call_skip_ahead_sequence_array(
        self, i: GPUArray, stream: cuda.Stream | None = None
    ) -> None:
        """Passes over i[t] sequences of state t."""
        self._launch(self.skip_ahead_sequence_array, self._counts(i), stream=stream)


class XORWOWRandomNumberGenerator(_PseudoRandomNumberGeneratorBase):
    """Marsaglia's XORWOW."""

    state_type = "curandStateXORWOW_t"


class MRG32k3aRandomNumberGenerator(_PseudoRandomNumberGeneratorBase):
    """L'Ecuyer's MRG32k3a."""

    state_type = "curandStateMRG32k3a_t"
    _macros = (
        *_PseudoRandomNumberGeneratorBase._macros,
        "__TREADLE_SKIP(STATE, skip_ahead_subsequence, skipahead_subsequence)",
    )
    _skips = (*_PseudoRandomNumberGeneratorBase._skips, "skip_ahead_subsequence")
    skip_ahead_subsequence: Any
    skip_ahead_subsequence_array: Any

    def call_skip_ahead_subsequence(self, i: int, stream: cuda.Stream | None = None) -> None:
        """Passes over i subsequences of every state."""
        self._launch(self.skip_ahead_subsequence, np.uint64(forward(i)), stream=stream)

    def call_skip_ahead_subsequence_array(
        self, i: GPUArray, stream: cuda.Stream | None = None
    ) -> None:
        """Passes over i[t] subsequences of state t."""
        self._launch(self.skip_ahead_subsequence_array, self._counts(i), stream=stream)


class _SobolRandomNumberGeneratorBase(_RandomNumberGeneratorBase):
    """A dimension for each state, of direction vectors of the program's or of
    generate_direction_vectors()."""

    _vectors: ClassVar[direction_vector_set]

    def __init__(self, dir_vector: GPUArray | None = None, offset: int = 0) -> None:
        super().__init__()
        self._begin(self._vectors_of(dir_vector), np.uint64(forward(offset)))

    def _vectors_of(self, given: GPUArray | None) -> GPUArray:
        if given is None:
            return generate_direction_vectors(self._threads, self._vectors)
        bits = self.generator_bits
        return self._checked("dir_vector", given, (self._threads, bits))

    def _checked(self, name: str, given: GPUArray, shape: tuple[int, ...]) -> GPUArray:
        dtype = np.dtype(f"u{self.generator_bits // 8}")
        if not (
            isinstance(given, GPUArray)
            and given.dtype == dtype
            and given.shape == shape
            and given.flags.c_contiguous
        ):
            raise TypeError(
                f"{name} is a {type(given).__name__} of {getattr(given, 'dtype', '?')} and shape "
                f"{getattr(given, 'shape', '?')}: let it be a GPUArray of {dtype} and shape {shape}"
            )
        return given


class _ScrambledSobolRandomNumberGeneratorBase(_SobolRandomNumberGeneratorBase):
    """The same, each state beginning with a constant of its own."""

    def __init__(
        self,
        dir_vector: GPUArray | None = None,
        scramble_vector: GPUArray | None = None,
        offset: int = 0,
    ) -> None:
        _RandomNumberGeneratorBase.__init__(self)
        if scramble_vector is None:
            bits = self.generator_bits
            constants = to_gpu(sobol_shifts(bits, self._threads, _SCRAMBLING))
        else:
            constants = self._checked("scramble_vector", scramble_vector, (self._threads,))
        self._begin(self._vectors_of(dir_vector), constants, np.uint64(forward(offset)))


def _sobol_macros(words: str, prepare: str, more: tuple[str, ...] = ()) -> tuple[str, ...]:
    bits = "32" if words == "unsigned int" else "64"
    prepared = f"__TREADLE_{prepare}(STATE, curandDirectionVectors{bits}_t, {words})"
    return ("__TREADLE_FILLS(STATE)", prepared, *more)


class Sobol32RandomNumberGenerator(_SobolRandomNumberGeneratorBase):
    """Sobol sequences of 32 bits, cuRAND's."""

    state_type = "curandStateSobol32_t"
    _vectors = direction_vector_set.VECTOR_32
    _macros = _sobol_macros("unsigned int", "SOBOL_PREPARE")


class ScrambledSobol32RandomNumberGenerator(_ScrambledSobolRandomNumberGeneratorBase):
    """Scrambled Sobol sequences of 32 bits."""

    state_type = "curandStateScrambledSobol32_t"
    _vectors = direction_vector_set.SCRAMBLED_VECTOR_32
    _macros = _sobol_macros("unsigned int", "SCRAMBLED_PREPARE")


class Sobol64RandomNumberGenerator(_SobolRandomNumberGeneratorBase):
    """Sobol sequences of 64 bits, cuRAND's."""

    generator_bits = 64
    state_type = "curandStateSobol64_t"
    _vectors = direction_vector_set.VECTOR_64
    _macros = _sobol_macros("unsigned long long", "SOBOL_PREPARE", ("__TREADLE_LONG_FILLS(STATE)",))


class ScrambledSobol64RandomNumberGenerator(_ScrambledSobolRandomNumberGeneratorBase):
    """Scrambled Sobol sequences of 64 bits."""

    generator_bits = 64
    state_type = "curandStateScrambledSobol64_t"
    _vectors = direction_vector_set.SCRAMBLED_VECTOR_64
    _macros = _sobol_macros(
        "unsigned long long", "SCRAMBLED_PREPARE", ("__TREADLE_LONG_FILLS(STATE)",)
    )
