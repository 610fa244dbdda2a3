# SPDX-License-Identifier: MIT
"""A transposition whose tile, work-items and padding are found by measuring, on every device.

tuned_kernel.py [ID ...]: only the devices of these ids, as `treadle info` lists them."""

import sys

import numpy as np

import treadle
from treadle import tune

TEXT = """
#include <treadle/dialect.h>
TREADLE_KERNEL transpose(TREADLE_GLOBAL float *out, TREADLE_GLOBAL const float *in, int n)
{
  TREADLE_LOCAL float square[TILE][TILE + PADDING];
  const int x = treadle_local_id(0), y = treadle_local_id(1);
  const int column = treadle_group_id(0) * TILE, row = treadle_group_id(1) * TILE;
  for (int k = y; k < TILE; k += ROWS) square[k][x] = in[(row + k) * n + column + x];
  treadle_barrier();
  for (int k = y; k < TILE; k += ROWS) out[(column + k) * n + row + x] = square[x][k];
}
"""
N, EVALUATIONS = 1024, 10


def space_of(device):
    space = tune.Space(device=device, n=N)
    space.add_powers_of_two("TILE", 8, 64)
    space.add_powers_of_two("ROWS", 1, 64)
    space.add("PADDING", [0, 1])
    space.require("ROWS <= TILE and n % TILE == 0")
    space.require("TILE <= device.max_group_x and TILE * ROWS <= device.max_group_items")
    space.require("4 * TILE * (TILE + PADDING) <= device.local_bytes")
    space.require("TILE * ROWS <= kernel.max_group_items")  # asked when it has been compiled
    return space


values = np.random.default_rng(0).random((N, N), np.float32)
correct = True
for device in map(treadle.find_device, sys.argv[1:]) if sys.argv[1:] else treadle.devices():
    space = space_of(device)
    first = space.make({"TILE": 16, "ROWS": 16})
    tuned = tune.tune_kernel(
        TEXT,
        "transpose",
        space,
        [tune.Output(np.empty_like(values), expected=values.T), values, np.int32(N)],
        groups=["n // TILE", "n // TILE"],
        group_size=["TILE", "ROWS"],
        evaluations=EVALUATIONS,
        start=[first],
    )
    before = next(each.measured for each in tuned.attempts if each.configuration == first)
    gain = before.seconds / tuned.seconds
    print(
        f"{device.id}: {dict(tuned.configuration)} of {len(space)} takes "
        f"{1e6 * tuned.seconds:.0f} us, {gain:.2f} times as fast as {dict(first)}"
    )
    failed = [each.measured for each in tuned.attempts if each.measured.outcome != "excluded"]
    errors = [measured.error for measured in failed if measured.error]
    print("\n".join(errors), file=sys.stderr)
    correct = correct and not errors
sys.exit(0 if correct else 1)
