# SPDX-License-Identifier: MIT
"""A table of CUDA's mathematical functions on the CPU device: CUDA's bound, the largest error met
and nanoseconds of processor time for one element, in both precisions.

    python benchmarks/math_functions.py [--arguments N]

N bit patterns of each precision (2^32 are all floats), and as many numbers near 0 and near 1.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/cuda_cpu/compiler"))
import conftest
import math_bounds

PART = 1 << 20
TIMED = 1 << 16


def kernels_of(device, dtype):
    kind, suffix = ("float", "f") if dtype == np.float32 else ("double", "")
    text = "".join(
        f"""extern "C" __global__ void {name}_(
        {kind}* o, const {kind}* x, const {kind}* y, int n) {{
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) o[i] = {name}{suffix}(x[i]{", y[i]" * (bound.arguments - 1)}); }}\n"""
        for name, bound in math_bounds.BOUNDS.items()
    )
    module = device.compile(text)
    return {name: module.kernel(f"{name}_") for name in math_bounds.BOUNDS}


def run(kernel, *x):
    out = np.empty_like(x[0])
    kernel(out, *x, np.int32(out.size), grid=(out.size // 256 + 1,), block=(256,))
    return out


def largest_error(kernel, name, dtype, count):
    worst = 0.0
    for part in range(0, count, PART):
        x, y = math_bounds.arguments(dtype, min(count, PART), seed=part)
        exact = math_bounds.exact_values(name, x, y)
        worst = max(worst, float(np.max(math_bounds.units_off(run(kernel, x, y), exact))))
    return worst


def nanoseconds(kernel, dtype):
    x = np.random.default_rng(0).uniform(0.01, 0.99, TIMED).astype(dtype)
    times = []
    for _ in range(50):
        begin = time.process_time()
        run(kernel, x, x)
        times.append(time.process_time() - begin)
    return min(times) / TIMED * 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arguments", type=int, default=20000)
    count = parser.parse_args().arguments
    device = conftest.Device()
    device.make_current(device.context)
    print("| function | float: CUDA | error | ns | double: CUDA | error | ns |")
    print("|---|---|---|---|---|---|---|")
    kernels = {dtype: kernels_of(device, dtype) for dtype in (np.float32, np.float64)}
    for name, bound in math_bounds.BOUNDS.items():
        cells = [f"`{name}`"]
        for dtype, limit in ((np.float32, bound.single), (np.float64, bound.double)):
            kernel = kernels[dtype][name]
            error = largest_error(kernel, name, dtype, count)
            cells += [f"{limit:g}", f"{error:.2f}", f"{nanoseconds(kernel, dtype):.2f}"]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
