#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tuner beside Kernel Tuner: tuning.py [DEVICE] [--count N] [--peer PYTHON] [--seconds S]
[--rows engine store strategies] [--apart] [--small]

engine: N equal configurations of one text are compiled, checked against one answer and timed seven
times each, by tune_kernel() and by the package Kernel Tuner, whose own count (--peer-count) may be
smaller: then its time is scaled, and the row says so. Neither finds anything compiled. PYTHON is
one that has kernel_tuner, and CuPy for CUDA or PyOpenCL for OpenCL. How much of the time the device
was busy is that of a second run, which finds all compiled. store: a row of the filter banks is
tuned from cold for S seconds, from the store, and chosen by a second process; the time of a
look-up. strategies: what each reaches on the five spaces of tests/python/tune_models.py.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "apps/filterbank"), str(ROOT / "tests/python")]

HEAD = {
    "cuda": 'extern "C" __global__ void smooth(float *out, const float *in)\n{\n',
    "opencl": "__kernel void smooth(__global float *out, __global const float *in)\n{\n",
}
PLACE = {
    "cuda": ("blockIdx.x", "blockIdx.y", "threadIdx.x", "threadIdx.y"),
    "opencl": ("get_group_id(0)", "get_group_id(1)", "get_local_id(0)", "get_local_id(1)"),
}
BODY = """
  const int x0 = (%s * block_size_x * tile_x) + %s, y0 = (%s * block_size_y + %s) * tile_y;
  float sums[tile_y][tile_x];
  for (int v = 0; v < tile_y; ++v)
    for (int u = 0; u < tile_x; ++u) sums[v][u] = 0;
  for (int j = 0; j < 5; ++j)
#pragma unroll turns
    for (int i = 0; i < 5; ++i)
      for (int v = 0; v < tile_y; ++v)
        for (int u = 0; u < tile_x; ++u) {
          const int x = x0 + u * block_size_x + i, y = y0 + v + j;
          if (x < WIDTH && y < WIDTH) sums[v][u] += in[y * WIDTH + x] * (float)(i + 5 * j);
        }
  for (int v = 0; v < tile_y; ++v)
    for (int u = 0; u < tile_x; ++u) {
      const int x = x0 + u * block_size_x, y = y0 + v;
      if (x < WIDTH && y < WIDTH) out[y * WIDTH + x] = sums[v][u];
    }
}
"""
# 2000 configurations, each of which is a text of its own.
PARAMETERS = {
    "block_size_x": [8, 16, 32, 64],
    "block_size_y": [1, 2, 4, 8],
    "tile_x": [1, 2, 3, 4, 5],
    "tile_y": [1, 2, 3, 4, 5],
    "turns": [1, 2, 3, 4, 5],
}


def text_of(language, width):
    gx, gy, lx, ly = PLACE[language]
    return f"#define WIDTH {width}\n" + HEAD[language] + BODY % (gx, lx, gy, ly)


def language_of(device):
    return "opencl" if str(device.language).startswith("OpenCL") else "cuda"


def problem(width):
    image = np.random.default_rng(0).random((width, width), np.float32)
    wide, out = np.pad(image, ((0, 4), (0, 4))), np.zeros_like(image)
    for j in range(5):
        for i in range(5):
            out += np.float32(i + 5 * j) * wide[j : j + width, i : i + width]
    return image, out


def parameters_of(count):
    """Of 2000 configurations the first ones, which are products of values again."""
    chosen = {name: list(values) for name, values in PARAMETERS.items()}
    sizes = lambda: int(np.prod([len(values) for values in chosen.values()]))  # noqa: E731
    while sizes() > count:
        longest = max(chosen, key=lambda name: len(chosen[name]))
        chosen[longest].pop()
    return chosen, sizes()


# ---- Kernel Tuner, in a process of its own


def run_peer(language, width, count):
    """Called with --as-peer: prints how long Kernel Tuner takes."""
    import kernel_tuner

    chosen, size = parameters_of(count)
    image, expected = problem(width)
    begin = time.perf_counter()
    results, _ = kernel_tuner.tune_kernel(
        "smooth", text_of(language, width), (width, width), [np.zeros_like(image), image], chosen,
        lang="CUPY" if language == "cuda" else "OpenCL", answer=[expected, None], atol=1e-2,
        grid_div_x=["block_size_x", "tile_x"], grid_div_y=["block_size_y", "tile_y"],
        iterations=7, quiet=True,
    )  # fmt: skip
    took = time.perf_counter() - begin
    right = sum(isinstance(each["time"], float) for each in results)
    print(json.dumps({"seconds": took, "configurations": size, "right": right}))


def peer(options, language, folder):
    """What the process prints; None without one."""
    if not options.peer:
        return None
    fresh = {"CUPY_CACHE_DIR": f"{folder}/cupy", "POCL_CACHE_DIR": f"{folder}/pocl-peer"}
    words = ["--as-peer", language, "--width", str(options.width)]
    words += ["--count", str(options.peer_count or options.count)]
    done = subprocess.run(
        [options.peer, __file__, *words],
        env={**os.environ, **fresh},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        print(f"Kernel Tuner failed: {done.stderr[-600:]}", flush=True)
        return None
    return json.loads(done.stdout.splitlines()[-1])


# ---- the engine


def run_engine(device, width, count, sample_seconds=50e-6, **more):
    """Compiles, checks and measures so many; what tune_kernel() returns."""
    from treadle import tune

    chosen, _ = parameters_of(count)
    image, expected = problem(width)
    space = tune.Space(device=device, width=width)
    for name, values in chosen.items():
        space.add(name, values)
    return tune.tune_kernel(
        text_of(language_of(device), width), "smooth", space,
        [tune.Output(np.zeros_like(image), expected, tolerance=1e-4), image],
        groups=["ceil_div(width, block_size_x * tile_x)", "ceil_div(width, block_size_y * tile_y)"],
        group_size=["block_size_x", "block_size_y"], strategy="exhaustive", device=device,
        measure={"repeats": 7, "overtaken_above": 0, "sample_seconds": sample_seconds}, **more,
    )  # fmt: skip


def engine(device, options, folder):
    theirs = peer(options, language_of(device), folder)
    cold, warm, longer = (
        run_engine(device, options.width, options.count, sample, compile_processes=options.apart)
        for sample in (50e-6, 50e-6, 2e-3)
    )
    size = len(cold.attempts)
    right = sum(each.measured.is_right for each in cold.attempts)
    cores = len(os.sched_getaffinity(0))
    print(
        f"\n| {size} configurations, {right} right, {cores} cores | s | Kernel Tuner, s | times |"
    )
    print("|---|---|---|---|")
    cells = ["absent", ""]
    if theirs:
        scaled = theirs["seconds"] * size / theirs["configurations"]
        measured = "" if theirs["configurations"] == size else (
            f" ({theirs['configurations']} in {theirs['seconds']:.1f} s)"
        )  # fmt: skip
        cells = [f"{scaled:.1f}{measured}", f"{scaled / cold.wall_seconds:.2f}"]
    print("| nothing compiled before |", f"{cold.wall_seconds:.2f} |", " | ".join(cells), "|")
    for name, run in (("", warm), (", samples of 2 ms", longer)):
        busy = 100 * run.busy_seconds / run.wall_seconds
        print(f"| all compiled before{name} | {run.wall_seconds:.2f} | busy {busy:.0f} % | |")
    print(f"\nCompiling took {cold.compile_seconds:.1f} s of all threads.", flush=True)


# ---- the store


SECOND = """
import sys, time
sys.path.insert(0, sys.argv[1])
import numpy as np, treadle, filterbank
from treadle import tune
device = treadle.find_device(sys.argv[2])
stream = device.make_stream()
treadle.Buffer(device, 4)
shape = filterbank.SHAPES[sys.argv[4]][0]
image, weights = filterbank.inputs(shape)
text = filterbank.text_of(shape, weights)
space = filterbank.space_of(shape, device)
begin = time.perf_counter()
import dataclasses
store = tune.Store(sys.argv[3])
how = {"groups": filterbank.GROUPS, "group_size": filterbank.GROUP_SIZE, "device": device}
key = tune.store_key(text, "filterbank", space, dataclasses.asdict(shape),
                     version=filterbank.VERSION, **how)
choice = store.choose(key)
chosen = time.perf_counter()
kernel = treadle.Program(device, text(space.make(choice.values))).kernel("filterbank")
print(choice.match, 1e3 * (chosen - begin), 1e3 * (time.perf_counter() - begin))
"""


def store(device, options, folder):
    import filterbank

    shapes = "small" if options.small else "sixteenth" if device.kind == "cpu" else "paper"
    shape = filterbank.SHAPES[shapes][0]
    image, weights = filterbank.inputs(shape)
    bank = filterbank.FilterBank(device, image, weights)
    file = f"{folder}/store.db"
    found = []
    begin = time.perf_counter()
    tuned = bank.tune(
        file, seconds=options.seconds,
        progress=lambda now: now["best"]
        and found.append((time.perf_counter() - begin, now["best"].measured.seconds)),
    )  # fmt: skip
    cold = time.perf_counter() - begin
    near = next((at for at, seconds in found if seconds <= 1.05 * tuned.seconds), cold)
    print(f"\n| one row, {shape} | |\n|---|---|")
    print(
        f"| from cold, {options.seconds:g} s asked: {len(tuned.attempts)} variants | {cold:.2f} s |"
    )
    print(f"| until one was within 5 % of the best | {near:.2f} s |")
    times = []
    for _ in range(3):
        words = [
            sys.executable,
            "-c",
            SECOND,
            str(ROOT / "apps/filterbank"),
            device.id,
            file,
            shapes,
        ]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        match, *numbers = done.stdout.split()
        times.append([float(number) for number in numbers])
        assert match == "exact", done.stdout
    chosen, ready = (statistics.median(each) for each in zip(*times, strict=True))
    print(f"| from the store in a second process: chosen | {chosen:.1f} ms |")
    print(f"| the same, kernel loaded | {ready:.1f} ms |")
    print(
        f"| a look-up of `TunedKernel` from Python | {1e6 * look_up(device):.2f} us |", flush=True
    )


def look_up(device):
    """Seconds of choose() for a problem that was chosen before."""
    import treadle
    from treadle import tune

    text = """
    #include <treadle/dialect.h>
    TREADLE_KERNEL twice(TREADLE_GLOBAL float *x) { x[treadle_global_id(0)] *= 2; }
    """
    space = tune.Space(device=device).add("GROUP", [32, 64]).require("n % GROUP == 0")
    kernel = tune.tuned(
        text, "twice", space, groups=["n // GROUP"], group_size=["GROUP"], updated=[0],
        store=tune.Store(),
    )(lambda x: {"n": 64})  # fmt: skip
    x = treadle.Buffer(device, np.zeros(64, np.float32))
    kernel.choose(x)
    samples = []
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(10000):
            kernel.choose(x)
        samples.append((time.perf_counter() - begin) / 10000)
    return min(samples)


# ---- strategies


def strategies(device, options, folder):
    import tune_models

    names = ["random", "hill_climbing", "annealing", "genetic", "differential_evolution", "model"]
    seeds = 2 if options.small else 10
    print("\n| space | configurations | evaluations |", " | ".join(names), "|")
    print("|---" * (3 + len(names)) + "|")
    for model in tune_models.MODELS:
        space, seconds = tune_models.modelled(model)
        cells = []
        for name in names:
            # A model is asked for few: what it costs pays where a measurement takes long.
            share = options.model_evaluations if name == "model" else len(space) // 20
            reached = [
                tune_models.reached(space, seconds, share, seed, strategy=name)
                for seed in range(seeds)
            ]
            cells.append(f"{100 * statistics.median(reached) - 100:.1f} %")
        count = f"{len(space) // 20} ({options.model_evaluations} by the model)"
        print(f"| {model.__name__} | {len(space)} | {count} |", " | ".join(cells), "|", flush=True)


def main(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("device", nargs="?", default="cpu")
    parser.add_argument("--rows", nargs="*", default=["engine", "store"])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--peer", help="a Python with kernel_tuner")
    parser.add_argument("--peer-count", type=int)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--model-evaluations", type=int, default=200)
    parser.add_argument("--apart", action="store_true", help="compiles in other processes")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--as-peer", choices=list(HEAD))
    options = parser.parse_args(words)
    if options.as_peer:
        return run_peer(options.as_peer, options.width, options.count)
    with tempfile.TemporaryDirectory(prefix="bench-tuning-") as folder:
        # Before Treadle reads where caches are.
        os.environ["TREADLE_CACHE_DIR"] = f"{folder}/treadle"
        os.environ["POCL_CACHE_DIR"] = f"{folder}/pocl"
        os.environ["CUDA_CACHE_DISABLE"] = "1"
        import treadle

        device = treadle.find_device(options.device)
        print(f"{device.id}: {device.name}", flush=True)
        for name, rows in (("engine", engine), ("store", store), ("strategies", strategies)):
            if name in options.rows:
                rows(device, options, folder)
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
