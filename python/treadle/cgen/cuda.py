# SPDX-License-Identifier: MIT
"""Declarators of CUDA C."""

from treadle._core.tree import (
    CudaClusterDims,
    CudaConstant,
    CudaDevice,
    CudaDynamicShared,
    CudaGlobal,
    CudaGridConstant,
    CudaHost,
    CudaLaunchBounds,
    CudaManaged,
    CudaRestrictPointer,
    CudaShared,
)

__all__ = [
    "CudaClusterDims",
    "CudaConstant",
    "CudaDevice",
    "CudaDynamicShared",
    "CudaGlobal",
    "CudaGridConstant",
    "CudaHost",
    "CudaLaunchBounds",
    "CudaManaged",
    "CudaRestrictPointer",
    "CudaShared",
]
