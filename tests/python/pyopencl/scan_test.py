# SPDX-License-Identifier: MIT
"""pyopencl.scan: scans of arrays, generic ones, and what PyOpenCL makes of them."""

import re

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest
from pyopencl.scan import (
    ExclusiveScanKernel,
    GenericDebugScanKernel,
    GenericScanKernel,
    InclusiveScanKernel,
    ScanTemplate,
    get_cumsum_kernel,
)
from pyopencl.tools import (
    ScalarArg,
    VectorArg,
    get_or_register_dtype,
    match_dtype_to_c_struct,
    parse_arg_list,
)

SIZES = [1, 10, 2**10 - 1, 2**10, 2**14 + 5, 10**5 + 1]


@pytest.fixture
def put(queue):
    """put(values) is an array with these values."""
    return lambda values: cl_array.to_device(queue, np.asarray(values))


def numbers(n):
    return np.random.default_rng(n).integers(-10, 10, n, np.int32)


def test_sums_with_and_without_the_element(context, put):
    inclusive = InclusiveScanKernel(context, np.int32, "a+b", "0")
    exclusive = ExclusiveScanKernel(context, np.int32, "a+b", "0")
    for n in SIZES:
        x = numbers(n)
        given = put(x)
        assert inclusive(given) is given
        np.testing.assert_array_equal(given.get(), np.cumsum(x))
        made = exclusive(put(x), "new")
        np.testing.assert_array_equal(made.get(), np.cumsum(x) - x)
    target, given = put(np.zeros(3, np.int32)), put(np.array([3, 1, 2], np.int32))
    assert inclusive(given, target) is target
    np.testing.assert_array_equal(target.get(), [3, 4, 6])
    np.testing.assert_array_equal(
        inclusive(put(numbers(20))[5:9], "new").get(), numbers(20)[5:9].cumsum()
    )
    assert inclusive(put(x[:0])).size == 0
    assert "a+b" in inclusive.first_level_scan_info.kernel.program.source
    with pytest.raises(ValueError, match="shape"):
        inclusive(given, put(np.zeros(4, np.int32)))
    with pytest.raises(RuntimeError, match="gaps"):
        inclusive(put(np.zeros(8, np.int32))[::2])
    with pytest.raises(ValueError, match="neutral"):
        ExclusiveScanKernel(context, np.int32, "a+b")


@pytest.mark.parametrize("kind", [GenericScanKernel, GenericDebugScanKernel])
def test_segments_and_what_is_before(context, put, kind):
    sums = kind(
        context,
        np.int32,
        [
            VectorArg(np.int32, "ary", with_offset=True),
            VectorArg(np.int8, "starts", with_offset=True),
            VectorArg(np.int32, "before", with_offset=True),
            ScalarArg(np.int32, "factor"),
        ],
        input_expr="factor * ary[i]",
        scan_expr="across_seg_boundary ? b : (a+b)",
        neutral="0",
        is_segment_start_expr="starts[i]\n    != 0",
        output_statement="ary[i] = item; before[i] = prev_item;",
    )
    for n in (1, 300, 50_001):
        x = numbers(n)
        starts = np.random.default_rng(n).random(n) < 0.003
        starts[0] = True
        whole = np.cumsum(2 * x)
        at = np.flatnonzero(starts)
        base = np.repeat(whole[at] - 2 * x[at], np.diff(np.append(at, n)))
        ary = put(np.append(np.int32(99), x))
        before = put(np.zeros(n, np.int32))
        event = sums(ary[1:], put(starts.astype(np.int8)), before, 2)
        event.wait()
        np.testing.assert_array_equal(ary.get(), np.append(99, whole - base))
        np.testing.assert_array_equal(before.get(), whole - base - 2 * x)


def test_fetches_and_the_last_item(context, put):
    """The places where a number differs from the one before it, and how many there are."""
    find = GenericScanKernel(
        context,
        np.int32,
        "float *ary, int *places, int *count",
        input_expr="(i == 0 || here != left) ? 1 : 0",
        scan_expr="a+b",
        neutral="0",
        input_fetch_exprs=[("here", "ary", 0), ("left", "ary", -1)],
        output_statement="""
            if (item != prev_item)  // another one
              places[item-1] = i;
            if (i + 1 == N) *count = last_item;
        """,
        preamble="#define unused WITHIN_KERNEL",
    )
    x = np.sort(np.random.default_rng(3).integers(0, 500, 20_000)).astype(np.float32)
    places, count = put(np.zeros(20_000, np.int32)), put(np.zeros(1, np.int32))
    find(put(x), places, count)
    found = np.unique(x, return_index=True)[1]
    np.testing.assert_array_equal(places.get()[: int(count.get()[0])], found)


def test_structures(context, put):
    dtype = np.dtype([("slope", np.uint32), ("shift", np.uint32)])
    dtype, text = match_dtype_to_c_struct(context.devices[0], "scan_line", dtype)
    dtype = get_or_register_dtype("scan_line", dtype)
    preamble = (
        text
        + """
        scan_line line(uint slope, uint shift) { scan_line l = {slope, shift}; return l; }
        scan_line behind(scan_line x, scan_line y) {
          return line(x.slope * y.slope, y.slope * x.shift + y.shift);
        }
    """
    )
    composed = GenericScanKernel(
        context,
        dtype,
        "scan_line *lines, uint *at_one",
        "lines[i]",
        "behind(a, b)",
        "line(1, 0)",
        "lines[i] = prev_item; at_one[i] = item.slope + item.shift",
        preamble=preamble,
    )
    n = 20_000
    lines = np.empty(n, dtype)
    lines["slope"], lines["shift"] = 1 + np.arange(n) % 5, np.arange(n)
    at_one, value = np.empty(n, np.uint32), 1
    for i, (slope, shift) in enumerate(lines):
        value = at_one[i] = (int(slope) * int(value) + int(shift)) % 2**32
    given, result = put(lines), put(np.zeros(n, np.uint32))
    composed(given, result)
    np.testing.assert_array_equal(result.get(), at_one)
    moved = given.get()
    assert tuple(moved[0]) == (1, 0)
    np.testing.assert_array_equal(moved["slope"][1:] + moved["shift"][1:], at_one[:-1])


def test_the_size_of_a_scan_and_its_queue(context, queue, put):
    count_up = GenericScanKernel(
        context, np.int32, "int *y", "1", "a+b", "0", "y[i] = item", index_dtype=np.int64
    )
    y = put(np.zeros((2, 5), np.int32))
    with pytest.raises(ValueError, match="axes"):
        count_up(y)
    other = cl.CommandQueue(context)
    user = cl.UserEvent(context)
    event = count_up(y, size=7, queue=other, wait_for=[user])
    user.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    np.testing.assert_array_equal(y.get().ravel(), [1, 2, 3, 4, 5, 6, 7, 0, 0, 0])
    count_up(y, size=0).wait()
    assert y.get()[0, 0] == 1
    out_of_order = cl.CommandQueue(
        context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    )
    large = put(np.zeros(10**5, np.int32))
    count_up(large, queue=out_of_order).wait()
    assert large.get()[-1] == 10**5


def test_templates(context, put):
    template = ScanTemplate(
        arguments="item_t *ary",
        input_expr="ary[i] + shift",
        scan_expr="a+b",
        neutral="0",
        output_statement="ary[i] = item",
        template_processor="printf",
        preamble="#define shift %(shift)d\n",
    )
    types = (("scan_t", np.int64), ("index_t", np.int32), ("item_t", np.int64))
    kernel = template.build(context, type_aliases=types, var_values=(("shift", 1),))
    assert template.build(context, type_aliases=types, var_values=(("shift", 1),)) is kernel
    x = put(np.arange(5))
    kernel(x)
    np.testing.assert_array_equal(x.get(), np.cumsum(np.arange(5) + 1))


def test_cumulative_sums_of_other_dtypes(context, put):
    kernel = get_cumsum_kernel(context, np.dtype(np.int32), np.dtype(np.float64))
    assert get_cumsum_kernel(context, np.dtype(np.int32), np.dtype(np.float64)) is kernel
    x, y = put(numbers(1000)), put(np.zeros(1000))
    kernel(x, y)
    np.testing.assert_array_equal(y.get(), np.cumsum(numbers(1000)))


def test_cumsum_of_arrays(put):
    x = numbers(3000)
    summed = cl_array.cumsum(put(x))
    assert summed.dtype == np.int32
    np.testing.assert_array_equal(summed.get(), np.cumsum(x))
    event, summed = cl_array.cumsum(put(x)[100:], np.float64, return_event=True)
    event.wait()
    np.testing.assert_array_equal(summed.get(), np.cumsum(x[100:], dtype=np.float64))
    np.testing.assert_array_equal(
        cl_array.cumsum(put(x.astype(np.int8))[::2]).get(), np.cumsum(x[::2], dtype=np.int8)
    )
    z = (x + 1j).astype(np.complex64)
    np.testing.assert_array_equal(cl_array.cumsum(put(z)).get(), np.cumsum(z))
    assert cl_array.cumsum(put(x[:0])).size == 0
    with pytest.raises(ValueError, match="axes"):
        cl_array.cumsum(put(x).reshape(30, 100))


def test_what_is_refused(context, queue, put):
    texts = ("int *x, int *y", "x[i]", "a+b", "0", "y[i] = item")
    for changed, error in [
        ({3: None}, ValueError),
        ({0: "int n"}, RuntimeError),
        ({1: "x[i] // comment"}, RuntimeError),
        ({2: "a+b // comment"}, RuntimeError),
        ({2: "a+"}, cl.RuntimeError),
        ({0: "int *x, int *y, int item"}, ValueError),
    ]:
        given = [changed.get(n, text) for n, text in enumerate(texts)]
        with pytest.raises(error):
            GenericScanKernel(context, np.int32, *given)
    GenericScanKernel(
        context, np.int32, "int *tid, int n", "n * tid[i]", "a+b", "0", "tid[i] = item"
    )
    for keywords, error in [
        ({"index_dtype": np.uint32}, TypeError),
        ({"input_fetch_exprs": [("next", "x", 1)]}, RuntimeError),
        ({"input_fetch_exprs": [("left", "z", -1)]}, ValueError),
    ]:
        with pytest.raises(error):
            GenericScanKernel(context, np.int32, *texts, **keywords)
    scan = GenericScanKernel(context, np.int32, *texts)
    x = put(numbers(10))
    for args, keywords, error in [
        ((x,), {}, TypeError),
        ((x, x, x), {}, TypeError),
        ((x, 5), {}, TypeError),
        ((x, x), {"unknown": 1}, TypeError),
        ((put(np.zeros(10, np.float32)), x), {}, TypeError),
        ((x, x), {"size": 11}, ValueError),
        ((x, x), {"size": -1}, ValueError),
        ((x.with_queue(None), x), {}, ValueError),
    ]:
        with pytest.raises(error):
            scan(*args, **keywords)


def test_arrays_that_a_scan_would_overrun_are_refused(context, put):
    scan = GenericScanKernel(
        context,
        np.int32,
        "int *x, int *left, int *y",
        "x[i] + (i ? before : 0)",
        "a+b",
        "0",
        "y[i] = item",
        input_fetch_exprs=[("before", "left", -1)],
    )
    x, y = put(np.ones(10, np.int32)), put(np.zeros(20, np.int32))
    scan(x, x[:9], y[:10])  # the last one is before nothing
    np.testing.assert_array_equal(y.get(), [*range(1, 20, 2), *[0] * 10])
    for args, message in [
        ((x, x[:8], y), r"\(left\) of scan scan has 8 elements; the kernel uses left\[8\]"),
        ((x, x, y[:5]), r"\(y\) of scan scan has 5 elements; the kernel uses y\[9\]"),
    ]:
        with pytest.raises(ValueError, match=message):
            scan(*args)
    here = GenericScanKernel(
        context, np.int32, "int *y, int *x", "it", "a+b", "0", "y[i] = item",
        input_fetch_exprs=[("it", "x", 0)],
    )  # fmt: skip
    with pytest.raises(ValueError, match=r"uses x\[19\]"):
        here(y, x)


def test_structures_are_counted_in_bytes(context, queue, put):
    scan = GenericScanKernel(
        context, np.float32, "float2 *x, float *y", "x[i].x", "a+b", "0", "y[i] = item"
    )
    numbers_of_pairs, y = put(np.arange(6, dtype=np.float32)), put(np.zeros(6, np.float32))
    scan(numbers_of_pairs, y, size=3)
    np.testing.assert_array_equal(y.get(), [0, 2, 6, 0, 0, 0])
    with pytest.raises(ValueError, match=r"has 3 elements of 8 bytes; the kernel uses x\[5\]"):
        scan(numbers_of_pairs, y)


def test_what_plain_scans_refuse(context, put):
    scan = InclusiveScanKernel(context, np.float32, "a+b", "0", name_prefix="total")
    x = put(np.zeros((2, 3), np.float32))
    host = np.zeros((2, 3), np.float32)
    for args, error, message in [
        ((host,), TypeError, "input_ary"),
        ((x, host), TypeError, "output_ary"),
        ((x, "newer"), TypeError, "output_ary"),
        ((x, put(np.asfortranarray(host))), ValueError, "Fortran order"),
        ((put(host.astype(np.complex64)),), TypeError, "complex64"),
    ]:
        with pytest.raises(error, match=message):
            scan(*args)
    nowhere = InclusiveScanKernel(context, np.float32, "a+b", "0", devices=[])
    with pytest.raises(ValueError, match=f"scan scan .* {re.escape(context.devices[0].name)}"):
        nowhere(x)


@pytest.mark.parametrize("neutral", [-np.inf, np.float32("inf"), float("nan")])
def test_neutral_elements_may_be_numbers(context, queue, neutral):
    scan = ExclusiveScanKernel(context, np.float32, "a > b ? a : b", neutral)
    out = scan(cl_array.to_device(queue, np.arange(100, dtype=np.float32)))
    np.testing.assert_array_equal(out.get()[0], np.float32(neutral))


def test_comments_in_the_arguments_of_templates_and_kernels(context, queue):
    arguments = """
        /* what is summed, of any
           type, */ __global scan_t *ary, // , in
        __global scan_t *out /* , */ // last
    """
    template = ScanTemplate(
        arguments, "ary[i]", "a + b", output_statement="out[i] = item;", neutral="0"
    )
    x = cl_array.to_device(queue, np.arange(10, dtype=np.int32))
    out = cl_array.empty_like(x)
    template.build(context, type_aliases=(("scan_t", np.int32),))(x, out)
    assert np.array_equal(out.get(), np.cumsum(np.arange(10)))
    text = arguments.replace("scan_t", "int")
    for given in (text, ["__global int *ary /* a, b */", "// the output\n int *out // last"]):
        assert [argument.name for argument in parse_arg_list(given)] == ["ary", "out"]
