# SPDX-License-Identifier: MIT
"""Names that PyOpenCL keeps here; its classes have their methods from C++ or beside it."""

from treadle.pyopencl._cl import ProfilingInfoGetter  # noqa: F401
from treadle.pyopencl._constants import (  # noqa: F401
    BITFIELD_CONSTANT_CLASSES,
    CONSTANT_CLASSES,
)
