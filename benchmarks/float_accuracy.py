# SPDX-License-Identifier: MIT
"""How far CUDA's functions of one `float` are off on the CPU device, for all arguments: a table.

    make accuracy [words='sin cos'] [step=256] [jobs=8]

All 2^32 bit patterns, or one in `step`, in as many processes as there are cores: half a minute of
a core for most functions, ten at worst. They are compared with functions of doubles
(kernels/float_accuracy.cpp; SciPy's), and where a part is off most, with long doubles too. A line
of build/float_accuracy.txt for each row done, and for each 64th of one: what compiles as it did
then is not run again.
Fails if a function is beyond CUDA's bound.
"""

import argparse
import ctypes
import dataclasses
import hashlib
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ["TREADLE_CPU_THREADS"] = "1"  # each process has a core

import math_functions
import numpy as np
import scipy.special
from math_functions import conftest, math_bounds
from math_references import INVERSES, REFERENCES, L

ROOT = pathlib.Path(__file__).resolve().parents[1]
STATE = ROOT / "build/float_accuracy.txt"
PATTERNS = 1 << 32
PART = 1 << 18
SHARES = 64  # of a row, each kept when it is done
ALIKE = 0.01  # units in which doubles and long doubles must agree


def between(low, high):
    """Bit patterns of the numbers from low up to high, both positive, and of their negatives."""
    first, last = (int(np.float32(x).view(np.uint32)) for x in (low, high))
    return (first, last), (first + (1 << 31), last + (1 << 31))


EVERYWHERE = ((0, PATTERNS),)
WITHIN_8 = between(0, 8)
BEYOND_8 = ((WITHIN_8[0][1], 1 << 31), (WITHIN_8[1][1], PATTERNS))
POLES = between(2.264, 10.001)[1:]  # where lgamma has zeros between its poles
BESIDE_POLES = ((0, POLES[0][0]), (POLES[0][1], PATTERNS))


@dataclasses.dataclass(frozen=True)
class Row:
    """CUDA's bound of a function on ranges of bit patterns: in units of the last place, or of
    `unit` if that is not 0."""

    name: str
    limit: float
    where: str = ""
    ranges: tuple = EVERYWHERE
    unit: float = 0

    def label(self):
        return f"`{self.name}f`" + (f", {self.where}" if self.where else "")

    def parts(self, step):
        """The first pattern of each, and its range's end."""
        for low, high in self.ranges:
            yield from ((first, high) for first in range(low, high, step * PART))

    def count(self, step):
        return sum(len(range(low, high, step)) for low, high in self.ranges)


EXACT = "ceil floor trunc rint nearbyint round fabs logb".split()
ROWS = [
    *(Row(name, each.single) for name, each in math_bounds.BOUNDS.items() if each.arguments == 1),
    *(Row(name, 0) for name in EXACT),
    Row("erfinv", 2),
    Row("erfcinv", 4),
    Row("normcdfinv", 5),
    Row("lgamma", 6, "not in (-10.001, -2.264)", BESIDE_POLES),
    Row("lgamma", np.inf, "in (-10.001, -2.264)", POLES),
    *(Row(name, 9, "at most 8", WITHIN_8) for name in "j0 j1 y0 y1".split()),
    *(Row(name, 2.2, "beyond 8, in 1e-6", BEYOND_8, 1e-6) for name in "j0 j1 y0 y1".split()),
    Row("cyl_bessel_i0", 6),
    Row("cyl_bessel_i1", 6),
]
OF_SCIPY = {
    "erfinv": scipy.special.erfinv,
    "erfcinv": scipy.special.erfcinv,
    "normcdfinv": scipy.special.ndtri,
    "cyl_bessel_i0": scipy.special.i0,
    "cyl_bessel_i1": scipy.special.i1,
}


def build_references(folder):
    library = f"{folder}/float_accuracy.so"
    words = ["-O3", "-march=native", "-fopenmp-simd", "-fno-math-errno", "-fno-trapping-math"]
    words += ["-std=c++20", "-shared", "-fPIC", str(ROOT / "benchmarks/kernels/float_accuracy.cpp")]
    subprocess.run(["g++", *words, "-o", library, "-lmvec", "-lm"], check=True)
    return library


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


class Comparison:
    """The device and the references, in one process."""

    def __init__(self, library):
        self.device = conftest.Device()
        self.device.make_current(self.device.context)
        self.library = ctypes.CDLL(library)
        self.library.worst_of.restype = ctypes.c_double
        self.kernels = {}

    def image(self, name):
        return self.device.image(f"""
          extern "C" __global__ void k(float* o, const float* x, int n) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) o[i] = {name}f(x[i]); }}""")

    def results(self, name, x):
        if name not in self.kernels:
            self.kernels[name] = self.device.load(self.image(name)).kernel()
        return math_functions.run(self.kernels[name], x)

    def exact(self, name, x):
        if name in OF_SCIPY:
            with np.errstate(all="ignore"):
                values = x.astype(np.float64)
                if name == "erfinv":  # SciPy takes a hundred times longer to refuse a number
                    values[abs(values) > 1] = np.nan
                return OF_SCIPY[name](values)
        values = np.empty(x.size)
        function = getattr(self.library, f"values_{name}")
        function(pointer(x), pointer(values), ctypes.c_int64(x.size))
        return values

    def worst(self, row, first, end, step):
        """(error, argument) where it is off most, of every `step`th pattern from `first` on."""
        end = min(first + step * PART, end)
        x = np.arange(first, end, step, dtype=np.uint64).astype(np.uint32).view(np.float32)
        results, exact, at = self.results(row.name, x), self.exact(row.name, x), ctypes.c_int64()
        error = self.library.worst_of(
            *(pointer(each) for each in (results, exact)),
            *(ctypes.c_int64(x.size), ctypes.c_double(row.unit), ctypes.byref(at)),
        )
        if row.name not in EXACT:
            again = units_off(row, *(each[at.value : at.value + 1] for each in (results, x)))[0]
            if not abs(again - error) < ALIKE * max(error, 1):
                off = units_off(row, results, x)
                return float(np.max(off)), float(x[int(np.argmax(off))])
        return error, float(x[at.value])


def units_off(row, results, x):
    """By long doubles."""
    with np.errstate(all="ignore"):
        if row.name in INVERSES:
            off = INVERSES[row.name].units_off(results, x)
            return np.where(np.isfinite(results), off, 0).astype(np.float64)
        known = row.name in math_bounds.BOUNDS
        compute = (math_bounds.BOUNDS if known else REFERENCES)[row.name].compute
        exact = compute(L(x))
        if row.unit:
            off = abs(results - exact) / row.unit
            return np.where(np.isnan(results) & np.isnan(exact), 0, off).astype(np.float64)
        return math_bounds.units_off(results, exact)


_comparison = None


def open_comparison(library):
    global _comparison
    _comparison = Comparison(library)


def worst_of_part(job):
    return _comparison.worst(*job)


class State:
    """The text file of what is done: what a row's kernel compiled to, the row, its arguments."""

    def __init__(self, path):
        self.path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.done = dict(line.rsplit("\t", 1) for line in lines)

    def get(self, key):
        error, argument = self.done[key].split()
        return float(error), float(argument)

    def add(self, key, error, argument):
        self.path.parent.mkdir(exist_ok=True)
        with self.path.open("a") as file:
            file.write(f"{key}\t{error!r} {argument!r}\n")
        self.done[key] = f"{error!r} {argument!r}"


def worst_of_row(pool, state, key, jobs):
    """Of all shares, those that an earlier run has kept included."""
    for share in range(SHARES):
        kept = f"{key}\tshare {share} of {SHARES}"
        own = jobs[share::SHARES]
        if own and kept not in state.done:
            state.add(kept, *max(pool.imap_unordered(worst_of_part, own)))
    shares = (f"{key}\tshare {share} of {SHARES}" for share in range(SHARES))
    return max(state.get(kept) for kept in shares if kept in state.done)


def main():
    names = list(dict.fromkeys(row.name for row in ROWS))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--state", type=pathlib.Path, default=STATE)
    parser.add_argument("names", nargs="*", default=names)
    options = parser.parse_args()
    beyond, state, step = [], State(options.state), options.step
    print("| function | arguments | CUDA | error | at |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        library = build_references(folder)
        here = Comparison(library)
        spawn = multiprocessing.get_context("spawn")
        with spawn.Pool(options.jobs, open_comparison, [library]) as pool:
            for row in (row for row in ROWS if row.name in options.names):
                compiled = hashlib.sha256(here.image(row.name)).hexdigest()[:16]
                key = f"{compiled}\t{row.label()}\t{row.count(step)}"
                if key not in state.done:
                    jobs = [(row, first, end, step) for first, end in row.parts(step)]
                    state.add(key, *worst_of_row(pool, state, key, jobs))
                error, argument = state.get(key)
                cells = row.label(), f"{row.count(step):,}", f"{row.limit:g}", f"{error:.4f}"
                print(f"| {' | '.join(cells)} | {argument!r} |", flush=True)
                if error > row.limit:
                    beyond.append(row.label())
    if beyond:
        sys.exit(f"beyond CUDA's bounds: {', '.join(beyond)}")


if __name__ == "__main__":
    main()
