#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Products, Fourier transforms and algorithms of arrays on a GPU, beside torch, CuPy, cuBLAS
called from C and CUB: gpu_libraries.py [DEVICE [WORD ...]]

DEVICE is cuda:0 unless said; rows whose names contain one of the words. All run in this process and
take turns: a figure is the median of nine rounds, each of as many calls as take 20 ms, with one
wait behind them. Each result is compared with a peer's or with NumPy's before it is timed. A peer
that is absent leaves its column empty. `--small` tries the rows anywhere.
"""

import ctypes
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle import scans

try:
    import torch
except ImportError:
    torch = None
try:
    import cupy
except ImportError:
    cupy = None

SMALL = "--small" in sys.argv
ROUNDS, ROUND_S = (2, 0.001) if SMALL else (9, 0.02)
GENERATED = "generated product"
ON_GPU = torch is not None and torch.cuda.is_available()


def size(large, small):
    return small if SMALL else large


def torch_of(x):
    return torch.from_numpy(x).cuda() if ON_GPU else None


class CublasFromC:
    """Products of square matrices in row-major order by cublasGemmEx, which torch has loaded."""

    TYPES = {"f2": (2, 68, 2), "f4": (0, 68, 4), "f8": (1, 70, 8)}  # data, compute, bytes

    def __init__(self):
        self.library = ctypes.CDLL("libcublas.so.13")
        self.handle = ctypes.c_void_p()
        assert self.library.cublasCreate_v2(ctypes.byref(self.handle)) == 0

    def product(self, a, b, kind):
        data, compute, _ = self.TYPES[kind]
        n, out = a.shape[0], torch.empty_like(a)
        scalar = ctypes.c_double if kind == "f8" else ctypes.c_float
        one, zero = scalar(1), scalar(0)

        def operand(x):
            return ctypes.c_void_p(x.data_ptr()), data, n

        words = (self.handle, 0, 0, n, n, n, ctypes.byref(one), *operand(b), *operand(a),
                 ctypes.byref(zero), *operand(out), compute, -1)  # fmt: skip

        def call():
            assert self.library.cublasGemmEx(*words) == 0
            return out

        return call


class Cub:
    """CUB's algorithms on torch's memory; a call of a method is one run, a result of torch's."""

    def __init__(self):
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        source = pathlib.Path(__file__).parent / "kernels/cub_algorithms.cu"
        made = pathlib.Path(tempfile.mkdtemp(prefix="bench-cub-")) / "libcub.so"
        options = ("-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler", "-fPIC")
        subprocess.run([nvcc, *options, source, "-o", made], check=True)
        self.library = ctypes.CDLL(str(made))

    def run(self, name, result, *arguments):
        """What calls one of its functions and returns a result."""
        words = [
            ctypes.c_void_p(x.data_ptr()) if isinstance(x, torch.Tensor) else x for x in arguments
        ]
        function = getattr(self.library, f"cub_{name}")

        def call(keep=arguments):
            if error := function(*words):
                raise RuntimeError(f"CUDA error {error} of CUB")
            return result

        return call


def made_cub():
    try:
        return Cub() if ON_GPU else None
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"CUB is absent: {error}")
        return None


def products():
    """Name, ours, and the peers by name; a call makes a result."""
    cublas = CublasFromC() if ON_GPU else None
    for kind, n in [("f4", size(4096, 64)), ("f8", size(4096, 64)), ("f2", size(4096, 64)),
                    ("f4", size(1024, 32)), ("f4", size(256, 16))]:  # fmt: skip
        x, y = (np.random.default_rng(k).random((n, n)).astype(kind) for k in (0, 1))
        a, b = tnp.array(x), tnp.array(y)
        peers = {}
        if ON_GPU:
            ta, tb = torch_of(x), torch_of(y)
            peers["torch"] = lambda ta=ta, tb=tb: ta @ tb
            peers["cuBLAS from C"] = cublas.product(ta, tb, kind)
        if cupy:
            ca, cb = cupy.asarray(x), cupy.asarray(y)
            peers["CuPy"] = lambda ca=ca, cb=cb: ca @ cb
        yield f"a @ b, {kind}, {n}", lambda a=a, b=b: a @ b, peers
    n = size(4096, 64)
    x, y, z = (np.random.default_rng(k).standard_normal((n, n)).astype("f2") for k in range(3))
    a, b, c = tnp.array(x), tnp.array(y), tnp.array(z[0])
    peers = {}
    if ON_GPU:
        ta, tb, tc = torch_of(x), torch_of(y), torch_of(z[0])
        peers["torch"] = lambda: torch.relu(ta @ tb + tc)
        compiled = torch.compile(lambda p, q, r: torch.relu(p @ q + r))
        peers["torch.compile"] = lambda: compiled(ta, tb, tc)
    yield f"relu(a @ b + c), f2, {n}", lambda: tnp.maximum(a @ b + c, 0), peers


def generated_products():
    n = size(4096, 64)
    x, y = (np.random.default_rng(k).random((n, n)).astype("f4") for k in (0, 1))
    a, b = tnp.array(x), tnp.array(y)
    peers = {}
    if ON_GPU:
        ta, tb = torch_of(x), torch_of(y)
        peers["torch"] = lambda: ta @ tb
    yield f"{GENERATED}, f4, {n}", lambda: a @ b, peers


def transforms():
    elements = size(1 << 27, 1 << 12)  # of 8 bytes
    lengths = (256, 1000, 1024, 2048, 4096, 8192, 16384, 1 << 20)
    shapes = [(max(1, elements // length), length) for length in lengths]
    for shape in [*shapes, (size(256, 8),) * 3]:
        axes = (0, 1, 2) if len(shape) == 3 else (1,)
        rng = np.random.default_rng(0)
        x = (rng.random(shape, "f4") + 1j * rng.random(shape, "f4")).astype("c8")
        a = tnp.array(x)
        peers = {}
        if ON_GPU:
            t = torch_of(x)
            peers["torch"] = lambda t=t, axes=axes: torch.fft.fftn(t, dim=axes)
        name = " x ".join(map(str, shape))
        yield f"fft c2c f4, {name}", lambda a=a, axes=axes: tnp.fft.fftn(a, axes=axes), peers
    x = np.random.default_rng(0).random((size(16384, 4), 4096), "f4")
    a = tnp.array(x)
    peers = {}
    if ON_GPU:
        t = torch_of(x)
        peers["torch"] = lambda: torch.fft.rfft(t)
    yield "fft r2c f4, rows of 4096", lambda: tnp.fft.rfft(a), peers


def algorithms():
    n = size(1 << 28, 1 << 12)
    x = np.random.default_rng(0).random(n, "f4")
    k = np.random.default_rng(0).integers(0, 2**31, n, "i4")
    b = k.astype("u1")
    a, ka, b8 = map(tnp.array, (x, k, b))
    t, kt, bt = map(torch_of, (x, k, b))
    rng = treadle.random.default_rng(1)
    half, unsigned = ka.astype("i2"), ka.view("u4")
    lengths = [size(length, length // 16) for length in (16, 64, 1024, 16384)]
    offsets = {length: np.arange(0, n + 1, length, dtype="i4") for length in lengths}
    rows = [
        ("cumsum f4", lambda: tnp.cumsum(a), lambda: torch.cumsum(t, 0)),
        ("cumsum i2", lambda: tnp.cumsum(half, dtype="i2"), None),
        ("x[x > .5]", lambda: a[a > 0.5], lambda: t[t > 0.5]),
        ("sort f4", lambda: tnp.sort(a), lambda: torch.sort(t)[0]),
        ("sort u4", lambda: tnp.sort(unsigned), None),
        ("argsort u4", lambda: tnp.argsort(unsigned), None),
        ("argsort f4", lambda: tnp.argsort(a), lambda: torch.argsort(t)),
        (
            "histogram 256 bins, range (0, 1)",
            lambda: tnp.histogram(a, 256, (0, 1))[0],
            lambda: torch.histc(t, 256, 0, 1),
        ),
        ("bincount u1", lambda: tnp.bincount(b8), lambda: torch.bincount(bt)),
        ("median f4", lambda: tnp.median(a), lambda: torch.median(t)),
        (
            "uniform f4",
            lambda: rng.random(n, dtype="f4"),
            lambda: torch.rand(n, device="cuda"),
        ),
        (
            "normal f4",
            lambda: rng.standard_normal(n, dtype="f4"),
            lambda: torch.randn(n, device="cuda"),
        ),
        ("copy", lambda: a.copy(), lambda: t.clone()),
    ]
    for length in lengths:
        at = tnp.array(offsets[length])
        ours = lambda at=at: scans.segmented_reduce(a, at)  # noqa: E731
        rows.append((f"sums of segments of {length}", ours, None))
    cub, from_cub = made_cub(), {}
    if cub:
        floats, words, shorts = torch.empty_like(t), torch.empty_like(kt), kt.to(torch.int16)
        counts = torch.empty(256, dtype=torch.int32, device="cuda")
        order = torch.arange(n, dtype=torch.int32, device="cuda")
        sorted_order, short_sums = torch.empty_like(order), torch.empty_like(shorts)
        from_cub = {
            "cumsum f4": cub.run("scan_f4", floats, t, floats, n),
            "cumsum i2": cub.run("scan_i2", short_sums, shorts, short_sums, n),
            "x[x > .5]": cub.run("select", floats, t, floats, counts, n),
            "sort u4": cub.run("sort_u4", words, kt, words, n),
            "argsort u4": cub.run("sort_pairs_u4", words, kt, words, order, sorted_order, n),
            "histogram 256 bins, range (0, 1)": cub.run("histogram_f4", counts, t, counts, 256, n),
        }
        for length in lengths:
            at = torch_of(offsets[length])
            made = torch.empty(len(at) - 1, dtype=torch.float32, device="cuda")
            name = f"sums of segments of {length}"
            from_cub[name] = cub.run("segment_sums_f4", made, t, made, at, len(at) - 1)
    for name, ours, theirs in rows:
        peers = {"torch": theirs} if ON_GPU and theirs else {}
        yield name, ours, peers | ({"CUB": from_cub[name]} if name in from_cub else {})


def result_of(made):
    return made.get() if isinstance(made, treadle.Array) else made.cpu().numpy()


def check(name, ours, peers):
    """Compares what is no random number."""
    if "torch" not in peers or name.startswith(("uniform", "normal", "argsort", "median")):
        return
    found, expected = result_of(ours()), result_of(peers["torch"]())
    found, expected = found.ravel()[:1_000_000], expected.ravel()[:1_000_000]
    scale = np.abs(expected.astype("c16" if expected.dtype.kind == "c" else "f8")).max()
    error = np.abs(found.astype("c16") - expected.astype("c16")).max() / scale
    assert error < (2e-2 if "f2" in name else 1e-4), (name, error)


def timed(calls, wait):
    """Seconds of a call: medians of rounds, in which they take turns."""
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
                made = call()
            wait()
            spent.append((time.perf_counter() - begin) / count)
            del made
    return [statistics.median(spent) for spent in times]


def queued(call, wait, repeats=300):
    """Microseconds of the host until a call has been queued: the least of five."""
    call()
    wait()
    least = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        made = [call() for _ in range(repeats)]
        least = min(least, time.perf_counter() - begin)
        wait()
        del made
    return least / repeats * 1e6


def waiting(device):
    stream = device.default_stream()

    def wait():
        stream.synchronize()
        if ON_GPU:
            torch.cuda.synchronize()

    return wait


def show(rows, words, wait):
    for name, ours, peers in rows:
        if words and not any(word in name for word in words):
            continue

        def evaluated(ours=ours):
            made = ours()
            tnp.evaluate(made)
            return made

        try:
            check(name, evaluated, peers)
            own, *others = timed([evaluated, *peers.values()], wait)
        except Exception as error:  # noqa: BLE001  # the other rows are measured all the same
            print(f"| {name} | failed: {str(error).splitlines()[0][:120]} | |", flush=True)
            continue
        pairs = zip(peers, others, strict=True)
        texts = [f"{peer} {one * 1e3:.3f} ({one / own:.2f})" for peer, one in pairs]
        print(f"| {name} | {own * 1e3:.3f} | {'; '.join(texts)} |", flush=True)


def show_queued(words, wait):
    if words and "queued" not in words:
        return
    x = np.random.default_rng(0).random((256, 256)).astype("f4")
    row = x.ravel()[:1000].copy()
    a, r, t, tr = tnp.array(x), tnp.array(row), torch_of(x), torch_of(row)
    z = tnp.array(x[0].astype("c8"))
    calls = {
        "a + b of 1000": (lambda: r + r, lambda: tr + tr),
        "a @ b, f4, 256": (lambda: a @ a, lambda: t @ t),
        "cumsum of 1000": (lambda: tnp.cumsum(r), lambda: torch.cumsum(tr, 0)),
        "sort of 1000": (lambda: tnp.sort(r), lambda: torch.sort(tr)),
        "sum of 1000": (lambda: r.sum(), lambda: tr.sum()),
        "fft of 256": (lambda: tnp.fft.fft(z), None),
    }
    for name, (ours, theirs) in calls.items():

        def evaluated(ours=ours):
            made = ours()
            tnp.evaluate(made)
            return made

        text = f"torch {queued(theirs, wait):.1f}" if ON_GPU and theirs else ""
        print(f"| queued: {name}, us of the host | {queued(evaluated, wait):.1f} | {text} |")


def main():
    words = [word for word in sys.argv[1:] if word != "--small"]
    with treadle.find_device(words[0] if words else "cuda:0") as device:
        wait, words = waiting(device), words[1:]
        if words == [GENERATED]:
            show(generated_products(), [], wait)
            return
        print(f"{device.name}; torch {getattr(torch, '__version__', 'absent')}\n")
        print("| row | ours, ms | peers, ms (times as fast are we) |\n|---|---|---|", flush=True)
        show_queued(words, wait)
        for rows in (products, transforms, algorithms):
            show(rows(), words, wait)
        if not words:
            off = {**os.environ, "TREADLE_LIBRARIES": "blas=off,cublas=off"}
            command = [sys.executable, __file__, device.id, GENERATED]
            subprocess.run([*command, *(["--small"] if SMALL else [])], env=off, check=True)


if __name__ == "__main__":
    main()
