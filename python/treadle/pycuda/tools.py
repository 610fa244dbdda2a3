# SPDX-License-Identifier: MIT
"""Contexts for programs and tests, caches bound to contexts, C types, and occupancy."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import treadle.pycuda.driver as cuda
from treadle._c_names import (  # noqa: F401
    TYPE_REGISTRY,
    _fill_dtype_registry,
    get_or_register_dtype,
    parse_c_arg_backend,
    register_dtype,
)
from treadle._core import InvalidArgument
from treadle._core.cuda import Multiprocessor, OccupancyLimit, occupancy, requested_ordinal
from treadle.pycuda._arguments import (  # noqa: F401
    Argument,
    ScalarArg,
    VectorArg,
    base_dtype_to_ctype,
    dtype_to_ctype,
    get_arg_type,
    parse_c_arg,
)
from treadle.pycuda._context_caches import (  # noqa: F401
    ContextCache,
    clear_context_caches,
    context_dependent_memoize,
    context_dependent_memoized_functions,
)
from treadle.pycuda._memory_pools import (  # noqa: F401
    DebugMemoryPool,
    DeviceMemoryPool,
    PageLockedAllocator,
    PageLockedMemoryPool,
)
from treadle.pycuda._native import bitlog2  # noqa: F401

# --- contexts ------------------------------------------------------------------------------------


def _chosen_device_number() -> int | None:
    """The number of the device that the user's environment names; None if it names none."""
    try:
        return requested_ordinal()
    except InvalidArgument as error:
        raise ValueError(str(error)) from None


def make_default_context(
    ctx_maker: Callable[[cuda.Device], cuda.Context] | None = None,
) -> cuda.Context:
    """A context on the device that TREADLE_DEVICE, CUDA_DEVICE or ~/.cuda_device names, else on the
    first that works."""
    if ctx_maker is None:

        def ctx_maker(device: cuda.Device) -> cuda.Context:
            return device.make_context()

    count = cuda.Device.count()
    if count == 0:
        raise RuntimeError("No CUDA enabled device found. Please check your installation.")
    number = _chosen_device_number()
    if number is not None:
        return ctx_maker(cuda.Device(number))
    last_error: cuda.Error | None = None
    for ordinal in range(count):
        try:
            return ctx_maker(cuda.Device(ordinal))
        except cuda.Error as error:
            last_error = error
    raise RuntimeError(
        f"make_default_context() wasn't able to create a context on any of the {count} "
        "detected devices"
    ) from last_error


def get_default_device(default: int = 0) -> cuda.Device:
    """The device that the environment names, else number `default`. Deprecated."""
    warnings.warn(
        "get_default_device() is deprecated; use make_default_context()",
        DeprecationWarning,
        stacklevel=2,
    )
    number = _chosen_device_number()
    return cuda.Device(default if number is None else number)


# --- tests ---------------------------------------------------------------------------------------


def _enter_test_context() -> cuda.Context:
    cuda.init()
    context = make_default_context()
    device = context.get_device()
    assert isinstance(device.name(), str)
    assert isinstance(device.compute_capability(), tuple)
    assert isinstance(device.get_attributes(), dict)
    return context


def _leave_test_context(context: cuda.Context) -> None:
    context.pop()
    clear_context_caches()
    gc.collect()


def mark_cuda_test(inner_f: Callable) -> Callable:
    """Runs a test in a context of its own."""

    # Not functools.wraps: pytest would read the inner signature and look for fixtures.
    def f(*args: Any, **kwargs: Any) -> None:
        context = _enter_test_context()
        try:
            inner_f(*args, **kwargs)
        finally:
            _leave_test_context(context)

    return f


def init_cuda_context_fixture() -> Iterator[None]:
    """Body of a pytest fixture: `yield from init_cuda_context_fixture()`."""
    context = _enter_test_context()
    try:
        yield
    finally:
        _leave_test_context(context)


# --- occupancy -----------------------------------------------------------------------------------


def _exact_div(dividend: int, divisor: int) -> int:
    quotient, remainder = divmod(dividend, divisor)
    assert remainder == 0, f"{divisor} does not divide {dividend}"
    return quotient


def _int_ceiling(value: int, multiple_of: int = 1) -> int:
    """Rounds `value` up to a multiple."""
    return -(-value // multiple_of) * multiple_of


def _int_floor(value: int, multiple_of: int = 1) -> int:
    """Rounds `value` down to a multiple."""
    return value // multiple_of * multiple_of


class DeviceData:
    """What decides how many blocks a multiprocessor holds at a time, in PyCUDA's numbers."""

    def __init__(self, dev: cuda.Device | None = None) -> None:
        if dev is None:
            dev = cuda.Context.get_device()
        capability = dev.compute_capability()
        self.max_threads = dev.get_attribute(cuda.device_attribute.MAX_THREADS_PER_BLOCK)
        self.warp_size = dev.get_attribute(cuda.device_attribute.WARP_SIZE)
        if capability >= (3, 0):
            self.warps_per_mp = 64
        elif capability >= (2, 0):
            self.warps_per_mp = 48
        else:
            self.warps_per_mp = 32 if capability >= (1, 2) else 24
        self.thread_blocks_per_mp = 8
        self.registers = dev.get_attribute(cuda.device_attribute.MAX_REGISTERS_PER_BLOCK)
        self.shared_memory = dev.get_attribute(cuda.device_attribute.MAX_SHARED_MEMORY_PER_BLOCK)
        modern = capability >= (2, 0)
        self.smem_alloc_granularity = 128 if modern else 512
        self.smem_granularity = 32 if modern else 16
        self.register_allocation_unit = "warp" if modern else "block"

    def _multiprocessor(self) -> Multiprocessor:
        multiprocessor = Multiprocessor()
        multiprocessor.block_threads = self.max_threads
        multiprocessor.warp_threads = self.warp_size
        multiprocessor.warps = self.warps_per_mp
        multiprocessor.blocks = self.thread_blocks_per_mp
        multiprocessor.registers = self.registers
        multiprocessor.shared_bytes = self.shared_memory
        multiprocessor.register_unit = 1
        multiprocessor.shared_unit_bytes = self.smem_alloc_granularity
        return multiprocessor

    def align_bytes(self, word_size: int = 4) -> int:
        """Bytes that a warp reads at once, of words of 4, 8 or 16 bytes."""
        if word_size == 4:
            return 64
        if word_size in (8, 16):
            return 128
        raise ValueError(f"no alignment is known for words of {word_size} bytes")

    def align(self, bytes: int, word_size: int = 4) -> int:  # noqa: A002 - the name is PyCUDA's
        """`bytes`, rounded up to a multiple of align_bytes()."""
        return _int_ceiling(bytes, self.align_bytes(word_size))

    def align_words(self, word_size: int) -> int:
        """As many words as align_bytes() has room for."""
        return _exact_div(self.align_bytes(word_size), word_size)

    def align_dtype(self, elements: int, dtype_size: int) -> int:
        """`elements` of `dtype_size` bytes, rounded up to a multiple of align_words()."""
        return _int_ceiling(elements, self.align_words(dtype_size))

    def coalesce(self, thread_count: int) -> int:
        """Threads, rounded up to half a warp."""
        return _int_ceiling(thread_count, 16)

    @staticmethod
    def make_valid_tex_channel_count(size: int) -> int:
        """The least number of channels that a texture has: 1, 2 or 4."""
        for valid in (1, 2, 4):
            if size <= valid:
                return valid
        raise ValueError(f"no texture has {size} channels: at most 4")


_LIMITS = {
    OccupancyLimit.blocks: "device",
    OccupancyLimit.registers: "regs",
    OccupancyLimit.shared_memory: "smem",
    OccupancyLimit.warps: "warps",
}


class OccupancyRecord:
    """How full a multiprocessor is with blocks of the given needs, and what limits it."""

    def __init__(
        self, devdata: DeviceData, threads: int, shared_mem: int = 0, registers: int = 0
    ) -> None:
        answer = occupancy(devdata._multiprocessor(), threads, shared_mem, registers)
        self.tb_per_mp_limits = [(limit.blocks, _LIMITS[limit.by]) for limit in answer.limits]
        self.tb_per_mp, self.limited_by = answer.blocks, _LIMITS[answer.limited_by]
        self.warps_per_mp = answer.warps
        self.occupancy = answer.fraction
