# SPDX-License-Identifier: MIT
"""Shapes as programs give them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from treadle.pyopencl._errors import shown


def shape_of(shape: Any) -> tuple[int, ...]:
    """Lengths of axes: one integer, or any number of them."""
    if isinstance(shape, int | np.integer):
        shape = (shape,)
    if not isinstance(shape, Iterable):
        raise TypeError(f"the shape {shown(shape)} is neither an integer nor a sequence of them")
    lengths = tuple(shape)
    for length in lengths:
        if not isinstance(length, int | np.integer) or length < 0:
            raise ValueError(
                f"the shape has an entry {shown(length)}: lengths are integers from 0 on"
            )
    return tuple(int(length) for length in lengths)
