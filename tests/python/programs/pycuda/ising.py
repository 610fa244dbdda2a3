# SPDX-License-Identifier: MIT
"""The Ising model on a checkerboard: a kernel over a slice flips every second spin at once."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.curandom as curandom
import pycuda.gpuarray as gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel

SIDE = 32
flip = ElementwiseKernel(
    "signed char *spin, const float *random, int side, float beta, int colour",
    """
    int x = i % side, y = i / side;
    if ((x + y) % 2 != colour) PASS;
    int around = spin[y * side + (x + 1) % side] + spin[y * side + (x + side - 1) % side]
               + spin[(y + 1) % side * side + x] + spin[(y + side - 1) % side * side + x];
    float cost = 2.0f * spin[i] * around;
    if (cost <= 0 || random[i] < expf(-beta * cost)) spin[i] = -spin[i];
    """,
    "flip",
    preamble="#define PASS continue",
)
flip_range = ElementwiseKernel("signed char *spin", "spin[i] = -spin[i]", "turn")
magnetisation = ReductionKernel(
    np.dtype(np.int32),
    neutral="0",
    reduce_expr="a+b",
    map_expr="spin[i]",
    arguments="signed char *spin",
)


def run(beta, sweeps):
    spin = gpuarray.zeros((SIDE, SIDE), np.int8)
    spin.fill(np.int8(1))
    for _ in range(sweeps):
        for colour in (0, 1):
            flip(
                spin,
                curandom.rand(spin.shape, np.float32),
                np.int32(SIDE),
                np.float32(beta),
                np.int32(colour),
            )
    return spin


np.random.seed(2)
cold = run(1.0, 20)
hot = run(0.05, 20)
per_spin = [abs(int(magnetisation(s).get())) / SIDE**2 for s in (cold, hot)]
assert per_spin[0] > 0.95 and per_spin[1] < 0.3, per_spin

before = cold.get()
flip_range(cold, slice=slice(0, None, 2))
after = cold.get().ravel()
assert (after[0::2] == -before.ravel()[0::2]).all() and (after[1::2] == before.ravel()[1::2]).all()
flip_range(cold, range=slice(1, SIDE, 2))
assert (cold.get().ravel()[1:SIDE:2] == -before.ravel()[1:SIDE:2]).all()
print("magnetisation, cold and hot:", per_spin)
