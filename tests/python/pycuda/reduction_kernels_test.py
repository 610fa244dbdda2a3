# SPDX-License-Identifier: MIT
"""pycuda.reduction: ReductionKernel, and PyCUDA's kernels for sums, products and extrema."""

import sys
from pathlib import Path

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pycuda.reduction as reduction
import pycuda.tools as tools
import pytest
from pycuda import _pvt_struct
from pycuda.reduction import ReductionKernel

import treadle.numpy as tnp

sys.path.insert(0, str(Path(__file__).parent))
from gpuarray_values import CountingAllocator, floats, same  # noqa: E402

pytestmark = pytest.mark.usefixtures("context")

DOT = {
    "neutral": "0",
    "reduce_expr": "a+b",
    "map_expr": "x[i]*y[i]",
    "arguments": "const float *x, const float *y",
}


@pytest.mark.parametrize("size", [1, 5, 512, 2047, 2049, 100000])
def test_products_are_summed(size):
    x, y = floats(size) % 5, floats(size, start=3) % 7
    kernel = ReductionKernel(np.float32, **DOT)
    same(kernel(gpuarray.to_gpu(x), gpuarray.to_gpu(y)), (x * y).sum(dtype=np.float32))


@pytest.mark.parametrize(
    "x",
    [np.full(10**6, 0.1), np.random.default_rng(1).random(300_001), [3e38, 3e38, 1], [np.inf, 1],
     [np.inf, -np.inf], [np.nan, 1]],
    ids=["tenths", "random", "overflow", "infinite", "no number", "nan"],
)  # fmt: skip
def test_sums_of_floats_lose_no_more_than_numpys(x):
    x = np.asarray(x, np.float32)
    with np.errstate(all="ignore"):
        exact, theirs = x.sum(dtype=np.float64).astype(np.float32), x.sum()
    kernel = ReductionKernel(np.float32, "0", "a + b", "x[i]", "const float *x")
    ours = kernel(gpuarray.to_gpu(x)).get()
    if np.isfinite(exact):
        assert abs(float(ours) - exact) <= max(abs(float(theirs) - exact), np.spacing(exact))
    else:
        np.testing.assert_array_equal(ours, theirs)


def test_an_array_need_not_be_the_first_argument():
    x = floats(1000) % 5
    kernel = ReductionKernel(np.float32, "0", "a+b", "s*x[i]+t", "float s, int t, const float *x")
    same(kernel(np.float32(2), np.int32(1), gpuarray.to_gpu(x)), (2 * x + 1).sum())


def test_the_map_is_the_element_where_there_is_none():
    kernel = ReductionKernel(np.int32, 0, "a+b", arguments="int *in")
    same(kernel(gpuarray.arange(100, dtype=np.int32)), np.int32(4950))


def test_numbers_are_arguments_too():
    kernel = ReductionKernel(
        np.float64, "0", "a+b", "(x[i] + shift) * scale", "double *x, int shift, double scale"
    )
    x = np.arange(10.0)
    same(kernel(gpuarray.to_gpu(x), 3, 0.5), ((x + 3) * 0.5).sum())
    with pytest.raises(_pvt_struct.error, match="3 arguments, not 2"):
        kernel(gpuarray.to_gpu(x), 3)
    with pytest.raises(_pvt_struct.error):
        kernel(gpuarray.to_gpu(x), "three", 0.5)


def test_results_go_into_out():
    a = gpuarray.to_gpu(floats(1000))
    kernel = ReductionKernel(np.float32, "0", "a+b", "x[i]", "float *x")
    results = gpuarray.zeros(3, np.float32)
    assert kernel(a, out=results[1], stream=cuda.Stream()).shape == ()
    assert kernel(a[:10], out=results) is results
    same(results, np.array([45, 499500, 0], np.float32))
    with pytest.raises(ValueError, match="float64"):
        kernel(a, out=gpuarray.empty((), np.float64))
    with pytest.raises(ValueError, match="no element"):
        kernel(a, out=gpuarray.empty(0, np.float32))


@pytest.mark.parametrize("size", [10, 2048, 100000])
def test_an_allocator_is_asked_once(size):
    allocator = CountingAllocator()
    kernel = ReductionKernel(np.float32, "0", "a+b", "x[i]", "float *x")
    a = gpuarray.ones(size, np.float32)
    same(kernel(a, allocator=allocator), np.float32(size))
    assert allocator.sizes == [4]
    b = gpuarray.to_gpu(floats(3), allocator)
    assert kernel(b).allocator is allocator


def test_no_elements_give_the_neutral_one():
    kernel = ReductionKernel(np.float32, "1", "a*b", "x[i]", "float *x")
    same(kernel(gpuarray.zeros(0, np.float32)), np.float32(1))


def test_a_wrapper_is_called_for_the_launch():
    called = []

    def wrapper(launch):
        def timed(*args, **kwargs):
            called.append(len(args))
            launch(*args, **kwargs)

        return timed

    kernel = ReductionKernel(np.float32, "0", "a+b", "x[i]", "float *x")
    same(kernel(gpuarray.ones(9, np.float32), kernel_wrapper=wrapper), np.float32(9))
    assert called


@pytest.mark.skipif(not hasattr(tnp, "take"), reason="arrays of records come with indexing")
def test_structures_are_folded():
    """As PyCUDA's users write it: a type whose assignment is volatile."""
    dtype = np.dtype([("cur_min", np.int32), ("cur_max", np.int32), ("pad", np.int32)])
    tools.get_or_register_dtype("reduction_minmax_collector", dtype)
    preamble = """
    struct reduction_minmax_collector {
      int cur_min, cur_max, pad;
      __device__ reduction_minmax_collector() {}
      __device__ reduction_minmax_collector(int cmin, int cmax)
        : cur_min(cmin), cur_max(cmax), pad(0) {}
      __device__ reduction_minmax_collector(reduction_minmax_collector const &src)
        : cur_min(src.cur_min), cur_max(src.cur_max), pad(src.pad) {}
      __device__ reduction_minmax_collector(reduction_minmax_collector const volatile &src)
        : cur_min(src.cur_min), cur_max(src.cur_max), pad(src.pad) {}
      __device__ reduction_minmax_collector volatile &operator=(
        reduction_minmax_collector const &src) volatile {
        cur_min = src.cur_min; cur_max = src.cur_max; pad = src.pad; return *this;
      }
    };
    __device__ reduction_minmax_collector agg_mmc(
        reduction_minmax_collector a, reduction_minmax_collector b) {
      return reduction_minmax_collector(min(a.cur_min, b.cur_min), max(a.cur_max, b.cur_max));
    }
    """
    kernel = ReductionKernel(
        dtype,
        neutral="reduction_minmax_collector(10000, -10000)",
        reduce_expr="agg_mmc(a, b)",
        map_expr="reduction_minmax_collector(x[i], x[i])",
        arguments="int *x",
        preamble=preamble,
    )
    x = (np.arange(20000) * 7919 % 4999 - 1234).astype(np.int32)
    result = cuda.mem_alloc(dtype.itemsize)
    kernel(gpuarray.to_gpu(x), out=gpuarray.GPUArray((), dtype, gpudata=result))
    host = np.zeros((), dtype)
    cuda.memcpy_dtoh(host, result)
    assert (host["cur_min"], host["cur_max"]) == (x.min(), x.max())


def test_complex_numbers_are_folded():
    z = (floats(500) + 1j * floats(500, start=3)).astype(np.complex64) / 100
    kernel = ReductionKernel(
        np.complex64, "0", "a+b", "pycuda::conj(z[i])", "pycuda::complex<float> *z"
    )
    np.testing.assert_allclose(kernel(gpuarray.to_gpu(z)).get(), z.conj().sum(), rtol=1e-5)


def test_a_kernel_works_in_every_context():
    kernel = ReductionKernel(np.float32, **DOT)
    x = floats(50)
    same(kernel(gpuarray.to_gpu(x), gpuarray.to_gpu(x)), (x * x).sum())
    context = tools.make_default_context()
    try:
        same(kernel(gpuarray.to_gpu(x), gpuarray.to_gpu(x)), (x * x).sum())
    finally:
        context.pop()
        tools.clear_context_caches()


def test_what_is_no_reduction():
    with pytest.raises(cuda.CompileError, match="reduce_kernel"):
        ReductionKernel(np.float32, "0", "a+c", "x[i]", "float *x")
    with pytest.raises(cuda.CompileError, match="no arguments"):
        ReductionKernel(np.float32, "0", "a+b")
    with pytest.raises(AssertionError, match="vector argument"):
        ReductionKernel(np.float32, "0", "a+b", "x", "float x")
    kernel = ReductionKernel(np.float32, **DOT)
    x, y = gpuarray.to_gpu(floats(10)), gpuarray.to_gpu(floats(5))
    with pytest.raises(ValueError, match=r"argument 1 \(y\) of reduction kernel.*5 elements"):
        kernel(x, y)
    with pytest.raises(TypeError, match="float64"):
        kernel(x, x.astype(np.float64))
    with pytest.raises(RuntimeError, match="non-contiguous"):
        kernel(x[::2], y)
    with pytest.raises(TypeError):
        kernel(x, x, range=slice(3))


def test_kept_files_are_named(capsys):
    ReductionKernel(np.float32, "0", "a+b", "x[i]", "float *x", name="kept", keep=True)
    assert "compiler output in" in capsys.readouterr().out


# --- PyCUDA's own kernels ------------------------------------------------------------------------

X = (np.arange(1000) % 13 - 6).astype(np.float32)
INDEX = np.array([5, 999, 5, 0], np.uint32)


def test_sums_and_products():
    a, index = gpuarray.to_gpu(X), gpuarray.to_gpu(INDEX)
    same(reduction.get_sum_kernel(None, np.float32)(a), X.sum())
    same(reduction.get_sum_kernel(np.float64, np.float32)(a), X.sum(dtype=np.float64))
    subset = reduction.get_subset_sum_kernel(None, np.uint32, np.float32)
    same(subset(index, a), X[INDEX].sum())
    dot = reduction.get_dot_kernel(np.float64, np.float32, np.float32)
    same(dot(a, a), (X * X).sum(dtype=np.float64))
    z = X.astype(np.complex64) * (1 + 1j)
    mixed = reduction.get_dot_kernel(np.complex64, np.complex64, np.float32)
    np.testing.assert_allclose(mixed(gpuarray.to_gpu(z), a).get(), (z * X).sum(), rtol=1e-5)
    subset = reduction.get_subset_dot_kernel(np.float32, np.uint32, np.float32, np.float32)
    same(subset(index, a, a), (X[INDEX] ** 2).sum())
    assert reduction.get_subset_dot_kernel(np.float32, np.uint32).dtype_out == np.float32
    with pytest.raises(TypeError, match="complex"):
        reduction.get_dot_kernel(np.float32, np.complex64, np.float32)
    assert reduction.get_sum_kernel(None, np.float32) is reduction.get_sum_kernel(None, np.float32)


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.complex64])
def test_truth(dtype):
    some = gpuarray.to_gpu(np.array([0, 1, 0]).astype(dtype))
    none = gpuarray.to_gpu(np.zeros(3, dtype))
    every = gpuarray.to_gpu(np.ones(3, dtype))
    any_, all_ = (f(np.bool_, dtype) for f in (reduction.get_any_kernel, reduction.get_all_kernel))
    assert [bool(any_(a)) for a in (some, none, every)] == [True, False, True]
    assert [bool(all_(a)) for a in (some, none, every)] == [False, False, True]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64, np.float32, np.float64])
@pytest.mark.parametrize("what", ["min", "max"])
def test_extrema(what, dtype):
    limits = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else np.finfo(dtype)
    x = np.array([3, limits.max, limits.min, 7], dtype)
    kernel = reduction.get_minmax_kernel(what, dtype)
    same(kernel(gpuarray.to_gpu(x)), getattr(x, what)())
    same(kernel(gpuarray.to_gpu(x[:1])), x[0])
    subset = reduction.get_subset_minmax_kernel(what, dtype, np.uint32)
    index = gpuarray.to_gpu(np.array([0, 3], np.uint32))
    same(subset(index, gpuarray.to_gpu(x)), dtype(3 if what == "min" else 7))


def test_extrema_pass_over_what_is_no_number():
    x = gpuarray.to_gpu(np.array([np.nan, 2, 5], np.float32))
    same(reduction.get_minmax_kernel("min", np.float32)(x), np.float32(2))
    same(reduction.get_minmax_kernel("max", np.float32)(x), np.float32(5))
    with pytest.raises(TypeError, match="unsupported dtype"):
        reduction.get_minmax_neutral("min", np.complex64)
    with pytest.raises(ValueError, match="'mean'"):
        reduction.get_minmax_kernel("mean", np.float32)
    assert reduction.get_minmax_neutral("max", np.float32) == "-INFINITY"


def test_the_kernel_itself():
    """It is launched with all that stage1_arg_types names."""
    arguments = ("0", "a+b", "x[i]", "float *x")
    kernel = ReductionKernel(np.float32, *arguments)
    module = reduction.get_reduction_module("float", 512, *arguments)
    assert module.get_function("reduce_kernel")
    function, types = reduction.get_reduction_kernel_and_types(1, "float", 512, *arguments)
    assert [t.name for t in types] == [t.name for t in kernel.stage1_arg_types]
    a, out = gpuarray.to_gpu(floats(300)), gpuarray.zeros((), np.float32)
    partials, ticket = gpuarray.zeros(2, np.float32), gpuarray.zeros(1, np.uint32)
    for launch in (function.prepared_async_call, kernel.stage1_func, kernel.stage2_func):
        out.fill(0)
        passed = {
            "x": a.gpudata,
            "x0_offset": 0,
            "position": 0,
            "z": out.gpudata,
            "out_n": 1,
            "n": 300,
            "piece_length": 150,
            "splits": 2,
            "partials": partials.gpudata,
            "tickets": ticket.gpudata,
        }
        launch((2, 1), (kernel.block_size, 1, 1), None, *(passed[t.name] for t in types))
        same(out, floats(300).sum())
    _, types = reduction.get_reduction_kernel_and_types(2, np.float32, 512, *arguments)
    assert [t.name for t in types][:2] == ["in", "x"]


def test_a_sum_that_waits_reads_what_a_kernel_may_change():
    n = 1 << 21  # enough for several groups, which share a workspace
    x = gpuarray.to_gpu(np.ones(n, np.float32))
    total = gpuarray.sum(x)
    krnl = ReductionKernel(np.float32, "0", "a+b", map_expr="x[i]", arguments="float *x")
    assert krnl(x).get() == n
    assert total.get() == n


NUMBERS = [float("inf"), -np.inf, np.float32("nan"), np.float64("-inf"), 2.5, True, np.int8(-3)]


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("neutral", [*NUMBERS, complex(-np.inf, 3), np.complex64(1 - 2j)])
def test_neutral_elements_may_be_numbers(dtype, neutral):
    if np.dtype(dtype).kind != "c" and isinstance(neutral, complex | np.complexfloating):
        return
    kernel = ReductionKernel(dtype, neutral, "a", "x[i]", [tools.VectorArg(np.dtype(dtype), "x")])
    # `a` alone keeps what it began with.
    got = kernel(gpuarray.zeros(3, dtype)).get()
    np.testing.assert_array_equal(got, np.array(neutral, dtype))


def test_a_maximum_begins_with_minus_infinity():
    x = -floats(1000) - 1
    kernel = ReductionKernel(np.float32, -np.inf, "a > b ? a : b", "x[i]", "float *x")
    same(kernel(gpuarray.to_gpu(x)), x.max())


def test_half_precision_begins_with_infinity():
    header = "#include <cuda_fp16.h>\n"
    tools.get_or_register_dtype("half", np.dtype("f2"))
    for neutral in (np.inf, np.float16(-np.inf), np.float32("nan")):
        kernel = ReductionKernel("f2", neutral, "a", "x[i]", "half *x", preamble=header)
        same(kernel(gpuarray.zeros(3, "f2")), np.float16(neutral))


def test_an_argument_may_be_called_n():
    """Nothing else of a reduction has that name for its user."""
    kernel = ReductionKernel(np.float32, "0", "a+b", "n*x[i]", "float n, float *x")
    same(kernel(np.float32(2), gpuarray.to_gpu(floats(100))), 2 * floats(100).sum())
    kernel = ReductionKernel(np.float32, "0", "a+b", "n[i]", "float *n")
    same(kernel(gpuarray.to_gpu(floats(100))), floats(100).sum())
