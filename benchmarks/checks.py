# SPDX-License-Identifier: MIT
"""What the CPU device's checks cost: `python benchmarks/checks.py` prints a table in markdown.

Each kernel is compiled once for each check, in one process. A figure is the least of some runs, in
time of cores: other work on the machine, which changes how long one waits, hardly changes it.
"""

from __future__ import annotations

import argparse
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
        begin = time.process_time()
        launch(kernel)
        stream.synchronize()
        least = min(least, time.process_time() - begin)
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", type=int, default=1 << 17)
    parser.add_argument("--checks", default=",".join(CHECKS))
    parser.add_argument("--kernels", default="saxpy,stencil,block_sums,histogram,product")
    options = parser.parse_args()
    n, side = options.elements, 96
    device = treadle.find_device("cpu")
    host = np.random.default_rng(1).random(n, np.float32)
    x, y = (treadle.Buffer(device, host) for _ in range(2))
    lines = {"groups": n // 128, "group_size": 128}
    tiles = {"groups": (side // 16,) * 2, "group_size": (16, 16)}
    launches = {
        "saxpy": (n, lambda kernel: kernel(y, x, np.float32(2), np.int32(n), **lines)),
        "stencil": (n, lambda kernel: kernel(y, x, np.int32(n), **lines)),
        "block_sums": (n, lambda kernel: kernel(y, x, np.int32(n), **lines)),
        "histogram": (n, lambda kernel: kernel(y, x, np.int32(n), **lines)),
        "product": (
            side**3,
            lambda kernel: kernel(y, x, x, np.int32(side), **tiles),
        ),
    }
    checks = options.checks.split(",")
    print(f"| ns of a core: element, FMA | {' | '.join(c or 'none' for c in checks)} |")
    print("|---" * (len(checks) + 1) + "|")
    for name in options.kernels.split(","):
        count, launch = launches[name]
        row = []
        for check in checks:
            flags = [f"--treadle-check={check}"] if check else []
            kernel = treadle.Program(device, TEXT, flags=flags).kernel(name)
            runs = 20 if not check else 3
            row.append(seconds_of(device, kernel, launch, runs) / count * 1e9)
        print(f"| {name} | " + " | ".join(f"{each:.3g}" for each in row) + " |", flush=True)


if __name__ == "__main__":
    main()
