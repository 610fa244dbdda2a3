# SPDX-License-Identifier: MIT
"""PyCUDA's launch shape for n elements, which pycuda.gpuarray has as `splay`."""

from __future__ import annotations

import functools

from treadle._required import required
from treadle.pycuda import _native as cuda

_MOST_THREADS = 128
_BLOCKS_OF_MULTIPROCESSOR = 4 * 8

Splay = tuple[tuple[int, int], tuple[int, int, int]]


@functools.lru_cache(maxsize=16)
def _numbers_of(device: cuda.Device) -> tuple[int, int]:
    """The number of threads of a warp, and the largest number of blocks."""
    attribute = cuda.device_attribute
    multiprocessors = device.get_attribute(attribute.MULTIPROCESSOR_COUNT)
    return device.get_attribute(attribute.WARP_SIZE), _BLOCKS_OF_MULTIPROCESSOR * multiprocessors


def splay(n: int, dev: cuda.Device | None = None) -> Splay:
    """Grid and block of a launch whose threads walk over n elements with the grid's size as step:
    at first more blocks of a warp, then more warps, then longer walks."""
    device = cuda.Context.get_device() if dev is None else dev
    warp, most_blocks = _numbers_of(required(device, "dev", "a Device", "get_attribute"))
    if n < warp:
        blocks, threads = 1, warp
    elif n < most_blocks * warp:
        blocks, threads = -(-n // warp), warp
    elif n < most_blocks * _MOST_THREADS:
        of_block = -(-n // most_blocks)
        blocks, threads = most_blocks, -(-of_block // warp) * warp
    else:
        blocks, threads = most_blocks, _MOST_THREADS
    return (blocks, 1), (threads, 1, 1)
