# SPDX-License-Identifier: MIT
"""A rod in two halves on two devices, which copy the cells at the cut after every step.

Heat spreads in each half. Events alone order the steps: the host never waits. With one device, two
streams of it stand in. examples/cpp/peers.cpp is the same with the CUDA shell.
"""

import sys

import numpy as np

import treadle

TEXT = """
#include <treadle/dialect.h>
// Cell 0 and cell count + 1 belong to a neighbour or to the ends, which stay cold.
TREADLE_KERNEL spread(TREADLE_GLOBAL const float *now, TREADLE_GLOBAL float *next, int count)
{
  int i = treadle_global_id(0) + 1;
  if (i <= count) next[i] = now[i] + 0.25f * (now[i - 1] - 2 * now[i] + now[i + 1]);
}
"""
HALF, STEPS = 1000, 200


class Half:
    """One half of the rod, with a cell of its neighbour's (or an end) on either side."""

    def __init__(self, device, cells):
        self.spread = treadle.Program(device, TEXT).kernel("spread")
        self.now, self.next = treadle.Buffer(device, cells), treadle.Buffer(device, cells)
        self.stream = device.make_stream()
        self.fetched = None  # when the neighbour's last copy of a cell of ours is done

    def cell(self, i):
        return self.now[4 * i : 4 * i + 4]

    def step(self, other):
        # Into the memory that the neighbour may still be reading from.
        waits = [other.fetched] if other.fetched else []
        groups = (HALF + 255) // 256
        arguments = (self.now, self.next, np.int32(HALF))
        self.stepped = self.spread(
            *arguments, groups=groups, group_size=256, stream=self.stream,
            wait_for=waits, event=True,
        )  # fmt: skip
        self.now, self.next = self.next, self.now

    def fetch(self, other, mine, theirs):
        """Cell `mine` is what the other half calls `theirs`."""
        self.fetched = self.stream.copy(
            self.cell(mine), other.cell(theirs), wait_for=other.stepped, event=True
        )

    def read(self):
        cells = np.empty(HALF + 2, np.float32)
        self.stream.synchronize()
        self.now.copy_to(cells)
        return cells[1:-1]


rod = np.zeros(2 * HALF + 2, np.float32)
rod[HALF - 20 : HALF + 50] = np.arange(70) % 7  # warm around the cut
first = treadle.default_device()
run_time = first.id.partition(":")[0]
others = [d for d in treadle.devices() if d.id.partition(":")[0] == run_time and d.id != first.id]
second = others[0] if others else first
print(f"{first.id} {first.name} and", f"{second.id} {second.name}" if others else "itself")

left, right = Half(first, rod[: HALF + 2]), Half(second, rod[HALF:])
for _ in range(STEPS):
    left.step(right)
    right.step(left)
    left.fetch(right, HALF + 1, 1)
    right.fetch(left, 0, HALF)
    rod[1:-1] += np.float32(0.25) * (rod[:-2] - 2 * rod[1:-1] + rod[2:])  # what NumPy makes of it

error = np.abs(np.concatenate([left.read(), right.read()]) - rod[1:-1]).max()
print(f"check: {'ok' if error < 1e-4 else 'WRONG'}, largest difference {error:.1e}")
sys.exit(0 if error < 1e-4 else 1)
