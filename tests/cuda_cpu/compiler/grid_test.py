# SPDX-License-Identifier: MIT
"""Kernels whose blocks meet: cooperative launches through the C interface."""

import numpy as np
import pytest

SOURCE = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// Jacobi steps: every block reads what its neighbours wrote in the step before.
extern "C" __global__ void smooth(float* a, float* b, int n, int steps) {
  auto grid = cg::this_grid();
  for (int s = 0; s < steps; s++) {
    for (int i = grid.thread_rank(); i < n; i += grid.size())
      b[i] = 0.5f * (a[(i + n - 1) % n] + a[(i + 1) % n]);
    grid.sync();
    float* c = a; a = b; b = c;
  }
}
// Some threads have left; the others keep shared and local memory across the barrier.
extern "C" __global__ void parted(int* out, const int* in) {
  __shared__ int s[64]; int t = threadIdx.x, kept[8]; auto grid = cg::this_grid();
  for (int k = 0; k < 8; k++) kept[k] = in[(t + k) % 64];
  s[t] = t * 3 + blockIdx.x; if (t % 5 == 2) return;
  __syncthreads();
  out[blockIdx.x * 64 + t] = s[t]; grid.sync();
  int other = (blockIdx.x + 1) % gridDim.x; int u = t;
  int sum = out[other * 64 + u] + kept[t & 7] + s[u]; grid.sync();
  out[blockIdx.x * 64 + t] = sum;
}
extern "C" __global__ void valid(int* out) { *out = cg::this_grid().is_valid(); }
extern "C" __global__ void barrier_of_its_own(volatile int* arrived, int* out) {
  __syncthreads();
  if (threadIdx.x == 0) { atomicAdd((int*)arrived, 1); while (*arrived < gridDim.x) ; }
  __syncthreads(); out[blockIdx.x] = *arrived;
}
"""


@pytest.fixture(scope="module")
def module(opened_device):
    opened_device.make_current(opened_device.context)
    return opened_device.compile(SOURCE)


def test_steps_of_an_iteration_in_one_launch(device, module):
    n, steps, blocks = 1000, 7, 12
    a = np.random.default_rng(0).random(n).astype(np.float32)
    expected, b = a.copy(), np.zeros(n, np.float32)
    for _ in range(steps):
        expected = np.float32(0.5) * (np.roll(expected, 1) + np.roll(expected, -1))
    module.kernel("smooth")(
        a, b, np.int32(n), np.int32(steps), block=(64,), grid=(blocks,), cooperative=True
    )
    np.testing.assert_array_equal(b if steps % 2 else a, expected)


def test_blocks_keep_their_memory_while_they_wait(device, module):
    blocks, values = 9, np.arange(100, 164, dtype=np.int32)
    out = np.zeros((blocks, 64), np.int32)
    module.kernel("parted")(out, values, block=(64,), grid=(blocks,), cooperative=True)
    t = np.arange(64)
    for block, row in enumerate(out):
        own, other = 3 * t + block, 3 * t + (block + 1) % blocks
        expected = np.where(t % 5 == 2, 0, own + other + values[(t + t % 8) % 64])
        assert (row == expected).all()


@pytest.mark.parametrize("cooperative", [True, False])
def test_a_grid_is_valid_in_a_cooperative_launch(device, module, cooperative):
    out = np.full(1, 5, np.int32)
    module.kernel("valid")(out, cooperative=cooperative)
    assert out[0] == cooperative


def test_blocks_may_wait_for_each_other_by_themselves(device, module):
    """What programs did before grid.sync(): a counter and a loop."""
    blocks = 20
    kernel = module.kernel("barrier_of_its_own")
    for _ in range(200):  # the blocks end in another order each time
        arrived, out = np.zeros(1, np.int32), np.zeros(blocks, np.int32)
        kernel(arrived, out, block=(64,), grid=(blocks,), cooperative=True)
        assert (out == blocks).all()


def test_too_many_blocks_are_refused(device, module):
    out = np.zeros(1, np.int32)
    with pytest.raises(RuntimeError, match="cuLaunchCooperativeKernel = 720"):
        module.kernel("valid")(out, block=(1024,), grid=(100_000,), cooperative=True)
