# SPDX-License-Identifier: MIT
"""What each speed pass of the CPU compiler gains: the kernels of the table with and without it.

python -m treadle run benchmarks/pass_gains.py [--rounds 9] [--only PASS,PASS] [--case TEXT]

Both versions run in turn. Times are the processor's, of all threads together, so that other work
on the machine counts little; memory and caches are still shared with it.
"""

import argparse
import pathlib
import re
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "workers"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import pycuda_style
from kernel_cases import CASES, PreparedCase, source

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs/internals/cuda_cpu_passes.md"
ROUND_SECONDS = 0.03  # short kernels are launched several times a round


class Device(pycuda_style.Device):
    """Compiles with `options`."""

    def __init__(self, cuda, compiler, options):
        super().__init__(cuda, compiler)
        self.options = options

    def function(self, file, name):
        if file not in self.modules:
            module = self.compiler.SourceModule(
                source(file), no_extern_c=True, options=self.options
            )
            self.modules[file] = module
        return self.modules[file].get_function(name)


def speed_passes():
    """As the page lists them, which a test compares with the compiler's table."""
    return re.findall(r"^\| `([\w-]+)` \| speed \|", PAGE.read_text(), re.MULTILINE)


def seconds(case):
    begin = time.process_time()
    case.run()
    return time.process_time() - begin


def compare(with_pass, without, rounds):
    """Seconds with the pass, seconds without, and the median of the rounds' ratios."""
    first = max(seconds(with_pass), seconds(without), 1e-6)
    launches = range(max(1, min(10, int(ROUND_SECONDS / first))))
    times = [
        (min(seconds(with_pass) for _ in launches), min(seconds(without) for _ in launches))
        for _ in range(rounds)
    ]
    ratio = statistics.median(off / on for on, off in times)
    return min(on for on, _ in times), min(off for _, off in times), ratio


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", help="passes, separated by commas; default: all")
    parser.add_argument("--case", default="", help="kernels whose row contains this")
    arguments = parser.parse_args()

    import pycuda.autoinit  # noqa: F401
    import pycuda.compiler as compiler
    import pycuda.driver as cuda

    chosen = {name: case for name, case in CASES.items() if arguments.case in name}
    base = Device(cuda, compiler, [])
    print("| pass | row | with | without | gain |\n|---|---|---|---|---|")
    for name in arguments.only.split(",") if arguments.only else speed_passes():
        other = Device(cuda, compiler, [f"--treadle-disable={name}"])
        for row, case in chosen.items():
            with_pass, without = PreparedCase(case, base), PreparedCase(case, other)
            if not (with_pass.check() and without.check()):
                raise SystemExit(f"{row}, {name}: a wrong result")
            on, off, ratio = compare(with_pass, without, arguments.rounds)
            times = f"{on * 1e3:.2f} ms | {off * 1e3:.2f} ms"
            print(f"| `{name}` | {row} | {times} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
