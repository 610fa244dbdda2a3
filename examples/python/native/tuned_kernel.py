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
  TREADLE_LOCAL float square[%(tile)d][%(tile)d + %(padding)d];
  const int x = treadle_local_id(0), y = treadle_local_id(1);
  const int column = treadle_group_id(0) * %(tile)d, row = treadle_group_id(1) * %(tile)d;
  for (int k = y; k < %(tile)d; k += %(rows)d) square[k][x] = in[(row + k) * n + column + x];
  treadle_barrier();
  for (int k = y; k < %(tile)d; k += %(rows)d) out[(column + k) * n + row + x] = square[x][k];
}
"""
N, EVALUATIONS, REPEATS = 1024, 10, 5


def space_of(device):
    space = tune.Space(device=device, n=N)
    space.add_powers_of_two("tile", 8, 64)
    space.add_powers_of_two("rows", 1, 64)
    space.add("padding", [0, 1])
    space.require("rows <= tile and n % tile == 0")
    space.require("tile <= device.max_group_x and tile * rows <= device.max_group_items")
    space.require("4 * tile * (tile + padding) <= device.local_bytes")
    return space


class Measured:
    """What a configuration takes on a device. The result is checked before the time counts."""

    def __init__(self, device):
        self.device, self.stream = device, device.make_stream()
        self.values = np.random.default_rng(0).random((N, N), np.float32)
        self.source = treadle.Buffer(device, self.values)
        self.target = treadle.Buffer(device, self.values.nbytes)

    def __call__(self, c):
        kernel = treadle.Program(self.device, TEXT % c).kernel("transpose")
        tile, rows = c["tile"], c["rows"]
        self.target.copy_from(np.zeros_like(self.values))
        times = []
        for _ in range(REPEATS):
            start = self.stream.record()
            kernel(
                self.target,
                self.source,
                np.int32(N),
                groups=(N // tile, N // tile),
                group_size=(tile, rows),
                stream=self.stream,
            )
            end = self.stream.record()
            self.stream.synchronize()
            times.append(end.seconds_since(start))
        result = np.empty_like(self.values)
        self.target.copy_to(result)
        if not (result == self.values.T).all():
            raise treadle.InvalidState(f"{c} is wrong")
        return min(times)


correct = True
for device in map(treadle.find_device, sys.argv[1:]) if sys.argv[1:] else treadle.devices():
    space = space_of(device)
    first = space.make({"tile": 16, "rows": 16})
    found = tune.minimize(space, Measured(device), evaluations=EVALUATIONS, start=[first])
    gain = found.trials[0].value / found.value
    print(
        f"{device.id}: {dict(found.configuration)} of {len(space)} takes "
        f"{1e6 * found.value:.0f} us, {gain:.2f} times as fast as {dict(first)}"
    )
    errors = [trial.error for trial in found.trials if trial.error]
    print("\n".join(map(str, errors)), file=sys.stderr)
    correct = correct and gain >= 1 and not errors
sys.exit(0 if correct else 1)
