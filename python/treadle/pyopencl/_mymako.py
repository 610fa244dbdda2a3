# SPDX-License-Identifier: MIT
"""mako, or how to get it."""

from treadle._mako import mako

__all__ = ["mako"]
