# SPDX-License-Identifier: MIT
"""Kernels: how they are called, what their arguments may be, and what comes out."""

import numpy as np
import pyopencl as cl
import pyopencl.array
import pytest
from pyopencl.tools import ScalarArg, VectorArg, get_arg_list_arg_types

AXPY = """
__kernel void axpy(__global float *y, __global const float *x, float a, int n, int start)
{
    int i = get_global_id(0);
    if (i < n && i >= start) y[i] += a * x[i];
}
"""
WHERE = """
__kernel void where(__global int *out)
{
    int at = get_global_id(0) + 100 * get_global_id(1);
    out[get_global_linear_id()] = at + 10000 * get_local_size(0);
}
"""


@pytest.fixture
def axpy(build):
    return build(AXPY).axpy


@pytest.fixture
def vectors(upload):
    x = np.arange(16, dtype=np.float32)
    return x, upload(np.ones(16, np.float32)), upload(x)


def _expected(x, a, n=16, start=0):
    y = np.ones(16, np.float32)
    y[start:n] += a * x[start:n]
    return y


def test_numpy_scalars_and_buffers(axpy, vectors, queue, download):
    x, y_gpu, x_gpu = vectors
    event = axpy(queue, (16,), None, y_gpu, x_gpu, np.float32(2), np.int32(12), np.int32(3))
    assert type(event) is cl.Event
    assert (download(y_gpu, x) == _expected(x, 2, 12, 3)).all()


@pytest.mark.parametrize("local", [None, (4,), [8]])
@pytest.mark.parametrize("size", [(16,), [16], (np.int64(16),), range(16, 17)])
def test_sizes_are_any_iterables_of_integers(axpy, vectors, queue, download, size, local):
    x, y_gpu, x_gpu = vectors
    axpy(queue, size, local, y_gpu, x_gpu, np.float32(1), np.int32(16), np.int32(0))
    assert (download(y_gpu, x) == _expected(x, 1)).all()


def test_arguments_and_options_by_name(axpy, vectors, queue, download):
    x, y_gpu, x_gpu = vectors
    axpy(
        queue,
        (8,),
        local_size=None,
        arg0=y_gpu,
        arg1=x_gpu,
        arg2=np.float32(1),
        arg3=np.int32(16),
        arg4=np.int32(0),
        global_offset=(8,),
        wait_for=[cl.enqueue_marker(queue)],
    )
    assert (download(y_gpu, x) == _expected(x, 1, start=8)).all()


def test_options_by_place(axpy, vectors, queue, download):
    x, y_gpu, x_gpu = vectors
    rest = (y_gpu, x_gpu, np.float32(1), np.int32(16), np.int32(0))
    axpy(queue, (8,), None, *rest, (4,), False, False, None)
    assert (download(y_gpu, x) == _expected(x, 1, 12, 4)).all()


WRONG_CALLS = [
    ((), {}, "missing 8 required positional arguments: 'queue', 'global_size', 'local_size'"),
    ((1, 2, 3, 4, 5, 6, 7), {}, "missing 1 required positional argument: 'arg4'"),
    (range(13), {}, "takes from 9 to 13 positional arguments but 14 were given"),
    (range(8), {"nonsense": 1}, "got an unexpected keyword argument 'nonsense'"),
    (range(8), {"arg3": 1}, "got multiple values for argument 'arg3'"),
]


@pytest.mark.parametrize(("arguments", "keywords", "text"), WRONG_CALLS)
def test_wrong_calls_read_as_python_s_own(axpy, arguments, keywords, text):
    with pytest.raises(TypeError) as caught:
        axpy(*arguments, **keywords)
    assert text in str(caught.value)
    assert str(caught.value).startswith("enqueue_knl_axpy() ")


@pytest.mark.parametrize("number", [5, 2.5, 1j, True])
def test_bare_python_numbers_have_no_width(axpy, vectors, queue, number):
    _, y_gpu, x_gpu = vectors
    with pytest.raises(cl.LogicError, match=r"arg#3 \(1-based\).*set_scalar_arg_dtypes"):
        axpy(queue, (16,), None, y_gpu, x_gpu, number, np.int32(1), np.int32(1))
    with pytest.raises(cl.LogicError, match="arg#4"):
        axpy.set_arg(3, number)


def test_an_array_on_the_device_is_not_its_memory(axpy, queue):
    class Array:
        base_data = data = None

    with pytest.raises(cl.LogicError, match="array.data"):
        axpy.set_arg(0, Array())


def test_wrong_size_names_the_parameter(axpy, vectors, queue):
    _, y_gpu, x_gpu = vectors
    with pytest.raises(cl.LogicError, match="argument 2") as caught:
        axpy(queue, (16,), None, y_gpu, x_gpu, np.float64(2), np.int32(12), np.int32(3))
    assert caught.value.code == cl.status_code.INVALID_ARG_SIZE


def test_released_memory_as_an_argument(axpy, vectors, queue):
    _, y_gpu, x_gpu = vectors
    y_gpu.release()
    with pytest.raises(cl.LogicError):
        axpy(queue, (16,), None, y_gpu, x_gpu, np.float32(2), np.int32(12), np.int32(3))


def test_typed_scalars(axpy, vectors, queue, download):
    x, y_gpu, x_gpu = vectors
    axpy.set_scalar_arg_dtypes([None, None, np.float32, np.int32, np.int32])
    axpy(queue, (16,), None, y_gpu, x_gpu, 0.5, 12, np.int64(2))
    assert (download(y_gpu, x) == _expected(x, 0.5, 12, 2)).all()
    with pytest.raises(cl.LogicError, match=r"arg#4 \(1-based\)"):
        axpy(queue, (16,), None, y_gpu, x_gpu, 0.5, 12.0, 2)


@pytest.mark.parametrize("typed", [False, True])
def test_each_call_has_its_own_values_whatever_was_set_before(
    axpy, vectors, queue, download, typed
):
    x, y_gpu, x_gpu = vectors
    expected = np.ones(16, np.float32)
    if typed:
        axpy.set_scalar_arg_dtypes([None, None, np.float32, np.int32, np.int32])

    def call(a, n):
        scalars = (float(a), n, 0) if typed else (np.float32(a), np.int32(n), np.int32(0))
        axpy(queue, (16,), None, y_gpu, x_gpu, *scalars)
        expected[:n] += a * x[:n]

    for a, n in ((2, 16), (2, 16), (2, 8), (3, 8)):
        call(a, n)
    axpy.set_arg(2, np.float32(10))
    call(3, 8)
    same = cl.Kernel.from_int_ptr(axpy.int_ptr)
    same.set_arg(2, np.float32(100))
    call(3, 8)
    same.set_arg(3, np.int32(1))
    call(3, 8)
    assert (download(y_gpu, x) == expected).all()


def test_memory_in_the_place_of_freed_memory_is_the_argument(axpy, upload, queue, download):
    x = np.arange(16, dtype=np.float32)
    x_gpu = upload(x)
    for a in range(1, 20):
        y_gpu = upload(np.ones(16, np.float32))
        axpy(queue, (16,), None, y_gpu, x_gpu, np.float32(a), np.int32(16), np.int32(0))
        assert (download(y_gpu, x) == _expected(x, a)).all()
        y_gpu.release()


@pytest.mark.parametrize(
    ("declared", "number"),
    [
        *((code, number) for code in "iIlLqQ" for number in (0, 1, 2**30 - 1, 2**30)),
        *((code, -1) for code in "ilq"),
        *((code, 2**32 + 5) for code in "lLqQ"),
        *((code, number) for code in "fd" for number in (0.5, -2.0, 3)),
        *((code, True) for code in "iqf"),
    ],
)
def test_plain_numbers_of_declared_types(declared, number, build, queue, download):
    dtype = np.dtype(declared)
    if dtype == np.float64 and "cl_khr_fp64" not in queue.device.extensions:
        pytest.skip("the device has no double")
    names = {"i": "int", "I": "uint", "l": "long", "L": "ulong", "q": "long", "Q": "ulong"}
    ctype = names.get(declared, "float" if declared == "f" else "double")
    text = "__kernel void put(__global T *out, T value) { out[get_global_id(0)] = value; }"
    kernel = build(text.replace("T", ctype)).put
    kernel.set_scalar_arg_dtypes([None, dtype])
    out = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 2 * dtype.itemsize)
    kernel(queue, (2,), None, out, number)
    assert (download(out, np.empty(2, dtype)) == dtype.type(number)).all()


def test_declared_types_must_be_as_many_as_the_arguments(axpy):
    with pytest.raises(TypeError, match="has 5"):
        axpy.set_scalar_arg_dtypes([None, np.float32])


ECHO = "__kernel void echo({type} value, __global {type} *out) {{ *out = value; }}"
# OpenCL's type, the declaration, what is passed, what the kernel gets.
TYPED = [
    ("char", np.int8, -3, -3),
    ("char", np.int8, 255, -1),
    ("uchar", np.uint8, 260, 4),
    ("short", np.int16, -300, -300),
    ("ushort", np.uint16, 65535, 65535),
    ("int", np.int32, -(2**31), -(2**31)),
    ("uint", np.uint32, 2**32 - 1, 2**32 - 1),
    ("long", np.int64, -(2**63), -(2**63)),
    ("ulong", np.uint64, 2**64 - 1, 2**64 - 1),
    ("long", np.dtype("q"), 7, 7),
    ("ulong", np.dtype("Q"), 7, 7),
    ("long", np.intp, 7, 7),
    ("int", np.int32, np.float32(2.9), 2),
    ("int", np.int32, np.float64(-2.9), -2),
    ("int", np.int32, np.array(5), 5),
    ("int", np.int32, True, 1),
    ("float", np.float32, 2, 2.0),
    ("float", np.float32, np.float64(0.5), 0.5),
    ("float", np.float32, np.array(1.5), 1.5),
    ("double", np.float64, 0.1, 0.1),
    ("float2", np.complex64, 1 + 2j, 1 + 2j),
    ("float2", np.complex64, np.complex64(3j), 3j),
    ("double2", np.complex128, 2.5, 2.5 + 0j),
]


@pytest.mark.parametrize(("ctype", "declared", "value", "expected"), TYPED)
def test_typed_scalar_reaches_the_kernel(ctype, declared, value, expected, build, queue, context):
    kernel = build(ECHO.format(type=ctype)).echo
    kernel.set_scalar_arg_dtypes([declared, None])
    result = np.zeros(1, declared)
    out = cl.Buffer(context, cl.mem_flags.READ_WRITE, result.nbytes)
    kernel(queue, (1,), None, value, out)
    cl.enqueue_copy(queue, result, out)
    assert result[0] == expected


@pytest.mark.parametrize(
    ("ctype", "declared", "value"),
    [
        ("int", np.int32, 1.0),
        ("int", np.int32, 2**31),
        ("uint", np.uint32, -1),
        ("short", np.int16, 40000),
        ("long", np.int64, 2**63),
        ("ulong", np.uint64, -1),
        ("int", np.int32, "3"),
        ("int", np.int32, None),
        ("float", np.float32, "x"),
        ("float", np.float32, 1j),
        ("float2", np.complex64, "x"),
    ],
)
def test_values_that_do_not_fit_are_refused(ctype, declared, value, build, queue, context):
    kernel = build(ECHO.format(type=ctype)).echo
    kernel.set_scalar_arg_dtypes([declared, None])
    out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 16)
    with pytest.raises(cl.LogicError, match=r"arg#1 \(1-based\)") as caught:
        kernel(queue, (1,), None, value, out)
    assert isinstance(caught.value, RuntimeError)  # the builtin: what PyOpenCL raises here
    assert caught.value.code == cl.status_code.INVALID_ARG_VALUE


def test_half_is_rounded_by_numpy(build, queue, context):
    kernel = build("__kernel void echo(ushort bits, __global ushort *out) { *out = bits; }").echo
    kernel.set_scalar_arg_dtypes([np.float16, None])
    result = np.zeros(1, np.float16)
    out = cl.Buffer(context, 1, 2)
    kernel(queue, (1,), None, 0.1, out)
    cl.enqueue_copy(queue, result, out)
    assert result[0] == np.float16(0.1)


def test_structures_and_vectors_by_value(build, queue, context):
    pair = np.dtype([("a", np.int32), ("b", np.float32)])
    kernel = build(
        "typedef struct { int a; float b; } pair;"
        "__kernel void f(pair p, float4 v, __global float *out)"
        "{ out[0] = p.a + p.b; out[1] = v.x + v.w; }"
    ).f
    vector = cl.cltypes.make_float4(1, 2, 3, 4)
    value = np.array((2, 0.5), pair)
    out, result = cl.Buffer(context, 1, 8), np.zeros(2, np.float32)
    for declared in (None, [pair, cl.cltypes.float4, None]):
        if declared:
            kernel.set_scalar_arg_dtypes(declared)
        kernel(queue, (1,), None, value, vector, out)
        cl.enqueue_copy(queue, result, out)
        assert list(result) == [2.5, 5.0]
        kernel(queue, (1,), None, value[()], vector, out)  # a scalar of a structure type


def test_local_memory_and_null(build, queue, context):
    kernel = build(
        "__kernel void f(__local int *tmp, __global int *none, __global int *out) {"
        " tmp[get_local_id(0)] = get_local_id(0); barrier(CLK_LOCAL_MEM_FENCE);"
        " out[get_local_id(0)] = tmp[3 - get_local_id(0)] + (none ? 100 : 0); }"
    ).f
    result, out = np.zeros(4, np.int32), cl.Buffer(context, 1, 16)
    kernel(queue, (4,), (4,), cl.LocalMemory(16), None, out)
    cl.enqueue_copy(queue, result, out)
    assert list(result) == [3, 2, 1, 0]
    assert cl.LocalMemory(16).size == 16


class FakeArray:
    def __init__(self, buffer, offset, events=()):
        self.base_data, self.offset, self.events = buffer, offset, list(events)


def test_vector_arguments_bring_memory_offset_and_events(build, queue, context, upload):
    kernel = build(
        "__kernel void f(__global int *base, long offset, int n, __global int *out)"
        "{ out[0] = ((__global int *) ((__global char *) base + offset))[n]; }"
    ).f
    arguments = [
        VectorArg(np.int32, "x", with_offset=True),
        ScalarArg(np.int32, "n"),
        VectorArg(np.int32, "out"),
    ]
    kernel.set_arg_types(get_arg_list_arg_types(arguments))
    gate = cl.UserEvent(context)
    x = FakeArray(upload(np.arange(8, dtype=np.int32)), 8, [gate])
    result, out = np.zeros(1, np.int32), cl.Buffer(context, 1, 4)
    event = kernel(queue, (1,), None, x, 3, FakeArray(out, 0))
    assert event.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    cl.enqueue_copy(queue, result, out)
    assert result[0] == 5
    with pytest.raises(TypeError, match="missing 1"):
        kernel(queue, (1,), None, x, 3)


def test_vector_arguments_have_no_gaps(build, queue):
    kernel = build("__kernel void f(int n, __global int *x) { x[get_global_id(0)] = n; }").f
    kernel.set_arg_types([np.int32, VectorArg(np.int32, "x")])
    x = cl.array.zeros(queue, 8, np.int32)
    with pytest.raises(RuntimeError, match=r"argument 1 of enqueue_knl_f\(\) has gaps"):
        kernel(queue, (4,), None, 3, x[::2])
    kernel(queue, (4,), None, 3, x[:4])
    assert x.get().tolist() == [3] * 4 + [0] * 4


SHAPES = [
    # global, local, options -> ids are checked against NumPy
    ((6,), (2,), {}),
    ((6, 2), (3, 1), {}),
    ((3,), (2,), {"g_times_l": True}),
    ((3, 2), (2,), {"g_times_l": True}),
    ((3,), (2, 2), {"g_times_l": True}),
    ((3,), None, {"g_times_l": True}),
    ((4,), (2,), {"global_offset": (5,)}),
    ((2,), (2,), {"global_offset": (5,), "g_times_l": True}),
]


@pytest.mark.parametrize(("size", "local", "options"), SHAPES)
def test_shapes(size, local, options, build, queue, download, upload):
    times = bool(options.get("g_times_l")) and local is not None
    rank = max(len(size), len(local or ()))
    padded = [(*size, 1)[i] if i < len(size) + 1 else 1 for i in range(rank)]
    groups = [(*(local or ()), 1, 1)[i] for i in range(rank)]
    whole = [p * g if times else p for p, g in zip(padded, groups, strict=True)]
    offset = [
        o * g if times else o
        for o, g in zip(options.get("global_offset", [0] * rank), groups, strict=True)
    ]
    out = upload(np.zeros(64, np.int32))
    build(WHERE).where(queue, size, local, out, **options)
    xs = np.arange(whole[0]) + offset[0]
    ys = np.arange(whole[1]) if rank > 1 else np.zeros(1, int)
    expected = (xs[None, :] + 100 * ys[:, None]).ravel()
    got = download(out, np.zeros(64, np.int32))[: len(expected)]
    assert list(got % 10000) == list(expected)
    if local is not None:
        assert set(got // 10000) == {groups[0]}


@pytest.mark.parametrize(
    ("size", "local", "options", "text"),
    [
        ((4, 4), (2,), {}, "2 dimensions, local_size 1"),
        ((4,), (2,), {"global_offset": (1, 1)}, "global_offset 2"),
        ((4,), (2, 2), {"g_times_l": True, "global_offset": (1,)}, "2 dimensions, global_offset 1"),
        ((-4,), None, {}, "-4"),
        ((1,) * 11, None, {}, "11"),
        ((6,), (4,), {}, "multiple|WORK_GROUP"),
        ((2**40,), (2**20,), {}, "work-items|WORK_GROUP"),
        ((1,) * 4, None, {}, "INVALID_WORK_DIMENSION"),
    ],
)
def test_shapes_that_are_refused(size, local, options, text, build, queue, upload):
    with pytest.raises(cl.LogicError, match=text):
        build(WHERE).where(queue, size, local, upload(np.zeros(64, np.int32)), **options)


@pytest.mark.parametrize(("size", "local"), [((0,), None), ((4, 0), None), ((0,), (4,))])
def test_an_empty_range_may_be_allowed(size, local, build, queue, context, upload):
    kernel = build(WHERE).where
    gate = cl.UserEvent(context)
    out = upload(np.zeros(4, np.int32))
    event = kernel(queue, size, local, out, wait_for=[gate], allow_empty_ndrange=True)
    kind = event.command_type  # NVIDIA has a number of its own for what it makes of a marker
    gate.set_status(0)
    event.wait()
    assert kind in (cl.command_type.MARKER, 0x4003)
    kernel.set_args(out)
    cl.enqueue_nd_range_kernel(queue, kernel, size, local, allow_empty_ndrange=True).wait()


def test_arguments_that_were_set_stay(axpy, vectors, queue, download):
    x, y_gpu, x_gpu = vectors
    axpy.set_args(y_gpu, x_gpu, np.float32(1), np.int32(16), np.int32(0))
    cl.enqueue_nd_range_kernel(queue, axpy, (16,), None)
    axpy.set_arg(2, np.float32(10))
    cl.enqueue_nd_range_kernel(queue, axpy, (2,), (2,), g_times_l=True)
    y = np.ones(16, np.float32) + x
    y[:4] += 10 * x[:4]
    assert (download(y_gpu, x) == y).all()
    axpy.set_args(y_gpu, x_gpu, arg3=np.int32(16), arg4=np.int32(0), arg2=np.float32(-10))
    cl.enqueue_nd_range_kernel(queue, axpy, (4,), None)
    y[:4] -= 10 * x[:4]
    assert (download(y_gpu, x) == y).all()
    with pytest.raises(TypeError, match="set_args"):
        axpy.set_args(y_gpu)
    for wrong in ({"arg5": x_gpu}, {"arg0": x_gpu}):
        with pytest.raises(TypeError, match="set_args"):
            axpy.set_args(y_gpu, x_gpu, np.float32(1), np.int32(1), **wrong)
    with pytest.raises(cl.LogicError):
        axpy.set_arg(7, np.int32(0))
    with pytest.raises(TypeError):
        cl.enqueue_nd_range_kernel(queue, "axpy", (1,), None)


def test_one_argument_is_set_by_place_or_by_name(axpy, vectors, queue, download):
    x, y_gpu, x_gpu = vectors
    axpy.set_args(y_gpu, x_gpu, np.float32(1), np.int32(16), np.int32(0))
    axpy.set_arg(arg=np.float32(10), arg_index=2)
    cl.enqueue_nd_range_kernel(queue, axpy, (16,), None)
    assert (download(y_gpu, x) == np.ones(16, np.float32) + 10 * x).all()
    for arguments, keywords, match in (
        ((2,), {}, r"set_arg\(\) needs arg$"),
        ((2, None, 3), {}, "takes 2 arguments, given 3"),
        ((2, None), {"arg": None}, "got arg twice"),
        ((2,), {"value": None}, "has no argument value"),
    ):
        with pytest.raises(TypeError, match=match):
            axpy.set_arg(*arguments, **keywords)


def test_more_arguments_than_anyone_has(build, queue, context):
    count = 40
    parameters = ", ".join(f"int a{i}" for i in range(count))
    total = " + ".join(f"{i} * a{i}" for i in range(count))
    kernel = build(f"__kernel void f(__global int *out, {parameters}) {{ *out = {total}; }}").f
    result, out = np.zeros(1, np.int32), cl.Buffer(context, 1, 4)
    kernel(queue, (1,), None, out, *[np.int32(i) for i in range(count)])
    cl.enqueue_copy(queue, result, out)
    assert result[0] == sum(i * i for i in range(count))


def test_out_of_order_queue_waits_for_events(axpy, vectors, context, download):
    x, y_gpu, x_gpu = vectors
    mode = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    with cl.CommandQueue(context, properties=mode) as queue:
        event = None
        for _ in range(5):
            after = [event] if event else None
            event = axpy(
                queue, (16,), None, y_gpu, x_gpu, np.float32(1), np.int32(16), np.int32(0),
                wait_for=after,
            )  # fmt: skip
    assert (download(y_gpu, x) == 1 + 5 * x).all()
