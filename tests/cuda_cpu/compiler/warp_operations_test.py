# SPDX-License-Identifier: MIT
"""Shuffles, votes, matches and reductions of a warp, in every form, against a model in NumPy: any
masks and widths, lanes that have exited or are in another branch, tiles and partitions. What CUDA
leaves open is left out, but for this: a lane that does not come, or that is not in the mask, hands
over 0, as on an H200. The tests with `machine` run on a GPU, too; a difference is told by lane.
"""

import numpy as np
import pytest

WARPS = 2  # of a block
SHAPES = [(64,), (8, 4, 2)]
MODES = {"regions": (), "fibers": ("--treadle-fibers",), "no optimisation": ("-G",)}
TYPES = ["int", "unsigned", "long long", "unsigned long long", "float", "double", "__half"]
TYPES += ["__nv_bfloat16", "__half2"]
# What a lane of a warp does: two branches, each with a mask of its own; nothing; an early return.
FIRST, SECOND, IDLE, EXITED = range(4)

TEXT = """
{headers}
typedef unsigned long long result;
template <class T> __device__ T make(int x) {{ return (T)(float)x; }}
template <class T> __device__ result whole(T x) {{ return (result)(float)x; }}
{of_pairs}
template <class T> __device__ result operation(unsigned mask, T v, int argument, int width) {{
  {operation}
}}
extern "C" __global__ void k(result *out, const int *masks, const int *widths, const int *roles,
                             const int *values, const int *arguments) {{
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int at = blockIdx.x * {threads} + t, warp = at / 32;
  if (roles[at] == 3) return;
  const {type} v = make<{type}>(values[at]);
  if (roles[at] == 0) out[at] = operation(masks[2 * warp], v, arguments[at], widths[warp]);
  else if (roles[at] == 1)
    out[at] = 1000 + operation(masks[2 * warp + 1], v, arguments[at], widths[warp]);
}}
"""


class Warp:
    """One case: what each lane does, holds and asks for."""

    def __init__(self, random, width=32, argument=None, roles=None, exited_named=True):
        chosen = random.choice([FIRST, FIRST, SECOND, IDLE, EXITED], 32)
        self.roles = chosen if roles is None else np.asarray(roles)
        self.values = random.integers(1, 200, 32)
        self.arguments = random.integers(0, 32, 32) if argument is None else np.full(32, argument)
        self.width = width
        # Nobody may be named who does not come, but those who have exited.
        self.masks = []
        for branch in (FIRST, SECOND):
            named = self.roles == branch
            if exited_named:
                named |= (self.roles == EXITED) & (random.integers(0, 2, 32) == 1)
            self.masks.append(sum(1 << int(lane) for lane in np.flatnonzero(named)))

    def expected(self, model):
        """Nothing where a lane has no result or CUDA does not tell it."""
        result = [None] * 32
        for branch in (FIRST, SECOND):
            came = [lane for lane in range(32) if self.roles[lane] == branch]
            for lane in came:
                value = model(self, self.masks[branch], came, lane)
                result[lane] = None if value is None else value + 1000 * branch
        return result


def warps(random, widths=(2, 4, 8, 16, 32), arguments=(None,), **options):
    """For every width and argument: all lanes, one lane, and any."""
    found = []
    for width in widths:
        for argument in arguments:
            found.append(Warp(random, width, argument, np.full(32, FIRST), **options))
            found.append(Warp(random, width, argument, np.arange(32) % 2, **options))
            found.append(Warp(random, width, argument, np.arange(32) // 16, **options))
            lone = np.full(32, IDLE)
            lone[random.integers(32)] = FIRST
            found.append(Warp(random, width, argument, lone, **options))
            found += [Warp(random, width, argument, **options) for _ in range(4)]
    return found + [Warp(random, 32, 0, **options)] * (len(found) % WARPS)


OF_PAIRS = """
template <> __device__ __half2 make<__half2>(int x) { return __floats2half2_rn(x, x); }
template <> __device__ result whole(__half2 x) {
  return (result)((__low2float(x) + __high2float(x)) / 2); }
"""
GROUPS = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;"
HEADERS = {
    "half": "#include <cuda_fp16.h>\n",
    "bfloat16": "#include <cuda_bf16.h>\n",
    "cg::": GROUPS,
}


def text(operation, kind="int"):
    body = operation if "return" in operation else f"return whole({operation});"
    return TEXT.format(
        headers="".join(header for part, header in HEADERS.items() if part in kind + operation),
        of_pairs=OF_PAIRS if kind == "__half2" else "",
        operation=body,
        type=kind,
        threads=32 * WARPS,
    )


def compare(kernel, cases, model, name, shape=SHAPES[0]):
    out = np.full(32 * len(cases), 7777, np.uint64)
    each = [
        np.concatenate([np.asarray(getattr(case, part)) for case in cases]).astype(np.int32)
        for part in ("roles", "values", "arguments")
    ]
    masks = np.array([case.masks for case in cases], np.uint32).view(np.int32)
    widths = np.array([case.width for case in cases], np.int32)
    kernel(out, masks, widths, *each, block=shape, grid=(len(cases) // WARPS,))
    wrong = []
    for case, found in zip(cases, out.reshape(-1, 32).tolist(), strict=True):
        for lane, expected in enumerate(case.expected(model)):
            if expected is not None and found[lane] != expected:
                branch = case.roles[lane]
                wrong.append(
                    f"{name}: lane {lane} got {found[lane]:#x}, expected {expected:#x}; mask "
                    f"{case.masks[branch]:#010x}, width {case.width}, argument "
                    f"{case.arguments[lane]}, its value {case.values[lane]}, lanes do "
                    f"{''.join('12-x'[role] for role in case.roles)} (first, second, idle, exited)"
                )
    assert not wrong, f"{len(wrong)} lanes differ\n" + "\n".join(wrong[:20])


def shuffled(place):
    """`place` gives the lane that is asked, or None for the lane's own value."""

    def model(warp, mask, came, lane):
        asked = place(lane, int(warp.arguments[lane]), warp.width)
        if asked is None:
            asked = lane
        return int(warp.values[asked]) if asked in came and mask >> asked & 1 else 0

    return model


SHUFFLES = {
    "shfl": shuffled(lambda lane, asked, width: (lane & -width) + asked % width),
    "shfl_up": shuffled(lambda lane, d, width: lane - d if lane % width >= d else None),
    "shfl_down": shuffled(lambda lane, d, width: lane + d if lane % width + d < width else None),
    "shfl_xor": shuffled(
        lambda lane, bits, width: lane ^ bits if (lane ^ bits) < (lane & -width) + width else None
    ),
}


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("form", SHUFFLES)
def test_shuffles_of_every_type(machine, form, kind):
    kernel = machine.compile(text(f"__{form}_sync(mask, v, argument, width)", kind)).kernel("k")
    cases = warps(np.random.default_rng(1))
    for shape in SHAPES:
        compare(kernel, cases, SHUFFLES[form], f"__{form}_sync of {kind}", shape)


@pytest.mark.parametrize("form", SHUFFLES)
def test_shuffles_by_every_distance_in_every_width(machine, form):
    kernel = machine.compile(text(f"__{form}_sync(mask, v, argument, width)")).kernel("k")
    cases = warps(np.random.default_rng(2), arguments=range(32))
    compare(kernel, cases, SHUFFLES[form], f"__{form}_sync")


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16, 32])
@pytest.mark.parametrize("form", SHUFFLES)
def test_shuffles_of_whole_warps_with_constant_masks_and_widths(machine, form, width):
    kernel = machine.compile(text(f"__{form}_sync(0xffffffffu, v, argument, {width})")).kernel("k")
    random = np.random.default_rng(3)
    cases = [Warp(random, width, argument, np.full(32, FIRST)) for argument in range(32)]
    compare(kernel, cases, SHUFFLES[form], f"__{form}_sync(~0u, ..., {width})")


def of_those_that_came(function):
    return lambda warp, mask, came, lane: function(warp, [c for c in came if mask >> c & 1], lane)


def bits(lanes):
    return sum(1 << int(lane) for lane in lanes)


def yes(warp, lanes):
    return [lane for lane in lanes if warp.arguments[lane] % 2]


def same(warp, lanes, lane):
    return [other for other in lanes if warp.arguments[other] % 4 == warp.arguments[lane] % 4]


VOTES = {
    "__ballot_sync(mask, argument & 1)": lambda warp, lanes, lane: bits(yes(warp, lanes)),
    "__any_sync(mask, argument & 1) != 0": lambda warp, lanes, lane: bool(yes(warp, lanes)),
    "__all_sync(mask, argument & 1) != 0": lambda warp, lanes, lane: yes(warp, lanes) == lanes,
    "__uni_sync(mask, argument & 1) != 0": lambda warp, lanes, lane: (
        yes(warp, lanes) in ([], lanes)
    ),
    "__ballot_sync(mask, argument)": lambda warp, lanes, lane: bits(
        other for other in lanes if warp.arguments[other]
    ),
    **{
        f"__match_any_sync(mask, {value})": lambda warp, lanes, lane: bits(same(warp, lanes, lane))
        for value in (
            "argument % 4",
            "(unsigned)argument % 4",
            "(long long)(argument % 4) << 40",
            "(unsigned long long)(argument % 4) << 40",
            "(float)(argument % 4)",
            "(double)(argument % 4)",
        )
    },
}
REDUCTIONS = {
    "__reduce_add_sync(mask, values)": np.sum,
    "__reduce_add_sync(mask, (unsigned)values)": np.sum,
    "__reduce_min_sync(mask, values)": np.min,
    "__reduce_max_sync(mask, values)": np.max,
    "__reduce_min_sync(mask, (unsigned)values)": np.min,
    "__reduce_max_sync(mask, (unsigned)values)": np.max,
    "__reduce_and_sync(mask, (unsigned)values)": np.bitwise_and.reduce,
    "__reduce_or_sync(mask, (unsigned)values)": np.bitwise_or.reduce,
    "__reduce_xor_sync(mask, (unsigned)values)": np.bitwise_xor.reduce,
}
MATCH_ALL = """int all; const unsigned found = __match_all_sync(mask, argument % 4, &all);
  return found | (result)(all != 0) << 32;"""


def result_of(expression):
    return f"return (result)(unsigned)({expression});"


@pytest.mark.parametrize("vote", VOTES)
def test_votes_and_matches(machine, vote):
    kernel = machine.compile(text(result_of(vote))).kernel("k")
    cases = warps(np.random.default_rng(4), [32], (0, 1, 2, 3, *[None] * 12))
    for shape in SHAPES:
        compare(kernel, cases, of_those_that_came(VOTES[vote]), vote, shape)


def test_matches_of_all(machine):
    def model(warp, lanes, lane):
        return bits(lanes) | 1 << 32 if same(warp, lanes, lane) == lanes else 0

    kernel = machine.compile(text(MATCH_ALL)).kernel("k")
    cases = warps(np.random.default_rng(5), [32], (0, 3, *[None] * 12), exited_named=False)
    compare(kernel, cases, of_those_that_came(model), "__match_all_sync")


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_reductions(machine, reduction):
    def model(warp, lanes, lane):
        return int(REDUCTIONS[reduction](warp.values[lanes]))

    operation = f"const int values = (int)whole(v); {result_of(reduction)}"
    kernel = machine.compile(text(operation)).kernel("k")
    for shape in SHAPES:
        cases = warps(np.random.default_rng(6), [32], [None] * 12)
        compare(kernel, cases, of_those_that_came(model), reduction, shape)


@pytest.mark.parametrize("reduction", ["add", "min", "max"])
def test_reductions_of_negative_numbers(machine, reduction):
    def model(warp, lanes, lane):
        values = [int(warp.values[other]) - 100 for other in lanes]
        return {"add": sum, "min": min, "max": max}[reduction](values) & 0xFFFFFFFF

    operation = result_of(f"__reduce_{reduction}_sync(mask, (int)whole(v) - 100)")
    kernel = machine.compile(text(operation)).kernel("k")
    cases = warps(np.random.default_rng(7), [32], [None] * 12)
    compare(kernel, cases, of_those_that_came(model), f"__reduce_{reduction}_sync of int")


# ---- cooperative groups


def tile_roles(random, count):
    return np.repeat(random.choice([FIRST, SECOND, IDLE, EXITED], 32 // count), count)


def within(count, function):
    """The model of an operation of a tile: on its lanes, with ranks for lanes."""

    def model(warp, mask, came, lane):
        first = lane - lane % count
        return function(warp, list(range(first, first + count)), lane)

    return model


def of_rank(place):
    def function(warp, lanes, lane):
        rank = place(lanes.index(lane), int(warp.arguments[lane]), len(lanes))
        return None if rank is None else int(warp.values[lanes[rank]])

    return function


def ranks(lanes, chosen):
    return sum(1 << lanes.index(lane) for lane in chosen)


GROUP_FORMS = {
    "whole(group.shfl(v, argument % (int)group.size()))": of_rank(lambda r, a, n: a % n),
    "whole(group.shfl_up(v, argument))": of_rank(lambda r, a, n: r - a if r >= a else None),
    "whole(group.shfl_down(v, argument))": of_rank(lambda r, a, n: r + a if r + a < n else None),
    "group.any(argument & 1) != 0": lambda warp, lanes, lane: bool(yes(warp, lanes)),
    "group.all(argument & 1) != 0": lambda warp, lanes, lane: yes(warp, lanes) == lanes,
    "group.ballot(argument & 1)": lambda warp, lanes, lane: ranks(lanes, yes(warp, lanes)),
    "group.match_any(argument % 4)": lambda warp, lanes, lane: ranks(
        lanes, same(warp, lanes, lane)
    ),
    "group.thread_rank() + 100 * group.size()": lambda warp, lanes, lane: (
        lanes.index(lane) + 100 * len(lanes)
    ),
}
TILE_FORMS = {
    **GROUP_FORMS,
    "whole(group.shfl_xor(v, argument % (int)group.size()))": of_rank(lambda r, a, n: r ^ a % n),
}


@pytest.mark.parametrize("count", [2, 4, 8, 16, 32])
@pytest.mark.parametrize("form", TILE_FORMS)
def test_tiles(machine, form, count):
    group = f"auto group = cg::tiled_partition<{count}>(cg::this_thread_block());"
    kernel = machine.compile(text(group + result_of(form))).kernel("k")
    random = np.random.default_rng(8)
    arguments = [None] * 8 + list(range(count)) * (form.startswith("whole"))
    cases = [Warp(random, 32, argument, tile_roles(random, count)) for argument in arguments]
    for shape in SHAPES:
        compare(kernel, cases, within(count, TILE_FORMS[form]), f"{form}, tile of {count}", shape)


@pytest.mark.parametrize("form", GROUP_FORMS)
def test_partitions(machine, form):
    """The lanes that hold the same value modulo 3: any pattern of lanes."""

    def model(warp, mask, came, lane):
        lanes = [other for other in came if warp.values[other] % 3 == warp.values[lane] % 3]
        return GROUP_FORMS[form](warp, lanes, lane)

    group = """auto group = cg::labeled_partition(
      cg::tiled_partition<32>(cg::this_thread_block()), (int)whole(v) % 3);"""
    kernel = machine.compile(text(group + result_of(form))).kernel("k")
    random = np.random.default_rng(9)
    cases = [
        Warp(random, 32, argument, np.full(32, FIRST)) for argument in [None] * 8 + [*range(8)]
    ]
    compare(kernel, cases, model, f"{form}, partition")


# ---- what only this device promises: who comes together, and the forms without a mask

ACTIVE_FORMS = {
    "return whole(__shfl(v, argument, width));": SHUFFLES["shfl"],
    "return whole(__shfl_up(v, argument, width));": SHUFFLES["shfl_up"],
    "return whole(__shfl_down(v, argument, width));": SHUFFLES["shfl_down"],
    "return whole(__shfl_xor(v, argument, width));": SHUFFLES["shfl_xor"],
    result_of("__ballot(argument & 1)"): lambda warp, mask, came, lane: bits(yes(warp, came)),
    result_of("__any(argument & 1)"): lambda warp, mask, came, lane: bool(yes(warp, came)),
    result_of("__all(argument & 1)"): lambda warp, mask, came, lane: yes(warp, came) == came,
    result_of("__activemask()"): lambda warp, mask, came, lane: bits(came),
    **{
        "auto group = cg::coalesced_threads();" + result_of(form): (
            lambda warp, mask, came, lane, model=model: model(warp, came, lane)
        )
        for form, model in GROUP_FORMS.items()
    },
}
MASKED_FORMS = {
    **{
        f"return whole(__{form}_sync(mask, v, argument, width));": model
        for form, model in SHUFFLES.items()
    },
    **{result_of(vote): of_those_that_came(model) for vote, model in VOTES.items()},
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("form", [*ACTIVE_FORMS, *MASKED_FORMS])
def test_every_form_in_every_mode(device, form, mode):
    model = {**ACTIVE_FORMS, **MASKED_FORMS}[form]
    kernel = device.compile(text(form), *MODES[mode]).kernel()
    cases = warps(np.random.default_rng(10), [4, 32], [None] * 4)
    device.check("treadle_cpu_run_on_fibers", int(mode == "fibers"))
    try:
        for shape in SHAPES:
            compare(kernel, cases, model, form, shape)
    finally:
        device.check("treadle_cpu_run_on_fibers", 0)
