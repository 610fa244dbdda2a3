# SPDX-License-Identifier: MIT
"""What codepy called `treadle.cgen.cuda`."""

from treadle.cgen.cuda import *  # noqa: F403
from treadle.cgen.cuda import __all__ as __all__
