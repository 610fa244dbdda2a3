#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Selection, sorts, sets, counts and medians of arrays beside NumPy: algorithms.py [DEVICE [ROW]].

Both compute in this process, one after the other; of several runs the shortest counts.
"""

import sys
import time

import numpy as np

import treadle
import treadle.numpy as tnp

MANY, SOME = 1 << 24, 1 << 22


def shortest(call, runs):
    call()
    best = float("inf")
    for _ in range(runs):
        begin = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begin)
    return best * 1e3


def largest(m, x, k):
    """Of NumPy, which has no such function, a partition."""
    x = x.reshape(64, -1)
    return treadle.top_k(x, k) if m is tnp else m.partition(x, -k)


def rows(x, few, numbers):
    """Of each row its name, and a function of the module and the arrays."""
    return {
        "x[x > .5]": lambda m, v: v[x][v[x] > 0.5],
        "flatnonzero(x > .5)": lambda m, v: m.flatnonzero(v[x] > 0.5),
        "sort": lambda m, v: m.sort(v[x]),
        "argsort, stable, 2^22": lambda m, v: m.argsort(v[few], kind="stable"),
        "sort of 2048 rows, 2^22": lambda m, v: m.sort(v[few].reshape(2048, 2048)),
        "unique": lambda m, v: m.unique(v[x]),
        "searchsorted, 2^22 in 2^22": lambda m, v: m.searchsorted(m.sort(v[few]), v[few]),
        "bincount, 1000 bins, 2^22": lambda m, v: m.bincount(v[numbers]),
        "histogram, 100 bins": lambda m, v: m.histogram(v[x], 100, (0, 1)),
        "median": lambda m, v: m.median(v[x]),
        "top 32 of 64 rows, 2^22 (NumPy: partition)": lambda m, v: largest(m, v[few], 32),
    }


def main(device_id="cpu", only=""):
    rng = np.random.default_rng(0)
    theirs = [rng.random(MANY, "f4"), rng.random(SOME, "f4"), rng.integers(0, 1000, SOME)]
    print(
        f"| row | {device_id}, ms | NumPy {np.__version__}, ms | times as fast |\n|---|---|---|---|"
    )
    with treadle.find_device(device_id) as device:
        ours = [tnp.array(one) for one in theirs]

        def waited(function):
            made = function(tnp, ours)
            tnp.evaluate(*(made if isinstance(made, tuple) else (made,)))
            device.default_stream().synchronize()

        for name, function in rows(0, 1, 2).items():
            if only not in name:
                continue
            own = shortest(lambda f=function: waited(f), 4)
            other = shortest(lambda f=function: f(np, theirs), 3)
            print(f"| {name} | {own:.1f} | {other:.1f} | {other / own:.2f} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
