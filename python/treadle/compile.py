# SPDX-License-Identifier: MIT
"""Compiling CUDA C++ text, its statistics, and the disk cache."""

from treadle._core.compile import *  # noqa: F403
