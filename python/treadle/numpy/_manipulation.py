# SPDX-License-Identifier: MIT
"""The same elements otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from treadle._core.array import Array

__all__ = ["permute_dims", "ravel", "reshape", "squeeze", "transpose"]


def reshape(x: Array, shape: int | Sequence[int]) -> Array:
    """The same elements in C's order under another shape: a view, or a copy where it takes one."""
    return x.reshape(shape)


def ravel(x: Array) -> Array:
    """One axis: a view, or a copy."""
    return x.ravel()


def squeeze(x: Array) -> Array:
    """A view without axes of length 1."""
    return x.squeeze()


def transpose(x: Array, axes: Sequence[int] | None = None) -> Array:
    """A view with its axes in another order; in reverse by default."""
    return x.transpose() if axes is None else x.transpose(axes)


permute_dims = transpose
