# SPDX-License-Identifier: MIT
"""What the CPU device's checks cost: `python benchmarks/checks.py` prints a table in markdown.

Each check has a process of its own, because `init` knows nothing where kernels without it were
loaded, and one worker. A figure is the least of some runs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time

import numpy as np

import treadle

TEXT = r"""
#define I (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" {
__global__ void saxpy(float *y, const float *x, float a, int n) {
    if (I < n) y[I] = a * x[I] + y[I];
}
__global__ void stencil(float *out, const float *in, int n) {
    if (I > 0 && I < n - 1) out[I] = 0.25f * in[I - 1] + 0.5f * in[I] + 0.25f * in[I + 1];
}
__global__ void block_sums(float *sums, const float *x, int n) {
    __shared__ float s[128];
    s[threadIdx.x] = I < n ? x[I] : 0;
    for (int k = 64; k > 0; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = s[0];
}
__global__ void histogram(unsigned *counts, const unsigned *x, int n) {
    if (I < n) atomicAdd(counts + x[I] % 256, 1u);
}
__global__ void product(float *c, const float *a, const float *b, int n) {
    __shared__ float s[16][16], t[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[y][x] = a[row * n + k + x];
        t[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += s[y][i] * t[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
}
"""
CHECKS = ("", "memory", "init", "sync", "race", "determinism")


def seconds_of(device, kernel, launch, runs):
    stream = device.default_stream()
    least = float("inf")
    for _ in range(runs):
        begin = time.perf_counter()
        launch(kernel)
        stream.synchronize()
        least = min(least, time.perf_counter() - begin)
    return least


def measured(elements, check):
    """Nanoseconds by kernel, in this process, whose TREADLE_CHECK is `check`."""
    side = 96
    device = treadle.find_device("cpu")
    host = np.random.default_rng(1).random(elements, np.float32)
    x, y = (treadle.Buffer(device, host) for _ in range(2))
    n = np.int32(elements)
    lines = {"groups": elements // 128, "group_size": 128}
    tiles = {"groups": (side // 16,) * 2, "group_size": (16, 16)}
    launches = {
        "saxpy": (elements, lambda kernel: kernel(y, x, np.float32(2), n, **lines)),
        "stencil": (elements, lambda kernel: kernel(y, x, n, **lines)),
        "block_sums": (elements, lambda kernel: kernel(y, x, n, **lines)),
        "histogram": (elements, lambda kernel: kernel(y, x, n, **lines)),
        "product": (side**3, lambda kernel: kernel(y, x, x, np.int32(side), **tiles)),
    }
    program = treadle.Program(device, TEXT)
    return {
        name: seconds_of(device, program.kernel(name), launch, 5 if check else 20) / count * 1e9
        for name, (count, launch) in launches.items()
    }


def measured_apart(elements, check):
    words = [sys.executable, __file__, "--elements", str(elements), "--one", check]
    environment = os.environ | {"TREADLE_CHECK": check, "TREADLE_CPU_THREADS": "1"}
    done = subprocess.run(words, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", type=int, default=1 << 16)
    parser.add_argument("--one", choices=CHECKS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        print(json.dumps(measured(options.elements, options.one)))
        return
    columns = [measured_apart(options.elements, check) for check in CHECKS]
    print(f"| ns for an element, FMA | {' | '.join(check or 'none' for check in CHECKS)} |")
    print("|---" * (len(CHECKS) + 1) + "|")
    for name in columns[0]:
        print(f"| {name} | " + " | ".join(f"{column[name]:.3g}" for column in columns) + " |")


if __name__ == "__main__":
    main()
