# SPDX-License-Identifier: MIT
"""The kernels that are timed: inputs, launch shape, work done, and the check against NumPy.

Every back end runs the same case through five operations (see `Device`), so that nothing but the
back end differs between two columns of the table.
"""

import dataclasses
import pathlib
import typing

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent / "kernels"

# Of OpenCL from Python, in the order of bare_calls.cpp.
COMMANDS = (
    "copy to the device",
    "copy to the host",
    "copy between buffers",
    "marker",
    "wait for a done event",
    "status of an event",
)


class Device(typing.Protocol):
    """The functions by which a worker runs a case."""

    def upload(self, array): ...
    def download(self, buffer, like): ...
    def function(self, file, name): ...
    def run(self, function, grid, block, shared, arguments):
        """Launches and waits."""


@dataclasses.dataclass(frozen=True)
class KernelCase:
    """One kernel on one input.

    `make` returns (arguments, expected): arrays are uploaded, argument `output` is the result, and
    `accept(result, expected)` is the check.
    """

    file: str
    name: str
    grid: tuple
    block: tuple
    make: typing.Callable
    output: int = 0
    shared: int = 0
    bytes: float = 0
    flops: float = 0
    single: bool = True  # which upper bound of arithmetic applies
    accept: typing.Callable = lambda result, expected: np.allclose(result, expected, rtol=1e-4)


class PreparedCase:
    """A case loaded onto a device: `run()` is timed."""

    def __init__(self, case, device):
        self.case = case
        self.device = device
        arguments, self.expected = case.make()
        self.like = arguments[case.output]
        self.arguments = [device.upload(a) if isinstance(a, np.ndarray) else a for a in arguments]
        self.function = device.function(case.file, case.name)

    def run(self):
        case = self.case
        self.device.run(self.function, case.grid, case.block, case.shared, self.arguments)

    def check(self):
        """Runs once on fresh input; returns whether the result is right."""
        self.run()
        result = self.device.download(self.arguments[self.case.output], self.like)
        return bool(self.case.accept(result, self.expected))


def random(*shape, dtype="f4"):
    return np.random.default_rng(11).random(shape).astype(dtype)


def make_saxpy():
    x, y = random(1 << 24), random(1 << 24)[::-1].copy()
    return [y, x, np.float32(0.5), np.int32(x.size)], np.float32(0.5) * x + y


def make_transcendental():
    x = random(1 << 24)
    return [np.zeros_like(x), x, np.int32(x.size)], np.sin(x) * np.exp(-x) + np.log(x + 1)


def make_matmul(n):
    a, b = random(n, n), random(n, n).T.copy()
    return [np.zeros_like(a), a, b, np.int32(n)], a @ b


def make_product():
    a, b = random(1024, 1024, dtype="f8"), random(1024, 1024, dtype="f8").T.copy()
    return [a, b, np.zeros_like(a)], a @ b


def make_sum(blocks):
    x = random(1 << 24)
    return [np.zeros(blocks, "f4"), x, np.int32(x.size)], x.sum(dtype="f8")


def make_stencil():
    a = random(4096, 4096)
    inner = a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1]
    expected = np.zeros_like(a)
    expected[1:-1, 1:-1] = np.float32(0.2) * inner
    return [np.zeros_like(a), a, np.int32(4096), np.int32(4096)], expected


def make_nbody():
    body = random(4096, 4)
    distance = body[None, :, :3] - body[:64, None, :3]
    squared = (distance**2).sum(-1) + 1e-3
    expected = (distance * (body[None, :, 3] / squared**1.5)[..., None]).sum(1)
    return [np.zeros_like(body), body, np.int32(4096)], expected


def make_histogram():
    data = np.random.default_rng(5).integers(0, 256, 1 << 24).astype("u1")
    return [np.zeros(256, "u4"), data, np.int32(data.size)], np.bincount(data, minlength=256)


def make_transpose():
    a = random(4096, 4096)
    return [np.zeros_like(a), a, np.int32(4096)], a.T


def make_scan():
    a = np.random.default_rng(5).integers(0, 9, 1 << 22).astype("i4")
    return [np.zeros_like(a), a], np.cumsum(a.reshape(-1, 256), 1, dtype="i4").reshape(-1)


def make_mandelbrot():
    out = np.zeros(1024 * 768, "i4")
    return [out, np.int32(1024), np.int32(768), np.int32(256)], 256


def sums_to(result, expected):
    return abs(result.sum(dtype="f8") / expected - 1) < 1e-4


CASES = {
    "product f64 1024": KernelCase(
        "product.cu", "product", (32, 32), (32, 32, 1), make_product, output=2,
        flops=2 * 1024**3, single=False,
    ),
    "saxpy 2^24": KernelCase(
        "bench.cu", "saxpy", (1 << 16, 1), (256, 1, 1), make_saxpy, bytes=12 << 24,
    ),
    "transcendental 2^24": KernelCase(
        "bench.cu", "transcendental", (1 << 16, 1), (256, 1, 1), make_transcendental,
        bytes=8 << 24,
    ),
    "matmul 512": KernelCase(
        "bench.cu", "matmul", (32, 32), (16, 16, 1), lambda: make_matmul(512), flops=2 * 512**3,
    ),
    "matmul 1024": KernelCase(
        "bench.cu", "matmul", (64, 64), (16, 16, 1), lambda: make_matmul(1024),
        flops=2 * 1024**3,
    ),
    "matmul 2048": KernelCase(
        "bench.cu", "matmul", (128, 128), (16, 16, 1), lambda: make_matmul(2048),
        flops=2 * 2048**3,
    ),
    "reduce 64 blocks": KernelCase(
        "bench.cu", "reduce", (64, 1), (256, 1, 1), lambda: make_sum(64), bytes=4 << 24,
        accept=sums_to,
    ),
    "reduce 1024 blocks": KernelCase(
        "bench.cu", "reduce", (1024, 1), (256, 1, 1), lambda: make_sum(1024), bytes=4 << 24,
        accept=sums_to,
    ),
    "stencil 4096^2": KernelCase(
        "bench.cu", "stencil", (128, 512), (32, 8, 1), make_stencil, bytes=8 << 24,
    ),
    "nbody 4096": KernelCase(
        "bench2.cu", "nbody", (16, 1), (256, 1, 1), make_nbody, shared=4096, flops=20 * 4096**2,
        accept=lambda result, expected: np.allclose(
            result[:64, :3], expected, rtol=2e-3, atol=1e-2
        ),
    ),
    "naive matmul 512": KernelCase(
        "bench2.cu", "naive_matmul", (32, 32), (16, 16, 1), lambda: make_matmul(512),
        flops=2 * 512**3,
    ),
    "histogram 2^24": KernelCase(
        "bench2.cu", "histogram", (64, 1), (256, 1, 1), make_histogram, bytes=1 << 24,
        accept=lambda result, expected: bool((result == expected).all()),
    ),
    "transpose 4096": KernelCase(
        "bench2.cu", "transpose", (128, 128), (32, 8, 1), make_transpose, bytes=8 << 24,
    ),
    "scan 2^22": KernelCase(
        "bench2.cu", "scan", (1 << 14, 1), (256, 1, 1), make_scan, bytes=8 << 22,
        accept=lambda result, expected: bool((result == expected).all()),
    ),
    "mandelbrot": KernelCase(
        "bench2.cu", "mandelbrot", (64, 48), (16, 16, 1), make_mandelbrot,
        accept=lambda result, expected: result.max() == expected,
    ),
    "shuffle sum": KernelCase(
        "bench2.cu", "shuffle_sum", (512, 1), (256, 1, 1), lambda: make_sum(512), bytes=4 << 24,
        accept=sums_to,
    ),
    "shuffle sum, __activemask()": KernelCase(
        "warps.cu", "active_sum", (8192, 1), (256, 1, 1), lambda: make_sum(8192), bytes=4 << 24,
        accept=sums_to,
    ),
}  # fmt: skip


def source(file):
    return (FOLDER / file).read_text()
