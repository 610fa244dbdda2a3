# SPDX-License-Identifier: MIT
"""What codepy called `treadle.cgen`."""

from treadle.cgen import *  # noqa: F403
from treadle.cgen import __all__ as __all__
