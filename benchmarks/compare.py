# SPDX-License-Identifier: MIT
"""Measures two commits against each other: the same rows, measured in turn.

python benchmarks/compare.py --base COMMIT [--head COMMIT] [cpu|gpu]

Without --head the working tree's own build stands for it (make bench-compare base=COMMIT builds
it). A commit is unpacked and built once, in .cache/compare/. Prints, for each row that both have,
the ratio head / base with its 5 % and 95 % quantiles over rounds; writes JSON and Markdown beside.
"""

import argparse
import math
import os
import subprocess
import sys

import report
from measure import Column, Row, ratio
from run import KINDS
from session import ROOT

FOLDER = ROOT / ".cache/compare"
# Two processes of one program differ by several per cent, depending on their memory layout, so
# the rounds of a row are spread over this many processes of each side.
LIVES = 3


class Side:
    """One side: a built tree and its workers."""

    def __init__(self, name, tree, arguments):
        self.name = name
        whose = {"tree": tree, "package": tree / "build/python"}
        self.session = KINDS[arguments.kind](arguments, **whose)
        # The first column of a row is Treadle's; peers are not measured.
        self.columns = {(row.group, row.name): row.columns[0] for row in self.session.rows()}

    def column(self, key):
        ours = self.columns[key]
        return Column(self.name, ours.source, ours.case)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", nargs="?", default="cpu", choices=KINDS)
    parser.add_argument("--base", required=True, help="the commit to compare with")
    parser.add_argument("--head", help="the commit that is compared; default: the working tree")
    parser.add_argument("--only", default="", help="rows whose group or name contains this")
    parser.add_argument("--quick", action="store_true", help="one round a process")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.set_defaults(binaries=None, peers=None, log2=None, device=None)
    return parser.parse_args()


def revision(name):
    command = ["git", "-C", ROOT, "rev-parse", "--short=12", "--verify", f"{name}^{{commit}}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"compare: {name!r} is no commit of this repository")
    return done.stdout.strip()


def built(commit, jobs):
    """The folder in which that commit is unpacked and built."""
    tree = FOLDER / commit
    if not (tree / "build/.compared").exists():
        print(f"building {commit} in {tree.relative_to(ROOT)}", flush=True)
        tree.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(
            ["git", "-C", ROOT, "archive", commit], stdout=subprocess.PIPE, check=True
        )
        subprocess.run(["tar", "-x", "-C", tree], input=archive.stdout, check=True)
        build(tree, jobs)
        (tree / "build/.compared").touch()
    return tree


def build(tree, jobs):
    options = {
        "TREADLE_BUILD_PYTHON": "ON",
        "TREADLE_BUILD_BENCHMARKS": "ON",
        "TREADLE_BUILD_TESTS": "OFF",
        "Python_EXECUTABLE": sys.executable,
        "Python3_EXECUTABLE": sys.executable,
    }
    if (ROOT / ".cache/cuda-headers/cuda.h").exists():
        options["TREADLE_CUDA_INCLUDE_DIR"] = ROOT / ".cache/cuda-headers"
    words = [f"-D{name}={value}" for name, value in options.items()]
    log = tree / "build.log"
    with log.open("w") as out:
        for command in (
            ["cmake", "--preset", "release", *words],
            ["cmake", "--build", "build", "-j", str(jobs)],
        ):
            if subprocess.run(command, cwd=tree, stdout=out, stderr=out, check=False).returncode:
                raise SystemExit(f"compare: {' '.join(command[:3])} failed; see {log}")


def show(row):
    """One line: both times, and the ratio over the rounds, marked if its spread excludes 1."""
    head, base = row.columns
    if not head.rounds or not base.rounds:
        reasons = [f"{c.label}: {c.absent or 'nothing measured'}" for c in row.columns if c.absent]
        print(f"{row.group} | {row.name}: not compared ({'; '.join(reasons)})", flush=True)
        return
    times = ratio(head.rounds, base.rounds)
    mark = "slower" if times["low"] > 1.02 else "faster" if times["high"] < 0.98 else ""
    mark = mark if times["samples"] >= 3 * LIVES else ""  # --quick: too few samples
    print(
        f"{times['median']:6.3f} [{times['low']:.3f}, {times['high']:.3f}] {mark:6} "
        f"{row.group} | {row.name}: {report.duration(report.summary(head.rounds)['median'])}, "
        f"was {report.duration(report.summary(base.rounds)['median'])}",
        flush=True,
    )


def main():
    arguments = parse_arguments()
    base_name = revision(arguments.base)
    head_name = revision(arguments.head) if arguments.head else None
    trees = {"base": built(base_name, arguments.jobs)}
    trees["head"] = built(head_name, arguments.jobs) if head_name else ROOT
    head = Side(head_name or f"working tree ({report.commit()})", trees["head"], arguments)
    base = Side(base_name, trees["base"], arguments)
    facts = report.machine(head.session.device_facts()) | {"head": head.name, "base": base.name}
    rows, table = [], None
    try:
        for row in head.session.rows():
            key = (row.group, row.name)
            if key not in base.columns or not any(arguments.only in word for word in key):
                continue
            columns = [head.column(key), base.column(key)]
            rounds = 1 if arguments.quick else math.ceil(row.rounds / LIVES)
            rows.append(Row(*key, columns, rounds=rounds, repeats=row.repeats, note=row.note))
            for _ in range(LIVES):
                rows[-1].measure()
                head.session.close_workers()
                base.session.close_workers()
            show(rows[-1])
            name = f"{arguments.kind}-{base_name}"
            table = report.write(name, facts, {}, rows, FOLDER)
    finally:
        head.session.close()
        base.session.close()
    print(f"written: {table}" if table else "no row has that in its name")
    return 0 if table else 1


if __name__ == "__main__":
    sys.exit(main())
