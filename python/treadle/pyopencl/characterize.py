# SPDX-License-Identifier: MIT
"""What devices can do, where their information does not say it plainly."""

from __future__ import annotations

import re
import warnings
from typing import Any

from treadle.pyopencl._cl import device_svm_capabilities, device_type


class CLCharacterizationWarning(UserWarning):
    """Something about a device had to be guessed."""


def _has_extension(dev: Any, name: str) -> bool:
    return name in dev.extensions.split()


def has_double_support(dev: Any) -> bool:
    """Whether kernels may use double."""
    return _has_extension(dev, "cl_khr_fp64")


def has_amd_double_support(dev: Any) -> bool:
    """Whether they may by AMD's older extension."""
    return _has_extension(dev, "cl_amd_fp64")


def nv_compute_capability(dev: Any) -> tuple[int, int] | None:
    """(major, minor) of a device of NVIDIA's, else None."""
    try:
        return dev.compute_capability_major_nv, dev.compute_capability_minor_nv
    except Exception:  # other vendors refuse the question, each in its way
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
    return _has_svm(dev, device_svm_capabilities.COARSE_GRAIN_BUFFER)


def has_fine_grain_buffer_svm(dev: Any) -> bool:
    return _has_svm(dev, device_svm_capabilities.FINE_GRAIN_BUFFER)


def has_fine_grain_system_svm(dev: Any) -> bool:
    return _has_svm(dev, device_svm_capabilities.FINE_GRAIN_SYSTEM)


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
