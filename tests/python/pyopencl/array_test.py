# SPDX-License-Identifier: MIT
"""pyopencl.array: the class, its memory and its operators; beside NumPy."""

import gc
import operator
import sys
import warnings
import weakref
from collections.abc import Iterable

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest
from pyopencl.tools import ImmediateAllocator, MemoryPool


@pytest.fixture
def put(queue):
    """put(values) is an array with these values."""
    return lambda values, **kwargs: cl_array.to_device(queue, np.asarray(values), **kwargs)


def values(dtype, count=20):
    return (np.arange(count) % 7 + 1).astype(dtype)


# --- the constructor ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shape", [0, (), 5, (3, 0, 2), (0, 5), (5, 0), (2, 3), np.int64(4), [2, 2]]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_shape_strides_and_flags_are_numpy_s(queue, shape, order):
    ours = cl_array.Array(queue, shape, np.float32, order=order)
    theirs = np.empty(shape, np.float32, order=order)
    for back in (lambda a: a, lambda a: a.reshape(-1, order=order)):
        one, other = back(ours), back(theirs)
        assert one.shape == other.shape
        assert one.size == other.size
        assert one.nbytes == other.nbytes
        assert one.ndim == other.ndim
        assert one.strides == other.strides
        assert one.flags.c_contiguous == other.flags.c_contiguous
        assert one.flags.f_contiguous == other.flags.f_contiguous
    assert (ours.base_data is None) == (theirs.size == 0)
    assert ours.dtype is theirs.dtype


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (0,), (2, 0, 4)])
@pytest.mark.parametrize("dtype", [np.complex64, np.int8, np.int32])
def test_views_without_elements_have_numpy_s_shape(queue, shape, dtype):
    ours = (cl_array.empty(queue, shape, np.float32), cl_array.zeros(queue, shape, np.float32))
    moved = cl_array.to_device(queue, np.empty(shape, np.float32))
    for array in (*ours, moved):
        assert array.view(dtype).shape == np.empty(shape, np.float32).view(dtype).shape


@pytest.mark.parametrize("shape", [-1, (2, -1), (2.5,), (3, None)])
def test_lengths_that_are_none_are_refused(queue, shape):
    with pytest.raises(ValueError, match="shape"):
        cl_array.Array(queue, shape, np.float32)


def test_other_bad_arguments_of_the_constructor(queue):
    with pytest.raises(TypeError):
        cl_array.Array(queue, 2.5, np.float32)
    with pytest.raises(TypeError, match="queue or a context"):
        cl_array.Array("queue", 3, np.float32)
    with pytest.raises(AssertionError):
        cl_array.Array(None, 3, np.float32)
    with pytest.raises(AssertionError, match="object"):
        cl_array.Array(queue, 3, object)
    with pytest.raises(ValueError, match="order"):
        cl_array.Array(queue, 3, np.float32, order="K")
    with pytest.raises(TypeError, match="data"):
        cl_array.Array(queue, 3, np.float32, data=np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="bytes"):
        small = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 8)
        cl_array.Array(queue, 3, np.float32, data=small)


def test_data_is_used_as_it_is(queue, upload):
    buffer = upload(np.arange(10, dtype=np.int32))
    a = cl_array.Array(queue, (2, 3), np.int32, data=buffer, offset=8)
    assert a.base_data is buffer
    assert a.offset == 8
    np.testing.assert_array_equal(a.get(), [[2, 3, 4], [5, 6, 7]])
    with pytest.raises(cl_array.ArrayHasOffsetError):
        a.data  # noqa: B018
    a += 10
    whole = cl_array.Array(queue, 10, np.int32, data=buffer)
    np.testing.assert_array_equal(whole.get(), [0, 1, 12, 13, 14, 15, 16, 17, 8, 9])


def test_arrays_exchange_their_memory(context, queue, put):
    rows = np.arange(6, dtype=np.float32).reshape(2, 3)
    for pool in None, cl.tools.MemoryPool(cl.tools.ImmediateAllocator(queue)):
        a = cl_array.to_device(queue, rows, allocator=pool)
        b = 2 * a + 1
        a.base_data, b.base_data = b.base_data, a.base_data
        a += 1
        np.testing.assert_array_equal(a.get(), 2 * rows + 2)
        np.testing.assert_array_equal(b.get(), rows)
    part = put(np.arange(8, dtype=np.int32))[2:5]
    part.base_data = put(np.arange(8, dtype=np.int32) * 10).base_data
    assert part.offset == 8 and part.get().tolist() == [20, 30, 40]
    part.base_data = None
    part.fill(3)
    assert part.get().tolist() == [3, 3, 3]
    with pytest.raises(TypeError, match="data is a ndarray"):
        part.base_data = np.zeros(8, np.int32)
    assert part.get().tolist() == [3, 3, 3]


def test_memory_outlives_its_array(queue):
    a = cl_array.to_device(queue, np.arange(100, dtype=np.int32))
    data = (a + 1).data
    del a
    gc.collect()
    others = [cl_array.zeros(queue, 100, np.int32) for _ in range(8)]
    host = np.empty(100, np.int32)
    cl.enqueue_copy(queue, host, data)
    np.testing.assert_array_equal(host, np.arange(1, 101))
    assert len(others) == 8


def test_an_allocator_is_asked_once_for_each_array(context, queue):
    asked = []
    pool = MemoryPool(ImmediateAllocator(queue))

    def allocator(size):
        asked.append(size)
        return pool(size)

    a = cl_array.to_device(queue, np.arange(8, dtype=np.float32), allocator=allocator)
    assert asked == [32]
    assert isinstance(a.base_data, cl.tools.PooledBuffer)
    b = a + 1
    assert b.allocator is allocator
    assert asked == [32, 32]
    assert isinstance(b.base_data, cl.tools.PooledBuffer)
    np.testing.assert_array_equal(b.get(), np.arange(8) + 1)
    assert cl_array.zeros(queue, 0, np.int8, allocator=allocator).base_data is None
    assert len(asked) == 2
    del a, b
    gc.collect()
    assert pool.active_blocks == 0


def test_subclasses_stay(queue):
    class Mine(cl_array.Array):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.marked = True

    a = Mine(queue, (2, 3), np.float32)
    a.fill(2)
    for made in (a + 1, 1 - a, -a, a < 3, a[0], a.T, a.copy(), a.reshape(-1), a.astype(np.int32),
                 a.with_queue(None), cl_array.empty_like(a)):  # fmt: skip
        assert type(made) is Mine
        assert made.marked
    np.testing.assert_array_equal((a * 2).get(), np.full((2, 3), 4))


def test_subclasses_of_other_packages_stay(queue):
    class Theirs(cl_array.Array):
        def __init__(self, shape=None, queue=None, dtype=None, data=None, **kwargs):
            if isinstance(shape, cl.CommandQueue | cl.Context):
                queue, shape = shape, queue
            super().__init__(cq=queue, shape=shape, dtype=dtype, data=data, **kwargs)

    a = Theirs((6,), queue, np.int32)
    a.set(np.arange(6, dtype=np.int32))
    total = cl_array.sum(a)
    assert total.get() == 15
    assert type(total) is Theirs
    assert total.queue is queue


def test_memory_may_be_given_later(context, queue):
    class Placed(cl_array.Array):
        def __init__(self, *args, nbytes=None, **kwargs):
            super().__init__(*args, **kwargs)
            self.nbytes = nbytes

    alone = Placed(queue, (4,), np.float32, data=0)
    alone.fill(3)
    assert alone.get().sum() == 12
    a = Placed(queue, (4,), np.float32, allocator=lambda size: 0, nbytes=64)
    assert a.nbytes == 64
    values = np.arange(4, dtype=np.float32)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    a.base_data = cl.Buffer(context, flags, hostbuf=values)
    np.testing.assert_array_equal(a.get(), values)
    assert not isinstance(a, Iterable)
    assert [x.get() for x in a] == list(values)


def test_subclasses_with_pyopencl_s_arguments_are_told_context_and_queue_by_name(queue):
    seen = []

    class Theirs(cl_array.Array):
        def __init__(self, cq, shape, dtype, *args, _context=None, _queue=None, **kwargs):
            seen.append((cq, _context, _queue))
            super().__init__(cq, shape, dtype, *args, _context=_context, _queue=_queue, **kwargs)

    a = Theirs(queue, 6, np.int32)
    assert type(a[2:]) is Theirs
    assert seen == [(queue, None, None), (None, queue.context, queue)]


def test_names_that_other_packages_take(queue):
    assert cl_array._copy_queue is cl_array._same_as_transfer
    a = cl_array.to_device(queue, np.arange(4, dtype=np.float32))
    assert a.copy(queue=cl_array._copy_queue).queue is queue
    assert cl_array.to_device(queue, a.get(), array_queue=cl_array._same_as_transfer).queue is queue


@pytest.mark.parametrize("dtype", [np.float32, [("id", np.int32), ("value", np.int8)]], ids=str)
def test_zero_fill(context, queue, dtype):
    ones = np.frombuffer(b"\x01" * 8 * np.dtype(dtype).itemsize, dtype)
    a = cl_array.to_device(queue, ones)
    gate = cl.UserEvent(context)
    assert a[:6:2]._zero_fill(wait_for=[gate]) is None
    (*_, last) = a.events
    assert last.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    expected = ones.copy()
    expected[:6:2] = np.zeros(3, dtype)
    np.testing.assert_array_equal(a.get(), expected)
    a._zero_fill(queue=queue)
    np.testing.assert_array_equal(a.get(), np.zeros(8, dtype))


# --- operators ------------------------------------------------------------------------------------

ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


# A kernel takes a platform a tenth of a second: some of each kind, not all pairs.
PAIRS = [
    (operator.add, np.int8, np.uint8),
    (operator.add, np.float32, np.float32),
    (operator.add, np.complex64, np.float32),
    (operator.sub, np.uint8, np.uint8),
    (operator.sub, np.int32, np.float32),
    (operator.mul, np.uint64, np.int32),
    (operator.mul, np.float32, np.complex128),
    (operator.truediv, np.int8, np.int8),
    (operator.truediv, np.int32, np.int64),
    (operator.truediv, np.float32, np.complex64),
]


@pytest.mark.parametrize(("op", "a", "b"), PAIRS)
def test_arithmetic_of_dtypes(put, op, a, b):
    x, y = values(a), values(b)[::-1].copy()
    expected = op(x, y)
    result = op(put(x), put(y))
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result.get(), expected, rtol=1e-6)


NUMBERS = [
    (operator.add, np.int8, 3),
    (operator.sub, np.uint8, np.int16(2)),
    (operator.mul, np.float32, 2.5),
    (operator.mul, np.int32, 2.5),
    (operator.truediv, np.float32, np.float64(2)),
    (operator.truediv, np.int32, True),
    (operator.sub, np.complex64, 2j),
]


@pytest.mark.parametrize(("op", "dtype", "number"), NUMBERS)
def test_arithmetic_with_numbers(put, op, dtype, number):
    x = values(dtype)
    for ours, theirs in ((op(put(x), number), op(x, number)), (op(number, put(x)), op(number, x))):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-6)


@pytest.mark.parametrize("op", COMPARISONS, ids=lambda op: op.__name__)
def test_comparisons_give_int8(put, op):
    for dtype, other in ((np.int32, 3.5), (np.float32, np.float64(3)), (np.int32, "array")):
        x = values(dtype)
        y = x[::-1].copy() if isinstance(other, str) else other
        result = op(put(x), put(y) if isinstance(other, str) else y)
        assert result.dtype == np.int8
        np.testing.assert_array_equal(result.get(), op(x, y).astype(np.int8))


def test_equality_with_what_is_no_number(put):
    a = put(values(np.float32))
    assert not (a == None)  # noqa: E711
    assert a != None  # noqa: E711
    assert not (a == "text")
    with pytest.raises(TypeError):
        a < None  # noqa: B015
    with pytest.raises(TypeError):
        hash(a)


def test_foreign_objects_are_left_alone(put):
    class Container:
        pass

    a = put(values(np.float32))
    for op in ARITHMETIC:
        for pair in ((a, Container()), (Container(), a), (a, "text"), (a, [1] * 20)):
            with pytest.raises(TypeError):
                op(*pair)


def test_arrays_of_the_host_are_operands(put):
    x = values(np.float32)
    for result in (put(x) + x, x + put(x)):
        assert isinstance(result, cl_array.Array)
        np.testing.assert_array_equal(result.get(), x + x)
    with pytest.raises(TypeError):
        put(x) + np.array([object()] * 20)


def test_arrays_without_axes_are_operands(queue, put):
    x = np.arange(10, dtype=np.float32)
    number = put(np.array([1, 2, 3], np.float32))[1]
    assert number.shape == ()
    for result in (put(x) * number, number * put(x)):
        assert result.queue is queue
        np.testing.assert_array_equal(result.get(), 2 * x)


def test_broadcasting(put):
    x, y = np.arange(6, dtype=np.int32).reshape(2, 3), np.arange(3, dtype=np.int32)
    np.testing.assert_array_equal((put(x) + put(y)).get(), x + y)
    with pytest.raises(ValueError, match=r"\(2, 3\)"):
        put(x) + put(np.arange(4, dtype=np.int32))


def test_orders_in_memory_mix(put):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    f = put(np.asfortranarray(x))
    np.testing.assert_array_equal((f < 5).get(), x < 5)
    np.testing.assert_array_equal(f.astype(np.float64).get(), x)
    np.testing.assert_array_equal((f + put(x)).get(), x + x)
    assert (f + 1).strides == f.strides


@pytest.mark.parametrize("name", ["__iadd__", "__isub__", "__imul__", "__itruediv__"])
@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.complex64])
def test_in_place(put, name, dtype):
    for other in (2.5, "array"):
        x = values(dtype)
        ours, theirs = put(x), x.astype(np.complex128 if dtype == np.complex64 else np.float64)
        y = values(dtype) if other == "array" else other
        if name == "__itruediv__" and dtype == np.int32:
            with pytest.raises(TypeError):
                operator.itruediv(ours, put(y) if other == "array" else y)
            continue
        same = getattr(ours, name)(put(y) if other == "array" else y)
        assert same is ours
        assert ours.dtype == dtype
        expected = getattr(theirs, name)(y).astype(dtype)
        np.testing.assert_allclose(ours.get(), expected, rtol=1e-6)


BIG = 2**63 + 5


@pytest.mark.parametrize("op", [operator.iadd, operator.isub, operator.imul], ids=str)
@pytest.mark.parametrize(
    ("x", "y"),
    [
        (np.array([BIG, 3], np.uint64), np.array([-1, -2], np.int32)),
        (np.array([2**62 + 1, -3], np.int64), np.array([BIG, 7], np.uint64)),
        (np.array([BIG, 3], np.uint64), np.int32(-3)),
    ],
    ids=["uint64 and int32", "int64 and uint64", "uint64 and a number"],
)
def test_integers_in_place_wrap(put, op, x, y):
    ours = op(put(x), put(y) if y.shape else y)
    np.testing.assert_array_equal(ours.get(), op(x.copy(), y.astype(x.dtype)))


def test_complex_does_not_become_real(put):
    a = put(values(np.float32))
    with pytest.raises(TypeError):
        a += 2j


def test_in_place_division_keeps_numpy_s_dtype(put):
    a = put(values(np.float32))
    a /= 2
    assert a.dtype is np.dtype(np.float32)


def test_powers(put):
    x = values(np.float32)
    np.testing.assert_allclose((put(x) ** 2).get(), x**2)
    np.testing.assert_allclose((put(x) ** put(x)).get(), x**x, rtol=1e-5)
    np.testing.assert_allclose((2 ** put(x)).get(), 2**x, rtol=1e-6)
    n = values(np.int64)
    result = put(n) ** put(n)
    assert result.dtype == np.int64
    np.testing.assert_array_equal(result.get(), n**n)


def test_integers(put):
    x, y = values(np.int32), values(np.int32)[::-1].copy()
    for op in (operator.and_, operator.or_, operator.xor, operator.floordiv, operator.mod,
               operator.lshift, operator.rshift):  # fmt: skip
        np.testing.assert_array_equal(op(put(x), put(y)).get(), op(x, y))
        np.testing.assert_array_equal(op(put(x), 3).get(), op(x, 3))
        np.testing.assert_array_equal(op(100, put(x)).get(), op(100, x))
    a = put(x)
    a &= 6
    a |= 1
    a ^= put(y)
    np.testing.assert_array_equal(a.get(), ((x & 6) | 1) ^ y)
    np.testing.assert_array_equal((~put(x)).get(), ~x)
    quotient, rest = divmod(put(x), 3)
    np.testing.assert_array_equal(quotient.get(), x // 3)
    np.testing.assert_array_equal(rest.get(), x % 3)
    np.testing.assert_array_equal(divmod(100, put(x))[1].get(), 100 % x)
    floating = put(values(np.float32))
    for op in (operator.and_, operator.or_, operator.xor):
        with pytest.raises(TypeError):
            op(floating, 3)
    with pytest.raises(TypeError):
        ~floating  # noqa: B018


def test_signs_and_parts(put):
    x = (values(np.float32) - 4).astype(np.float32)
    a = put(x)
    assert +a is a
    np.testing.assert_array_equal((-put(x)).get(), -x)
    np.testing.assert_array_equal(abs(put(x)).get(), abs(x))
    assert put(x).real.dtype == np.float32
    assert a.real is a
    assert a.conj() is a
    np.testing.assert_array_equal(a.imag.get(), np.zeros(20))
    z = (x + 2j * x[::-1]).astype(np.complex64)
    np.testing.assert_array_equal(put(z).real.get(), z.real)
    np.testing.assert_array_equal(put(z).imag.get(), z.imag)
    np.testing.assert_array_equal(put(z).conj().get(), z.conj())
    np.testing.assert_array_equal(put(z).conjugate().get(), z.conj())
    assert abs(put(z)).dtype == np.float32
    np.testing.assert_allclose(abs(put(z)).get(), abs(z), rtol=1e-6)


def test_mul_add(put):
    x, y = values(np.float32), values(np.float32)[::-1].copy()
    np.testing.assert_array_equal(put(x).mul_add(2, put(y), 3).get(), 2 * x + 3 * y)


def test_an_expression_is_one_kernel(put):
    x, y = put(values(np.float32)), put(values(np.float32))
    x.get(), y.get()
    before = len(x.device.last_launches())
    z = 5 * x + 6 * y
    assert z.is_pending
    assert len(x.device.last_launches()) == before
    z.events[0].wait()
    assert not z.is_pending
    assert len(x.device.last_launches()) == before + 1


def test_devices_without_double_compute_in_single(put, monkeypatch):
    a = put(values(np.int32))
    a._place.has_double = a._place.records = False
    try:
        with pytest.warns(cl_array.DoubleDowncastWarning):
            quotient = a / 2
        assert quotient.dtype == np.float32
        with pytest.warns(cl_array.DoubleDowncastWarning):
            assert (a + np.float64(2)).dtype == np.float32
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert (a + 1).dtype == np.int32
        with pytest.warns(cl_array.DoubleDowncastWarning):
            np.testing.assert_allclose((a / 4).get(), values(np.int32) / 4)
    finally:
        a._place.has_double = a._place.records = True


# --- as Python sees it ----------------------------------------------------------------------------


def test_truth_length_and_iteration(put):
    a = put(np.array([1, 0, 3], np.int32))
    assert len(a) == 3
    assert [int(one.get()) for one in a] == [1, 0, 3]
    assert bool(a[0])
    assert not bool(a[1])
    with pytest.raises(ValueError, match="any"):
        bool(a)
    with pytest.raises(TypeError):
        len(a[0])
    assert a.any().shape == ()
    assert a.any().dtype == np.int8
    assert a.any().get() == 1
    assert a.all().get() == 0


def test_texts(put):
    a = put(np.arange(3, dtype=np.float32))
    assert str(a) == str(np.arange(3, dtype=np.float32))
    assert repr(a) == "cl.Array([0., 1., 2.], dtype=float32)"
    assert "float32" in a.safely_stringify_for_pudb()
    assert np.asarray(a).dtype == np.float32


# --- vectors and structures -----------------------------------------------------------------------


def test_vector_types(context, queue):
    from pyopencl import cltypes

    a = cl_array.zeros(queue, 5, cltypes.float4)
    a.fill(cltypes.make_float4(1, 2, 3, 4))
    host = a.get()
    assert host.dtype == cltypes.float4
    np.testing.assert_array_equal(host["s2"], np.full(5, 3))
    a[1:2] = cltypes.make_float4(5, 6, 7, 8)
    assert a.get()[1]["s0"] == 5
    with pytest.raises(TypeError):
        a.astype(np.float32)
    with pytest.warns(DeprecationWarning):
        assert cl_array.vec.float4 == cltypes.float4
    with pytest.warns(DeprecationWarning):
        assert cl_array.vec.types is cltypes.vec_types


def test_structures(context, queue):
    dtype = np.dtype([("id", np.int32), ("value", np.float32)])
    host = np.zeros(4, dtype)
    host["id"] = np.arange(4)
    a = cl_array.to_device(queue, host)
    np.testing.assert_array_equal(a.get(), host)
    np.testing.assert_array_equal(a[1:3].get(), host[1:3])
    np.testing.assert_array_equal(a.copy().get(), host)
    np.testing.assert_array_equal(cl_array.zeros(queue, 3, dtype).get(), np.zeros(3, dtype))


def python_calls(compute):
    """The Python functions that run while it computes, itself excepted."""
    called = []
    sys.setprofile(lambda frame, event, _: event == "call" and called.append(frame.f_code.co_name))
    try:
        compute()
    finally:
        sys.setprofile(None)
    return called[1:]


@pytest.mark.parametrize("text", ["x + y", "2 * x", "x ** 2", "1 - x", "-x", "x < y", "x == 0"])
def test_operators_run_no_python_code(put, text):
    names = {"x": put(np.arange(9)), "y": put(np.arange(9))}
    code = compile(text, "text", "eval")
    assert python_calls(lambda: eval(code, names)) == ["<module>"]


def test_an_array_in_a_circle_with_its_events_is_collected(put):
    class Event(list):
        pass

    x, told = put(np.arange(9.0)), Event()
    x.told, told_too = told, weakref.ref(told)
    told.append(x)
    del x, told
    gc.collect()
    assert told_too() is None


def test_results_are_on_the_queue_of_the_first_array_with_axes(context, put):
    other = cl.CommandQueue(context)
    number = put(np.float32(2))
    x = cl_array.to_device(other, np.arange(4, dtype=np.float32))
    assert (number * x).queue is other
    assert (x * number).queue is other
    np.testing.assert_array_equal((number * x).get(), [0, 2, 4, 6])
