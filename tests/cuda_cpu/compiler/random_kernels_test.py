# SPDX-License-Identifier: MIT
"""Region splitting and the scheduler against an interpreter: random kernels in which threads meet,
part, vote, shuffle and leave. CI runs the same ones each time; every failure names its seed."""

import os

import numpy as np
import pytest
import random_kernels

# For a longer search: TREADLE_RANDOM_KERNELS=FIRST:LAST.
FIRST, _, LAST = os.environ.get("TREADLE_RANDOM_KERNELS", "0:60").partition(":")
BATCH, BLOCKS = 50, 2
BATCHES = range(int(FIRST), int(LAST), BATCH)


class Batch:
    """The programs of some seeds as the kernels k<seed> of one module."""

    def __init__(self, first, count=BATCH):
        self.programs = {
            seed: random_kernels.Program(seed)
            for seed in range(first, min(first + count, int(LAST)))
        }
        self.text = "".join(p.text(f"k{seed}") for seed, p in self.programs.items())

    def seeds_that_differ(self, module, seeds=None):
        return [s for s in seeds or self.programs if self.differs(module, s, self.programs[s])]

    def differs(self, module, seed, program):
        n = seed % 7
        out = np.zeros(BLOCKS * program.threads, np.uint32)
        module.kernel(f"k{seed}")(out, np.uint32(n), block=program.block, grid=(BLOCKS,))
        return out.tolist() != program.expected(n, BLOCKS)


@pytest.mark.parametrize("first", BATCHES)
def test_random_kernels_run_as_interpreted(machine, first):
    print(f"seeds {first} to {first + BATCH - 1}; one again: TREADLE_RANDOM_KERNELS=SEED:SEED+1")
    batch = Batch(first)
    wrong = batch.seeds_that_differ(machine.compile(batch.text))
    assert not wrong, "\n".join(f"seed {s}, n = {s % 7}\n{batch.programs[s].text()}" for s in wrong)


# As region_scheduler.hpp has them.
RULES = {"lanes wait for those they name": 1, "threads wait for the whole block": 2}


def test_the_kernels_notice_a_scheduler_without_a_rule(device):
    """A test of this test: what cannot fail shows nothing."""
    batch = Batch(0, 20)
    module = device.compile(batch.text)
    for rule, number in RULES.items():
        device.check("treadle_cpu_switch_off_rules", number)
        try:
            wrong = batch.seeds_that_differ(module)
        finally:
            device.check("treadle_cpu_switch_off_rules", 0)
        assert wrong, rule
