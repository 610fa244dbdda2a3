#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fourier transforms of arrays beside scipy.fft on all cores: fft.py [DEVICE [ROW]].

Both compute in this process, in turns; of several runs the shortest counts.
"""

import os
import sys
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
        for length in (99_991, 100_000):
            y = tnp.ones(length, "c16")
            tnp.evaluate(y)
            times = []
            for _ in range(2):
                begin = time.perf_counter()
                tnp.evaluate(tnp.fft.fft(y))
                stream.synchronize()
                times.append((time.perf_counter() - begin) * 1e3)
            print(f"First transform of {length}: {times[0]:.1f} ms; second: {times[1]:.1f} ms.")


if __name__ == "__main__":
    main(*sys.argv[1:])
