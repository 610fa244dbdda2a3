#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Conjugate gradients beside SciPy and an OpenMP loop that g++ compiles: sparse_solvers.py [DEVICE]

All solve the same systems with Jacobi's preconditioner in this process, in turns; of several runs
the shortest counts. The host looks every ten iterations.
"""

import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

import treadle
from treadle import sparse
from treadle.sparse import linalg

SOURCE = pathlib.Path(__file__).parent / "kernels" / "openmp_cg.cpp"
# Name, unknowns along each axis, axes, relative tolerance.
ROWS = [
    ("5 points, 32^2", 32, 2, 1e-8),
    ("5 points, 100^2", 100, 2, 1e-8),
    ("5 points, 320^2", 320, 2, 1e-6),
    ("7 points, 64^3", 64, 3, 1e-8),
    ("7 points, 100^3", 100, 3, 1e-8),
]


def poisson(n, axes):
    """The Laplacian, scaled at random, so that Jacobi's preconditioner has something to do."""
    line = scipy.sparse.diags_array(
        [-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1]
    )
    matrix = line
    for _ in range(axes - 1):
        matrix = scipy.sparse.kronsum(matrix, line)
    scale = scipy.sparse.diags_array(np.random.default_rng(0).uniform(0.5, 2, n**axes))
    return (scale @ matrix @ scale).tocsr()


def openmp(folder):
    library = pathlib.Path(folder) / "openmp_cg.so"
    flags = ("-O3", "-march=native", "-fopenmp", "-shared", "-fPIC")
    subprocess.run(["g++", *flags, str(SOURCE), "-o", str(library)], check=True)
    function = ctypes.CDLL(str(library)).openmp_cg
    function.restype = ctypes.c_int64
    return function


def address(x):
    return ctypes.c_void_p(x.ctypes.data)


def solve_by_openmp(function, matrix, b, tolerance):
    offsets = matrix.indptr.astype(np.int64)
    columns = matrix.indices.astype(np.int32)
    inverse, x = 1 / matrix.diagonal(), np.empty_like(b)
    wanted = tolerance * np.linalg.norm(b)
    arrays = (offsets, columns, matrix.data, inverse, b)

    def solve():
        size, limit = ctypes.c_int64(len(b)), ctypes.c_int64(100_000)
        count = function(size, *map(address, arrays), ctypes.c_double(wanted), limit, address(x))
        return x, count

    return solve


def solve_by_scipy(matrix, b, tolerance):
    inverse = scipy.sparse.diags_array(1 / matrix.diagonal()).tocsr()

    def solve():
        seen = []
        x, _ = scipy.sparse.linalg.cg(
            matrix, b, rtol=tolerance, M=inverse, callback=lambda _: seen.append(1)
        )
        return x, len(seen)

    return solve


def solve_by_treadle(matrix, b, tolerance, **options):
    a = sparse.csr_array(matrix)
    right, M = treadle.numpy.array(b), linalg.jacobi(a)

    def solve():
        x, info = linalg.cg(a, right, rtol=tolerance, M=M, check_every=10, **options)
        return x.get(), info.iterations

    return solve


def main(device_id="cpu"):
    load = os.getloadavg()[0]
    print(f"{device_id}, {os.cpu_count()} cores, load {load:.1f} at the beginning\n")
    print("| system | iterations | ours, us an iteration | OpenMP | of OpenMP | SciPy | of SciPy |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, treadle.find_device(device_id):
        function = openmp(folder)
        for name, n, axes, tolerance in ROWS:
            matrix = poisson(n, axes)
            b = np.random.default_rng(1).random(matrix.shape[0])
            calls = (
                solve_by_treadle(matrix, b, tolerance),
                solve_by_openmp(function, matrix, b, tolerance),
                solve_by_scipy(matrix, b, tolerance),
            )
            best, counts = [float("inf")] * 3, [0] * 3
            until = time.monotonic() + 6
            for turn in range(12):
                for k, call in enumerate(calls):
                    begin = time.perf_counter()
                    x, counts[k] = call()
                    taken = time.perf_counter() - begin
                    if turn > 0:
                        best[k] = min(best[k], taken / counts[k] * 1e6)
                    residual = np.linalg.norm(b - matrix @ x) / np.linalg.norm(b)
                    assert residual <= 1.05 * tolerance, (name, k, residual)
                if turn > 1 and time.monotonic() > until:
                    break
            ours, loop, theirs = best
            figures = f"{ours:.1f} | {loop:.1f} | {loop / ours:.2f} | {theirs:.1f}"
            print(f"| {name} | {counts[0]} | {figures} | {theirs / ours:.2f} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
