# SPDX-License-Identifier: MIT
"""The CUDA driver's objects, on an NVIDIA GPU or on the CPU device; the same words as in C++."""

from treadle._core.cuda import *  # noqa: F403
