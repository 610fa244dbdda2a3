# SPDX-License-Identifier: MIT
"""`5*x + 6*y` as one kernel, and a sum of what is computed for each element as another.

map_reduce.py [--elements N] [ID ...]: only the devices of these ids, as `treadle info` lists them.
"""

import argparse
import sys
import time

import numpy as np

import treadle
import treadle.numpy as tnp

parser = argparse.ArgumentParser()
parser.add_argument("devices", nargs="*")
parser.add_argument("--elements", type=int, default=1 << 22)
options = parser.parse_args()
ROUNDS = 5


def measure(name, device, compute, bytes_read_and_written):
    """What `compute` gives, in how long, and by how many kernels."""
    stream, seconds = device.default_stream(), []
    for _ in range(ROUNDS):
        stream.synchronize()
        began = time.perf_counter()
        result = compute()  # records what is to be computed
        tnp.evaluate(result)
        stream.synchronize()
        seconds.append(time.perf_counter() - began)
    kernels = {launch.kernel for launch in device.last_launches()[:ROUNDS]}
    rate = 1e-9 * bytes_read_and_written / min(seconds)
    print(f"{name}: {rate:.1f} GB/s by", ", ".join(sorted(kernels)))
    return result, len(kernels) == 1


def run_on(device, first, second, expected):
    """Whether both are right, and one kernel each."""
    given_back = treadle.trim_memory()  # by the pool of the device before, whose arrays have ended
    print("device:", device.id, device.name, f"({given_back} bytes given back before)")
    x, y = tnp.array(first, device=device), tnp.array(second, device=device)
    size = first.nbytes
    z, z_is_one = measure("5*x + 6*y", device, lambda: 5 * x + 6 * y, 3 * size)
    total, total_is_one = measure(
        "(sin(x)*y + x*x).sum()", device, lambda: (tnp.sin(x) * y + x * x).sum(), 2 * size
    )
    right = np.array_equal(z.get(), expected[0]) and np.isclose(total.item(), expected[1], 1e-5)
    print("check against NumPy:", "ok" if right else "WRONG")
    return right and z_is_one and total_is_one


a, b = np.random.default_rng(17).random((2, options.elements), np.float32)
expected = 5 * a + 6 * b, (np.sin(a) * b + a * a).sum(dtype=np.float64)
chosen = map(treadle.find_device, options.devices) if options.devices else treadle.devices()
sys.exit(0 if all([run_on(device, a, b, expected) for device in chosen]) else 1)
