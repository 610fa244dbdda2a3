# SPDX-License-Identifier: MIT
"""What codepy called `treadle.cgen.opencl`."""

from treadle.cgen.opencl import *  # noqa: F403
from treadle.cgen.opencl import __all__ as __all__
