# SPDX-License-Identifier: MIT
"""What a kernel's parameters do not take is refused, and named, before a platform sees it."""

import warnings

import numpy as np
import pyopencl as cl
import pyopencl.array
import pytest
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import GenericScanKernel

import treadle

# As a program builds it whose parameters are known on every platform.
KNOWN = ["-cl-kernel-arg-info"]
SOURCE = """
typedef struct { float x, y; } point;
typedef __global float *numbers;
__kernel void k(read_only image2d_t image, __global float *out, __local float *shared,
                __constant int *table, sampler_t sampler, long count, float4 vector, point place,
                numbers named) {
  out[0] = place.x + place.y + count + table[0] + vector.y + (named == 0);
}
"""
FORMAT = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)

# Each parameter: the declaration that the error shows, and what it takes of the things below.
PARAMETERS = [
    ("image2d_t image", {"image"}),
    ("float* out", {"buffer", "svm", "none"}),
    ("float* shared", {"local"}),
    ("int* table", {"buffer", "svm", "none"}),
    ("sampler_t sampler", {"sampler"}),
    ("long count", {"number", "bytes"}),
    ("float4 vector", set()),
    ("point place", {"number", "bytes"}),
    ("float* named", {"buffer", "svm", "none"}),
]
GIVEN = {
    "buffer": "a buffer",
    "image": "an image",
    "svm": "a pointer to shared memory",
    "sampler": "a sampler",
    "local": "8 bytes of local memory",
    "number": "8 bytes",
    "bytes": "8 bytes",
    "none": "nothing",
}
# What OpenCL calls a name of a type may be of any type that no pointer is.
TOLERATED = {(7, thing) for thing in ("image", "sampler", "none")}


def make(thing, context):
    """One of the things that a kernel may be given."""
    if thing in ("image", "sampler") and not context.devices[0].image_support:
        pytest.skip("the device has no images")
    if thing == "svm" and not cl.characterize.has_coarse_grain_buffer_svm(context.devices[0]):
        pytest.skip("the device shares no memory")
    return {
        "buffer": lambda: cl.Buffer(context, cl.mem_flags.READ_WRITE, 64),
        "image": lambda: cl.create_image(context, cl.mem_flags.READ_ONLY, FORMAT, shape=(4, 4)),
        "svm": lambda: cl.SVMAllocation(context, 64, 0, cl.svm_mem_flags.READ_WRITE),
        "sampler": lambda: cl.Sampler(
            context, False, cl.addressing_mode.CLAMP, cl.filter_mode.NEAREST
        ),
        "local": lambda: cl.LocalMemory(8),
        "number": lambda: np.int64(1),
        "bytes": lambda: np.zeros(1, np.int64),
        "none": lambda: None,
    }[thing]()


@pytest.fixture
def other_context(context):
    return cl.Context(context.devices)


@pytest.mark.parametrize("thing", GIVEN)
def test_each_parameter_takes_its_kind_and_names_others(thing, context, build):
    kernel = build(SOURCE, options=KNOWN).k
    given = make(thing, context)
    for index, (declaration, taken) in enumerate(PARAMETERS):
        if (index, thing) in TOLERATED:
            continue
        if thing in taken:
            kernel.set_arg(index, given)
            continue
        with pytest.raises(cl.LogicError) as caught:
            kernel.set_arg(index, given)
        text = str(caught.value)
        assert f'kernel "k", argument {index} ({declaration})' in text
        assert f"given {GIVEN[thing]}" in text
        assert isinstance(caught.value, treadle.DeviceError)
        assert caught.value.code in (
            cl.status_code.INVALID_MEM_OBJECT,
            cl.status_code.INVALID_SAMPLER,
            cl.status_code.INVALID_ARG_VALUE,
            cl.status_code.INVALID_ARG_SIZE,
        )


def test_a_call_is_refused_and_the_kernel_stays_usable(context, queue, build, download):
    kernel = build("__kernel void k(__global float *out) { out[0] = 5; }", options=KNOWN).k
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4)
    kernel(queue, (1,), None, buffer)
    for wrong in (np.int64(1), cl.LocalMemory(4), np.zeros(1, np.uint64)):
        with pytest.raises(cl.LogicError, match=r"argument 0 \(float\* out\)"):
            kernel(queue, (1,), None, wrong)
    kernel(queue, (1,), None, buffer)
    assert download(buffer, np.zeros(1, np.float32))[0] == 5


def test_programs_are_built_with_what_is_needed(context, build):
    if "NVIDIA" in context.devices[0].platform.name:
        pytest.skip("NVIDIA's compiler makes broken code with the option")
    kernel = build("__kernel void k(__global float *out) {}").k
    assert kernel.get_arg_info(0, cl.kernel_arg_info.NAME) == "out"
    with pytest.raises(cl.LogicError, match=r"float\* out"):
        kernel.set_arg(0, np.int64(1))


def test_programs_of_binaries_know_their_parameters_or_pass_what_they_are_given(context, build):
    binaries = build("__kernel void k(__global float *out) {}").binaries
    kernel = cl.Program(context, context.devices, binaries).build().k
    kernel.set_arg(0, cl.Buffer(context, cl.mem_flags.READ_WRITE, 4))


@pytest.mark.parametrize(
    ("thing", "declaration"),
    [
        ("buffer", "__global float *x"),
        ("svm", "__global float *x"),
        ("image", "read_only image2d_t x"),
        ("sampler", "sampler_t x"),
    ],
)
def test_objects_of_another_context_are_refused(thing, declaration, queue, other_context, build):
    kernel = build(f"__kernel void k({declaration}) {{}}").k
    with pytest.raises(cl.LogicError, match="of another context") as caught:
        kernel(queue, (1,), None, make(thing, other_context))
    assert caught.value.code == cl.status_code.INVALID_CONTEXT
    kernel(queue, (1,), None, make(thing, queue.context)).wait()


def test_shared_memory_of_another_context_is_not_copied_filled_or_mapped(queue, other_context):
    foreign = make("svm", other_context)
    host = np.zeros(16, np.float32)
    for attempt in (
        lambda: cl.enqueue_copy(queue, foreign, host),
        lambda: cl.enqueue_copy(queue, host, foreign),
        lambda: cl.enqueue_svm_memfill(queue, foreign, np.float32(1)),
        lambda: foreign.bind_to_queue(queue),
        lambda: foreign.enqueue_release(queue),
    ):
        with pytest.raises(cl.LogicError, match="of another context") as caught:
            attempt()
        assert caught.value.code == cl.status_code.INVALID_CONTEXT


def test_a_wrapped_sampler_knows_its_context(queue, other_context, build):
    own, foreign = (make("sampler", c) for c in (queue.context, other_context))
    kernel = build("__kernel void k(sampler_t x) {}").k
    kernel(queue, (1,), None, cl.Sampler.from_int_ptr(own.int_ptr)).wait()
    with pytest.raises(cl.LogicError, match="of another context"):
        kernel(queue, (1,), None, cl.Sampler.from_int_ptr(foreign.int_ptr))


# PoCL takes such a parameter for memory, and ended the process for each of these.
@pytest.mark.parametrize("thing", [np.int64(1), np.zeros(1, np.uint64), "sampler"])
def test_a_sampler_by_another_name_takes_no_value(thing, queue, build):
    if "Portable Computing" not in queue.device.platform.name:
        pytest.skip("what other platforms do with a value there is theirs")
    source = """
    typedef sampler_t how;
    typedef how such;
    typedef long number;
    typedef struct { long a; } pair;
    __kernel void k(number n, pair p, such s, __global long *out) { out[0] = n + p.a; }
    """
    kernel = build(source, options=KNOWN).k
    out = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 8)
    given = make(thing, queue.context) if isinstance(thing, str) else thing
    with pytest.raises(cl.LogicError, match=r"argument 2 \(such s\)"):
        kernel(queue, (1,), None, np.int64(1), np.int64(2), given, out)
    for index in (0, 1):
        kernel.set_arg(index, np.int64(3))


DECLARED = "__kernel void k(__global float *a, int n, float f, uint u) { if (n == 77) a[0] = f; }"


def told(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(warning.filename == __file__ for warning in caught)
    return [str(warning.message) for warning in caught]


def test_a_number_of_another_kind_is_reported_once(context, queue, build):
    kernel, buffer = build(DECLARED).k, cl.Buffer(context, cl.mem_flags.READ_WRITE, 16)

    def launch(n, f, u):
        return lambda: kernel(queue, (1,), None, buffer, n, f, u)

    i, f, u = np.int32(1), np.float32(1), np.uint32(1)
    assert told(launch(i, f, u)) == []
    (text,) = told(launch(f, f, u))
    assert "argument 1 'int n' of kernel k" in text and "float32 are no int" in text
    assert told(launch(f, f, u)) == []
    assert told(launch(u, f, i)) == []  # signs are not compared
    (text,) = told(launch(i, i, u))
    assert "argument 2 'float f'" in text and "int32 are no float" in text
    for number in (f, i, f, u):  # and not once more, whatever comes between
        assert told(launch(number, f, u)) == []
    with pytest.raises(cl.LogicError, match="float f.*8 bytes"):
        kernel(queue, (1,), None, buffer, i, np.float64(1), u)
    queue.finish()


def test_arguments_beyond_the_kernels_are_counted(context, queue, build):
    kernel, buffer = build(DECLARED).k, cl.Buffer(context, cl.mem_flags.READ_WRITE, 16)
    right = buffer, np.int32(1), np.float32(1), np.uint32(1)
    for extra in (np.float32(1), buffer, 5):
        with pytest.raises(TypeError, match=r"k\(\) takes 4 arguments .* but 5 were given"):
            kernel(queue, (1,), None, *right, extra)
    kernel(queue, (1,), None, *right, None)  # a global offset
    kernel(queue, (1,), None, *right, (0,)).wait()


def test_memory_whose_constructor_has_not_run_is_refused(context, queue, build):
    kernel = build(DECLARED).k
    with pytest.raises(cl.LogicError, match="constructor has not run"):
        kernel(queue, (1,), None, cl.Buffer.__new__(cl.Buffer), np.int32(1), np.float32(1), 1)


WHOLE = {
    "char": 8,
    "uchar": 8,
    "short": 16,
    "ushort": 16,
    "int": 32,
    "uint": 32,
    "long": 64,
    "ulong": 64,
}


def wraps_or_fits(c_type, value):
    """What a parameter declared to be of this type gets of a number, None for a refusal."""
    bits = WHOLE[c_type]
    low = 0 if c_type.startswith("u") else -(1 << bits - 1)
    if bits == 8 and -(1 << 31) <= value < 1 << 31:  # one byte wraps, as PyOpenCL's does
        return (value - low) % 256 + low
    return value if low <= value < low + (1 << bits) else None


def test_declared_numbers_take_what_they_can_hold_and_nothing_else(context, queue):
    names = ", ".join(f"{c_type} x{i}" for i, c_type in enumerate([*WHOLE, "float", "double"]))
    stores = " ".join(f"out[{i}] = x{i};" for i in range(9))
    source = f"__kernel void k(__global long *out, {names}) {{ {stores} }}"
    kernel = cl.Program(context, source).build().k
    declared = [np.dtype(code).type for code in "bBhHiIqQfd"]
    kernel.set_scalar_arg_dtypes([None, *declared])
    out = np.empty(9, np.int64)
    memory = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, out.nbytes)
    rng = np.random.default_rng(11)
    few = [2, -1, 200, 300, -129, 70000, 1 << 31, -(1 << 31), 1 << 32, 1 << 40, 1 << 63, 1 << 64]
    drawn = [int(rng.integers(-(1 << 62), 1 << 62)) >> int(rng.integers(0, 62)) for _ in range(40)]
    for position, c_type in enumerate(WHOLE):
        for value in few + drawn:
            arguments = [memory, *[1] * 10]
            spellings = [value]
            if -(1 << 63) <= value < 1 << 63:
                spellings.append(np.int64(value))
            if abs(value) < 1 << 53:
                spellings += [np.float64(value), np.array(value)]
            for given in spellings:
                arguments[1 + position] = given
                wanted = wraps_or_fits(c_type, value)
                if wanted is None:
                    with pytest.raises(cl.LogicError, match=rf"arg#{position + 2} "):
                        kernel.set_args(*arguments)
                    continue
                kernel.set_args(*arguments)
            if wanted is None:
                continue
            cl.enqueue_nd_range_kernel(queue, kernel, (1,), None)
            cl.enqueue_copy(queue, out, memory)
            assert out[position] == np.int64(np.uint64(wanted % (1 << 64))), (c_type, value)
        for given in (2.5, 2.0, np.float64(np.nan), np.float32(np.inf), 1j, "3", [3]):
            arguments[1 + position] = given
            with pytest.raises(cl.LogicError, match=rf"arg#{position + 2} "):
                kernel.set_args(*arguments)
    for position in (8, 9):
        arguments = [memory, *[1] * 10]
        for given in (1j, "3", [3]):
            arguments[1 + position] = given
            with pytest.raises(cl.LogicError, match=rf"arg#{position + 2} "):
                kernel.set_args(*arguments)
        for given in (2, 2.5, True, np.int8(3), np.float16(2.5), np.array(2.5)):
            arguments[1 + position] = given
            kernel.set_args(*arguments)


def test_what_an_integer_leaves_of_a_float_is_told(context, queue):
    source = "__kernel void k(__global int *out, int value) { *out = value; }"
    kernel = cl.Program(context, source).build().k
    kernel.set_scalar_arg_dtypes([None, np.int32])
    out = np.empty(1, np.int32)
    memory = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, out.nbytes)
    for given, wanted in ((np.float32(2.5), 2), (np.float64(-2.5), -2), (np.array(0.5), 0)):
        with pytest.warns(UserWarning, match=rf"argument 1: .* of value {given} .*; {wanted} is"):
            kernel(queue, (1,), None, memory, given)
        cl.enqueue_copy(queue, out, memory)
        assert out[0] == wanted
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for given in (np.float32(3), np.array(3.0), np.int8(3), True):
            kernel(queue, (1,), None, memory, given)


def test_generated_kernels_take_numbers_as_declared_kernels_do(context, queue):
    x = cl.array.to_device(queue, np.ones(3, np.int32))
    scale = ElementwiseKernel(context, "int *o, const int *x, int v", "o[i] = x[i] * v", "scale")
    total = ReductionKernel(context, np.int32, "0", "a+b", "x[i]*v", "int *x, int v")
    scan = GenericScanKernel(
        context, np.int32, "__global int *x, __global int *o, int v", "x[i]*v", "a+b", "0",
        "o[i] = item",
    )  # fmt: skip

    def scanned(value):
        scan(x, out, value)
        return int(out.get()[-1])

    def scaled(value):
        scale(out, x, value)
        return int(out.get().sum())

    out = cl.array.empty_like(x)
    for call in (scaled, scanned, lambda value: int(total(x, value).get())):
        for value in (2, True, np.int64(-7), np.uint8(5), np.array(4), np.float64(2)):
            assert call(value) == 3 * int(value)
        with pytest.warns(UserWarning, match="of value 2.5 is given; 2 is passed"):
            assert call(np.float32(2.5)) == 6
        for value in (2.5, 1 << 40, np.int64(1 << 40), "3", 1j, None, [3]):
            with pytest.raises(cl.LogicError, match="when processing arg#"):
                call(value)
