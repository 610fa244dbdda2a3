# SPDX-License-Identifier: MIT
"""Regions and their scheduler against fibers: random kernels in which threads meet, part, vote,
shuffle and leave run both ways and have to give the same bits (the GPU's: same_bits_test.py).
Blocks of a grid meet at its barrier, and by counting each other. Some are compiled once more with
one of the passes switched off that only make kernels faster, each pass in its turn. The seeds are
printed, and the same each time: what fails is a change, and not its luck. Others, or a longer
search: TREADLE_RANDOM_KERNELS=FIRST:LAST, or `new` for 320 of nobody's choice."""

import itertools
import os
import secrets
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import random_kernels
import random_kernels_found
import random_statements

KERNELS, BATCH, BLOCKS = 320, 18, 3
if os.environ.get("TREADLE_SAMPLE_CASES") == "1":
    KERNELS, BATCH = 160, 9  # as many batches
BY_COUNTING = "-DBY_COUNTING"
OPTIONS = ["--fmad=false"]  # which products are fused may depend on the way
CHOSEN = os.environ.get("TREADLE_RANDOM_KERNELS", f"0:{KERNELS}")
if CHOSEN == "new":
    NEW = secrets.randbelow(10**9)
    CHOSEN = f"{NEW}:{NEW + KERNELS}"
SEEDS = range(*map(int, CHOSEN.split(":")))


def inputs(threads):
    return np.random.default_rng(threads).integers(0, 2**32, 8 * threads, np.uint32)


def answer(module, name, block, n, is_grid=False):
    """What a kernel writes: a word a thread, what all have added up, and what they exchanged."""
    words = BLOCKS * int(np.prod(block))
    out, added = np.zeros(words, np.uint32), np.zeros(5 + words * is_grid, np.uint32)
    shape = {"block": block, "grid": (BLOCKS,)} | ({"cooperative": True} if is_grid else {})
    module.kernel(name)(out, inputs(words // BLOCKS), added, np.uint32(n), **shape)
    return out.tolist() + added[:-1].tolist()  # the last counts blocks, in one of the ways


def answer_of(module, program, kernel="k"):
    return answer(module, kernel, program.block, program.seed % 7, program.is_grid)


def has_grids(programs):
    return any(program.is_grid for program in programs)


def prelude_of(programs):
    return random_kernels.GRID_PRELUDE if has_grids(programs) else random_kernels.PRELUDE


def text_of(programs):
    return prelude_of(programs) + "".join(p.text(f"k{p.seed}") for p in programs)


def slower_ways(device):
    """Options that switch off what only makes kernels faster: all of it, then pass by pass. The
    compiler lists these where a required pass is to be switched off."""
    with pytest.raises(Exception, match="is required") as refused:
        device.image("", "--treadle-disable=verify")
    passes = str(refused.value).strip().partition("those that are not: ")[2].split(", ")
    assert len(passes) > 1, str(refused.value)
    return ["-G", *(f"--treadle-disable={name}" for name in passes)]


class Batch:
    """The programs of some seeds as kernels k<seed> of one module, compiled for both ways; every
    fourth of them also in a slower way."""

    def __init__(self, seeds, slower_way):
        self.programs = [random_kernels.Program(seed) for seed in seeds]
        self.text = text_of(self.programs)
        self.slower_way, self.few = slower_way, self.programs[::4]

    def compile(self, device):
        options = ["--treadle-fibers", *OPTIONS]
        self.image = self.other_image = device.image(self.text, *options)
        if has_grids(self.programs):  # blocks meet by regions only
            self.other_image = device.image(self.text, BY_COUNTING, *options)
        self.slower_image = device.image(text_of(self.few), self.slower_way, *OPTIONS)
        return self

    def load(self, device):
        self.module, self.other = device.load(self.image), device.load(self.other_image)
        self.slower = device.load(self.slower_image)
        return self

    def answers(self, module, programs=None):
        chosen = self.programs if programs is None else programs
        return {p.seed: answer_of(module, p, f"k{p.seed}") for p in chosen}


def on_fibers(device, run):
    device.check("treadle_cpu_run_on_fibers", 1)
    try:
        return run()
    finally:
        device.check("treadle_cpu_run_on_fibers", 0)


def differs(device, text, run):
    """One kernel, compiled alone; `run` gives the answer of its module."""
    module = device.compile(text, "--treadle-fibers", *OPTIONS)
    other = module
    if "MEET" in text:
        other = device.compile(text, "--treadle-fibers", BY_COUNTING, *OPTIONS)
    by_regions = run(module)
    return by_regions != on_fibers(device, lambda: run(other))


def report(device, programs):
    """The first ones whole, and as small as they can be made and still differ."""
    texts = []
    for program in programs[:3]:
        n, whole = program.seed % 7, program.text()

        def fails(smaller):
            text = prelude_of([smaller]) + smaller.text()
            return differs(device, text, lambda module: answer_of(module, smaller))

        small = random_statements.reduced(program, fails).text()
        texts.append(f"seed {program.seed}, n = {n}, block {program.block}\n{small}\nof\n{whole}")
    return f"{len(programs)} kernels differ\n" + "\n".join(texts)


@pytest.fixture(scope="module")
def batches(opened_device, pytestconfig):
    """Compiled on all cores."""
    # At once and past pytest's capture: said before a compiler can hang or end the process.
    with pytestconfig.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"\nTREADLE_RANDOM_KERNELS={CHOSEN}", flush=True)
    groups = [SEEDS[i : i + BATCH] for i in range(0, len(SEEDS), BATCH)]
    made = map(Batch, groups, itertools.cycle(slower_ways(opened_device)))
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(lambda batch: batch.compile(opened_device), made))


@pytest.fixture
def modules(batches, device):
    """In the context that is current; some tests of the process begin with a new one."""
    return [batch.load(device) for batch in batches]


def test_random_kernels_compute_by_regions_what_they_do_on_fibers(device, modules):
    wrong = []
    for batch in modules:
        by_regions = batch.answers(batch.module)
        by_fibers = on_fibers(device, lambda b=batch: b.answers(b.other))
        wrong += [p for p in batch.programs if by_regions[p.seed] != by_fibers[p.seed]]
    assert not wrong, report(device, wrong)


def test_random_kernels_do_not_need_what_makes_them_faster(modules):
    wrong = []
    for batch in modules:
        fast, slow = batch.answers(batch.module, batch.few), batch.answers(batch.slower, batch.few)
        wrong += [(batch.slower_way, p) for p in batch.few if fast[p.seed] != slow[p.seed]]
    texts = [f"seed {p.seed}, block {p.block}, {way}\n{p.text()}" for way, p in wrong[:3]]
    assert not wrong, f"{len(wrong)} kernels differ\n" + "\n".join(texts)


def test_every_pass_that_makes_kernels_faster_has_its_turn(device, modules):
    if len(SEEDS) < KERNELS:
        pytest.skip("too few kernels")
    assert {batch.slower_way for batch in modules} == set(slower_ways(device))


@pytest.mark.parametrize("name", random_kernels_found.KERNELS)
def test_kernels_that_were_found_stay_right(device, name):
    block, n, text = random_kernels_found.KERNELS[name]
    text = random_kernels.PRELUDE + text
    assert not differs(device, text, lambda module: answer(module, "k", block, n))


# As region_scheduler.hpp has them.
RULES = {"lanes wait for those they name": 1, "threads wait for the whole block": 2}


@pytest.mark.parametrize("rule", RULES)
def test_the_kernels_notice_a_scheduler_without_a_rule(device, modules, rule):
    """A test of this test: what cannot fail shows nothing."""
    if len(SEEDS) < 100:
        pytest.skip("too few kernels: one of them need not notice")
    for batch in modules:
        right = batch.answers(batch.module)
        device.check("treadle_cpu_switch_off_rules", RULES[rule])
        try:
            wrong = batch.answers(batch.module)
        finally:
            device.check("treadle_cpu_switch_off_rules", 0)
        if wrong != right:
            return
    pytest.fail(f"nobody noticed that {rule}")
