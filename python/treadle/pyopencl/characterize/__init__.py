# SPDX-License-Identifier: MIT
"""What devices can do, where their information does not say it plainly."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle.pyopencl._cl import (
    Context,
    Kernel,
    device_local_mem_type,
    device_svm_capabilities,
    device_type,
    kernel_work_group_info,
)
from treadle.pyopencl._extensions import has_double_support as has_double_support
from treadle.pyopencl._extensions import has_extension
from treadle.pyopencl._program import Program
from treadle.pyopencl.tools import first_arg_dependent_memoize


class CLCharacterizationWarning(UserWarning):
    """Something about a device had to be guessed."""


def has_amd_double_support(dev: Any) -> bool:
    """Whether they may by AMD's older extension."""
    return has_extension(dev, "cl_amd_fp64")


def nv_compute_capability(dev: Any) -> tuple[int, int] | None:
    """(major, minor) of a device of NVIDIA's, else None."""
    try:
        return dev.compute_capability_major_nv, dev.compute_capability_minor_nv
    except Exception:  # other vendors raise different errors
        return None


def get_pocl_version(
    platform: Any, fallback_value: tuple[int, int] | None = None
) -> tuple[int, int] | None:
    """(major, minor) of PoCL; None for every other platform."""
    if platform.name != "Portable Computing Language":
        return None
    match = re.search(r"(?i)pocl (?:v)?(\d+)\.(\d+)", platform.version)
    if match is None:
        warnings.warn(
            f"no version of PoCL in {platform.version!r}",
            CLCharacterizationWarning,
            stacklevel=2,
        )
        return fallback_value
    return int(match[1]), int(match[2])


def has_src_build_cache(dev: Any) -> bool | None:
    """Whether the platform keeps builds of its own; None where nobody knows."""
    if get_pocl_version(dev.platform) is not None or nv_compute_capability(dev) is not None:
        return True
    return False if dev.platform.name == "AMD Accelerated Parallel Processing" else None


def has_struct_arg_count_bug(dev: Any, ctx: Any = None) -> str | bool:
    """Whether structures count as several arguments: in no platform that Treadle supports."""
    return False


def _has_svm(dev: Any, bit: int) -> bool:
    if dev.platform._get_cl_version() < (2, 0):
        return False
    try:
        return bool(dev.svm_capabilities & bit)
    except Exception:  # as above
        return False


def has_coarse_grain_buffer_svm(dev: Any) -> bool:
    """Whether host and device may share buffers that are mapped for the host."""
    return _has_svm(dev, device_svm_capabilities.COARSE_GRAIN_BUFFER)


def has_fine_grain_buffer_svm(dev: Any) -> bool:
    """Whether host and device may use one buffer at a time."""
    return _has_svm(dev, device_svm_capabilities.FINE_GRAIN_BUFFER)


def has_fine_grain_system_svm(dev: Any) -> bool:
    """Whether kernels may use any memory of the host."""
    return _has_svm(dev, device_svm_capabilities.FINE_GRAIN_SYSTEM)


def has_fine_grain_buffer_svm_atomics(dev: Any) -> bool:
    return has_fine_grain_buffer_svm(dev) and _has_svm(dev, device_svm_capabilities.ATOMICS)


def has_fine_grain_system_svm_atomics(dev: Any) -> bool:
    return has_fine_grain_system_svm(dev) and _has_svm(dev, device_svm_capabilities.ATOMICS)


@first_arg_dependent_memoize
def reasonable_work_group_size_multiple(dev: Any, ctx: Context | None = None) -> int:
    """What the size of a work-group should be a multiple of."""
    try:
        return dev.warp_size_nv
    except Exception:  # as above
        pass
    program = Program(ctx or Context([dev]), "__kernel void probe(__global int *a) { a[0] = 0; }")
    kernel = Kernel(program.build(devices=[dev]), "probe")
    return kernel.get_work_group_info(
        kernel_work_group_info.PREFERRED_WORK_GROUP_SIZE_MULTIPLE, dev
    )


# --- local memory ---------------------------------------------------------------------------------


def simultaneous_work_items_on_local_access(dev: Any) -> int:
    """How many work-items reach for local memory at once."""
    return get_simd_group_size(dev, 4) or _guess(dev, "work-items that run in step", 16)


def local_memory_access_granularity(dev: Any) -> int:
    """Bytes of one access to a bank."""
    return 4


def local_memory_bank_count(dev: Any) -> int:
    """Banks of local memory, which answer one access each at a time."""
    if nv_compute_capability(dev) is not None or dev.type & device_type.GPU:
        return 32
    if dev.type & device_type.CPU and dev.local_mem_type == device_local_mem_type.GLOBAL:
        raise RuntimeError(f"{dev.name} has no local memory of its own, and no banks")
    return _guess(dev, "banks of local memory", 16)


def _guess(dev: Any, what: str, number: int) -> int:
    warnings.warn(
        f"the number of {what} of {dev.name} is taken to be {number}",
        CLCharacterizationWarning,
        stacklevel=3,
    )
    return number


def why_not_local_access_conflict_free(
    dev: Any,
    itemsize: int,
    array_shape: Sequence[int],
    array_stored_shape: Sequence[int] | None = None,
) -> tuple[int, str | None]:
    """(1, None) where work-items, numbered along the last axis first, each use one element of an
    array in local memory without waiting for each other; else how many come to one bank at most,
    and which. `array_stored_shape` has the lengths in memory, gaps included.
    """
    stored = tuple(array_shape if array_stored_shape is None else array_stored_shape)
    if len(stored) != len(array_shape) or any(
        s < a for s, a in zip(stored, array_shape, strict=True)
    ):
        raise ValueError(f"an array of shape {array_shape} does not lie in one of shape {stored}")
    if dev.local_mem_type == device_local_mem_type.GLOBAL:
        return 1, None
    together = simultaneous_work_items_on_local_access(dev)
    unit, banks = local_memory_access_granularity(dev), local_memory_bank_count(dev)
    lanes = np.indices(tuple(array_shape)).reshape(len(stored), -1)
    words = np.asarray(np.ravel_multi_index(tuple(lanes), stored)) * itemsize // unit
    worst, text = 1, None
    for first in range(0, words.size, together):
        used = np.unique(words[first : first + together])
        counts = np.bincount(used % banks, minlength=banks)
        if counts.max() > worst:
            worst = int(counts.max())
            text = (
                f"of the work-items {first} to {min(first + together, words.size) - 1}, {worst} "
                f"use bank {int(counts.argmax())}"
            )
    return worst, text


def usable_local_mem_size(dev: Any, nargs: int | None = None) -> int:
    """Bytes of local memory that a kernel may use, whatever arguments it has."""
    return dev.local_mem_size


def get_fast_inaccurate_build_options(dev: Any) -> list[str]:
    """Options that trade accuracy for speed."""
    options = ["-cl-mad-enable", "-cl-fast-relaxed-math", "-cl-no-signed-zeros"]
    if dev.vendor.startswith(("Advanced Micro", "NVIDIA")):
        options.append("-cl-strict-aliasing")
    return options


def get_simd_group_size(dev: Any, type_size: int) -> int | None:
    """How many work-items run in step; None where nobody knows."""
    if dev.type & device_type.CPU:
        return 1
    try:
        return dev.warp_size_nv
    except Exception:  # as above
        return None
