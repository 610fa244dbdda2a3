# SPDX-License-Identifier: MIT
"""Spaces with made-up costs that behave like those of kernels, to compare strategies.

What a configuration takes depends on several parameters together, and neighbours are alike only to
a degree: tiles are filled up, work-items fit into a processor in whole groups, registers spill, and
a part of up to 2 % follows nothing.
"""

import numpy as np

from treadle import tune

COMPUTE_UNITS, ITEMS, REGISTERS, LOCAL = 132, 2048, 65536, 233472


def occupancy(group, registers, local):
    """Of the work-items that fit, by whole groups."""
    registers = np.minimum(registers, 255)
    groups = np.minimum.reduce([ITEMS / group, REGISTERS / (registers * group), LOCAL / local])
    return np.floor(groups) * group / ITEMS


def hidden(occupied, independent):
    """How much of its latency a kernel hides."""
    return np.minimum(1, (occupied + 0.02) * (1 + 0.4 * np.log2(independent)) * 1.4)


def spilled(registers):
    """What registers that spill add."""
    return np.maximum(0, registers - 255) / 20


def filled(size, tile):
    """How much more is computed where tiles are cut off."""
    return np.ceil(size / tile) * tile / size


def in_waves(groups, resident):
    """How much longer the last, partly filled round of groups makes it."""
    at_once = np.maximum(1, COMPUTE_UNITS * resident)
    return np.ceil(groups / at_once) * at_once / groups


def product():
    """A tiled product of matrices."""
    space = tune.Space()
    space.add_powers_of_two("group_x", 4, 64).add_powers_of_two("group_y", 1, 32)
    space.add_powers_of_two("items_x", 1, 16).add_powers_of_two("items_y", 1, 16)
    space.add_powers_of_two("depth", 4, 64).add_powers_of_two("vector", 1, 4)
    space.add("stage", ["registers", "local", "direct"])
    space.add("buffers", [1, 2], when="stage != 'direct'")
    space.require("32 <= group_x * group_y <= 1024 and items_x * items_y <= 64")
    space.require("depth * (group_x * items_x + group_y * items_y) * 4 * buffers <= 49152")
    space.require("items_x % vector == 0")

    def seconds(c):
        across, down = c["group_x"] * c["items_x"], c["group_y"] * c["items_y"]
        items, group = c["items_x"] * c["items_y"], c["group_x"] * c["group_y"]
        direct = c["stage"] == "direct"
        registers = 24 + items + 2 * (c["items_x"] + c["items_y"])
        registers = registers + 16 * (c["stage"] == "registers")
        local = np.where(direct, 1, c["depth"] * (across + down) * 4 * c["buffers"])
        busy = hidden(occupancy(group, registers, local), items / 4 * c["buffers"] + 1)
        loads = 1.4 + 3 * (c["items_x"] / c["vector"] + c["items_y"]) / (2 * items)
        traffic = 60 * (1 / across + 1 / down) * np.where(direct, 4, 1)
        traffic = traffic / np.minimum(1, c["group_x"] * c["vector"] / 32)
        return np.maximum.reduce([1 / busy, loads, traffic]) + 2 / c["depth"] + spilled(registers)

    return space, seconds


def filter_bank(height=508, width=508, filters=32, side=13, channels=4):
    """A filter bank: windows of registers, weights in one of three memories."""
    space = tune.Space(filters=filters, channels=channels)
    space.add("across", [16, 32, 64]).add_powers_of_two("down", 1, 16)
    space.add("pixels_x", [1, 2, 4]).add("pixels_y", [1, 2, 3, 4, 6, 8, 12])
    space.add_powers_of_two("filters_each", 1, 16).add_powers_of_two("turns", 1, 8)
    space.add("bank", ["local", "text", "global"]).add("step", [1, 2, 4])
    space.add("padding", [0, 1], when="bank == 'local'")
    space.require("64 <= across * down <= 512 and filters_each * turns <= filters")
    space.require("pixels_x * pixels_y * filters_each <= 128")

    def seconds(c):
        pixels = c["pixels_x"] * c["pixels_y"]
        sums, group = pixels * c["filters_each"], c["across"] * c["down"]
        registers = 30 + sums + pixels + c["filters_each"] * 2
        tile_x, tile_y = c["across"] * c["pixels_x"], c["down"] * c["pixels_y"]
        image = 4 * c["step"] * (tile_x + side - 1) * (tile_y + side - 1)
        weights = 4 * c["step"] * side * c["filters_each"] * (c["bank"] == "local")
        occupied = occupancy(group, registers, image + weights)
        groups = np.ceil(width / tile_x) * np.ceil(height / tile_y)
        groups = groups * np.ceil(filters / (c["filters_each"] * c["turns"]))
        conflicts = 1 + 0.3 * ((c["bank"] == "local") & (c["padding"] == 0))
        weight = np.select([c["bank"] == "text", c["bank"] == "local"], [0.4, 1.0], 2.5)
        loads = 1 + 1.5 * (1 / c["filters_each"] + weight * conflicts / pixels)
        staging = (image + weights) / (sums * group * side * c["step"] * 4) * 30 / c["turns"] ** 0.3
        instructions = np.where((c["bank"] == "text") & (c["turns"] > 2), 1.15, 1)
        work = filled(width, tile_x) * filled(height, tile_y) * instructions
        work = work * in_waves(groups, np.maximum(1, np.floor(occupied * ITEMS / group)))
        return work * (loads + staging) / hidden(occupied, sums) + spilled(registers)

    return space, seconds


def transposition(rows=4000, columns=3000):
    """A transposition: bound by memory, with conflicts of banks."""
    space = tune.Space()
    space.add_powers_of_two("tile_x", 4, 128).add_powers_of_two("tile_y", 4, 128)
    space.add_powers_of_two("group_x", 4, 64).add_powers_of_two("group_y", 1, 64)
    space.add("padding", [0, 1, 2, 4]).add("vector", [1, 2, 4])
    space.add("order", ["rows", "columns", "diagonal"])
    space.require("32 <= group_x * group_y <= 1024")
    space.require("tile_x % (group_x * vector) == 0 and tile_y % group_y == 0")
    space.require("4 * tile_y * (tile_x + padding) <= 49152")

    def seconds(c):
        group = c["group_x"] * c["group_y"]
        items = c["tile_x"] * c["tile_y"] / group
        stride = c["tile_x"] + c["padding"]
        conflicts = np.minimum(np.gcd(stride, 32), np.minimum(c["tile_y"], 32))
        occupied = occupancy(group, 16 + 2 * items, 4 * c["tile_y"] * stride)
        read = 32 / np.minimum(32, c["group_x"] * c["vector"])
        written = 32 / np.minimum(32, c["tile_y"])
        camping = np.select([c["order"] == "rows", c["order"] == "columns"], [1.15, 1.08], 1.0)
        local = 0.02 * (conflicts + c["vector"] / 2)
        busy = np.minimum(1, occupied * (0.5 + 0.5 * np.log2(items + 1)) * 1.2)
        work = filled(columns, c["tile_x"]) * filled(rows, c["tile_y"])
        return work * (camping * (read + written) / busy + local + 0.05 * items / 8)

    return space, seconds


def reduction(count=10_000_000):
    """A sum: few parameters of large range, and a second stage."""
    space = tune.Space()
    space.add_powers_of_two("group", 32, 1024).add("vector", [1, 2, 4, 8])
    space.add("unroll", [1, 2, 3, 4, 6, 8, 12, 16]).add("groups_each", list(range(1, 33)))
    space.add("fold", ["tree", "shuffle", "atomic"]).add("ordered", [0, 1])
    space.require("group * groups_each <= 4096 and vector * unroll <= 64")

    def seconds(c):
        groups = COMPUTE_UNITS * c["groups_each"]
        registers = 12 + 2 * c["vector"] * c["unroll"]
        occupied = occupancy(c["group"], registers, 1 + 4 * c["group"] * (c["fold"] == "tree"))
        resident = np.floor(occupied * ITEMS / c["group"])
        flight = occupied * c["vector"] * c["unroll"] / 2
        stream = 1 / np.minimum(1, 0.25 + flight) + 0.08 * np.log2(np.maximum(1, flight))
        turns = count / (groups * c["group"] * c["vector"] * c["unroll"])
        uneven = np.ceil(turns) / turns * in_waves(groups, np.maximum(1, resident))
        fold = np.select([c["fold"] == "tree", c["fold"] == "shuffle"], [0.03, 0.01], 0.002)
        fold = fold * np.log2(c["group"]) + np.where(c["fold"] == "atomic", groups / 40000, 0)
        last = np.where(c["ordered"] == 1, 0.02 * np.log2(groups), 0.02)
        return stream * uneven + fold * resident / 4 + last

    return space, seconds


def neighbours(targets=4096, rows=1 << 17, dimensions=64):
    """Scores of all pairs, and the least of each."""
    space = tune.Space(dimensions=dimensions)
    space.add("across", [8, 16, 32, 64]).add_powers_of_two("down", 1, 32)
    space.add("targets_each", [1, 2, 4, 8, 16]).add("neighbours_each", [1, 2, 4, 8, 16])
    space.add("depth", [8, 16, 32, 64]).add("staged", [0, 1])
    space.add("unroll", [1, 2, 4, 8]).add("resident", [1, 2, 3, 4])
    space.require("64 <= across * down <= 512 and across * down * resident <= 2048")
    space.require("targets_each * neighbours_each <= 128 and (staged or depth == dimensions)")
    floats = "dimensions * across * targets_each + staged * depth * down * neighbours_each"
    space.require(f"4 * ({floats}) <= 98304")

    def seconds(c):
        group = c["across"] * c["down"]
        sums = c["targets_each"] * c["neighbours_each"]
        wanted = 26 + sums + (c["targets_each"] + c["neighbours_each"]) * np.minimum(c["unroll"], 4)
        given = np.minimum(255, REGISTERS / (group * c["resident"]))
        local = dimensions * c["across"] * c["targets_each"]
        local = 4 * (local + c["staged"] * c["depth"] * c["down"] * c["neighbours_each"])
        occupied = occupancy(group, np.minimum(wanted, given), local)
        loads = 1 + np.where(c["staged"] == 1, 1.2, 3.0) * (
            1 / c["targets_each"] + 1 / c["neighbours_each"]
        )
        barriers = c["staged"] * 4 / (c["depth"] * c["neighbours_each"])
        loop = 0.3 / c["unroll"] + 0.01 * c["unroll"]
        groups = np.ceil(targets / (c["across"] * c["targets_each"])) * rows / 1024
        waves = in_waves(groups, np.maximum(1, np.floor(occupied * ITEMS / group)))
        least = 0.4 * np.log2(c["down"] + 1) / c["neighbours_each"]
        return (
            waves * (loads + barriers + loop + least / 8) / hidden(occupied, sums)
            + np.maximum(0, wanted - given) / 10
        )

    return space, seconds


MODELS = (product, filter_bank, transposition, reduction, neighbours)


def modelled(model):
    """A space, and what each of its configurations takes."""
    space, seconds = model()
    rows = [configuration.values() for configuration in space]
    columns = {
        name: np.array(column)
        for name, column in zip(space.names, zip(*rows, strict=True), strict=True)
    }
    noise = np.random.default_rng(1).random(len(rows))
    return space, seconds(columns) * (1 + 0.02 * noise)


def reached(space, seconds, evaluations, seed, **options):
    """What the best of so many evaluations takes, of the least there is."""
    search = tune.Search(space, evaluations=evaluations, seed=seed, **options)
    while asked := search.ask():
        search.tell(asked[0], seconds[asked[0]])
    return search.best.value / seconds.min()
