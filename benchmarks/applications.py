#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The applications of apps/ beside others: applications.py [DEVICE [filterbank|neighbours ...]]
[--evaluations N] [--seconds S] [--store FILE] [--more] [--small]

DEVICE is cpu unless said. On a GPU the filter banks are those of the paper, beside torch (cuDNN
without TF32, the fastest of its layouts), and 4096 patches look for their neighbours among 2^20,
beside torch. On a processor they are a sixteenth of that, beside a plain OpenMP loop by g++ (the
faster of -O3 and -O3 -ffast-math) and scikit-learn. All run in this process and take turns: a
figure is the median of the rounds. Results are checked against NumPy's in float64 before they are
timed. `--more`: twelve further shapes. A peer that is absent leaves its column empty. `--small`
tries the rows anywhere.
"""

import argparse
import ctypes
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import treadle
from treadle import tune

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "apps/filterbank"), str(ROOT / "apps/nearest_neighbour")]
import filterbank  # noqa: E402
import nearest_neighbour  # noqa: E402

try:
    import torch
except ImportError:
    torch = None
try:
    from sklearn.metrics import pairwise_distances_argmin_min
except ImportError:
    pairwise_distances_argmin_min = None

MULTIPLY_ADDS = """
#include "treadle/dialect.h"
TREADLE_KERNEL TREADLE_GROUP_OF(256) peak(TREADLE_GLOBAL float *out, float factor, int turns)
{
  float x[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) x[k] = treadle_local_id(0) + k;
  for (int turn = 0; turn < turns; ++turn)
#pragma unroll
    for (int k = 0; k < 16; ++k) x[k] = fma(x[k], factor, 0.5f);
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) sum += x[k];
  out[treadle_global_id(0)] = sum;
}
"""


def seconds_of(call, wait):
    begin = time.perf_counter()
    call()
    wait()
    return time.perf_counter() - begin


def in_turns(calls, rounds, sample_seconds=0.02):
    """Of each (call, wait) a list of seconds of a call, one for each round."""
    counts = []
    for call, wait in calls:
        call()
        counts.append(max(1, int(sample_seconds / max(1e-6, seconds_of(call, wait)))))
    samples = [[] for _ in calls]
    for _ in range(rounds):
        for k, (call, wait) in enumerate(calls):

            def several(call=call, count=counts[k]):
                for _ in range(count):
                    call()

            samples[k].append(seconds_of(several, wait) / counts[k])
    return samples


def ratio(theirs, ours):
    """How many times as fast ours is: the median over rounds."""
    return statistics.median(a / b for a, b in zip(theirs, ours, strict=True))


class PlainLoop:
    """The loop of kernels/filterbank.cpp, compiled here."""

    def __init__(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-filterbank-"))
        self.functions = []
        for number, more in enumerate(([], ["-ffast-math"])):
            made = folder / f"loop{number}.so"
            words = ["g++", "-O3", "-march=native", "-fopenmp", "-shared", "-fPIC", *more]
            source = ROOT / "benchmarks/kernels/filterbank.cpp"
            subprocess.run([*words, str(source), "-o", str(made)], check=True)
            self.functions.append(ctypes.CDLL(str(made)).filterbank)

    def calls(self, shape, image, bank):
        out = np.empty(shape.out, np.float32)
        sizes = [shape.height, shape.width, shape.channels]
        sizes += [shape.filters, shape.filter_height, shape.filter_width]
        pointers = [ctypes.c_void_p(each.ctypes.data) for each in (out, image, bank)]

        def call_of(function):
            return lambda keep=(out, image, bank): function(*pointers, *sizes)

        self.out = out
        return [(call_of(function), lambda: None) for function in self.functions]


def convolutions(image, bank):
    """torch's, in both layouts, without TF32."""
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    x = torch.from_numpy(image).cuda().permute(2, 0, 1)[None]
    f = torch.from_numpy(bank).cuda().permute(0, 3, 1, 2)
    made = []
    for layout in (torch.contiguous_format, torch.channels_last):
        near = x.contiguous(memory_format=layout), f.contiguous(memory_format=layout)
        call = lambda near=near: torch.nn.functional.conv2d(*near)  # noqa: E731
        made.append((call, torch.cuda.synchronize))
    return made


def multiply_add_rate(device):
    """1e9 operations a second of registers alone."""
    kernel = treadle.Program(device, MULTIPLY_ADDS).kernel("peak")
    groups, turns = 16 * device.performance.compute_units, 4096
    out, stream = treadle.Buffer(device, 4 * 256 * groups), device.make_stream()
    call = lambda: kernel(  # noqa: E731
        out, np.float32(0.5), np.int32(turns), groups=groups, group_size=256, stream=stream
    )
    samples = in_turns([(call, stream.synchronize)], 5)[0]
    return 2e-9 * 16 * 256 * groups * turns / statistics.median(samples)


def filter_banks(device, options):
    on_processor = device.kind == "cpu"
    shapes = filterbank.SMALL if options.small else filterbank.PAPER
    if on_processor and not options.small:
        shapes = filterbank.SHAPES["sixteenth"]
    shapes = shapes + (filterbank.MORE if options.more else [])
    loop = PlainLoop() if on_processor else None
    peer = "OpenMP loop, g++" if on_processor else "torch, cuDNN fp32"
    peak = None if on_processor else multiply_add_rate(device)
    print(
        f"\n| filter bank | default, GFLOP/s | tuned | boost | {peer} | times as fast | of peak |"
    )
    print("|---|---|---|---|---|---|---|")
    quotients, boosts = [], []
    for shape in shapes:
        image, weights = filterbank.inputs(shape)
        bank = filterbank.FilterBank(device, image, weights)
        tuned = bank.tune(options.store, **search(options))
        launches = [bank.default(), bank.variant(dict(tuned.configuration))]
        for launch in launches:
            assert filterbank.error(bank.result(launch), image, weights) <= 1, shape
        calls = [(launch, bank.stream.synchronize) for launch in launches]
        if loop:
            calls += loop.calls(shape, image, weights)
        elif torch is not None:
            calls += convolutions(image, weights)
        default, ours, *theirs = in_turns(calls, options.rounds)
        if loop:
            assert filterbank.error(loop.out, image, weights) <= 5, shape
        rate = [1e-9 * shape.flop / statistics.median(each) for each in (default, ours)]
        best = min(theirs, key=statistics.median, default=None)
        boosts.append(ratio(default, ours))
        cells = [str(shape), f"{rate[0]:.1f}", f"{rate[1]:.1f}", f"{100 * boosts[-1] - 100:.0f} %"]
        if best:
            quotients.append(ratio(best, ours))
            cells += [f"{1e-9 * shape.flop / statistics.median(best):.1f}", f"{quotients[-1]:.2f}"]
        else:
            cells += ["absent", ""]
        print("|", " | ".join(cells), "|", f"{rate[1] / peak:.2f} |" if peak else "|", flush=True)
    means = [f"boost {100 * statistics.geometric_mean(boosts) - 100:.0f} %"]
    if quotients:
        means.append(f"{statistics.geometric_mean(quotients):.2f} times as fast")
    print(f"\nGeometric means: {', '.join(means)}.", f"Peak: {peak:.0f}." if peak else "")


def search(options):
    limits = {"evaluations": options.evaluations, "seconds": options.seconds}
    return {name: value for name, value in limits.items() if value}


def torch_neighbours(targets, rows, part=1 << 16):
    """Chunked cdist and addmm with a minimum: what people write."""
    torch.backends.cuda.matmul.allow_tf32 = False
    a, b = (torch.from_numpy(each.astype(np.float32)).cuda() for each in (targets, rows))

    def by_distances():
        for begin in range(0, len(b), part):
            torch.cdist(a, b[begin : begin + part]).min(dim=1)

    def by_products():
        for begin in range(0, len(b), part):
            near = b[begin : begin + part]
            torch.addmm((near * near).sum(dim=1), a, near.T, alpha=-2).min(dim=1)

    return [(call, torch.cuda.synchronize) for call in (by_distances, by_products)]


def neighbours(device, options):
    on_processor = device.kind == "cpu"
    count = 1 << (12 if options.small else 16 if on_processor else 20)
    peer = "scikit-learn" if on_processor else "torch fp32, not exact"
    print(f"\n| 4096 targets x {count} | Treadle, ms | GFLOP/s | {peer}, ms | times as fast |")
    print("|---|---|---|---|---|")
    for kind in ("float", "8bit"):
        rng = np.random.default_rng(0)
        made = nearest_neighbour.patches("noise", 4096 + count, rng)
        if kind == "float":
            made = made.astype(np.float32) + rng.random(made.shape, np.float32)
        targets, rows = made[:4096], made[4096:]
        store = tune.Store(options.store or "")
        tuning = {"policy": "block", "store": store, **search(options)}
        ours = nearest_neighbour.NearestNeighbours(device, targets, **tuning)
        loaded = ours.load(rows)
        ours.scan(loaded, 0)
        distance, index = ours.results()
        exact, where = nearest_neighbour.brute_force(targets[:4], rows)
        assert (index[:4] == where).all() and np.allclose(distance[:4], exact, rtol=1e-12)
        # A search of its own each time: what earlier ones have found makes later ones faster.
        fresh = nearest_neighbour.NearestNeighbours(device, targets, **tuning)

        def call(fresh=fresh, loaded=loaded):
            fresh.forget()
            fresh.scan(loaded, 0)

        calls = [(call, fresh.wait)]
        if on_processor and pairwise_distances_argmin_min is not None:
            host = [each.astype(np.float32) for each in (targets, rows)]
            calls.append((lambda host=host: pairwise_distances_argmin_min(*host), lambda: None))
        elif not on_processor and torch is not None:
            calls += torch_neighbours(targets, rows)
        mine, *theirs = in_turns(calls, min(options.rounds, 5))
        best = min(theirs, key=statistics.median, default=None)
        seconds = statistics.median(mine)
        cells = [kind, f"{1e3 * seconds:.1f}", f"{2e-9 * 4096 * count * 64 / seconds:.0f}"]
        if best:
            cells += [f"{1e3 * statistics.median(best):.1f}", f"{ratio(best, mine):.2f}"]
        else:
            cells += ["absent", ""]
        print("|", " | ".join(cells), "|", flush=True)


def main(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("device", nargs="?", default="cpu")
    parser.add_argument("rows", nargs="*", help="filterbank, neighbours")
    parser.add_argument("--evaluations", type=int, help="variants that are tried for a row")
    parser.add_argument("--seconds", type=float, help="that are spent on a row")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--store", help="the file that remembers what was measured")
    parser.add_argument("--more", action="store_true")
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args(words)
    if options.small:
        options.rounds, options.evaluations = 2, options.evaluations or 2
    elif not options.evaluations and not options.seconds:
        options.seconds = 60.0
    device = treadle.find_device(options.device)
    print(f"{device.id}: {device.name}")
    for name, rows in (("filterbank", filter_banks), ("neighbours", neighbours)):
        if not options.rows or name in options.rows:
            rows(device, options)


if __name__ == "__main__":
    main(sys.argv[1:])
