# SPDX-License-Identifier: MIT
"""PyOpenCL's launch shape for n elements."""

from __future__ import annotations

from typing import Any

_LEAST_GROUP, _MOST_GROUP, _GROUPS_PER_UNIT = 32, 128, 32


def splay(
    device: Any, n: int, kernel_specific_max_wg_size: int | None = None
) -> tuple[tuple[int], tuple[int]]:
    """Global and local size of a kernel for n elements that loops over them."""
    most = device.max_work_group_size
    if kernel_specific_max_wg_size is not None:
        most = min(most, kernel_specific_max_wg_size)
    local = _LEAST_GROUP
    while local * 2 <= min(most, _MOST_GROUP) and local < n:
        local *= 2
    local = min(local, most)
    groups = max(min(-(-n // local), _GROUPS_PER_UNIT * device.max_compute_units), 1)
    return (groups * local,), (local,)
