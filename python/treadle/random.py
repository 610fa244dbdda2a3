# SPDX-License-Identifier: MIT
"""Arrays of random numbers, with the names of numpy.random's Generator.

    import treadle.random

    rng = treadle.random.default_rng(42)
    x = rng.normal(0, 1, size=(1000, 3), dtype="f4")

A seed gives the same numbers on every device: each is a function of the seed and of its place in
the sequence of draws.

`seed`, `rand`, `randn`, `randint`, `normal` and the other functions of numpy.random draw from one
Generator of the process, which makes arrays on the current device:

    treadle.random.seed(0)
    x = treadle.random.randn(1000, 3)
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from treadle._core.device import Device
from treadle._core.random import Generator, RandomDraw, RandomGenerator, RandomState, Sobol

__all__ = [
    "Generator",
    "RandomDraw",
    "RandomGenerator",
    "RandomState",
    "Sobol",
    "beta",
    "binomial",
    "bytes",
    "chisquare",
    "choice",
    "default_rng",
    "dirichlet",
    "exponential",
    "f",
    "gamma",
    "geometric",
    "get_state",
    "gumbel",
    "hypergeometric",
    "laplace",
    "logistic",
    "lognormal",
    "logseries",
    "multinomial",
    "multivariate_normal",
    "negative_binomial",
    "noncentral_chisquare",
    "noncentral_f",
    "normal",
    "pareto",
    "permutation",
    "poisson",
    "power",
    "rand",
    "randint",
    "randn",
    "random",
    "random_sample",
    "ranf",
    "rayleigh",
    "sample",
    "seed",
    "set_state",
    "shuffle",
    "standard_cauchy",
    "standard_exponential",
    "standard_gamma",
    "standard_normal",
    "standard_t",
    "triangular",
    "uniform",
    "vonmises",
    "wald",
    "weibull",
    "zipf",
]


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


_shared = Generator()  # what the functions below draw from


def seed(seed: Any = None) -> None:
    """Starts the sequence of the functions of this module anew; as default_rng(seed) starts."""
    _shared.state = default_rng(seed).state


def get_state() -> RandomState:
    """Where the next numbers of the functions of this module come from."""
    return _shared.state


def set_state(state: RandomState) -> None:
    """Goes on from a state that get_state() gave."""
    _shared.state = state


def rand(*shape: int) -> Any:
    """Numbers of [0, 1) in an array of this shape; without lengths one number of Python's."""
    return _shared.random(shape or None)


def randn(*shape: int) -> Any:
    """Normal numbers of mean 0 and deviation 1 in an array of this shape; without lengths one
    number of Python's."""
    return _shared.standard_normal(shape or None)


def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = None) -> Any:
    """Integers of [low, high); of [0, low) where high is None."""
    return _shared.integers(low, high, size, dtype)


def random_sample(size: Any = None) -> Any:
    """Numbers of [0, 1)."""
    return _shared.random(size)


ranf = sample = random_sample

beta = _shared.beta
binomial = _shared.binomial
bytes = _shared.bytes
chisquare = _shared.chisquare
choice = _shared.choice
dirichlet = _shared.dirichlet
exponential = _shared.exponential
f = _shared.f
gamma = _shared.gamma
geometric = _shared.geometric
gumbel = _shared.gumbel
hypergeometric = _shared.hypergeometric
laplace = _shared.laplace
logistic = _shared.logistic
lognormal = _shared.lognormal
logseries = _shared.logseries
multinomial = _shared.multinomial
multivariate_normal = _shared.multivariate_normal
negative_binomial = _shared.negative_binomial
noncentral_chisquare = _shared.noncentral_chisquare
noncentral_f = _shared.noncentral_f
normal = _shared.normal
pareto = _shared.pareto
permutation = _shared.permutation
poisson = _shared.poisson
power = _shared.power
random = _shared.random
rayleigh = _shared.rayleigh
shuffle = _shared.shuffle
standard_cauchy = _shared.standard_cauchy
standard_exponential = _shared.standard_exponential
standard_gamma = _shared.standard_gamma
standard_normal = _shared.standard_normal
standard_t = _shared.standard_t
triangular = _shared.triangular
uniform = _shared.uniform
vonmises = _shared.vonmises
wald = _shared.wald
weibull = _shared.weibull
zipf = _shared.zipf
