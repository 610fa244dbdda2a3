# SPDX-License-Identifier: MIT
"""Strides of arrays: what PyCUDA's module of this name has."""

from treadle.pycuda.compyte.array import *  # noqa: F403
