#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Products and decompositions of matrices on the CPU device beside NumPy: linalg.py [ROW].

Both compute in this process, in turns; of several runs the shortest counts, by the clock and by the
time of processors, of all threads together: on a busy machine that tells more. The generated
product has a process of its own, in which Treadle finds no BLAS.
"""

import os
import subprocess
import sys
import time

import numpy as np

import treadle
import treadle.numpy as tnp

GENERATED = "generated product"


def draw(*shape, dtype="f8"):
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


def definite(x):
    return x @ np.swapaxes(x, -1, -2) + x.shape[-1] * np.eye(x.shape[-1], dtype=x.dtype)


def products():
    for dtype in ("f4", "f8"):
        x, y = draw(2048, 2048, dtype=dtype), draw(2048, 2048, dtype=dtype)
        yield f"a @ b, {dtype}, 2048", (x, y), lambda xp, a, b: a @ b
    x, y, bias = draw(1024, 1024, dtype="f4"), draw(1024, 1024, dtype="f4"), draw(1024, dtype="f4")
    yield (
        "maximum(a @ b + c, 0), f4, 1024",
        (x, y, bias),
        lambda xp, a, b, c: xp.maximum(a @ b + c, 0),
    )
    yield "2 * (a @ b), f4, 1024", (x, y), lambda xp, a, b: 2 * (a @ b)


def decompositions():
    calls = {
        "solve": lambda xp, a, b: xp.linalg.solve(a, b),
        "inv": lambda xp, a, b: xp.linalg.inv(a),
        "det": lambda xp, a, b: xp.linalg.det(a),
        "cholesky": lambda xp, a, b: xp.linalg.cholesky(b),
        "qr": lambda xp, a, b: xp.linalg.qr(a)[1],
        "svd": lambda xp, a, b: xp.linalg.svd(a)[1],
        "svdvals": lambda xp, a, b: xp.linalg.svdvals(a),
        "eigh": lambda xp, a, b: xp.linalg.eigh(b)[0],
        "eigvals": lambda xp, a, b: xp.linalg.eigvals(a),
        "pinv": lambda xp, a, b: xp.linalg.pinv(a),
    }
    for shape in ((1000, 1000), (10_000, 8, 8), (100, 200, 200)):
        a = draw(*shape)
        b = definite(a)
        for name, call in calls.items():
            if len(shape) == 2 and name in ("det", "eigvals", "pinv"):
                continue  # beyond float64, and seconds
            yield f"{name}, f8, {' x '.join(map(str, shape))}", (a, b), call


def generated():
    for dtype in ("f4", "f8"):
        x, y = draw(2048, 2048, dtype=dtype), draw(2048, 2048, dtype=dtype)
        yield f"{GENERATED}, {dtype}, 2048, beside OpenBLAS", (x, y), lambda xp, a, b: a @ b


def shortest(calls, seconds=3.0):
    """Of each call, by the clock and of processors; they take turns. OpenBLAS's threads spin behind
    each."""
    best = [(float("inf"), float("inf"))] * len(calls)
    turns, began = 0, time.perf_counter()
    while turns < 4 or (time.perf_counter() - began < seconds and turns < 40):
        for k, call in enumerate(calls):
            time.sleep(0.15)
            begin = time.perf_counter(), time.process_time()
            call()
            ended = time.perf_counter(), time.process_time()
            if turns >= 1:
                best[k] = tuple(min(best[k][i], ended[i] - begin[i]) for i in range(2))
        turns += 1
    return best


def measure(rows, only):
    with treadle.find_device("cpu") as device:
        stream = device.default_stream()
        for name, operands, call in rows:
            if only not in name:
                continue
            mine = [tnp.array(x) for x in operands]

            def ours(mine=mine, call=call):
                tnp.evaluate(call(tnp, *mine))
                stream.synchronize()

            def others(operands=operands, call=call):
                call(np, *operands)

            found, expected = call(tnp, *mine).get(), call(np, *operands)
            if expected.dtype.kind == "c":  # eigenvalues: their order is how rounding has it
                found, expected = np.sort(abs(found)), np.sort(abs(expected))
            error = abs(found - expected).max() / abs(expected).max()
            assert error < (1e-3 if expected.dtype.itemsize == 4 else 1e-6), (name, error)
            (own, own_used), (other, other_used) = shortest([ours, others])
            clock = f"{own * 1e3:.2f} | {other * 1e3:.2f} | {other / own:.2f}"
            print(
                f"| {name} | {clock} | {own_used * 1e3:.1f} | {other_used * 1e3:.1f} |", flush=True
            )


def main(only=""):
    if only.startswith(GENERATED):
        measure(generated(), only)
        return
    print(f"Load {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores, NumPy {np.__version__}.\n")
    print("| row | cpu, ms | NumPy, ms | times as fast | of processors, ms | NumPy's |")
    print("|---|---|---|---|---|---|", flush=True)
    measure([*products(), *decompositions()], only)
    if not only:
        libraries = {**os.environ, "TREADLE_LIBRARIES": "blas=off"}
        subprocess.run([sys.executable, __file__, GENERATED], env=libraries, check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
