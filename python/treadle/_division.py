# SPDX-License-Identifier: MIT
"""The error of what is divided by how many there are, where there is nothing."""

from __future__ import annotations

from treadle._core import InvalidArgument


class DivisionByZero(InvalidArgument, ZeroDivisionError):
    """A mean of nothing, frequencies of no samples: ZeroDivisionError is NumPy's."""
