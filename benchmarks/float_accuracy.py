# SPDX-License-Identifier: MIT
"""How far CUDA's functions of one `float` are off on the CPU device, for all arguments: a table.

    make accuracy [words='sin cos'] [step=256] [jobs=8]

All 2^32 bit patterns, or one in `step`; a million at a time, in as many processes as there are
cores. A function takes some fifteen minutes of one core. Fails if one is beyond CUDA's bounds.
"""

import argparse
import multiprocessing
import os
import sys

os.environ["TREADLE_CPU_THREADS"] = "1"  # each process has a core

import math_functions
import numpy as np
from math_functions import conftest, math_bounds

PATTERNS = 1 << 32
NAMES = [name for name, bound in math_bounds.BOUNDS.items() if bound.arguments == 1]
_kernels = {}


def open_device():
    device = conftest.Device()
    device.make_current(device.context)
    _kernels.update(math_functions.kernels_of(device, np.float32), device=device)


def worst_of_part(job):
    """(error, argument) where it is off most, of every `step`th pattern from `first` on."""
    name, first, step = job
    end = min(first + step * math_functions.PART, PATTERNS)
    x = np.arange(first, end, step, dtype=np.uint64).astype(np.uint32).view(np.float32)
    result = math_functions.run(_kernels[name], x, x)
    off = math_bounds.units_off(result, math_bounds.exact_values(name, x, x))
    at = int(np.argmax(off))
    return float(off[at]), float(x[at])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("names", nargs="*", default=NAMES)
    options = parser.parse_args()
    beyond = []
    print(f"| function | CUDA | error of {PATTERNS // options.step} arguments | at |")
    print("|---|---|---|---|")
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(options.jobs, initializer=open_device) as pool:
        for name in options.names:
            firsts = range(0, PATTERNS, options.step * math_functions.PART)
            jobs = [(name, first, options.step) for first in firsts]
            error, argument = max(pool.imap_unordered(worst_of_part, jobs))
            limit = math_bounds.BOUNDS[name].single
            print(f"| `{name}f` | {limit:g} | {error:.3f} | {argument!r} |", flush=True)
            if error > limit:
                beyond.append(name)
    if beyond:
        sys.exit(f"beyond CUDA's bounds: {', '.join(beyond)}")


if __name__ == "__main__":
    main()
