# SPDX-License-Identifier: MIT
"""Arrays of random numbers, with the names of numpy.random's Generator.

    import treadle.random

    rng = treadle.random.default_rng(42)
    x = rng.normal(0, 1, size=(1000, 3), dtype="f4")

A seed gives the same numbers on every device: each is a function of the seed and of its place in
the sequence of draws.
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from treadle._core.device import Device
from treadle._core.random import Generator, RandomDraw, RandomGenerator, RandomState, Sobol

__all__ = ["Generator", "RandomDraw", "RandomGenerator", "RandomState", "Sobol", "default_rng"]


def default_rng(seed: Any = None, *, device: Device | None = None) -> Generator:
    """A Generator; one that is passed is returned itself.

    A seed is an integer of 64 bits or a RandomState. Longer integers, sequences of integers and
    numpy.random.SeedSequence are mixed to 64 bits as NumPy mixes them. None: the operating system
    gives one.
    """
    if isinstance(seed, Generator):
        return seed
    is_short = isinstance(seed, (int, _numpy.integer)) and seed < 2**64
    if seed is None or is_short or isinstance(seed, RandomState):
        return Generator(seed, device=device)
    sequence = seed if hasattr(seed, "generate_state") else _numpy.random.SeedSequence(seed)
    return Generator(int(sequence.generate_state(1, _numpy.uint64)[0]), device=device)
