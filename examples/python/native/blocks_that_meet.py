# SPDX-License-Identifier: MIT
"""Many steps in one launch: the blocks of a cooperative launch synchronise between the steps.

On a GPU cooperative_groups.h comes with the CUDA toolkit; on the CPU device it is built in."""

import numpy as np

import treadle

TEXT = """
#include <cooperative_groups.h>
// Heat along a wire: each block reads what its neighbours wrote in the previous step.
extern "C" __global__ void spread(float *a, float *b, int n, int steps)
{
  auto grid = cooperative_groups::this_grid();
  for (int step = 0; step < steps; ++step) {
    for (int i = grid.thread_rank() + 1; i < n - 1; i += grid.size())
      b[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
    grid.sync();
    float *swapped = a; a = b; b = swapped;
  }
}
"""
N, STEPS = 2000, 10

heat = np.random.default_rng(0).random(N).astype(np.float32)
expected = heat.copy()
for _ in range(STEPS):
    left, right = np.float32(0.25) * expected[:-2], np.float32(0.25) * expected[2:]
    expected[1:-1] = left + np.float32(0.5) * expected[1:-1] + right

for device in treadle.devices():
    if not device.traits.cooperative_launch:
        print(f"{device.id:12} groups of one launch cannot meet on {device.runtime}")
        continue
    try:
        spread = treadle.Program(device, TEXT).kernel("spread")
    except treadle.CompileError as error:
        if "cooperative_groups.h" not in error.log:
            raise
        print(f"{device.id:12} NVRTC finds no cooperative_groups.h: install the CUDA toolkit")
        continue
    a, b = treadle.Buffer(device, heat), treadle.Buffer(device, heat)
    arguments = (a, b, np.int32(N), np.int32(STEPS))
    spread(*arguments, groups=8, group_size=64, cooperative=True)
    result = np.empty_like(heat)
    a.copy_to(result)  # after an even number of steps the result is in a
    np.testing.assert_allclose(result, expected, rtol=1e-5)
    print(f"{device.id:12} {device.name}: {STEPS} steps in one launch")
