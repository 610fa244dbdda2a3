# SPDX-License-Identifier: MIT
"""The price of a call option by Monte Carlo: normal numbers of clrandom, a kernel of your own on
the buffers of arrays, and the mean; beside the formula of Black and Scholes.

option_price.py [--paths N]
"""

import argparse
import math
import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.clrandom as clrandom

parser = argparse.ArgumentParser()
parser.add_argument("--paths", type=int, default=1 << 18)
options = parser.parse_args()
START, STRIKE, RATE, VOLATILITY, YEARS = 100.0, 105.0, 0.03, 0.25, 1.0

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
print("device:", queue.device.name)

program = cl.Program(
    ctx,
    """
__kernel void payoff(__global const float *normal, __global float *value, float start,
                     float strike, float drift, float deviation)
{
    int i = get_global_id(0);
    value[i] = fmax(start * exp(drift + deviation * normal[i]) - strike, 0.0f);
}
""",
).build()
payoff = program.payoff
payoff.set_scalar_arg_dtypes([None, None, np.float32, np.float32, np.float32, np.float32])

generator = clrandom.PhiloxGenerator(ctx, seed=15)
normal = generator.normal(queue, options.paths, np.float32)
value = cl_array.empty(queue, options.paths, np.float32)
drift, deviation = (RATE - VOLATILITY**2 / 2) * YEARS, VOLATILITY * math.sqrt(YEARS)
payoff(queue, value.shape, None, normal.data, value.data, START, STRIKE, drift, deviation)

discount = math.exp(-RATE * YEARS)
mean = float(cl_array.sum(value, dtype=np.float64).get()) / options.paths
spread = float(cl_array.sum((value - np.float32(mean)) ** 2, dtype=np.float64).get())
error = discount * math.sqrt(spread) / options.paths
price = discount * mean

# The paths that end above the strike are those with a value.
share = float(cl_array.sum((value > np.float32(0)).astype(np.int32)).get()) / options.paths


def below(x):
    """How likely a normal number is below x."""
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


d1 = (math.log(START / STRIKE) + (RATE + VOLATILITY**2 / 2) * YEARS) / deviation
d2 = d1 - deviation
exact = START * below(d1) - STRIKE * discount * below(d2)
print(f"price: {price:.3f} +- {error:.3f}, by the formula {exact:.3f}")
print(f"above the strike: {100 * share:.2f} % of the paths, by the formula {100 * below(d2):.2f} %")
host = np.maximum(START * np.exp(drift + deviation * normal.get().astype(np.float64)) - STRIKE, 0)
correct = (
    np.allclose(value.get(), host, rtol=1e-4, atol=1e-3)
    and abs(price - exact) < 5 * error
    and abs(share - below(d2)) < 5 * math.sqrt(0.25 / options.paths)
)
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
