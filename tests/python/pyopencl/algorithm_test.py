# SPDX-License-Identifier: MIT
"""pyopencl.algorithm: selections, sorts by a key, and lists of unequal lengths."""

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest
from pyopencl.algorithm import (
    KeyValueSorter,
    ListOfListsBuilder,
    RadixSort,
    copy_if,
    partition,
    remove_if,
    unique,
)
from pyopencl.scan import GenericDebugScanKernel
from pyopencl.tools import (
    ScalarArg,
    VectorArg,
    get_or_register_dtype,
    match_dtype_to_c_struct,
)

import treadle

SIZES = [0, 1, 1000, 50_001]


@pytest.fixture
def put(queue):
    """put(values) is an array with these values."""
    return lambda values: cl_array.to_device(queue, np.asarray(values))


def numbers(n, high=1000):
    return np.random.default_rng(n).integers(0, high, n, np.int32)


def counted(out, count):
    return out.get()[: int(count.get())]


def test_selections(put):
    limits, above = put(np.array([300], np.int32)), "ary[i] > limits[0] + shift"
    extra = [("limits", limits), ("shift", np.int32(7))]
    for n in SIZES:
        x = numbers(n)
        given = put(np.append(np.int32(5), x))[1:]  # a view begins where it begins
        out, count, event = copy_if(given, above, extra)
        event.wait()
        assert count.dtype == np.uint32
        assert count.shape == ()
        np.testing.assert_array_equal(counted(out, count), x[x > 307])
        high, low, count, _ = partition(given, above, extra)
        np.testing.assert_array_equal(counted(high, count), x[x > 307])
        np.testing.assert_array_equal(low.get()[: n - int(count.get())], x[x <= 307])
    out, count, _ = remove_if(
        given, "is_even(ary[i])", preamble="#define is_even(x) ((x) % 2 == 0)"
    )
    np.testing.assert_array_equal(counted(out, count), x[x % 2 == 1])
    for wrong in (5, x):
        with pytest.raises(RuntimeError, match="extra argument n"):
            copy_if(given, "ary[i] > n", [("n", wrong)])
    with pytest.raises(RuntimeError, match="gaps"):
        copy_if(given[::2], "ary[i] > 3")
    with pytest.raises(cl.RuntimeError):
        copy_if(given, "ary[i] > nothing")


def test_arrays_that_do_not_fit_a_selection_are_refused(put):
    x = numbers(24)
    table = x[:12].reshape(3, 4)
    for select, ary, beside, error, message in [
        (copy_if, put(x[:12]), put(x)[::2], RuntimeError, r"\(n\) of copy_if has gaps"),
        (remove_if, put(x), put(x)[:11], ValueError, r"\(n\) of remove_if has 11 elements"),
        (partition, put(table), put(np.asfortranarray(table)), ValueError, "of partition .* order"),
        (unique, x, put(x), TypeError, r"\(ary\) of unique is a ndarray"),
    ]:
        with pytest.raises(error, match=message):
            select(ary, "ary[i] > n[i]", [("n", beside)])
    both = put(np.asfortranarray(table))
    out, count, _ = remove_if(both, "ary[i] > n[i]", [("n", both)])
    assert count.get() == 12
    np.testing.assert_array_equal(out.get(), table)


def test_first_elements_of_runs(put):
    x = np.sort(numbers(20_000))
    out, count, _ = unique(put(x))
    np.testing.assert_array_equal(counted(out, count), np.unique(x))
    out, count, _ = unique(put(x), "a / size == b / size", [("size", np.int32(10))])
    np.testing.assert_array_equal(counted(out, count) // 10, np.unique(x // 10))


def test_sorts_by_a_member_of_structures(context, queue):
    inner = np.dtype([("key", np.int16), ("more", np.float64)])
    inner = match_dtype_to_c_struct(context.devices[0], "sorted_inner", inner)[0]
    inner = get_or_register_dtype("sorted_inner", inner)
    pair = np.dtype([("number", np.int32), ("inner", inner)])
    pair = match_dtype_to_c_struct(context.devices[0], "sorted_pair", pair)[0]
    pair = get_or_register_dtype("sorted_pair", pair)
    pairs = np.zeros(50, pair)
    pairs["number"] = np.arange(50)
    pairs["inner"]["key"] = numbers(50) - 20
    for dtype in np.int16, np.uint16, np.int32:
        sort = RadixSort(context, "sorted_pair *p", "p[i].inner.key", ["p"], key_dtype=dtype)
        (found,), _ = sort(cl_array.to_device(queue, pairs))
        order = np.argsort(pairs["inner"]["key"].view(np.uint16), kind="stable")
        np.testing.assert_array_equal(found.get()["number"], order)


@pytest.mark.parametrize(
    "options", [{}, {"scan_kernel": GenericDebugScanKernel}, {"key_dtype": np.int32}]
)
def test_sorts(context, queue, put, options):
    sort = RadixSort(
        context,
        "int *ary, float *beside, int shift",
        key_expr="ary[i] + shift",
        sort_arg_names=["beside", "ary"],
        **options,
    )
    for n in SIZES:
        x = numbers(n)
        order = np.argsort(x, kind="stable")
        beside = np.arange(n, dtype=np.float32)
        given = put(np.append(np.int32(5), x))[1:]
        (ary, moved), event = sort(given, put(beside), 3, key_bits=10)
        event.wait()
        np.testing.assert_array_equal(ary.get(), x[order])
        np.testing.assert_array_equal(moved.get(), order)
        np.testing.assert_array_equal(given.get(), x)
    (ary, _), _ = sort(put(-x), put(beside), 0, queue=cl.CommandQueue(context))
    np.testing.assert_array_equal(ary.get(), np.sort((-x).view(np.uint32)).view(np.int32))
    for args, keywords, error in [
        ((ary,), {}, TypeError),
        ((ary, moved, 3), {"unknown": 1}, TypeError),
        ((ary, moved[:10], 3), {}, ValueError),
        ((ary, 5, 3), {}, TypeError),
        ((ary, moved, 3), {"key_bits": 0}, ValueError),
        ((ary, moved, 3), {"key_bits": 33}, ValueError),
    ]:
        with pytest.raises(error):
            sort(*args, **keywords)
    if not options:
        pairs = RadixSort(context, "float *x, uint *keys", "keys[i]", ["x", "keys"])
        keys = put(np.arange(4, dtype=np.uint32))
        with pytest.raises(TypeError, match="complex64"):  # of which halves would be moved
            pairs(put(np.zeros(4, np.complex64)), keys)
        with pytest.raises(ValueError, match="nothing"):
            RadixSort(context, "int *ary", "ary[i]", ["nothing"])


def test_values_by_keys(context, queue, put):
    sorter = KeyValueSorter(context)
    keys, values = numbers(20_000, 300), np.arange(20_000, dtype=np.int64)
    keys[keys == 17] = 18
    starts, lists, event = sorter(queue, put(keys), put(values), 310, np.int32)
    event.wait()
    order = np.argsort(keys, kind="stable")
    np.testing.assert_array_equal(starts.get(), np.searchsorted(keys[order], np.arange(311)))
    np.testing.assert_array_equal(lists.get(), values[order])
    with pytest.raises(ValueError, match="keys"):
        sorter(queue, put(keys), put(values[1:]), 310, np.int32)
    with pytest.raises(TypeError, match="float64"):
        sorter(queue, put(keys * 0.5), put(values), 310, np.int32)
    with pytest.raises(TypeError, match="keys"):
        sorter(queue, keys, put(values), 310, np.int32)
    with pytest.raises(TypeError, match="values"):
        sorter(queue, put(keys), "values", 310, np.int32)
    with pytest.raises(RuntimeError, match="keys.* gaps"):
        sorter(queue, put(keys)[::2], put(values)[:10_000], 310, np.int32)


GENERATE = """
void append_all(LIST_ARG_DECL USER_ARG_DECL int d, index_type i)
{
#ifdef PLB_WRITE_STAGE
  APPEND_divisors(d);
#else
  APPEND_divisors(0);
#endif
  APPEND_squares(d * d);
}
void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)
{
  if (x[i] < least) return;
  for (int d = 1; d < 9; ++d)
    if (x[i] % d == 0) append_all(LIST_ARGS USER_ARGS d, i);
  if (x[i] % 7 == 0) { APPEND_sevens(x[i]); }
}
"""


def test_lists_of_unequal_lengths(context, queue, put):
    builder = ListOfListsBuilder(
        context,
        [("divisors", np.int32), ("squares", np.int64), ("sevens", np.float32)],
        GENERATE,
        [VectorArg(np.int32, "x", with_offset=True), ScalarArg(np.int32, "least")],
        count_sharing={"squares": "divisors"},
        eliminate_empty_output_lists=["sevens"],
    )
    x = numbers(3000)
    lists = [[d for d in range(1, 9) if y % d == 0 and y >= 20] for y in x]
    starts = np.cumsum([0] + [len(one) for one in lists])
    divisors = np.concatenate(lists)
    given = put(np.append(np.int32(5), x))[1:]
    built, event = builder(queue, 3000, given, 20)
    event.wait()
    assert set(built) == {"divisors", "squares", "sevens"}
    assert built["divisors"].count == starts[-1]
    for name, expected in [("divisors", divisors), ("squares", divisors**2)]:
        np.testing.assert_array_equal(built[name].starts.get(), starts)
        np.testing.assert_array_equal(built[name].lists.get(), expected)
    sevens = built["sevens"]
    where = np.flatnonzero((x % 7 == 0) & (x >= 20))
    assert sevens.count == sevens.num_nonempty_lists == len(where)
    np.testing.assert_array_equal(sevens.starts.get(), np.arange(len(where) + 1))
    np.testing.assert_array_equal(sevens.nonempty_indices.get(), where)
    np.testing.assert_array_equal(sevens.lists.get(), x[where])
    np.testing.assert_array_equal(
        sevens.compressed_indices.get(), np.searchsorted(where, np.arange(3001))
    )
    only, _ = builder(queue, 3000, given, 20, omit_lists=("divisors", "sevens"))
    assert list(only) == ["squares"]
    np.testing.assert_array_equal(only["squares"].lists.get(), divisors**2)
    none, _ = builder(queue, 0, given, 20)
    assert none["divisors"].count == 0
    assert none["divisors"].starts.get().tolist() == [0]
    assert none["sevens"].num_nonempty_lists == 0


def test_what_lists_are_given(context, queue, put):
    generate = "void generate(LIST_ARG_DECL USER_ARG_DECL index_type i) { APPEND_a(x[i]); }"
    with pytest.raises(ValueError, match="unknown"):
        ListOfListsBuilder(
            context, [("a", np.int32)], generate, "int *x", eliminate_empty_output_lists=["unknown"]
        )
    for sharing in ({"unknown": "a"}, {"a": "unknown"}, {"a": "b", "b": "a"}):
        with pytest.raises(ValueError, match="count_sharing"):
            ListOfListsBuilder(
                context, [("a", np.int32), ("b", np.int32)], generate, "int *x", sharing
            )
    builder = ListOfListsBuilder(context, [("a", np.int32)], generate, [VectorArg(np.int32, "x")])
    x = put(numbers(10))
    built, _ = builder(queue, 10, x)
    np.testing.assert_array_equal(built["a"].lists.get(), numbers(10))
    built, _ = builder(queue, 10, x.base_data)
    np.testing.assert_array_equal(built["a"].lists.get(), numbers(10))
    for args, keywords, error in [
        ((), {}, TypeError),
        ((x.reshape(2, 5),), {}, ValueError),
        ((put(np.zeros(20, np.int32))[::2],), {}, RuntimeError),
        ((put(np.zeros(10)),), {}, TypeError),
        ((x,), {"omit_lists": ["b"]}, ValueError),
        ((x,), {"unknown": 1}, TypeError),
    ]:
        with pytest.raises(error):
            builder(queue, 10, *args, **keywords)


def test_none_is_a_null_pointer_to_lists(context, queue, put):
    generate = """
    void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)
    {
      if (x) { APPEND_a(x[i]); }
      if (y) { APPEND_a(y[i]); }
    }
    """
    parameters = [VectorArg(np.int32, "x"), VectorArg(np.int32, "y", with_offset=True)]
    builder = ListOfListsBuilder(context, [("a", np.int32)], generate, parameters)
    for args, expected in [
        ((put(numbers(3)), None), numbers(3)),
        ((None, put(numbers(3))), numbers(3)),
        ((None, None), []),
    ]:
        built, _ = builder(queue, 3, *args)
        assert built["a"].lists.get().tolist() == list(expected)


def test_lists_that_do_not_compile_are_a_failed_build(context, queue):
    generate = "void generate(LIST_ARG_DECL USER_ARG_DECL index_type i) { %s }"
    for text in ("nonsense();", "\n#ifndef PLB_COUNT_STAGE\nnonsense();\n#endif\n"):
        builder = ListOfListsBuilder(context, [("a", np.int32)], generate % text, [])
        with pytest.raises(cl.RuntimeError, match="nonsense") as caught:
            builder(queue, 2)
        assert isinstance(caught.value, treadle.CompileError)
        assert caught.value.code == cl.status_code.BUILD_PROGRAM_FAILURE


def test_lists_too_long_to_be_counted_are_refused(context, queue):
    generate = """
    void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)
    {
      for (int k = 0; k < (1 << 30); ++k) { APPEND_long_one(k); }
    }
    """
    builder = ListOfListsBuilder(context, [("long_one", np.int8)], generate, [])
    with pytest.raises(ValueError, match=f"list long_one .* {3 * 2**30} elements"):
        builder(queue, 3)


def test_sorts_on_queues_out_of_order(context):
    queue = cl.CommandQueue(
        context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    )
    sort = RadixSort(context, "uint *keys", "keys[i]", ["keys"])
    for seed in range(5):
        keys = np.random.default_rng(seed).integers(0, 2**32, 2**15, np.uint32)
        (made,), _ = sort(cl_array.to_device(queue, keys))
        np.testing.assert_array_equal(made.get(), np.sort(keys))
