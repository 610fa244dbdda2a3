# SPDX-License-Identifier: MIT
"""Everyday lines of treadle.numpy beside NumPy with one thread, or beside CuPy on a GPU.

python benchmarks/lines.py                    the CPU device
python benchmarks/lines.py --device opencl    PoCL
python benchmarks/lines.py --device cuda:0    a GPU, beside CuPy (make gpu-lines)

A ratio is our time over the peer's, each the least of its rounds. A line that fails is reported.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

import line_cases
import report
from measure import Unavailable, Worker, median

LIMIT = {"NumPy": 1.2, "CuPy": 1.0}
WORKER = pathlib.Path(__file__).resolve().parent / "workers/lines.py"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", help="cpu, opencl or cuda:0")
    parser.add_argument("--only", default="", help="lines whose group or text contains this")
    parser.add_argument("--log2", type=int, help="elements: 2^LOG2; 22, on a GPU 24")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each line")
    parser.add_argument("--seconds", type=float, default=1e9, help="lines not begun then are left")
    parser.add_argument("--library-dir", help="folder of Treadle's libraries")
    parser.add_argument("--out", help="folder of the results; default: benchmarks/results")
    return parser.parse_args()


def start_worker(arguments, is_gpu, scratch):
    environment = {
        "BENCH_LOG2": str(arguments.log2 or (24 if is_gpu else 22)),
        "TREADLE_DEVICE": arguments.device,
        "CUPY_ACCELERATORS": "cub",
        "CUPY_CACHE_DIR": f"{scratch}/cupy",
        "POCL_CACHE_DIR": f"{scratch}/pocl",
        **{f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL")},
    }
    if arguments.library_dir:
        environment["TREADLE_LIBRARY_DIR"] = arguments.library_dir
    worker = Worker("lines", [sys.executable, WORKER], environment)
    worker.restarts = True
    return worker


def measure(worker, line, rounds):
    """The record of a line: seconds, or why there are none."""
    try:
        is_right = worker.ask(f"prepare {line}")["check"]
        times = worker.ask(f"measure {rounds} {line}")["seconds"]
        worker.ask(f"release {line}")
    except Unavailable as reason:
        return {"failed": str(reason)}
    ours, work, theirs, their_work = (min(column) for column in zip(*times, strict=True))
    paired = median([mine / other for mine, _, other, _ in times])
    figures = {"ours": ours, "theirs": theirs, "ratio": ours / theirs, "paired": paired}
    return {**figures, "processor": work / their_work, "right": bool(is_right)}


def text_of(record, peer):
    if "failed" in record:
        return f"{record['line']:44} FAILED: {record['failed']}"
    wrong = "" if record["right"] else f"  DIFFERS from {peer}'s"
    return (
        f"{record['line']:44} {record['ratio']:6.2f}  ours {record['ours'] * 1e6:9.1f} us, "
        f"{peer} {record['theirs'] * 1e6:9.1f} us, processor time {record['processor']:.2f}{wrong}"
    )


def summary(records, peer):
    """Text lines: how many are over the limit, the median, and the worst."""
    timed = [record for record in records if "failed" not in record]
    if not timed:
        return ["no line was measured"]
    limit = LIMIT[peer]
    over = [record for record in timed if record["ratio"] > limit]
    head = (
        f"{len(timed)} of {len(records)} lines: median {median([r['ratio'] for r in timed]):.2f} "
        f"of {peer}'s time, {len(over)} over {limit}"
    )
    worst = sorted(over, key=lambda record: -record["ratio"])
    others = [r for r in records if "failed" in r or not r["right"]]
    return [head, *(text_of(record, peer) for record in [*worst, *others])]


def markdown(facts, records, peer):
    head = summary(records, peer)[0]
    text = [f"# Everyday lines, {facts['date']}", ""]
    text += [f"- {name}: {value}" for name, value in facts.items() if name != "date"]
    text += ["", f"{head}. Each time is the least of its rounds.", ""]
    text += [f"| line | ours | {peer} | ratio | of processor time |"]
    text += ["|---|---|---|---|---|"]
    for record in records:
        line = f"`{record['line']}`".replace("|", "\\|")
        if "failed" in record:
            text.append(f"| {line} | failed: {record['failed']} | | | |")
            continue
        times = (report.duration(record[name]) for name in ("ours", "theirs"))
        remark = "" if record["right"] else " (differs)"
        ratios = f"{record['ratio']:.2f}{remark} | {record['processor']:.2f}"
        text.append(f"| {line} | {' | '.join(times)} | {ratios} |")
    return "\n".join(text) + "\n"


def main():
    arguments = parse_arguments()
    is_gpu = arguments.device.startswith("cuda")
    peer = "CuPy" if is_gpu else "NumPy"
    chosen = [each for each in line_cases.lines() if any(arguments.only in word for word in each)]
    records, began = [], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        worker = start_worker(arguments, is_gpu, scratch)
        for group, line in chosen:
            if time.monotonic() - began > arguments.seconds:
                record = {"failed": "not begun in time"}
            else:
                record = measure(worker, line, arguments.rounds)
            records.append({"group": group, "line": line, **record})
            print(text_of(records[-1], peer), flush=True)
        worker.close()
    print("\n".join(["", *summary(records, peer)]))
    if arguments.only:
        return
    facts = report.machine({"device": arguments.device, "cores": os.cpu_count(), "peer": peer})
    name = f"lines-{'gpu' if is_gpu else arguments.device.split(':')[0]}"
    folder = pathlib.Path(arguments.out or report.RESULTS)
    folder.mkdir(parents=True, exist_ok=True)
    written = {"machine": facts, "rows": records}
    (folder / f"{name}.json").write_text(json.dumps(written, indent=1) + "\n")
    (folder / f"{name}.md").write_text(markdown(facts, records, peer))
    print(f"written: {folder / name}.md")


if __name__ == "__main__":
    main()
