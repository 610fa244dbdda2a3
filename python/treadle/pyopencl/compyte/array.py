# SPDX-License-Identifier: MIT
"""Strides of dense arrays, their flags, and the dtype that two operands have in common."""

from treadle._contiguity import *  # noqa: F403
from treadle._contiguity import __all__ as __all__
