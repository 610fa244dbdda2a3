#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Products of sparse matrices, conversions and conjugate gradients beside SciPy and, on a GPU,
cuSPARSE through CuPy and torch: sparse_matrices.py [DEVICE] [--small] [--seconds S]

All run in this process and take turns; a figure is the median of rounds, each with one wait behind
it. A result is compared with SciPy's before it is timed. GB/s are of the bytes that the format has
to read, and of both vectors once. A peer that is absent, or fails, leaves its column empty; what
had no time is left out, and named.
"""

import functools
import inspect
import statistics
import sys
import time

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

import treadle
import treadle.numpy as tnp
from treadle import sparse
from treadle.sparse import linalg

try:
    import torch
except ImportError:
    torch = None
try:
    import cupy
    import cupyx.scipy.sparse
    import cupyx.scipy.sparse.linalg
except ImportError:
    cupy = None

SMALL = "--small" in sys.argv
SECONDS = float(sys.argv[sys.argv.index("--seconds") + 1]) if "--seconds" in sys.argv else 130.0
ROUNDS, ROUND_S = (3, 0.002) if SMALL else (7, 0.01)
STARTED = time.monotonic()
ON_GPU = False


def left():
    return SECONDS - (time.monotonic() - STARTED)


# Matrices.


@functools.cache
def stencil(n, axes, points):
    """A Laplacian: the neighbours along axes, or all of the cube around a point."""
    shape = (n,) * axes
    size = n**axes
    places = np.arange(size).reshape(shape)
    rows, columns, data = [], [], []
    for shift in np.ndindex(*(3,) * axes):
        shift = np.array(shift) - 1
        if points == 2 * axes + 1 and np.abs(shift).sum() > 1:
            continue
        here = tuple(slice(max(0, -s), n - max(0, s)) for s in shift)
        there = tuple(slice(max(0, s), n - max(0, -s)) for s in shift)
        rows.append(places[here].ravel())
        columns.append(places[there].ravel())
        weight = points - 1.0 if not shift.any() else -1.0
        data.append(np.full(rows[-1].size, weight))
    # Shifts go up, so a stable order by rows has columns in order.
    rows, columns, data = map(np.concatenate, (rows, columns, data))
    return scipy.sparse.csr_array((data, (rows, columns)), shape=(size, size))


def banded(n, width):
    generator = np.random.default_rng(2)
    offsets = np.arange(-width, width + 1)
    data = generator.uniform(0.5, 1.5, (offsets.size, n))
    return scipy.sparse.dia_array((data, offsets), shape=(n, n)).tocsr()


def recursive(scale, edges):
    """R-MAT: a graph whose vertices have very different numbers of neighbours."""
    generator = np.random.default_rng(3)
    rows, columns = np.zeros(edges, np.int64), np.zeros(edges, np.int64)
    for _ in range(scale):
        draw = generator.random(edges)
        rows = 2 * rows + (draw >= 0.76)
        columns = 2 * columns + (((draw >= 0.57) & (draw < 0.76)) | (draw >= 0.95))
    data = generator.random(edges) + 0.5
    return scipy.sparse.csr_array((data, (rows, columns)), shape=(1 << scale,) * 2)


def matrices():
    yield "7 points", lambda: stencil(20 if SMALL else 128, 3, 7)
    yield "R-MAT", lambda: recursive(10 if SMALL else 19, 8000 if SMALL else 6_000_000)
    yield "banded, 21", lambda: banded(1000 if SMALL else 500_000, 10)
    yield "27 points", lambda: stencil(10 if SMALL else 80, 3, 27)


# Peers.


def wait():
    treadle.current_stream().synchronize()
    if ON_GPU:
        (cupy.cuda.Device() if cupy else torch.cuda).synchronize()


def timed(calls):
    """Seconds of a call each: medians of rounds, in which they take turns."""
    counts, times = [], [[] for _ in calls]
    for call in calls:
        call()
        wait()
        begin = time.perf_counter()
        call()
        wait()
        counts.append(max(1, min(200, int(ROUND_S / (time.perf_counter() - begin)))))
    for _ in range(ROUNDS):
        for call, count, spent in zip(calls, counts, times, strict=True):
            begin = time.perf_counter()
            for _ in range(count):
                call()
            wait()
            spent.append((time.perf_counter() - begin) / count)
    return [statistics.median(spent) for spent in times]


def of_cusparse(a, x, ways):
    """Products by cuSPARSE, which has several ways: a name and a call for each."""
    from cupy._core import _dtype
    from cupy.cuda import device
    from cupy_backends.cuda.libs import cusparse as library
    from cupyx import cusparse

    handle, kind = device.get_cusparse_handle(), _dtype.to_cuda_dtype(a.dtype)
    one, zero, y = np.array(1, a.dtype), np.array(0, a.dtype), cupy.empty_like(x)
    matrix = cusparse.SpMatDescriptor.create(a)
    operand, result = (cusparse.DnVecDescriptor.create(v) for v in (x, y))
    for name, way in ways:
        words = (
            *(handle, library.CUSPARSE_OPERATION_NON_TRANSPOSE, one.ctypes.data, matrix.desc),
            *(operand.desc, zero.ctypes.data, result.desc, kind, way),
        )
        memory = cupy.empty(max(1, library.spMV_bufferSize(*words)), cupy.int8)

        def call(words=words, memory=memory):
            library.spMV(*words, memory.data.ptr)
            return y

        yield f"cuSPARSE {name}", call


def peers_of(a, x):
    """A name and a call for each product that somebody else makes."""
    if not ON_GPU:
        yield "SciPy", lambda: a @ x
        return
    if cupy is not None:
        there, vector = cupyx.scipy.sparse.csr_matrix(scipy.sparse.csr_matrix(a)), cupy.asarray(x)
        try:
            ways = (("CSR", 0), ("CSR 1", 2), ("CSR 2", 3))
            yield from of_cusparse(there, vector, ways)
            yield from of_cusparse(there.tocoo(), vector, (("COO", 0), ("COO 2", 4)))
        except Exception as error:  # its inner functions are not promised to stay
            print(f"<!-- cuSPARSE by its own calls: {error!r} -->")
        yield "CuPy", lambda: there @ vector
    if torch is not None:
        parts = (torch.from_numpy(np.ascontiguousarray(p)) for p in (a.indptr, a.indices, a.data))
        rows = torch.sparse_csr_tensor(*parts, size=a.shape).cuda()
        beside = torch.from_numpy(x).cuda()
        yield "torch", lambda: rows @ beside


def forms_of(ours, name):
    """This matrix in the formats that suit it."""
    yield "csr", ours
    wanted = {
        "7 points": ("dia", "stencil", "ell", "sell"),
        "27 points": ("dia", "stencil", "sell"),
        "banded, 21": ("dia", "sell"),
        "R-MAT": ("by length", "hyb", "sell"),
    }[name]
    for form in wanted:
        try:
            yield form, ours.by_length() if form == "by length" else ours.asformat(form)
        except treadle.Error as error:
            print(f"<!-- {name} as {form}: {error} -->")


def on_host(x):
    if torch is not None and isinstance(x, torch.Tensor):
        return x.cpu().numpy()
    return x.get() if hasattr(x, "get") else x


def evaluated(matrix, x):
    def call():
        made = matrix @ x
        tnp.evaluate(made)
        return made

    return call


def products():
    print(
        "| matrix | dtype | ours | ms | GB/s | best peer | its ms | of it | cuSPARSE CSR of ours |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, make in matrices():
        if left() < 45:
            print(f"<!-- {name}: no time -->")
            continue
        whole = make()
        for kind in ("f8", "f4"):
            a = whole.astype(kind)
            a.sort_indices()
            a.indices, a.indptr = a.indices.astype(np.int32), a.indptr.astype(np.int32)
            x = np.random.default_rng(1).random(a.shape[1]).astype(kind)
            expected = a @ x
            bound = (abs(a) @ abs(x)) * (1e-13 if kind == "f8" else 1e-5) + 1e-30
            calls, sizes = {}, {}
            for form, matrix in forms_of(sparse.csr_array(a), name):
                calls[form] = evaluated(matrix, tnp.array(x))
                sizes[form] = matrix.nbytes + x.nbytes + expected.nbytes
            own = list(calls)
            for peer, call in peers_of(a, x):
                calls[peer] = call
            for form, call in list(calls.items()):
                try:
                    wrong = np.abs(on_host(call()).ravel() - expected) > bound
                except Exception as error:
                    print(f"<!-- {name} {kind} {form}: {error!r} -->")
                    del calls[form]
                    continue
                if wrong.any():
                    print(f"<!-- {name} {kind} {form}: {wrong.sum()} elements are wrong -->")
                    del calls[form]
            spent = dict(zip(calls, timed(list(calls.values())), strict=True))
            others = {form: s for form, s in spent.items() if form not in own}
            best = min(others, key=others.get) if others else ""
            rows = [s for form, s in others.items() if form.startswith("cuSPARSE CSR")]
            for form in own:
                if form not in spent:
                    continue
                seconds = spent[form]
                beside = f"{best} | {others[best] * 1e3:.3f} | {others[best] / seconds:.2f}"
                vendor = f"{min(rows) / seconds:.2f}" if rows else ""
                print(
                    f"| {name} {a.shape[0]:,} rows, {a.nnz:,} | {kind} | {form} "
                    f"| {seconds * 1e3:.3f} | {sizes[form] / seconds / 1e9:.0f} "
                    f"| {beside if others else ' | | '} | {vendor} |",
                    flush=True,
                )


def conversions():
    print("\n| from CSR to | ms | products of that CSR |\n|---|---|---|")
    a = sparse.csr_array(stencil(20 if SMALL else 128, 3, 7))
    x = tnp.ones(a.shape[1])
    product = timed([evaluated(a, x)])[0]
    for form in ("ell", "hyb", "dia", "sell", "stencil", "transposed", "csc"):
        if left() < 20:
            print(f"<!-- {form}: no time -->")
            break

        def convert(form=form):
            made = a.T if form == "transposed" else a.asformat(form)
            tnp.evaluate(made.data if hasattr(made._matrix, "data") else x)

        try:
            spent = []
            for _ in range(3):
                wait()
                begin = time.perf_counter()
                convert()
                wait()
                spent.append(time.perf_counter() - begin)
        except treadle.Error as error:
            print(f"<!-- {form}: {error} -->")
            continue
        print(f"| {form} | {min(spent) * 1e3:.2f} | {min(spent) / product:.0f} |", flush=True)


def by_cupy(a, b, tolerance):
    solve = cupyx.scipy.sparse.linalg.cg
    word = "rtol" if "rtol" in inspect.signature(solve).parameters else "tol"
    matrix = cupyx.scipy.sparse.csr_matrix(scipy.sparse.csr_matrix(a))
    inverse = cupyx.scipy.sparse.diags(1 / cupy.asarray(a.diagonal())).tocsr()
    right = cupy.asarray(b)

    def call():
        seen = []
        x, _ = solve(matrix, right, M=inverse, callback=lambda _: seen.append(1),
                     **{word: tolerance})  # fmt: skip
        return x, len(seen)

    return call


def by_scipy(a, b, tolerance):
    inverse = scipy.sparse.diags_array(1 / a.diagonal()).tocsr()

    def call():
        seen = []
        x, _ = scipy.sparse.linalg.cg(a, b, rtol=tolerance, M=inverse,
                                      callback=lambda _: seen.append(1))  # fmt: skip
        return x, len(seen)

    return call


def solutions():
    print(
        "\n| CG, Jacobi, float64 | format | iterations | us an iteration | GB/s | peer's | of it |"
    )
    print("|---|---|---|---|---|---|---|")
    sizes = [(32, 2), (60, 2)] if SMALL else [(32, 2), (100, 2), (316, 2), (64, 3), (128, 3)]
    for n, axes in sizes:
        if left() < 15:
            print(f"<!-- {n}^{axes}: no time -->")
            break
        a = stencil(n, axes, 2 * axes + 1)
        scale = scipy.sparse.diags_array(np.random.default_rng(0).uniform(0.5, 2, n**axes))
        a = (scale @ a @ scale).tocsr()
        b, tolerance = np.random.default_rng(1).random(a.shape[0]), 1e-8
        peer = by_cupy if ON_GPU and cupy is not None else by_scipy
        calls = {"peer": peer(a, b, tolerance)}
        for form in ("csr", "dia"):
            matrix, right = sparse.csr_array(a).asformat(form), tnp.array(b)
            M = linalg.jacobi(matrix)
            calls[form] = lambda matrix=matrix, right=right, M=M, tolerance=tolerance: linalg.cg(
                matrix, right, rtol=tolerance, M=M, check_every=20
            )
        best, counts = dict.fromkeys(calls, float("inf")), {}
        for turn in range(4):
            for form, call in calls.items():
                wait()
                begin = time.perf_counter()
                x, info = call()
                wait()
                counts[form] = info if form == "peer" else info.iterations
                if turn > 0:
                    spent = time.perf_counter() - begin
                    best[form] = min(best[form], spent / counts[form] * 1e6)
                elif (bad := np.linalg.norm(b - a @ on_host(x)) / np.linalg.norm(b)) > 1.1e-8:
                    print(f"<!-- {n}^{axes} {form}: residual {bad:.2e} -->")
            if left() < 8:
                break
        least = 12 * a.nnz + 100 * a.shape[0]
        for form in ("csr", "dia"):
            print(
                f"| {n}^{axes} | {form} | {counts[form]} | {best[form]:.1f} "
                f"| {least / best[form] / 1e3:.0f} | {best['peer']:.1f} ({counts['peer']}) "
                f"| {best['peer'] / best[form]:.2f} |",
                flush=True,
            )


def main(device_id="cpu"):
    global DEVICE, ON_GPU
    DEVICE = treadle.find_device(device_id)
    ON_GPU = device_id.startswith("cuda") and (
        (cupy is not None and cupy.is_available())
        or (torch is not None and torch.cuda.is_available())
    )
    print(
        f"{device_id}; numpy {np.__version__}, scipy {scipy.__version__}, "
        f"cupy {getattr(cupy, '__version__', '-')}, torch {getattr(torch, '__version__', '-')}\n"
    )
    with DEVICE:
        solutions()
        print()
        products()
        conversions()
    print(f"\n{time.monotonic() - STARTED:.0f} s")


if __name__ == "__main__":
    words = [w for k, w in enumerate(sys.argv[1:], 1)
             if not w.startswith("--") and sys.argv[k - 1] != "--seconds"]  # fmt: skip
    main(*words)
