# SPDX-License-Identifier: MIT
"""Declarators of OpenCL C."""

from treadle._core.tree import (
    CLConstant,
    CLGlobal,
    CLImage,
    CLKernel,
    CLLocal,
    CLRequiredWorkGroupSize,
    CLVectorPOD,
    CLVecTypeHint,
    CLWorkGroupSizeHint,
    dtype_to_cltype,
)

__all__ = [
    "CLConstant",
    "CLGlobal",
    "CLImage",
    "CLKernel",
    "CLLocal",
    "CLRequiredWorkGroupSize",
    "CLVecTypeHint",
    "CLVectorPOD",
    "CLWorkGroupSizeHint",
    "dtype_to_cltype",
]
