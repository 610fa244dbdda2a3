# SPDX-License-Identifier: MIT
"""Measures Treadle against its peers in one run, and writes benchmarks/results/.

python benchmarks/run.py cpu          the CPU device (make bench)
python benchmarks/run.py gpu          an NVIDIA GPU (make gpu-bench)
python benchmarks/run.py arrays-cpu   arrays on the CPU device and PoCL
python benchmarks/run.py arrays-gpu   arrays on an NVIDIA GPU (make gpu-arrays)
"""

import argparse
import pathlib
import sys

import report
import rows_arrays
import rows_cpu
import rows_gpu
from measure import Bar, Column, Row, median

KINDS = {
    "cpu": rows_cpu.Session,
    "gpu": rows_gpu.Session,
    "arrays-cpu": rows_arrays.CpuSession,
    "arrays-gpu": rows_arrays.GpuSession,
}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", nargs="?", default="cpu", choices=KINDS)
    parser.add_argument("--only", help="measure rows whose group or name contains this")
    parser.add_argument("--quick", action="store_true", help="three rounds a row, not nine")
    parser.add_argument("--binaries", help="folder of the programs `launch` and `compile`")
    parser.add_argument("--peers", help="folder of Python packages that only peers may import")
    parser.add_argument("--log2", type=int, help="arrays of 2^LOG2 elements")
    parser.add_argument("--device", help="try the rows of arrays-gpu on another device: cpu")
    parser.add_argument("--out", help="folder of the results; default: benchmarks/results")
    return parser.parse_args()


def measure_ceilings(sources):
    """Upper bounds of rates on this machine, measured before the rows: {name: work per second}."""
    ceilings = {}
    for name, (source, case, amount) in sources.items():
        column = Column(name, source, case)
        Row("ceilings", name, [column], rounds=3).measure()
        if column.rounds:
            ceilings[name] = amount / min(column.rounds)
            print(f"ceiling {name}: {ceilings[name] / 1e9:.4g} G/s", flush=True)
    return ceilings


def show(row):
    parts = []
    for column in row.columns:
        value = report.duration(median(column.rounds)) if column.rounds else "absent"
        parts.append(f"{column.label} {value}")
    print(f"{row.group} | {row.name}: {', '.join(parts)}", flush=True)
    for bar in (target for target in row.targets if isinstance(target, Bar)):
        measured, floor, goal = report.bar_cells([report.bar_record(bar, row)])
        print(f"    {measured}; floor {floor}; goal {goal}", flush=True)
    for column in row.columns:
        if column.absent:
            print(f"    {column.label}: {column.absent}", flush=True)


def main():
    arguments = parse_arguments()
    session = KINDS[arguments.kind](arguments)
    chosen = arguments.only or ""
    rows = [row for row in session.rows() if chosen in row.group or chosen in row.name]
    folder = pathlib.Path(arguments.out) if arguments.out else None
    facts = report.machine(session.device_facts())
    try:
        ceilings = measure_ceilings(session.ceilings())
        for count, row in enumerate(rows, 1):
            row.measure(arguments.quick)
            show(row)
            # After every row, so that an interrupted run leaves its results so far.
            table = report.write(arguments.kind, facts, ceilings, rows[:count], folder)
    finally:
        session.close()
    print(f"written: {table}" if rows else "no row has that in its name")
    wrong = [c for row in rows for c in row.columns if c.check is False]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
