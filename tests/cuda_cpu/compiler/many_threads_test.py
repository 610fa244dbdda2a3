# SPDX-License-Identifier: MIT
"""The run-time with 64 threads, more than most machines have: counts, locks, last blocks, grids."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = r"""
import sys
sys.path.insert(0, sys.argv[1])
import conftest
import numpy as np

device = conftest.Device()
device.make_current(device.context)
module = device.compile('''
#include <cooperative_groups.h>
extern "C" __global__ void count(int* visits, unsigned* sum) {
  __shared__ unsigned s; if (threadIdx.x == 0) s = 0; __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x; visits[i]++; atomicAdd(&s, 1u); __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, s); }
extern "C" __global__ void locked(volatile int* lock, volatile int* value, unsigned* done,
                                  int* last) {
  if (threadIdx.x == 0) {
    while (atomicCAS((int*)lock, 0, 1)) ;
    *value = *value + 1; __threadfence(); atomicExch((int*)lock, 0);
    if (atomicAdd(done, 1u) == gridDim.x - 1) *last = *value; } }
extern "C" __global__ void grid(int* cells, int* sums, int rounds) {
  auto g = cooperative_groups::this_grid(); int b = blockIdx.x, n = gridDim.x;
  for (int r = 0; r < rounds; r++) {
    if (threadIdx.x == 0) cells[b] = cells[b] + b + r; g.sync();
    if (threadIdx.x == 1) { int s = 0; for (int k = 0; k < n; k++) s += cells[k]; sums[b] = s; }
    g.sync(); }
}''')
for repeat in range(20):
    blocks = 1 + 37 * repeat
    visits, total = np.zeros(blocks * 64, np.int32), np.zeros(1, np.uint32)
    module.kernel("count")(visits, total, block=(64,), grid=(blocks,))
    assert (visits == 1).all() and total[0] == blocks * 64
    lock, value, done, last = (np.zeros(1, np.int32) for _ in range(4))
    module.kernel("locked")(lock, value, done, last, block=(32,), grid=(blocks,))
    assert value[0] == last[0] == blocks
    cells, sums = np.zeros(200, np.int32), np.zeros(200, np.int32)
    module.kernel("grid")(cells, sums, np.int32(5), block=(64,), grid=(200,), cooperative=True)
    assert (sums == 5 * sum(range(200)) + 200 * 10).all()
print("right", device.attribute(16))
"""


def test_64_threads_compute_what_one_does():
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(Path(__file__).resolve().parent)],
        env={**os.environ, "TREADLE_CPU_THREADS": "64"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    if "is not built" in ran.stderr:
        import pytest

        pytest.skip("the compiler is not built")
    assert ran.stdout.split() == ["right", "64"], ran.stderr
