# SPDX-License-Identifier: MIT
"""pycuda.elementwise: ElementwiseKernel and what it is made of."""

import gc
import sys
import weakref
from pathlib import Path

import numpy as np
import pycuda.driver as cuda
import pycuda.elementwise as elementwise
import pycuda.gpuarray as gpuarray
import pycuda.tools as tools
import pytest
from pycuda.elementwise import ElementwiseKernel, ScalarArg, VectorArg

sys.path.insert(0, str(Path(__file__).parent))
from elementwise_arrays import DeviceArray  # noqa: E402

pytestmark = pytest.mark.usefixtures("context")


def floats(n, start=0.0):
    return (np.arange(n) + start).astype(np.float32)


@pytest.mark.parametrize("n", [1, 31, 1023, 1024, 1025, 70000])
def test_the_text_runs_for_every_element(n):
    axpy = ElementwiseKernel("float a, float *x, float *y", "y[i] = a * x[i] + y[i]", "axpy")
    x, y = DeviceArray(floats(n)), DeviceArray(floats(n, 1))
    assert axpy(2, x, y) is None
    np.testing.assert_array_equal(y.get(), 2 * floats(n) + floats(n, 1))


def test_arrays_may_share_memory():
    kernel = ElementwiseKernel("float *x, float *y, float *z", "y[i] = 2 * x[i]; z[i] = x[i]")
    for make in (DeviceArray, gpuarray.to_gpu):
        x, y, z = (make(floats(3000, k)) for k in range(3))
        kernel(x, y, z)
        np.testing.assert_array_equal(y.get(), 2 * floats(3000))
        np.testing.assert_array_equal(z.get(), floats(3000))
        kernel(x, x, z)  # what is read was written just before
        np.testing.assert_array_equal(z.get(), 2 * floats(3000))


def test_arguments_are_a_text_or_a_list_that_stays_as_it_is():
    arguments = [VectorArg(np.float32, "x"), "int b", ScalarArg(np.float64, "c")]
    kernel = ElementwiseKernel(arguments, "x[i] = b + (float) c")
    x = DeviceArray(floats(5))
    kernel(x, 3, 4)
    kernel(x, 3, 5, slice=slice(1, 3))
    np.testing.assert_array_equal(x.get(), [7, 8, 8, 7, 7])
    assert len(arguments) == 3
    assert kernel.gen_kwargs["arguments"] is arguments


@pytest.mark.parametrize(
    "chosen",
    [slice(2, 9), slice(1, 10, 3), slice(8, 2, -2), slice(5, 5), slice(None, None, -1)],
)
def test_slices_are_python_s(chosen):
    kernel = ElementwiseKernel("float *x", "x[i] = 100 + start")
    x = DeviceArray(floats(10))
    kernel(x, slice=chosen)
    expected = floats(10)
    expected[chosen] = 100 + chosen.indices(10)[0]
    np.testing.assert_array_equal(x.get(), expected)


@pytest.mark.parametrize(("chosen", "indices"), [(slice(2, 7), range(2, 7)), (slice(6), range(6))])
def test_ranges_need_no_step(chosen, indices):
    kernel = ElementwiseKernel("float *x", "x[i] = -step")
    x = DeviceArray(floats(10))
    kernel(x, range=chosen)
    expected = floats(10)
    expected[list(indices)] = -1
    np.testing.assert_array_equal(x.get(), expected)


def test_a_range_walks_down_over_many_blocks():
    kernel = ElementwiseKernel("int *x", "x[i] += i")
    x = DeviceArray(np.zeros(5000, np.int32))
    kernel(x, range=slice(4999, -1, -1))
    np.testing.assert_array_equal(x.get(), np.arange(5000))


def test_range_and_slice_exclude_each_other():
    kernel = ElementwiseKernel("float *x", "x[i] = 0")
    x = DeviceArray(floats(3))
    with pytest.raises(TypeError, match="both range and slice"):
        kernel(x, range=slice(0, 1, 1), slice=slice(0, 1))
    with pytest.raises(TypeError):
        kernel(x, allocator=None)
    with pytest.raises(TypeError, match="stop"):
        kernel(x, range=slice(None, None, 1))
    with pytest.raises(ValueError, match="step"):
        kernel(x, range=slice(0, 1, 0))
    np.testing.assert_array_equal(x.get(), floats(3))


def test_the_parts_around_the_loop():
    kernel = ElementwiseKernel(
        "float *x",
        "x[i] = twice(base) // for every element",
        preamble="template <class T> __device__ T twice(T x) { return x + x; }",
        loop_prep="float base = FACTOR",
        after_loop="base = 0",
        options=["-DFACTOR=4"],
    )
    x = DeviceArray(floats(3))
    kernel(x)
    np.testing.assert_array_equal(x.get(), [8, 8, 8])
    with pytest.raises(TypeError):
        ElementwiseKernel("float *x", "x[i] = 0", before_loop="")


def test_texts_that_speak_of_the_loop_get_it():
    kernel = ElementwiseKernel(
        "float *x", "if (i >= 2000) return; x[i] = 1; i += total_threads; if (i < n) x[i] = 1"
    )
    x = DeviceArray(np.zeros(3000, np.float32))
    kernel(x)
    np.testing.assert_array_equal(x.get()[:2000], np.ones(2000))


def test_complex_numbers():
    kernel = ElementwiseKernel(
        "pycuda::complex<float> a, pycuda::complex<float> *x, pycuda::complex<double> *y",
        "y[i] = a * pycuda::conj(x[i])",
    )
    values = (floats(6) + 1j * floats(6, 3)).astype(np.complex64)
    x, y = DeviceArray(values), DeviceArray(np.zeros(6, np.complex128))
    kernel(1 + 2j, x, y)
    np.testing.assert_allclose(y.get(), np.complex64(1 + 2j) * values.conj())


def test_structures():
    pair = np.dtype([("a", "i4"), ("b", "f4")])
    tools.get_or_register_dtype("elementwise_test_pair", pair)
    kernel = ElementwiseKernel(
        "elementwise_test_pair by, elementwise_test_pair *x",
        "x[i].a += by.a; x[i].b *= by.b",
        preamble="struct elementwise_test_pair { int a; float b; };",
    )
    values = np.array([(1, 2), (3, 4)], pair)
    x = DeviceArray(values)
    kernel(np.array((10, 0.5), pair), x)
    assert x.get().tolist() == [(11, 1), (13, 2)]


def test_short_vectors():
    from treadle.pycuda._vec import vec

    kernel = ElementwiseKernel(
        "float3 by, float3 *x, float *len", "x[i].y += by.z; len[i] = x[i].x"
    )
    x = DeviceArray(np.array([(1, 2, 3), (4, 5, 6)], vec.float3))
    lengths = DeviceArray(floats(2))
    kernel(vec.make_float3(0, 0, 7), x, lengths)
    assert x.get().tolist() == [(1, 9, 3), (4, 12, 6)]
    np.testing.assert_array_equal(lengths.get(), [1, 4])


def test_empty_arrays_run_nothing():
    kernel = ElementwiseKernel("float *x, float *y", "x[i] = y[i]")
    empty, other = DeviceArray(floats(0)), DeviceArray(floats(2))
    kernel(empty, empty)
    kernel(empty, other)
    kernel(other, other, slice=slice(1, 1))


def test_streams():
    kernel = ElementwiseKernel("float *x", "x[i] += 1")
    x, stream = DeviceArray(floats(100)), cuda.Stream()
    for _ in range(3):
        kernel(x, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(x.get(), floats(100, 3))


# --- what is refused, rather than computed wrongly ------------------------------------------------


def test_arrays_with_gaps_are_refused():
    kernel = ElementwiseKernel("float *x", "x[i] = 0")
    with pytest.raises(RuntimeError, match="non-contiguous"):
        kernel(DeviceArray(floats(4)).with_gap())


def test_a_wrong_count_is_an_error_of_packing():
    kernel = ElementwiseKernel("float a, float *x", "x[i] = a")
    from pycuda import _pvt_struct

    with pytest.raises(_pvt_struct.error, match="takes 2 arguments, not 1"):
        kernel(DeviceArray(floats(4)))
    with pytest.raises(_pvt_struct.error):
        kernel("text", DeviceArray(floats(4)))


def test_shorter_operands_are_refused_where_all_of_them_is_read():
    axpy = ElementwiseKernel("float *x, float *y", "y[i] = x[i]", "axpy")
    short, long = DeviceArray(floats(3)), DeviceArray(floats(4))
    with pytest.raises(ValueError, match=r"argument 1 \(y\).*has 3 elements.*uses y\[3\]"):
        axpy(long, short)
    axpy(long, short, slice=slice(0, 3))
    with pytest.raises(ValueError, match="y.*3 elements"):
        axpy(long, short, range=slice(3, 0, -1))
    with pytest.raises(ValueError, match=r"uses x\[-1\]"):
        axpy(long, long, range=slice(-1, 2))
    axpy(short, long)
    gather = ElementwiseKernel("int *where, float *table, float *out", "out[i] = table[where[i]]")
    where = DeviceArray(np.array([1, 0, 1, 0], np.int32))
    gather(where, DeviceArray(np.array([5, 6], np.float32)), long)
    np.testing.assert_array_equal(long.get(), [6, 5, 6, 5])


@pytest.mark.parametrize(
    ("declared", "given", "fits"),
    [
        ("float", np.float64, False),
        ("int", np.float32, False),
        ("int", np.int64, False),
        ("double", np.complex64, False),
        ("unsigned", np.int32, True),
        ("unsigned char", np.bool_, True),
        ("float", np.complex64, True),
        ("unsigned short", np.float16, True),
        ("float2", np.complex64, True),
    ],
)
def test_pointers_to_another_type_are_refused(declared, given, fits):
    kernel = ElementwiseKernel(f"{declared} *x", "")
    x = DeviceArray(np.zeros(4, given))
    if fits:
        kernel(x)
        return
    with pytest.raises(TypeError, match=r"argument 0 \(x\).*view\(\)"):
        kernel(x)


def test_two_orders_of_memory_are_refused():
    kernel = ElementwiseKernel("float *x, float *y", "y[i] = x[i]")
    rows, columns = floats(6).reshape(2, 3), np.asfortranarray(floats(6).reshape(2, 3))
    with pytest.raises(ValueError, match="Fortran order"):
        kernel(DeviceArray(rows), DeviceArray(columns))
    kernel(DeviceArray(columns), DeviceArray(columns))


def test_a_kernel_without_arrays_is_refused():
    with pytest.raises(AssertionError, match="at least one vector argument"):
        ElementwiseKernel("float a", "")(1)


def test_names_of_the_loop_are_no_arguments():
    with pytest.raises(ValueError, match="'n'"):
        ElementwiseKernel("float *x, int n", "x[i] = n")(DeviceArray(floats(2)), 2)


# --- contexts ------------------------------------------------------------------------------------


def test_kernels_are_compiled_for_each_context():
    kernel = ElementwiseKernel("float *x", "x[i] += 1")
    first = DeviceArray(floats(3))
    kernel(first)
    other = cuda.Context.get_device().make_context()
    try:
        second = DeviceArray(floats(3))
        kernel(second)
        np.testing.assert_array_equal(second.get(), floats(3, 1))
        del second
    finally:
        other.pop()
    kernel(first)
    np.testing.assert_array_equal(first.get(), floats(3, 2))


def test_what_is_remembered_ends_with_the_kernel_or_the_caches():
    kernel = ElementwiseKernel("float *x", "x[i] += 1")
    kernel(DeviceArray(floats(3)))
    cache = weakref.ref(kernel._cache)
    assert len(cache()) == 1
    tools.clear_context_caches()
    assert len(cache()) == 0
    del kernel
    gc.collect()
    assert cache() is None


# --- the functions beneath -----------------------------------------------------------------------


@pytest.mark.parametrize(("grid", "block"), [((1, 1), (32, 1, 1)), ((7, 1), (96, 1, 1))])
def test_functions_take_launches_of_any_shape(grid, block):
    module, function, arguments = elementwise.get_elwise_kernel_and_types(
        "float *x, float a", "x[i] += a", "add"
    )
    assert [a.name for a in arguments] == ["x", "a", "n"]
    assert arguments[-1].dtype == np.uintp
    x = DeviceArray(floats(5000))
    function.prepared_call(grid, block, x.gpudata, 2.0, x.size)
    np.testing.assert_array_equal(x.get(), floats(5000, 2))
    assert module.get_function("add") is not None


def test_functions_over_ranges():
    arguments = [VectorArg(np.int32, "x")]
    function = elementwise.get_elwise_kernel(arguments, "x[i] = i * step", use_range=True)
    assert len(arguments) == 1
    x = DeviceArray(np.zeros(10, np.int32))
    function.prepared_call((2, 1), (2, 1, 1), x.gpudata, 9, 0, -2)
    np.testing.assert_array_equal(x.get(), [0, -2, 0, -6, 0, -10, 0, -14, 0, -18])


def test_modules_take_all_parameters():
    arguments = [VectorArg(np.float32, "x"), ScalarArg(np.uintp, "n")]
    module = elementwise.get_elwise_module(arguments, "x[i] = n", after_loop="n = 0")
    function = module.get_function("kernel").prepare("PL")
    x = DeviceArray(floats(3))
    function.prepared_call((1, 1), (32, 1, 1), x.gpudata, 3)
    np.testing.assert_array_equal(x.get(), [3, 3, 3])
    with pytest.raises(ValueError, match="n"):
        elementwise.get_elwise_module(arguments[:1], "x[i] = 0")
    own = [ScalarArg(np.intp, name) for name in ("start", "stop", "step")]
    module = elementwise.get_elwise_range_module([*arguments[:1], *own], "x[i] = step", "walk")
    module.get_function("walk").prepare("Plll").prepared_call(
        (1, 1), (32, 1, 1), x.gpudata, 0, 3, 2
    )
    np.testing.assert_array_equal(x.get(), [2, 3, 2])


def test_kernels_give_the_functions_beneath_them():
    kernel = ElementwiseKernel("float *x", "x[i] = 1")
    module, function, arguments = kernel.generate_stride_kernel_and_types(False)
    x = DeviceArray(floats(3))
    function.prepared_call((1, 1), (32, 1, 1), x.gpudata, 3)
    np.testing.assert_array_equal(x.get(), [1, 1, 1])
    assert kernel.generate_stride_kernel_and_types(False)[0] is module
    assert [a.name for a in kernel.generate_stride_kernel_and_types(True)[2]] == [
        "x", "start", "stop", "step"
    ]  # fmt: skip
    with pytest.raises(cuda.LogicError, match='no variable "x"'):
        kernel.get_texref("x")


VARIABLES = "__constant__ float c[4]; __device__ int calls;"


@pytest.mark.parametrize("is_hidden", [False, True])  # in a header, where nobody looks for them
@pytest.mark.parametrize("runs_before", [False, True])
def test_variables_of_the_module_are_those_that_calls_use(is_hidden, runs_before, tmp_path):
    (tmp_path / "variables.h").write_text(VARIABLES)
    kernel = ElementwiseKernel(
        "float *x, float *y",
        "if (i == 0) calls += 1; x[i] = c[i]",
        preamble='#include "variables.h"\n' if is_hidden else VARIABLES,
        options=[f"-I{tmp_path}"],
    )
    x, y = (gpuarray.zeros(4, np.float32) for _ in range(2))
    if runs_before:
        kernel(x, y)  # apart
        kernel(x, x)  # not apart
    for use_range in (False, True):
        module = kernel.generate_stride_kernel_and_types(use_range)[0]
        place, size = module.get_global("c")
        assert size == 16
        cuda.memcpy_htod(place, floats(4))
        begin = 2 * int(runs_before and not is_hidden and not use_range)
        options = {"range": slice(0, 4, 1)} if use_range else {}
        for call, other in enumerate((y, x), begin + 1):
            kernel(x, other, **options)
            np.testing.assert_array_equal(x.get(), floats(4))
            calls = np.zeros(1, np.int32)
            cuda.memcpy_dtoh(calls, module.get_global("calls")[0])
            assert calls == call


def test_textures_of_a_kernel_are_read_where_the_program_set_them():
    kernel = ElementwiseKernel(
        "float *x", "x[i] = tex1Dfetch(table, (int) i)", preamble="texture<float, 1> table;"
    )
    values, x = gpuarray.to_gpu(floats(4, start=1)), gpuarray.zeros(4, np.float32)
    values.bind_to_texref_ext(kernel.get_texref("table"))
    kernel(x)
    np.testing.assert_array_equal(x.get(), floats(4, start=1))


def test_the_names_that_examples_import_from_here():
    assert elementwise.ScalarArg is tools.ScalarArg
    assert elementwise.VectorArg is tools.VectorArg
    assert elementwise.context_dependent_memoize is tools.context_dependent_memoize
    assert elementwise.dtype_to_ctype is tools.dtype_to_ctype
