# SPDX-License-Identifier: MIT
"""pycuda.scan: InclusiveScanKernel and ExclusiveScanKernel."""

import sys
from pathlib import Path

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

sys.path.insert(0, str(Path(__file__).parent))
from gpuarray_values import CountingAllocator, same  # noqa: E402

pytestmark = pytest.mark.usefixtures("context")


def numbers(n, dtype=np.int32):
    return np.random.default_rng(n).integers(0, 100, n).astype(dtype)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.complex64])
def test_sums_with_and_without_the_element(dtype):
    inclusive = InclusiveScanKernel(dtype, "a+b")
    exclusive = ExclusiveScanKernel(dtype, "a+b", 0)
    for n in (1, 10, 1023, 2**16 + 5):
        x = numbers(n, dtype)
        given = gpuarray.to_gpu(x)
        same(exclusive(given, "new"), np.cumsum(x, dtype=dtype) - x)
        assert inclusive(given) is given
        same(given, np.cumsum(x, dtype=dtype))
    assert inclusive(gpuarray.empty(0, dtype)).size == 0


def test_the_operation_need_not_commute():
    """Of two numbers the later one, but for those that are negative."""
    last = InclusiveScanKernel(np.int32, "last_of(a, b)", preamble="""
        WITHIN_KERNEL int last_of(int a, int b) { return b >= 0 ? b : a; }
    """)  # fmt: skip
    x = np.full(50_000, -1, np.int32)
    x[::7919] = np.arange(7)
    target = gpuarray.empty(x.shape, np.int32)
    assert last(gpuarray.to_gpu(x), target) is target
    same(target, np.repeat(np.arange(7, dtype=np.int32), 7919)[: x.size])


def test_streams_allocators_and_views():
    total = InclusiveScanKernel(np.float32, "a+b", name_prefix="total")
    x = gpuarray.to_gpu(numbers(100, np.float32))
    stream = cuda.Stream()
    allocator = CountingAllocator()
    made = total(x[10:60], "new", allocator=allocator, stream=stream)
    stream.synchronize()
    assert allocator.sizes == [200]
    same(made, np.cumsum(x.get()[10:60]))


def test_the_kernels_can_be_launched_by_a_program():
    total = InclusiveScanKernel(np.int32, "a+b")
    assert total.dtype == np.int32
    assert total.neutral is None
    n, size, items = 40, total.scan_wg_size, total.scan_wg_seq_batches
    assert size == total.update_wg_size
    assert items >= 1
    x, y, scanned = (gpuarray.to_gpu(numbers(n)) for _ in range(3))
    sums = gpuarray.empty(1, np.int32)
    rest = (n, n, 1, scanned.gpudata, sums.gpudata)
    for function in (total.scan_intervals_knl, total.final_update_knl):
        function.prepared_call((1, 1), (size, 1, 1), x.gpudata, y.gpudata, *rest)
    same(y, np.cumsum(numbers(n), dtype=np.int32))


def test_what_is_refused():
    with pytest.raises(ValueError, match="neutral element is required for exclusive scan"):
        ExclusiveScanKernel(np.int32, "a+b")
    with pytest.raises(cuda.CompileError):
        InclusiveScanKernel(np.int32, "a+c")
    total = InclusiveScanKernel(np.int32, "a+b")
    x = gpuarray.to_gpu(numbers(12))
    with pytest.raises(ValueError, match="shape"):
        total(x, gpuarray.empty(11, np.int32))
    with pytest.raises(ValueError):
        total(x.reshape(3, 4))
    with pytest.raises(RuntimeError, match="contiguous"):
        total(x[::2])
    with pytest.raises(TypeError, match="float64"):
        total(x, gpuarray.empty(12, np.float64))
    with pytest.raises(TypeError, match="complex64"):  # a pair of floats is no float
        InclusiveScanKernel(np.float32, "a+b")(gpuarray.zeros(12, np.complex64))
    with pytest.raises(TypeError, match="input_ary"):
        total(numbers(12))
    for output in (numbers(12), "newer"):
        with pytest.raises(TypeError, match="output_ary"):
            total(x, output)


@pytest.mark.parametrize("neutral", [-np.inf, np.float32("inf"), float("nan")])
def test_neutral_elements_may_be_numbers(neutral):
    x = np.arange(1000, dtype=np.float32)
    scan = ExclusiveScanKernel(np.float32, "a > b ? a : b", neutral)
    out = scan(gpuarray.to_gpu(x)).get()
    np.testing.assert_array_equal(out[0], np.float32(neutral))
