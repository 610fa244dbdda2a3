# SPDX-License-Identifier: MIT
"""Philox4x32-10, written with NumPy."""

import numpy as np


def philox(seed, stream, position, blocks):
    """The words of blocks, by the definition of Salmon and others."""
    counter = np.uint64(position) + np.arange(blocks, dtype=np.uint64)
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    a, b = counter & low, counter >> shift
    c = np.full_like(a, stream & 0xFFFFFFFF)
    d = np.full_like(a, stream >> 32)
    keys = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        p, q = a * np.uint64(0xD2511F53), c * np.uint64(0xCD9E8D57)
        a, b, c, d = (
            (q >> shift) ^ b ^ np.uint64(keys[0]),
            q & low,
            (p >> shift) ^ d ^ np.uint64(keys[1]),
            p & low,
        )
        keys = [(k + w) & 0xFFFFFFFF for k, w in zip(keys, (0x9E3779B9, 0xBB67AE85), strict=True)]
    return np.stack([a, b, c, d], axis=1).astype(np.uint32).ravel()
