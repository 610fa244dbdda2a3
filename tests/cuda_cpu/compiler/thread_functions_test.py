# SPDX-License-Identifier: MIT
"""Atomics, warp operations, hinted loads and stores, barriers and address spaces: every function of
the lists, on each machine there is."""

import collections

import device_functions
import numpy as np
import pytest
import thread_functions
from thread_functions import BLOCK, COUNT, EVEN, GRID, ODD, PROGRAMS, THREADS_SOURCE, WIDTH

ATOMICS = thread_functions.atomics()
WARP = device_functions.family("warp")
LANES = np.arange(BLOCK)


@pytest.fixture
def module_of(machine):
    def get(family):
        key = f"threads: {family}"
        if key not in machine.modules:
            machine.modules[key] = machine.compile(PROGRAMS[family]())
        return machine.modules[key]

    return get


def rows(values):
    return [row.tobytes() for row in values.reshape(len(values), -1)]


def is_chain(atomic, first, last, old, values):
    """Whether the operations happened one after the other: each found what another one left, the
    first what was there before, and the last one's is there now."""
    left = atomic.next(old, values)
    found = collections.Counter(rows(old) + rows(last[None]))
    return found == collections.Counter(rows(left) + rows(first[None]))


@pytest.mark.parametrize(
    "number", range(len(ATOMICS)), ids=lambda k: f"{ATOMICS[k].kind} {ATOMICS[k].name}"
)
def test_contended_atomics_happen_one_after_the_other(module_of, number):
    atomic = ATOMICS[number]
    dtype, width = atomic.dtype
    random = np.random.default_rng(number)
    values = random.integers(1, 50, (COUNT, width)).astype(dtype)
    cells = random.integers(5, 40, (2 + GRID, width)).astype(dtype)
    old = np.zeros((3 * COUNT, width), dtype)
    before = cells.copy()
    module_of("atomics").kernel(f"f{number}")(cells, values, old, block=(BLOCK,), grid=(GRID,))
    for part in range(width):  # of a vector each number by itself
        sections = [slice(0, COUNT), slice(COUNT, 2 * COUNT)]
        sections += [slice(2 * COUNT + k * BLOCK, 2 * COUNT + (k + 1) * BLOCK) for k in range(GRID)]
        for cell, section in enumerate(sections):
            own = values[:, part]
            own = own[(cell - 2) * BLOCK : (cell - 1) * BLOCK] if cell >= 2 else own
            assert is_chain(atomic, before[cell, part], cells[cell, part], old[section, part], own)


def reference(function, mask_of, values):
    """What each of the threads gets; `mask_of` gives the lanes that take part with a lane."""
    name, results, matched = function.name, [], []
    for t in range(BLOCK):
        first, lane = t & ~31, t & 31
        mask = mask_of(lane)
        warp = values[first : first + 32]
        lanes = [k for k in range(32) if mask >> k & 1]
        segment = lane & ~(WIDTH - 1)
        source = {
            "__shfl_sync": segment | (4 + (lane & 1)),
            "__shfl_up_sync": lane - 2 if lane - segment >= 2 else lane,
            "__shfl_down_sync": lane + 2 if lane - segment + 2 < WIDTH else lane,
            "__shfl_xor_sync": lane ^ 6,
        }
        bits = sum(1 << k for k in lanes if warp[k] != 0)
        equal = sum(1 << k for k in lanes if warp[k] == warp[lane])
        part = [int(warp[k]) for k in lanes] if values.dtype.kind in "iu" else []
        folds = {
            "add": sum, "min": min, "max": max,
            "and": lambda x: int(np.bitwise_and.reduce(x)),
            "or": lambda x: int(np.bitwise_or.reduce(x)),
            "xor": lambda x: int(np.bitwise_xor.reduce(x)),
        }  # fmt: skip
        matched.append(int(equal == mask) if "match_all" in name else 7)
        if name in source:
            results.append(warp[source[name]])
        elif name.startswith("__reduce"):
            results.append(folds[name.split("_")[3]](part))
        else:
            results.append(
                {
                    "__activemask": mask,
                    "__syncwarp": 1,
                    "__ballot_sync": bits,
                    "__any_sync": int(bits != 0),
                    "__all_sync": int(bits == mask),
                    "__uni_sync": int(bits in (0, mask)),
                    "__match_any_sync": equal,
                    "__match_all_sync": mask if equal == mask else 0,
                }[name]
            )
    return results, matched


@pytest.mark.parametrize("variety", [1, 2, 1000])
@pytest.mark.parametrize("number", range(len(WARP)), ids=lambda k: WARP[k].text)
def test_warp_functions_in_whole_and_parted_warps(module_of, number, variety):
    function = WARP[number]
    kind = function.parameters[1] if len(function.parameters) > 1 else "int"
    result = device_functions.DTYPES.get(function.result, np.int32)
    values = np.random.default_rng(number).integers(0, variety, BLOCK)
    values = (values + (variety == 1)).astype(device_functions.DTYPES[kind])
    kernel = module_of("warp").kernel(f"f{number}")
    for odd, yes, no in ((0, 0, 0xFFFFFFFF), (1, ODD, EVEN)):
        out, flags = np.zeros(BLOCK, result), np.zeros(BLOCK, np.int32)
        masks = np.int32(odd), np.uint32(yes), np.uint32(no)
        kernel(values, out, flags, *masks, block=(BLOCK,), grid=(1,))
        expected, expected_flags = reference(
            function, lambda lane, odd=odd, yes=yes, no=no: yes if lane & odd else no, values
        )
        np.testing.assert_array_equal(out, np.array(expected).astype(result))
        np.testing.assert_array_equal(flags, expected_flags)


def test_loads_and_stores_with_a_hint_move_every_type(module_of):
    sizes = {"char": 1, "short": 2, "int": 4, "long": 8, "longlong": 8, "float": 4, "double": 8}
    for number, (kind, (loads, stores)) in enumerate(thread_functions.memory_functions().items()):
        assert (len(loads), len(stores)) == (6, 4), kind
        words = (
            kind.removeprefix("unsigned ").removeprefix("signed ").replace("long long", "longlong")
        )
        base = words.rstrip("24")
        base = base if base in sizes else base.removeprefix("u")
        size = sizes[base] * int(words[len(words.rstrip("24")) :] or 1)
        data = np.random.default_rng(number).integers(0, 256, (BLOCK, size)).astype(np.uint8)
        out = np.zeros((10, BLOCK, size), np.uint8)
        kernel = module_of("memory").kernel(f"f{number}")
        kernel(data, out, np.int32(BLOCK), block=(BLOCK,), grid=(1,))
        np.testing.assert_array_equal(out, np.broadcast_to(data, out.shape), kind)


def test_barriers_that_count_fences_clocks_and_address_spaces(machine):
    out, values = np.zeros(16 * BLOCK, np.int32), np.arange(100, 100 + BLOCK, dtype=np.int32)
    kernel = machine.compile(THREADS_SOURCE).kernel("k")
    kernel(out, values, block=(BLOCK,), grid=(1,))
    expected = [10, 0, 1, BLOCK - 4, 1, 0, 0b1001, 0b1100, 0b010, 0, 1, 1]
    for t, row in enumerate(out.reshape(BLOCK, 16)):
        assert row[:14].tolist() == [*expected, 100 + t, 1]


def test_the_list_of_thread_functions_is_used_whole():
    names = {function.name for function in device_functions.family("threads")}
    assert not {name for name in names if f"{name}(" not in THREADS_SOURCE}


def test_lanes_that_left_do_not_vote(machine):
    """Exited lanes may be named by a mask; short warps have no lanes behind their end."""
    source = """extern "C" __global__ void k(unsigned* o) {
      int t = threadIdx.x; if (t % 32 >= 20) return;
      unsigned b = __ballot_sync(~0u, t & 1); int all = __all_sync(~0u, 1);
      unsigned m = __match_any_sync(~0u, t % 3); int sum = __reduce_add_sync(~0u, 1);
      o[t] = b; o[64 + t] = all; o[128 + t] = m; o[192 + t] = sum; }"""
    out = np.zeros(256, np.uint32)
    machine.compile(source).kernel("k")(out, block=(40,), grid=(1,))
    for t in [*range(20), *range(32, 40)]:
        lanes = range(20 if t < 32 else 8)
        assert out[t] == sum(1 << k for k in lanes if k & 1)
        assert out[64 + t] == 1 and out[192 + t] == len(lanes)
        first = 32 if t >= 32 else 0
        assert out[128 + t] == sum(1 << k for k in lanes if (first + k) % 3 == t % 3)


def test_shuffles_behind_a_branch_wait_for_those_in_it(machine):
    """Half of the warp makes a detour with shuffles of its own before all shuffle."""
    source = """extern "C" __global__ void k(int* o) {
      int t = threadIdx.x, v = t;
      if (t % 32 < 16) { v = __shfl_xor_sync(0xffffu, v, 3); v = __shfl_xor_sync(0xffffu, v, 5); }
      o[t] = __shfl_xor_sync(~0u, v, 16); }"""
    out = np.zeros(BLOCK, np.int32)
    machine.compile(source).kernel("k")(out, block=(BLOCK,), grid=(1,))
    moved = np.where(LANES % 32 < 16, LANES ^ 6, LANES)
    assert (out == moved[LANES ^ 16]).all()
