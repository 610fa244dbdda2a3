# SPDX-License-Identifier: MIT
"""3-D filter banks whose kernels are generated for each shape, and tuned: table 1 of the paper.

out[y, x, k] = sum over j, i, c of image[y + j, x + i, c] * bank[k, j, i, c]

filterbank.py [--device ID] [--shapes small|sixteenth|paper|more] [--evaluations N] [--seconds S]
              [--store FILE] [--cross]

Without --device every device is measured. A default kernel, one text for all shapes, is compared
with the best variant that was found. --cross: also the best variant of each shape on the others.
"""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import treadle
from treadle import tune

Launch = Callable[[], object]
FOLDER = pathlib.Path(__file__).resolve().parent / "kernels"  # what filterbank.cpp shares
DEFAULT, VARIANT = ((FOLDER / f"{n}_kernel.h").read_text() for n in ("default", "variant"))
CONSTRAINTS = (FOLDER / "constraints.txt").read_text().splitlines()
VERSION = "1"  # of how variants are written: what was tuned for another one is not used


@dataclasses.dataclass(frozen=True)
class Shape:
    """Of an image and a bank of filters."""

    height: int
    width: int
    channels: int
    filters: int
    filter_height: int
    filter_width: int

    @property
    def out(self) -> tuple[int, int, int]:
        """Of the result."""
        rows = self.height - self.filter_height + 1
        return rows, self.width - self.filter_width + 1, self.filters

    @property
    def flop(self) -> int:
        """Multiplications and additions."""
        size = self.filter_height * self.filter_width * self.channels
        return 2 * self.out[0] * self.out[1] * self.out[2] * size

    def scaled(self, factor: int) -> Shape:
        """The same filters on an image of 1 / factor^2 as many pixels."""
        smaller = {"height": self.height // factor, "width": self.width // factor}
        return dataclasses.replace(self, **smaller)

    def __str__(self) -> str:
        image = f"{self.height}x{self.width}x{self.channels}"
        return f"{image} {self.filters}x{self.filter_height}x{self.filter_width}x{self.channels}"


PAPER = [
    Shape(256, 256, 8, 64, 9, 9),
    Shape(512, 512, 4, 32, 13, 13),
    Shape(1024, 1024, 8, 16, 5, 5),
    Shape(2048, 2048, 4, 4, 8, 8),
]
MORE = [
    Shape(512, 512, 1, 1, 3, 3),
    Shape(512, 512, 1, 16, 7, 7),
    Shape(1024, 768, 3, 8, 5, 5),
    Shape(511, 513, 3, 64, 11, 11),
    Shape(256, 256, 4, 128, 3, 3),
    Shape(256, 256, 16, 32, 5, 5),
    Shape(128, 128, 32, 128, 3, 3),
    Shape(300, 200, 5, 7, 4, 6),
    Shape(512, 512, 4, 16, 21, 21),
    Shape(1000, 1000, 2, 24, 9, 1),
    Shape(640, 480, 12, 12, 1, 9),
    Shape(64, 64, 8, 96, 15, 15),
]
SMALL = [Shape(64, 64, 8, 16, 5, 5), Shape(40, 37, 3, 5, 4, 6)]
SHAPES = {
    "small": SMALL,
    "sixteenth": [shape.scaled(4) for shape in PAPER],
    "paper": PAPER,
    "more": MORE,
}


# What an H200 allows, where texts are written without one.
H200 = {"max_group_items": 1024, "local_bytes": 49152, "compute_units": 132}


def space_of(shape: Shape, device: Any = None) -> tune.Space:
    """The variants of a shape on a device; None: on a GPU that is not there."""
    on_processor = device is not None and device.kind == "cpu"
    space = tune.Space(device=device, **dataclasses.asdict(shape))
    for name, value in H200.items() if device is None else ():
        space.let(f"device.{name}", value)
    space.let("most_sums", 32 if on_processor else 128)
    space.let("most_table", 1 << 20 if on_processor else 1 << 14)
    space.let("least_items", 1 if on_processor else 64)
    # A group of a processor is one work-item, with vectors of pixels.
    space.add("ACROSS", [1] if on_processor else [16, 32, 64])
    space.add_powers_of_two("DOWN", 1, 32)
    space.add("SERIAL", [int(on_processor)])
    space.add("LANES", [4, 8, 16] if on_processor else [1])
    space.add("PIXELS_X", [1, 2] if on_processor else [1, 2, 4])
    space.add("PIXELS_Y", [1, 2, 3, 4, 6, 8, 12, 16])
    space.add("FILTERS_EACH", [1, 2, 4, 8, 16])
    space.add("TURNS", [1, 2, 4, 8])
    space.add(
        "STEP", sorted({c for c in (1, 2, 4, 8, 16) if c < shape.channels} | {shape.channels})
    )
    space.add("BANK", ["IN_LOCAL", "IN_TABLE", "IN_GLOBAL"])
    space.add("WINDOW", [0, 1])
    space.add("UNROLL", [1, 2, 4])
    space.add("PADDING", [0] if on_processor else [0, 1])
    space.add("RESIDENT", [1] if on_processor else [1, 2, 3, 4])
    for constraint in CONSTRAINTS:
        if not constraint.startswith("#"):
            space.require(constraint)
    return space


GROUPS = [
    "ceil_div(width - filter_width + 1, LANES * ACROSS * PIXELS_X)",
    "ceil_div(height - filter_height + 1, DOWN * PIXELS_Y)",
    "ceil_div(filters, FILTERS_EACH * TURNS)",
]
GROUP_SIZE = ["1 if SERIAL else ACROSS * DOWN"]


# What is tried first, of each parameter the first value that goes with those before it.
WISHES: dict[str, dict[str, list[Any]]] = {
    "gpu": {
        "ACROSS": [32], "BANK": ["IN_LOCAL"], "FILTERS_EACH": [8, 4, 2], "PIXELS_Y": [8, 4, 2],
        "WINDOW": [1], "DOWN": [4, 2], "STEP": [4, 2, 1], "RESIDENT": [2],
    },
    "cpu": {
        "LANES": [16, 8], "BANK": ["IN_TABLE"], "FILTERS_EACH": [4, 2], "PIXELS_Y": [6, 3, 2],
        "WINDOW": [1], "DOWN": [4, 2], "STEP": [16, 8, 4, 3, 2], "TURNS": [4, 2],
    },
}  # fmt: skip


def start_of(space: tune.Space, kind: str) -> dict[str, Any]:
    """The configuration that is tried first."""
    chosen: dict[str, Any] = {}
    for name, values in WISHES[kind].items():
        for value in values:
            try:
                space.make({**chosen, name: value})
            except treadle.InvalidArgument:
                continue
            chosen[name] = value
            break
    return dict(space.make(chosen))


def table_text(bank: np.ndarray, filters_each: int) -> str:
    """The weights as a constant of the program, in the order in which a variant reads them."""
    filters = -(-len(bank) // filters_each) * filters_each
    padded = np.zeros((filters, *bank.shape[1:]), np.float32)
    padded[: len(bank)] = bank
    blocks = padded.reshape(-1, filters_each, *bank.shape[1:]).transpose(0, 4, 3, 2, 1)
    numbers = ", ".join(f"{float(number)!r}f" for number in blocks.ravel())
    return f"TREADLE_CONSTANT float bank_table[{blocks.size}] = {{{numbers}}};\n"


def text_of(shape: Shape, bank: np.ndarray) -> Callable[[Any], str]:
    """Writes the text of a configuration."""
    fixed = {name.upper(): value for name, value in dataclasses.asdict(shape).items()}

    def write(configuration: Any) -> str:
        macros = "".join(f"#define {n} {v}\n" for n, v in {**fixed, **configuration}.items())
        in_text = configuration["BANK"] == "IN_TABLE"
        table = table_text(bank, configuration["FILTERS_EACH"]) if in_text else ""
        return '#include "treadle/dialect.h"\n' + macros + table + VARIANT

    return write


class FilterBank:
    """A bank of filters for images of one shape, on a device."""

    def __init__(self, device: Any, image: np.ndarray, bank: np.ndarray):
        self.device, self.bank = device, bank
        self.shape = Shape(*image.shape, *bank.shape[:3])
        self.space = space_of(self.shape, device)
        self.stream = device.make_stream()
        self._arguments = [treadle.Buffer(device, each) for each in (image, bank)]
        self._out = treadle.Buffer(device, 4 * int(np.prod(self.shape.out)))
        self._default = treadle.Program(device, DEFAULT).kernel("filterbank")

    def default(self) -> Launch:
        """Launches the kernel that all shapes have in common."""
        rows, columns, filters = self.shape.out
        sizes = [np.int32(number) for number in dataclasses.astuple(self.shape)]
        side = (16, 8) if self.device.limits.max_group_items >= 128 else (1, 1)
        groups = (-(-columns // side[0]), -(-rows // side[1]), -(-filters // 4))
        return lambda: self._default(
            self._out, *self._arguments, *sizes, groups=groups, group_size=side, stream=self.stream
        )

    def variant(self, configuration: Any) -> Launch:
        """Compiles a variant, and launches it."""
        text = text_of(self.shape, self.bank)(configuration)
        kernel = treadle.Program(self.device, text).kernel("filterbank")
        names = {**dataclasses.asdict(self.shape), **configuration}
        groups, size = (
            [int(tune.evaluate(formula, names)) for formula in formulas]
            for formulas in (GROUPS, GROUP_SIZE)
        )
        return lambda: kernel(
            self._out, *self._arguments, groups=groups, group_size=size, stream=self.stream
        )

    def result(self, launch: Launch) -> np.ndarray:
        """What a launch computes; it is filled with NaN before."""
        out = np.full(self.shape.out, np.nan, np.float32)
        self._out.copy_from(out)
        launch()
        self.stream.synchronize()
        self._out.copy_to(out)
        return out

    def tune(self, store: Any = None, **search: Any) -> Any:
        """The best variant that is found, each compared with the default kernel's result."""
        expected = self.result(self.default())
        return tune.tune_kernel(
            text_of(self.shape, self.bank),
            "filterbank",
            self.space,
            [tune.Output(expected, expected=expected), *self._arguments],
            groups=GROUPS,
            group_size=GROUP_SIZE,
            store=store,
            problem=dataclasses.asdict(self.shape),
            version=VERSION,
            start=[start_of(self.space, "cpu" if self.device.kind == "cpu" else "gpu")],
            **search,
        )

    def seconds(self, launches: Sequence[Launch], rounds: int = 9) -> np.ndarray:
        """Of each launch in each round; they take turns. A sample takes 5 ms at least."""
        counts, times = [], np.empty((rounds, len(launches)))
        for launch in launches:
            counts.append(max(1, int(5e-3 / self._sample(launch, 1))))
        for turn in range(rounds):
            for k, launch in enumerate(launches):
                times[turn, k] = self._sample(launch, counts[k])
        return times

    def _sample(self, launch: Launch, count: int) -> float:
        launch()
        begin = self.stream.record()
        for _ in range(count):
            launch()
        end = self.stream.record()
        end.synchronize()
        return max(end.seconds_since(begin) / count, 1e-9)


def inputs(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """An image and a bank of a shape."""
    rng = np.random.default_rng(sum(dataclasses.astuple(shape)))
    image = rng.random((shape.height, shape.width, shape.channels), np.float32) - np.float32(0.5)
    sizes = (shape.filters, shape.filter_height, shape.filter_width, shape.channels)
    return image, rng.random(sizes, np.float32) - np.float32(0.5)


def error(out: np.ndarray, image: np.ndarray, bank: np.ndarray, points: int = 4096) -> float:
    """The largest error of up to `points` pixels, all filters, against NumPy in float64.

    1 is what float32 may be wrong by: 2e-6 sqrt(h w D) max|image| max|bank|.
    """
    rng = np.random.default_rng(0)
    size = out.shape[0] * out.shape[1]
    chosen = rng.choice(size, min(points, size), replace=False)
    windows = np.lib.stride_tricks.sliding_window_view(image, bank.shape[1:3], (0, 1))
    worst = 0.0
    for part in np.array_split(chosen, max(1, len(chosen) // 256)):
        y, x = np.divmod(part, out.shape[1])
        exact = np.einsum("pcji,kjic->pk", windows[y, x].astype("f8"), bank.astype("f8"))
        difference = np.abs(out[y, x] - exact).max()
        worst = max(worst, np.inf if np.isnan(difference) else float(difference))
    scale = float(np.abs(image).max()) * float(np.abs(bank).max())
    return worst / (2e-6 * np.sqrt(bank[0].size) * scale)


@dataclasses.dataclass
class Row:
    """What was measured of a shape: rates of 1e9 operations a second, one for each round."""

    shape: Shape
    default: np.ndarray
    tuned: np.ndarray
    configuration: dict[str, Any]
    tried: int
    tuning_seconds: float
    error: float

    @property
    def boost(self) -> float:
        """How much faster, in per cent."""
        return 100 * (float(np.median(self.tuned / self.default)) - 1)


def measure(bank: FilterBank, image: np.ndarray, options: argparse.Namespace) -> Row:
    """Tunes for a shape, and measures default and best in turn."""
    begin = time.perf_counter()
    limits = {"evaluations": options.evaluations, "seconds": options.seconds}
    search = {name: value for name, value in limits.items() if value}
    tuned = bank.tune(options.store, **search)
    took = time.perf_counter() - begin
    launches = [bank.default(), bank.variant(dict(tuned.configuration))]
    worst = max(error(bank.result(launch), image, bank.bank) for launch in launches)
    wrong = [each for each in tuned.attempts if each.measured.outcome == "wrong result"]
    rates = bank.shape.flop / bank.seconds(launches) / 1e9
    chosen, tried = dict(tuned.configuration), len(tuned.attempts)
    failure = np.inf if wrong else worst
    return Row(bank.shape, rates[:, 0], rates[:, 1], chosen, tried, took, failure)


def print_table(device: Any, rows: Sequence[Row]) -> None:
    """In the form of the paper's table 1."""

    def rate(samples: np.ndarray) -> str:
        return f"{np.median(samples):.1f} +- {np.std(samples):.1f}"

    print(f"\n{device.id} ({device.name})\n")
    print("| input and bank | default, GFLOP/s | tuned, GFLOP/s | boost | tried | s | error |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        print(
            f"| {row.shape} | {rate(row.default)} | {rate(row.tuned)} | {row.boost:.1f} % "
            f"| {row.tried} | {row.tuning_seconds:.1f} | {row.error:.3f} |"
        )
    mean = np.exp(np.mean([np.log1p(row.boost / 100) for row in rows]))
    print(f"\nGeometric mean of the boosts: {100 * (mean - 1):.1f} %. Best variants:\n")
    for row in rows:
        print(f"- {row.shape}: {', '.join(f'{n}={v}' for n, v in row.configuration.items())}")


def print_cross(banks: Sequence[FilterBank], rows: Sequence[Row]) -> None:
    """What the best variant of row i reaches on row j, of that of row j."""
    print("\n| tuned for, used on | " + " | ".join(str(row.shape) for row in rows) + " |")
    print("|---" * (len(rows) + 1) + "|")
    for i in rows:
        cells = []
        for bank, j in zip(banks, rows, strict=True):
            try:
                made = dict(bank.space.make({**i.configuration, "STEP": j.configuration["STEP"]}))
                times = bank.seconds([bank.variant(j.configuration), bank.variant(made)], 5)
                cells.append(f"{np.median(times[:, 0] / times[:, 1]):.2f}")
            except treadle.Error:
                cells.append("-")  # does not fit, in local memory say
        print(f"| {i.shape} | " + " | ".join(cells) + " |")


def options_of(arguments: Sequence[str]) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", help="its id; every device otherwise")
    parser.add_argument("--shapes", choices=list(SHAPES), default="small")
    parser.add_argument("--evaluations", type=int, help="variants that are tried for a shape")
    parser.add_argument("--seconds", type=float, help="that are spent on a shape")
    parser.add_argument("--store", help="the file that remembers what was measured")
    parser.add_argument("--cross", action="store_true", help="prints the cross matrix, too")
    options = parser.parse_args(arguments)
    if not options.evaluations and not options.seconds:
        options.evaluations = 8
    return options


def main(arguments: Sequence[str]) -> int:
    """Measures all rows on all devices; 0 if all is right."""
    options = options_of(arguments)
    devices = [treadle.find_device(options.device)] if options.device else treadle.devices()
    correct = True
    for device in devices:
        rows, banks = [], []
        for shape in SHAPES[options.shapes]:
            image, filters = inputs(shape)
            banks.append(FilterBank(device, image, filters))
            rows.append(measure(banks[-1], image, options))
        print_table(device, rows)
        if options.cross:
            print_cross(banks, rows)
        correct = correct and all(row.error <= 1 for row in rows)
    print("\ncheck against NumPy:", "ok" if correct else "WRONG")
    return 0 if correct else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
