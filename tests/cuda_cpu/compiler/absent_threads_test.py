# SPDX-License-Identifier: MIT
"""What a block or a warp does together does not hang on one of its threads: any may have returned,
thread 0 and whole warps too, in every block and launch."""

import numpy as np
import pytest

THREADS, BLOCKS, LAUNCHES = 96, 5, 2
LANES = 0xFFFFFFFF

GONE = {
    "t == 0": lambda t: t == 0,
    "t < 32": lambda t: t < 32,
    "t % 32 == 0": lambda t: t % 32 == 0,
    "t / 32 != 1": lambda t: t // 32 != 1,
    "t % 2 == 0": lambda t: t % 2 == 0,
    "t < 95": lambda t: t < 95,
}


def of_warp(live, t):
    return [other for other in live if other // 32 == t // 32]


def loop_of_counts(live, _):
    return sum(sum(t > 10 * i for t in live) * (i + 1) for i in range(3))


# What a thread computes -> what it is, by the threads that are there and its own number.
TOGETHER = {
    "__syncthreads_count(1)": lambda live, t: len(live),
    "__syncthreads_count(t % 3 == 0)": lambda live, t: sum(i % 3 == 0 for i in live),
    "__syncthreads_or(t == 33)": lambda live, t: 33 in live,
    "__syncthreads_and(t != 33)": lambda live, t: 33 not in live,
    "syncthreads_count(t > 40) + 1000 * __syncthreads_count(t & 1)": lambda live, t: sum(
        (i > 40) + 1000 * (i & 1) for i in live
    ),
    "__syncthreads_count(t != 95) * 100 + __syncthreads_or(t == 95) * 10 + __syncthreads_and(t)": (
        lambda live, t: sum(i != 95 for i in live) * 100 + (95 in live) * 10 + (0 not in live)
    ),
    "loop_of_counts(t)": loop_of_counts,
    "__popc(__ballot_sync(~0u, t % 3 == 0))": lambda live, t: sum(
        i % 3 == 0 for i in of_warp(live, t)
    ),
    "__any_sync(~0u, t == 33)": lambda live, t: 33 in of_warp(live, t),
    "__all_sync(~0u, t != 33)": lambda live, t: 33 not in of_warp(live, t),
    "__uni_sync(~0u, t % 2)": lambda live, t: len({i % 2 for i in of_warp(live, t)}) == 1,
    "__popc(__match_any_sync(~0u, t % 4))": lambda live, t: sum(
        i % 4 == t % 4 for i in of_warp(live, t)
    ),
    "__reduce_add_sync(~0u, (int)t)": lambda live, t: sum(of_warp(live, t)),
    "__popc(__activemask())": lambda live, t: len(of_warp(live, t)),
    "(int)__ballot(1)": lambda live, t: sum(1 << i % 32 for i in of_warp(live, t)),
    "__shfl((int)t + 1, 31)": lambda live, t: t // 32 * 32 + 32,
    "(int)coalesced_threads().size()": lambda live, t: len(of_warp(live, t)),
    "reduce(coalesced_threads(), 1, plus<int>())": lambda live, t: len(of_warp(live, t)),
    "sum_by_atomics(t)": lambda live, t: sum(live),
}
KERNEL = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
using namespace cooperative_groups;
__device__ int loop_of_counts(unsigned t) {
  int sum = 0;
  for (int i = 0; i < 3; i++) sum += __syncthreads_count(t > 10u * i) * (i + 1);
  return sum;
}
__device__ int sum_by_atomics(unsigned t) {
  __shared__ int sum;
  sum = 0;
  this_thread_block().sync();
  atomicAdd(&sum, (int)t);
  this_thread_block().sync();
  return sum;
}
"""
CASES = "".join(f"    case {i}: return {gone};\n" for i, gone in enumerate(GONE))
TEXT = (
    KERNEL
    + f"""
__device__ bool is_gone(unsigned t, int which) {{
  switch (which) {{
{CASES}  }}
  return false;
}}
extern "C" __global__ void grid(int* o, int* sums, int which) {{
  const unsigned t = threadIdx.x;
  if (is_gone(t, which)) return;
  atomicAdd(sums, (int)t);
  this_grid().sync();
  o[blockIdx.x * blockDim.x + t] = sums[0];
  this_grid().sync();
  atomicAdd(sums + 1, __syncthreads_count(1));
}}
"""
)
TEXT += "".join(
    f"""extern "C" __global__ void k{i}(int* o, int which) {{
  const unsigned t = threadIdx.x;
  if (!is_gone(t, which)) o[blockIdx.x * blockDim.x + t] = {together};
}}
"""
    for i, together in enumerate(TOGETHER)
)


@pytest.fixture(scope="module")
def image(opened_device):
    return opened_device.image(TEXT, "--treadle-fibers", "--treadle-disable=kernels-on-demand")


@pytest.mark.parametrize("on_fibers", [0, 1])
def test_threads_that_are_left_count_themselves_only(device, image, on_fibers):
    module, wrong = device.load(image), []
    device.check("treadle_cpu_run_on_fibers", on_fibers)
    try:
        for i, (together, answer) in enumerate(TOGETHER.items()):
            for j, (gone, is_gone) in enumerate(GONE.items()):
                live = [t for t in range(THREADS) if not is_gone(t)]
                if "__shfl" in together and not {31, 63, 95} <= set(live):
                    continue
                expected = np.zeros((BLOCKS, THREADS), np.int32)
                expected[:, live] = np.array([answer(live, t) for t in live]).astype(np.int32)
                for _ in range(LAUNCHES):
                    out = np.zeros((BLOCKS, THREADS), np.int32)
                    module.kernel(f"k{i}")(out, np.int32(j), block=(THREADS,), grid=(BLOCKS,))
                    if (out != expected).any():
                        wrong.append(f"{together}, gone: {gone}\n{out}\n{expected}")
    finally:
        device.check("treadle_cpu_run_on_fibers", 0)
    assert not wrong, f"{len(wrong)} differ\n" + "\n".join(wrong[:3])


def test_a_grid_meets_without_the_threads_that_left(device, image):
    kernel = device.load(image).kernel("grid")
    for which, is_gone in enumerate(GONE.values()):
        live = [t for t in range(THREADS) if not is_gone(t)]
        for _ in range(LAUNCHES):
            out, sums = np.zeros((2, THREADS), np.int32), np.zeros(2, np.int32)
            kernel(out, sums, np.int32(which), block=(THREADS,), grid=(2,), cooperative=True)
            assert sums.tolist() == [2 * sum(live), 2 * len(live) ** 2]
            assert (out[:, live] == 2 * sum(live)).all()
