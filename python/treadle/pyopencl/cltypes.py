# SPDX-License-Identifier: MIT
"""OpenCL C's scalar and vector types as NumPy's: float4, make_float4(1, 2, 3, 4)."""

from treadle.pyopencl._vector_types import *  # noqa: F403
