# SPDX-License-Identifier: MIT
"""pyopencl.reduction: ReductionKernel and the kernels that PyOpenCL makes of it."""

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.reduction as reduction
import pytest
from pyopencl.reduction import ReductionKernel, ReductionTemplate
from pyopencl.tools import (
    ImmediateAllocator,
    MemoryPool,
    ScalarArg,
    VectorArg,
    get_or_register_dtype,
    match_dtype_to_c_struct,
)


@pytest.fixture
def put(queue):
    """put(values) is an array with these values."""
    return lambda values, **kwargs: cl_array.to_device(queue, np.asarray(values), **kwargs)


@pytest.fixture
def dot(context):
    return ReductionKernel(
        context, np.float32, "0", "a+b", "x[i] * y[i]", "float *x, float *y", "my_dot"
    )


def floats(n):
    return (np.arange(n) % 13).astype(np.float32)


def test_an_array_need_not_be_the_first_argument(context, queue, put):
    kernel = ReductionKernel(
        context, np.float32, "0", "a+b", "s*x[i]+t", "float s, int t, __global const float *x"
    )
    x = floats(1000)
    assert kernel(np.float32(2), np.int32(1), put(x)).get() == (2 * x + 1).sum()
    assert kernel(np.float32(2), 1, put(x), queue=queue).get() == (2 * x + 1).sum()


@pytest.mark.parametrize("n", [1, 5, 1000, 100_003])
def test_a_dot_product(dot, put, n):
    result = dot(put(floats(n)), put(floats(n)))
    assert result.shape == ()
    assert result.dtype == np.float32
    np.testing.assert_allclose(result.get(), np.dot(floats(n), floats(n)), rtol=1e-5)


def test_expressions_know_how_many_elements_there_are(context, put):
    kernel = ReductionKernel(
        context, np.float32, "0", "a+b", "x[i] * x[n - 1 - i]", "float *x", "folded"
    )
    x = floats(1000)
    assert kernel(put(x)).get() == pytest.approx(float(x @ x[::-1]), rel=1e-5)


def test_long_sums_of_vectors_are_as_exact_as_others(context, put):
    """A processor adds them one after the other: in blocks, for errors grow with the length."""
    values = np.arange(1 << 20, dtype=np.float32) % 64999
    kernel = ReductionKernel(
        context, cl.cltypes.float2, "(float2)(0)", "a+b", "(float2)(x[i], 1)", "float *x", "sums"
    )
    total, count = kernel(put(values)).get().item()
    exact = values.sum(dtype=np.float64)
    assert count == len(values)
    assert abs(total - exact) < 3e-7 * exact


def test_of_no_elements_it_is_the_neutral_one(context, put):
    least = ReductionKernel(context, np.int32, "7", "min(a, b)", arguments="const int *in")
    assert least(put(np.zeros(0, np.int32))).get() == 7
    assert least(put(np.arange(5, dtype=np.int32)), slice=slice(3, 3)).get() == 7


RANGES = [slice(2, 9), slice(None, None, 3), slice(8, 2, -2), slice(None, None, 100), slice(5, 5)]


@pytest.mark.parametrize("chosen", RANGES, ids=str)
def test_slices_and_ranges(context, put, chosen):
    total = ReductionKernel(context, np.int64, "0", "a+b", "in[i]", "long *in")
    x = np.arange(100, dtype=np.int64)
    assert total(put(x), slice=chosen).get() == x[chosen].sum()
    if chosen.start is not None and chosen.stop is not None:
        assert total(put(x), range=chosen).get() == x[chosen].sum()
    with pytest.raises(TypeError):
        total(put(x), range=slice(0, 3), slice=slice(0, 3))


def test_views_begin_where_they_begin(dot, put):
    x = floats(100)
    assert dot(put(x)[10:20], put(x)[:10]).get() == np.dot(x[10:20], x[:10])


def test_without_arrays(context, queue):
    squares = ReductionKernel(context, np.int64, "0", "a+b", "i*i", [])
    result = squares(range=slice(0, 100), queue=queue)
    assert result.get() == sum(i * i for i in range(100))
    for missing in ({"queue": queue}, {"range": slice(0, 3)}):
        with pytest.raises(TypeError):
            squares(**missing)


def test_scalars_come_first_or_last(context, put):
    scaled = ReductionKernel(
        context,
        np.float64,
        "0",
        "a+b",
        "factor * x[i] + shift",
        "float factor, double *x, int shift",
    )
    x = np.arange(10, dtype=np.float64)
    assert scaled(2, put(x), 3).get() == (2 * x + 3).sum()
    assert scaled(np.float32(0.5), put(x), np.int8(1)).get() == (0.5 * x + 1).sum()


def test_scalars_are_called_as_one_likes(context, put):
    mean = ReductionKernel(context, np.float32, "0", "a+b", "x[i] / n", "float *x, int n")
    assert mean(put(floats(8)), 4).get() == 7


def test_arguments_as_objects(context, put):
    arguments = [VectorArg(np.int32, "x", with_offset=True), ScalarArg(np.int32, "least")]
    count = ReductionKernel(context, np.int32, "0", "a+b", "x[i] > least ? 1 : 0", arguments)
    assert count(put(np.arange(20, dtype=np.int32)), 12).get() == 7


def test_complex_numbers(context, put):
    z = (np.arange(50) - 20 + 1j * np.arange(50)).astype(np.complex64)
    product = ReductionKernel(
        context,
        np.complex64,
        "cfloat_new(0, 0)",
        "cfloat_add(a, b)",
        "cfloat_mul(x[i], cfloat_conj(x[i]))",
        "cfloat_t *x",
    )
    np.testing.assert_allclose(product(put(z)).get(), np.vdot(z, z))


def test_structures(context, queue, put):
    dtype = np.dtype([("least", np.float32), ("most", np.float32), ("place", np.int32)])
    dtype, text = match_dtype_to_c_struct(context.devices[0], "least_and_most", dtype)
    dtype = get_or_register_dtype("least_and_most", dtype)
    helpers = """
        least_and_most at(float x, int i) { least_and_most m = {x, x, i}; return m; }
        least_and_most none(void) { least_and_most m = {INFINITY, -INFINITY, -1}; return m; }
        least_and_most join(least_and_most a, least_and_most b) {
          least_and_most m = a;
          if (b.least < a.least) { m.least = b.least; m.place = b.place; }
          if (b.most > a.most) m.most = b.most;
          return m;
        }
    """
    knl = ReductionKernel(
        context, dtype, "none()", "join(a, b)", "at(x[i], i)", "float *x", preamble=text + helpers
    )
    x = np.random.default_rng(1).random(20_000, np.float32)
    result = knl(put(x)).get()
    assert result["least"] == x.min()
    assert result["most"] == x.max()
    assert result["place"] == x.argmin()


def test_out_event_and_allocator(context, queue, put):
    total = ReductionKernel(context, np.float32, "0", "a+b", "in[i]", "float *in")
    x, out = put(floats(100)), put(np.zeros(5, np.float32))
    result, event = total(x, out=out[3], return_event=True)
    event.wait()
    np.testing.assert_array_equal(out.get(), [0, 0, 0, floats(100).sum(), 0])
    assert result.shape == ()
    with pytest.raises(ValueError):
        total(x, out=out)
    with pytest.raises(TypeError):
        total(x, out=put(np.zeros(1)))
    pool = MemoryPool(ImmediateAllocator(queue))
    assert isinstance(total(x, allocator=pool).base_data, cl.tools.PooledBuffer)
    other = cl.CommandQueue(context)
    assert total(x, queue=other).queue is other
    gate = cl.UserEvent(context)
    late = total(x, wait_for=[gate], queue=other)
    assert late.events[-1].command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    assert late.get() == floats(100).sum()


def test_the_text_of_the_stages(dot):
    assert "x[i] * y[i]" in dot.stage_1_inf.source
    assert dot.stage_2_inf.source == dot.stage_1_inf.source


def test_pending_arrays_are_computed_before(dot, put):
    x = put(floats(100))
    assert dot(x + 1, x * 2).get() == np.dot(floats(100) + 1, floats(100) * 2)


def test_the_result_has_the_class_of_the_last_array(context, queue):
    class Mine(cl_array.Array):
        pass

    total = ReductionKernel(context, np.float32, "0", "a+b", "in[i]", "float *in")
    mine = Mine(queue, 10, np.float32)
    mine.fill(2)
    result = total(mine)
    assert type(result) is Mine
    assert result.get() == 20


def test_bad_input(context, queue, dot, put):
    with pytest.raises(ValueError, match="arguments"):
        ReductionKernel(context, np.float32, "0", "a+b", "in[i]")
    with pytest.raises(RuntimeError, match="comment"):
        ReductionKernel(context, np.float32, "0", "a+b", "in[i] // sum", "float *in")
    with pytest.raises(Exception, match="undeclared_name"):
        ReductionKernel(context, np.float32, "0", "a+b", "undeclared_name", "float *in")
    x = put(floats(10))
    with pytest.raises(ValueError, match="2 arguments"):
        dot(x)
    with pytest.raises(AssertionError, match="float"):
        dot(x, 3.5)
    with pytest.raises(RuntimeError, match="gaps"):
        dot(x[::2], x[:5])
    with pytest.raises(ValueError, match="y"):
        dot(x, x[:5])
    with pytest.raises(TypeError, match="float32"):
        dot(x, put(np.zeros(10)))
    with pytest.raises(TypeError):
        dot(x, x, other=3)
    with pytest.raises(ValueError, match="with_queue"):
        dot(x.with_queue(None), x.with_queue(None))


def test_templates(context, put):
    template = ReductionTemplate(
        arguments="value_t *x, factor_t factor",
        neutral="0",
        reduce_expr="a + b",
        map_expr="(reduction_t) (factor * x[i])",
        name_prefix="scaled",
    )
    aliases = (("value_t", np.int32), ("factor_t", np.float32), ("reduction_t", np.float64))
    knl = template.build(context, type_aliases=aliases)
    assert template.build(context, type_aliases=aliases) is knl
    result = knl(put(np.arange(10, dtype=np.int32)), 0.5)
    assert result.dtype == np.float64
    assert result.get() == 22.5


def test_kernels_of_sums_and_products(context, put):
    x = np.arange(-5, 20, dtype=np.int32)
    assert reduction.get_sum_kernel(context, np.int64, x.dtype)(put(x)).get() == x.sum()
    assert reduction.get_sum_kernel(context, None, x.dtype)(put(x)).dtype == x.dtype
    assert reduction.get_any_kernel(context, x.dtype)(put(x)).get() == 1
    assert reduction.get_all_kernel(context, x.dtype)(put(x)).get() == 0
    z = (x + 2j).astype(np.complex64)
    for conjugates, expected in ((False, (z * z).sum()), (True, np.vdot(z, z))):
        knl = reduction.get_dot_kernel(context, z.dtype, z.dtype, z.dtype, conjugates)
        assert knl(put(z), put(z)).get() == expected
        places = np.array([3, 1, 9], np.int32)
        knl = reduction.get_subset_dot_kernel(
            context, None, places.dtype, z.dtype, x.dtype, conjugates
        )
        chosen = (z.conj() if conjugates else z)[places] * x[places]
        assert knl(put(places), put(z), put(x)).get() == chosen.sum()


@pytest.mark.parametrize("what", ["min", "max"])
def test_kernels_of_extrema(context, put, what):
    theirs = getattr(np, what)
    for dtype in (np.int8, np.uint64, np.int64, np.float32):
        x = (np.arange(30) * 7 % 31).astype(dtype)
        assert reduction.get_minmax_kernel(context, what, x.dtype)(put(x)).get() == theirs(x)
    y = np.array([1, np.nan, 3], np.float32)
    assert np.isnan(reduction.get_minmax_kernel(context, what, y.dtype)(put(y)).get())
    places = np.arange(3, dtype=np.int32)
    knl = reduction.get_subset_minmax_kernel(context, what, y.dtype, places.dtype)
    assert knl(put(places), put(y)).get() == getattr(np, f"nan{what}")(y)
    assert reduction.get_minmax_neutral(what, np.float64).endswith("INFINITY")
    assert str(np.iinfo(np.int8).max if what == "min" else np.iinfo(np.int8).min) == (
        reduction.get_minmax_neutral(what, np.int8)
    )
    with pytest.raises(ValueError, match="mean"):
        reduction.get_minmax_neutral("mean", np.int8)


def test_stages(context, put):
    x = np.arange(10, dtype=np.float32)
    arguments = "float *x"
    first = reduction.get_reduction_kernel(
        1, context, np.float32, "0", "a+b", "2*x[i]", parsed(arguments)
    )
    second = reduction.get_reduction_kernel(
        2, context, np.float32, "0", "a+b", "2*x[i]", parsed(arguments)
    )
    assert first(put(x)).get() == 2 * x.sum()
    assert second(put(x)).get() == x.sum()
    with pytest.raises(ValueError, match="3"):
        reduction.get_reduction_kernel(3, context, np.float32, "0", "a+b")


def parsed(arguments):
    from pyopencl.tools import parse_arg_list

    return parse_arg_list(arguments, with_offset=True)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize(
    "neutral", [np.inf, float("-inf"), np.float32("nan"), 2.5, True, complex(-np.inf, 3)]
)
def test_neutral_elements_may_be_numbers(context, put, dtype, neutral):
    dtype = np.dtype(dtype)
    if dtype.kind != "c" and isinstance(neutral, complex):
        return
    kernel = ReductionKernel(context, dtype, neutral, "a", "x[i]", [VectorArg(dtype, "x")])
    got = kernel(put(np.zeros(3, dtype))).get()
    np.testing.assert_array_equal(got, np.array(neutral, dtype))


def test_sums_of_floats_lose_no_more_than_numpys(context, queue):
    x = np.full(10**6, 0.1, np.float32)
    kernel = ReductionKernel(
        context, np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]",
        arguments="__global const float *x",
    )  # fmt: skip
    exact = x.sum(dtype=np.float64)
    assert abs(kernel(cl_array.to_device(queue, x)).get() - exact) <= abs(x.sum() - exact)
