#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fourier transforms of arrays beside scipy.fft on all cores: fft.py [DEVICE [ROW]].

Both compute in this process, in turns; of several runs the shortest counts. First transforms are
timed in two processes behind these rows, or alone with ROW `first`: one compiles what it needs, the
other finds it in the cache.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.fft

import treadle
import treadle.numpy as tnp

# Name, shape, axes, dtype.
ROWS = [
    ("c2c 2^20, f32", (1 << 20,), (0,), "c8"),
    ("c2c 2^20, f64", (1 << 20,), (0,), "c16"),
    ("c2c 16 of 512 x 512, f32", (16, 512, 512), (1, 2), "c8"),
    ("c2c 16 of 512 x 512, f64", (16, 512, 512), (1, 2), "c16"),
    ("c2c 4096 rows of 1024, f32", (4096, 1024), (1,), "c8"),
    ("c2c 10^6 + 3 (prime), f64", (1_000_003,), (0,), "c16"),
    ("r2c 2^20, f64", (1 << 20,), (0,), "f8"),
    ("r2c 16 of 512 x 512, f64", (16, 512, 512), (1, 2), "f8"),
    ("c2c 128^3, f32", (128, 128, 128), (0, 1, 2), "c8"),
]


def shortest(calls, runs=12):
    """Of each call, which take turns."""
    best = [float("inf")] * len(calls)
    for run in range(runs + 2):
        for k, call in enumerate(calls):
            begin = time.perf_counter()
            call()
            if run >= 2:
                best[k] = min(best[k], time.perf_counter() - begin)
    return best


def microseconds(call, repeats=2000):
    call()
    begin = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - begin) / repeats * 1e6


def main(device_id="cpu", only=""):
    rng = np.random.default_rng(0)
    cores = os.cpu_count()
    print(f"| row | {device_id}, ms | scipy.fft, {cores} workers, ms | times as fast |")
    print("|---|---|---|---|")
    with treadle.find_device(device_id) as device:
        stream = device.default_stream()
        for name, shape, axes, dtype in ROWS:
            if only not in name:
                continue
            host = rng.standard_normal(shape)
            if dtype[0] == "c":
                host = host + 1j * rng.standard_normal(shape)
            host = host.astype(dtype)
            function = "rfftn" if dtype[0] == "f" else "fftn"
            x, mine, theirs = (
                tnp.array(host),
                getattr(tnp.fft, function),
                getattr(scipy.fft, function),
            )

            def ours(x=x, transform=mine, axes=axes):
                tnp.evaluate(transform(x, axes=axes))
                stream.synchronize()

            def others(host=host, transform=theirs, axes=axes):
                transform(host, axes=axes, workers=cores)

            own, other = shortest([ours, others])
            print(f"| {name} | {own * 1e3:.2f} | {other * 1e3:.2f} | {other / own:.2f} |")
        x = tnp.ones(256, "c8")
        call = microseconds(lambda: tnp.evaluate(tnp.fft.fft(x)))
        recorded = microseconds(lambda: tnp.fft.fft(x))
        print(f"\nA call of 256 elements, queued: {call:.1f} us; recorded only: {recorded:.1f} us.")
    first_transforms(device_id)


FIRST = "first"
# As complex numbers: rows that generated kernels transform on a GPU, then some that cuFFT does.
LENGTHS = [((64, 4096), "c8"), ((99_991,), "c16"), ((100_000,), "c16"), ((64, 1000), "c8")]


def first_transforms(device_id):
    with tempfile.TemporaryDirectory() as cache:
        words = {**os.environ, "TREADLE_CACHE_DIR": cache}
        for heading in ("Nothing compiled", "Compiled by the process before"):
            print(f"\n{heading}:", flush=True)
            subprocess.run(
                [sys.executable, __file__, device_id, FIRST + "!"], env=words, check=True
            )


def first_of_this_process(device_id):
    with treadle.find_device(device_id) as device:
        stream = device.default_stream()
        tnp.evaluate(tnp.fft.fft(tnp.ones(8, "c8")))  # libraries are opened
        for shape, dtype in LENGTHS:
            y = tnp.ones(shape, dtype)
            tnp.evaluate(y)
            stream.synchronize()
            times = []
            for _ in range(2):
                begin = time.perf_counter()
                tnp.evaluate(tnp.fft.fft(y))
                stream.synchronize()
                times.append((time.perf_counter() - begin) * 1e3)
            print(
                f"first transform of {shape} {dtype}: {times[0]:.1f} ms; second: {times[1]:.2f} ms"
            )


if __name__ == "__main__":
    if sys.argv[2:] == [FIRST + "!"]:
        first_of_this_process(sys.argv[1])
    elif sys.argv[2:] == [FIRST]:
        first_transforms(sys.argv[1])
    else:
        main(*sys.argv[1:])
