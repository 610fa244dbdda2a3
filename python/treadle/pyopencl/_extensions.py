# SPDX-License-Identifier: MIT
"""What devices can do beyond OpenCL's core."""

from __future__ import annotations

from typing import Any


def has_extension(dev: Any, name: str) -> bool:
    """Whether it has an extension of OpenCL."""
    return name in dev.extensions.split()


def has_double_support(dev: Any) -> bool:
    """Whether kernels may use double."""
    return has_extension(dev, "cl_khr_fp64")
