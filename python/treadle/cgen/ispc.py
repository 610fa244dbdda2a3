# SPDX-License-Identifier: MIT
"""Declarators of ISPC."""

from treadle._core.tree import (
    ISPCExport,
    ISPCLaunch,
    ISPCTask,
    ISPCUniform,
    ISPCUniformPointer,
    ISPCVarying,
    ISPCVaryingPointer,
)

__all__ = [
    "ISPCExport",
    "ISPCLaunch",
    "ISPCTask",
    "ISPCUniform",
    "ISPCUniformPointer",
    "ISPCVarying",
    "ISPCVaryingPointer",
]
