# SPDX-License-Identifier: MIT
"""Exact nearest neighbours of patches of natural scenes, and their entropy: table 4 of the paper.

nearest_neighbour.py [--devices ID ...] [--targets T] [--neighbours N] [--data float|8bit]
                     [--scene noise|leaves|white] [--tune N] [--store FILE]

For each target the nearest of N neighbours: a kernel in float32 says which chunks of neighbours may
have it, with a bound of its rounding errors, and another one computes those distances in float64.
N doubles from row to row, and only the new half is searched. With several devices each has its part
of the neighbours.
"""

from __future__ import annotations

import argparse
import math
import pathlib
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import treadle
from treadle import tune

FOLDER = pathlib.Path(__file__).resolve().parent / "kernels"
SCORES, TENSOR, EXACT = (
    (FOLDER / f"{name}.h").read_text() for name in ("scores", "scores_tensor", "exact")
)
PADDING = 2048  # targets and neighbours are filled up to a multiple of it
CONSTRAINTS = [
    "dimensions % DEPTH == 0 and (STAGED == 1 or DEPTH == dimensions)",
    "ACROSS * DOWN >= least_items and ACROSS * DOWN <= min(512, device.max_group_items)",
    "ACROSS * DOWN <= kernel.max_group_items and ACROSS * DOWN * RESIDENT <= 2048",
    "TARGETS_EACH * NEIGHBOURS_EACH <= most_sums and chunk % (DOWN * NEIGHBOURS_EACH) == 0",
    "LANES * ACROSS * TARGETS_EACH <= 512",
    "4 * (dimensions * LANES * ACROSS * TARGETS_EACH + STAGED * DEPTH * DOWN * NEIGHBOURS_EACH"
    " + (DOWN > 1) * DOWN * LANES * ACROSS * TARGETS_EACH)"
    " <= min(device.local_bytes, 49152)",
]
WISHES: dict[str, dict[str, Any]] = {
    "gpu": {"ACROSS": 16, "DOWN": 16, "TARGETS_EACH": 4, "NEIGHBOURS_EACH": 8, "DEPTH": 16},
    "cpu": {"LANES": 16, "TARGETS_EACH": 2, "NEIGHBOURS_EACH": 8, "UNROLL": 4, "STAGED": 0},
}


def chunk_of(on_processor: bool, tensor: bool = False) -> int:
    """Neighbours of a chunk."""
    return 256 if on_processor or tensor else 1024


def space_of(dimensions: int, device: Any = None) -> tune.Space:
    """The variants of the kernel of scores; device None: for a GPU that is not there."""
    on_processor = device is not None and device.kind == "cpu"
    space = tune.Space(device=device, dimensions=dimensions, chunk=chunk_of(on_processor))
    if device is None:
        space.let("device.max_group_items", 1024)
        space.let("device.local_bytes", 49152)
    space.let("most_sums", 28 if on_processor else 128)
    space.let("least_items", 1 if on_processor else 64)
    space.add("ACROSS", [1] if on_processor else [8, 16, 32, 64])
    space.add("DOWN", [1] if on_processor else [1, 2, 4, 8, 16, 32])
    space.add("LANES", [4, 8, 16] if on_processor else [1])
    space.add("TARGETS_EACH", [1, 2, 3, 4] if on_processor else [1, 2, 4, 8, 16])
    space.add("NEIGHBOURS_EACH", [1, 2, 4, 8, 16])
    depths = {depth for depth in (8, 16, 32) if dimensions % depth == 0}
    space.add("DEPTH", sorted(depths | {dimensions}))
    space.add("STAGED", [0, 1])
    space.add("UNROLL", [1, 2, 4, 8])
    space.add("RESIDENT", [1] if on_processor else [1, 2, 4])
    space.require("2048 % (LANES * ACROSS * TARGETS_EACH) == 0")
    for constraint in CONSTRAINTS:
        space.require(constraint)
    return space


def tensor_space(dimensions: int, units: int = 1, device: Any = None) -> tune.Space:
    """The variants of the kernel for matrix units: TENSOR of scores_tensor.h is `units`."""
    words = dimensions // (4 if units == 2 else 1)
    space = tune.Space(device=device, words=words, chunk=chunk_of(False, True), padding=PADDING)
    space.add("WARPS", [4, 8, 2]).add("TILES", [8, 4, 2, 16]).add("ROWS", [32, 16, 64, 128])
    space.add("STAGES", [3, 2, 4]).add("UNROLL", [1, 2])
    space.require("TILES * (words // 4 + 6) <= 200 and WARPS * TILES <= 64")
    space.require("ROWS >= 16 * UNROLL")
    space.require(
        "4 * (STAGES * ROWS * (words + 1) + padding // chunk * 8 * WARPS * TILES) <= 49152"
    )
    return space


def start_of(space: tune.Space, kind: str, dimensions: int) -> dict[str, Any]:
    """The configuration that is used, or tried first, where nothing was measured."""
    wishes = dict(WISHES[kind])
    if wishes.get("STAGED") == 0 or dimensions % wishes.get("DEPTH", 1) != 0:
        wishes["DEPTH"] = dimensions
    for too_many in ("", "TARGETS_EACH", "LANES", "ACROSS", "DOWN"):  # many dimensions: few targets
        wishes.pop(too_many, None)
        try:
            return dict(space.make(wishes))
        except treadle.InvalidArgument:
            continue
    return dict(space.make({}))


def units_for(dimensions: int, is_bytes: bool) -> int:
    """Which matrix units: 2: of 8 bits, whose instructions take 32 dimensions, or 1: of tf32."""
    return 2 if is_bytes and dimensions % 32 == 0 else 1


def has_tensors(device: Any, dimensions: int, is_bytes: bool) -> bool:
    """Whether a device has the matrix units that scores_tensor.h takes for granted, and that has a
    variant: of many dimensions neither targets fit into registers nor neighbours into memory."""
    architecture = device.identity.architecture
    is_recent = architecture.startswith("sm_") and int(architecture[3:].rstrip("af")) >= 80
    if device.kind != "gpu" or not is_recent or dimensions % 8 != 0:
        return False
    try:
        return len(tensor_space(dimensions, units_for(dimensions, is_bytes))) > 0
    except treadle.InvalidArgument:
        return False


def macros_of(dimensions: int, chunk: int, units: int) -> str:
    """What all kernels have before them."""
    values = {"DIMENSIONS": dimensions, "CHUNK": chunk, "PADDING": PADDING, "TENSOR": units}
    values["SPAN"] = PADDING // chunk
    return "".join(f"#define {name} {value}\n" for name, value in values.items())


class NearestNeighbours:
    """The nearest neighbours of targets on a device, among all that scan() was given so far.

    targets: an array of rows, of float32 or uint8. tuning: options of tune.tuned(), store and
    policy, say. Distances are those of float64: the nearest one is found, and of equally near ones
    the first. Of uint8 of up to 341 dimensions even the kernel in float32 makes no error. tensor:
    whether matrix units say which chunks those are; None: where the device has them.
    """

    def __init__(
        self, device: Any, targets: np.ndarray, *, tensor: bool | None = None, **tuning: Any
    ):
        self.device, self.dimensions, self.count = device, targets.shape[1], len(targets)
        is_bytes = targets.dtype == np.uint8
        self._element = np.uint8 if is_bytes else np.float32
        self.tensor = has_tensors(device, self.dimensions, is_bytes) if tensor is None else tensor
        self._units = units_for(self.dimensions, is_bytes) if self.tensor else 0
        self.scanned = 0
        self._memory: list[Any] = []
        self._memory_of = 0
        centre = np.full(self.dimensions, 128) if is_bytes else targets.mean(axis=0)
        # Rounding: of norms, of scores and of what is subtracted, each of up to D + 2 terms.
        # Those of tf32 have factors of 11 digits, and do not round their sums to nearest.
        slack = (3 * self.dimensions + 8) * 2.0 ** (-22 if self._units == 1 else -24)
        slack += 1.001 * 2.0**-11 if self._units == 1 else 0
        # Integers are not rounded while |b|^2 - 2 a b has no more than 24 digits.
        is_exact = is_bytes and 3 * self.dimensions * 128**2 <= 2**24
        # (|a| + |b|)^2 is 2 (|a|^2 + |b|^2) at most.
        self._error = np.float64(0 if is_exact else 2 * slack)
        self._chunk = chunk_of(device.kind == "cpu", self.tensor)
        self._stride = -(-self.count // PADDING) * PADDING
        self._stream = device.make_stream()
        self._tunes = tuning.get("policy", "never") != "never"
        self._write(tuning)
        self._centre = treadle.Buffer(device, centre.astype(np.float32))
        self._rows = treadle.Buffer(device, np.ascontiguousarray(targets, self._element))
        self._columns = treadle.Buffer(device, 4 * self._stride * self.dimensions)
        self._norms = treadle.Buffer(device, 4 * self._stride)
        self._best = treadle.Buffer(device, np.full(self.count, np.inf))
        self._index = treadle.Buffer(device, np.full(self.count, -1, np.int64))
        self._searched = treadle.Buffer(device, np.zeros(self.count, np.int32))
        self._largest = treadle.Buffer(device, np.zeros(1, np.float32))
        self._launch(
            "prepare_targets", self._stride, self._rows, self._centre, self._columns, self._norms,
            np.int32(self.count), np.int32(self._stride),
        )  # fmt: skip

    def _write(self, tuning: dict[str, Any]) -> None:
        on_processor = self.device.kind == "cpu"
        self._items = 1 if on_processor else 128
        is_bytes = int(self._element == np.uint8)
        macros = macros_of(self.dimensions, self._chunk, self._units)
        exact = f"#define ITEMS {self._items}\n#define BYTES {is_bytes}\n{EXACT}"
        program = treadle.Program(self.device, macros + exact)
        names = ("prepare_targets", "prepare_neighbours", "rescan")
        self._kernels = {name: program.kernel(name) for name in names}
        if self.tensor:
            text, space = TENSOR, tensor_space(self.dimensions, self._units, self.device)
            tile, size, start = "8 * WARPS * TILES", "32 * WARPS", dict(space.make({}))
            rows = PADDING
        else:
            text, space = SCORES, space_of(self.dimensions, self.device)
            tile, size = "LANES * ACROSS * TARGETS_EACH", "ACROSS * DOWN"
            rows = self._chunk
            start = start_of(space, "cpu" if on_processor else "gpu", self.dimensions)

        @tune.tuned(
            macros + text, "scores", space,
            groups=[f"targets // ({tile})", f"neighbours // {rows}"], group_size=[size],
            outputs=[0], defaults=start, start=[start], **tuning,
        )  # fmt: skip
        def scores(minima: Any, targets: Any, neighbours: Any, norms: Any, stride: Any) -> Any:
            rows = norms.size_bytes // 4
            return {"targets": int(stride), "neighbours": rows}

        self.scores = scores

    def _launch(self, name: str, items: int, *arguments: Any) -> None:
        self._kernels[name](*arguments, groups=items // 64, group_size=64, stream=self._stream)

    def load(self, neighbours: np.ndarray) -> tuple[Any, int]:
        """Neighbours in the device's memory, for scan()."""
        if neighbours.dtype != np.uint8 and self._element == np.uint8:
            raise TypeError(f"neighbours are {neighbours.dtype}, targets uint8")
        rows = np.ascontiguousarray(neighbours, self._element)
        return treadle.Buffer(self.device, rows), len(rows)

    def _memory_for(self, padded: int) -> list[Any]:
        """Of one call, kept for the next of the same size: taking it takes as long as a search."""
        if self._memory_of != padded:
            self._memory, self._memory_of = [], 0  # first what there was goes
            sizes = (self.dimensions, 1, self._stride / self._chunk)
            self._memory = [treadle.Buffer(self.device, int(4 * padded * size)) for size in sizes]
            self._memory_of = padded
        return self._memory

    def scan(self, neighbours: Any, first: int | None = None) -> None:
        """Looks for nearer ones among these. first: the number of the first of them, otherwise they
        follow those of the call before. Queued: results() waits."""
        rows, count = self.load(neighbours) if isinstance(neighbours, np.ndarray) else neighbours
        padded = -(-count // PADDING) * PADDING
        scaled, norms, minima = self._memory_for(padded)
        number = self.scanned if first is None else first
        self._launch(
            "prepare_neighbours", padded, rows, self._centre, scaled, norms, self._largest,
            np.float32(1 - self._error), np.int32(count),
        )  # fmt: skip
        arguments = (minima, self._columns, scaled, norms, np.int32(self._stride))
        if self._tunes:
            self._stream.synchronize()  # tuning copies what is there
        self.scores(*arguments, stream=self._stream)
        self._kernels["rescan"](
            self._best, self._index, minima, self._rows, self._norms, rows, self._largest,
            self._error, np.int32(count), np.int32(self._stride), np.int64(number), self._searched,
            groups=self.count, group_size=self._items, stream=self._stream,
        )  # fmt: skip
        self.scanned = number + count

    def forget(self) -> None:
        """Begins anew with the same targets. Queued."""
        self._stream.synchronize()
        self._best.copy_from(np.full(self.count, np.inf))
        self._index.copy_from(np.full(self.count, -1, np.int64))
        self.scanned = 0

    def wait(self) -> None:
        """Until all that was queued is done."""
        self._stream.synchronize()

    def results(self) -> tuple[np.ndarray, np.ndarray]:
        """Distance and number of each target's nearest neighbour; infinity and -1: none."""
        distance, index = np.empty(self.count), np.empty(self.count, np.int64)
        self.wait()
        self._best.copy_to(distance)
        self._index.copy_to(index)
        return np.sqrt(distance), index

    def searched(self) -> float:
        """How many chunks were searched in float64, of a target on average."""
        counts = np.empty(self.count, np.int32)
        self.wait()
        self._searched.copy_to(counts)
        return float(counts.mean())


class SplitNearestNeighbours:
    """The same on several devices, each of which has its part of the neighbours."""

    def __init__(self, devices: Sequence[Any], targets: np.ndarray, **tuning: Any):
        self.parts = [NearestNeighbours(device, targets, **tuning) for device in devices]
        self._scanned = 0

    def scan(self, neighbours: np.ndarray) -> None:
        """Looks for nearer ones among these, on all devices at a time."""
        for part, rows in zip(self.parts, np.array_split(neighbours, len(self.parts)), strict=True):
            if len(rows):
                part.scan(rows, self._scanned)
            self._scanned += len(rows)

    def results(self) -> tuple[np.ndarray, np.ndarray]:
        """Distance and number of each target's nearest neighbour."""
        found = [part.results() for part in self.parts]
        distance, index = (np.stack(each) for each in zip(*found, strict=True))
        # The least number of the nearest ones.
        nearest = distance.min(axis=0)
        return nearest, np.where(distance == nearest, index, np.iinfo(np.int64).max).min(axis=0)


def entropy(distances: np.ndarray, neighbours: int, dimensions: int) -> float:
    """Of the distribution, in bits, by Kozachenko and Leonenko's estimate of independent samples.

    Distances of 0 have no logarithm: they are left out.
    """
    used = distances[distances > 0]
    sphere = math.log(2) + dimensions / 2 * math.log(math.pi) - math.lgamma(dimensions / 2)
    constant = (sphere + math.log(neighbours / dimensions) + np.euler_gamma) / math.log(2)
    return dimensions * float(np.log2(used).mean()) + constant


def noise_scene(size: int, rng: np.random.Generator) -> np.ndarray:
    """An image whose amplitudes fall as 1 / f, as those of natural scenes do."""
    frequency = np.hypot(np.fft.fftfreq(size)[:, None], np.fft.rfftfreq(size))
    frequency[0, 0] = np.inf
    spectrum = np.fft.rfft2(rng.standard_normal((size, size))) / frequency
    return np.fft.irfft2(spectrum, (size, size))


def leaves_scene(size: int, rng: np.random.Generator) -> np.ndarray:
    """Leaves that cover each other: discs whose radii r have the density r^-3."""
    image, column = rng.random((size, size)), np.arange(size)
    for _ in range(size * 8):
        radius = min(1.5 / math.sqrt(1 - rng.random()), size / 4)
        y, x = rng.random(2) * size
        top, left = (max(int(at - radius), 0) for at in (y, x))
        bottom, right = (min(int(at + radius) + 2, size) for at in (y, x))
        inside = (column[top:bottom, None] - y) ** 2 + (column[left:right] - x) ** 2 < radius**2
        image[top:bottom, left:right][inside] = rng.random()
    return image


def patches(scene: str, count: int, rng: np.random.Generator, side: int = 8) -> np.ndarray:
    """Squares out of images, a row each, as numbers of 8 bits."""
    if scene == "white":
        return rng.integers(0, 256, (count, side * side), np.uint8)
    made = []
    images = max(1, min(64, count // 4096))
    for part in np.array_split(np.arange(count), images):
        image = noise_scene(256, rng) if scene == "noise" else leaves_scene(256, rng)
        low, high = image.min(), image.max()
        levels = np.rint(255 * (image - low) / (high - low)).astype(np.uint8)
        windows = np.lib.stride_tricks.sliding_window_view(levels, (side, side))
        at = rng.integers(0, windows.shape[0], (2, len(part)))
        made.append(windows[at[0], at[1]].reshape(len(part), side * side))
    return np.concatenate(made)


def brute_force(targets: np.ndarray, neighbours: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances and numbers by NumPy, in float64."""
    index, distance = np.empty(len(targets), np.int64), np.empty(len(targets))
    exact = neighbours.astype(np.float64)
    for k, target in enumerate(targets.astype(np.float64)):
        squares = ((exact - target) ** 2).sum(axis=1)
        index[k] = squares.argmin()
        distance[k] = math.sqrt(squares[index[k]])
    return distance, index


def data(options: argparse.Namespace) -> tuple[np.ndarray, np.ndarray]:
    """Targets, and as many neighbours as the last row needs."""
    rng = np.random.default_rng(4)
    made = patches(options.scene, options.targets + options.neighbours, rng)
    made = made[rng.permutation(len(made))]
    if options.data == "float":  # levels, and where between them the value was
        made = made.astype(np.float32) + rng.random(made.shape, np.float32)
    return made[: options.targets], made[options.targets :]


def print_table(options: argparse.Namespace, devices: Sequence[Any]) -> bool:
    """A row for each number of neighbours; whether some targets agree with NumPy."""
    targets, neighbours = data(options)
    tuning = {"policy": "block", "evaluations": options.tune} if options.tune else {}
    search = SplitNearestNeighbours(devices, targets, store=options.store, **tuning)
    print(f"{len(targets)} targets of 8 x 8, {options.data}, {options.scene}, on", end=" ")
    print(", ".join(f"{device.id} ({device.name})" for device in devices), "\n")
    print("| neighbours | new ones, s | all, s | GFLOP/s | entropy, bits | zeros | dimension |")
    print("|---|---|---|---|---|---|---|")
    done, all_seconds, before = 0, 0.0, None
    rows = [options.neighbours >> shift for shift in range(options.rows - 1, -1, -1)]
    for count in rows:
        begin = time.perf_counter()
        search.scan(neighbours[done:count])
        distances, index = search.results()
        seconds = time.perf_counter() - begin
        all_seconds += seconds
        # 3 operations of a dimension, as the paper counts.
        rate = 3e-9 * len(targets) * (count - done) * targets.shape[1] / seconds
        positive = distances[distances > 0]
        mean = float(np.log2(positive).mean()) if len(positive) else math.nan
        dimension = math.nan if before is None else 1 / max(before - mean, 1e-12)
        bits = entropy(distances, count, targets.shape[1]) if len(positive) else math.nan
        zeros = int((distances == 0).sum())
        print(
            f"| {count} | {seconds:.4f} | {all_seconds:.4f} | {rate:.1f} | {bits:.1f} | {zeros} "
            f"| {dimension:.1f} |"
        )
        done, before = count, mean
    print(f"\nChunks searched in float64: {sum(p.searched() for p in search.parts):.2f} a target.")
    checked = min(16, len(targets))
    exact, where = brute_force(targets[:checked], neighbours)
    return bool(np.array_equal(where, index[:checked])) and bool(
        np.allclose(exact, distances[:checked], rtol=1e-12, atol=0)
    )


def main(words: Sequence[str]) -> int:
    """Prints the table; 0 if NumPy agrees."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", nargs="*", help="their ids; every device, one by one, without")
    parser.add_argument("--targets", type=int, default=256)
    parser.add_argument("--neighbours", type=int, default=1 << 13, help="of the last row")
    parser.add_argument("--rows", type=int, default=5, help="each of which has twice as many")
    parser.add_argument("--data", choices=("float", "8bit"), default="float")
    parser.add_argument("--scene", choices=("noise", "leaves", "white"), default="noise")
    parser.add_argument("--tune", type=int, default=0, help="variants that are tried at most")
    parser.add_argument("--store", help="the file that remembers what was measured")
    options = parser.parse_args(words)
    sets = [[device] for device in treadle.devices() if device.traits.fp64]
    if options.devices:
        sets = [[treadle.find_device(name) for name in options.devices]]
    correct = True
    for devices in sets:
        correct = print_table(options, devices) and correct
    print("check against NumPy:", "ok" if correct else "WRONG")
    return 0 if correct else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
