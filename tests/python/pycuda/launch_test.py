# SPDX-License-Identifier: MIT
"""Kernel calls: what arguments become, what is refused, and what comes back."""

import threading
import warnings

import numpy as np
import pycuda._pvt_struct as pvt_struct
import pycuda.driver as cuda
import pytest

STORE = """
struct Pair { float first; int second; };

__global__ void store_char(signed char *out, signed char value) { *out = value; }
__global__ void store_bool(bool *out, bool value) { *out = value; }
__global__ void store_short(short *out, short value) { *out = value; }
__global__ void store_int(int *out, int value) { *out = value; }
__global__ void store_unsigned(unsigned *out, unsigned value) { *out = value; }
__global__ void store_long(long long *out, long long value) { *out = value; }
__global__ void store_float(float *out, float value) { *out = value; }
__global__ void store_double(double *out, double value) { *out = value; }
__global__ void store_float2(float2 *out, float2 value) { *out = value; }
__global__ void store_pair(Pair *out, char pad, Pair value) { *out = value; }
__global__ void add(float *out, const float *a, const float *b, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + factor * b[i];
}
__global__ void shape(int *out)
{
    if (threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z == 0) {
        out[0] = gridDim.x; out[1] = gridDim.y; out[2] = gridDim.z;
        out[3] = blockDim.x; out[4] = blockDim.y; out[5] = blockDim.z;
    }
}
extern __shared__ int scratch[];
__global__ void through_shared(int *out)
{
    scratch[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];
}
__global__ void nothing() {}
"""

ONE = (1, 1, 1)
PAIR = np.dtype([("first", "f4"), ("second", "i4")])


@pytest.fixture
def kernel(build):
    module = build(STORE)
    return module.get_function


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("store_char", np.int8(-5)),
        ("store_bool", np.bool_(True)),
        ("store_short", np.int16(-300)),
        ("store_int", np.int32(-70000)),
        ("store_unsigned", np.uint32(4000000000)),
        ("store_long", np.int64(-(2**40))),
        ("store_long", np.longlong(2**40)),
        ("store_float", np.float32(0.1)),
        ("store_double", np.float64(0.1)),
        ("store_float2", np.array([1.5, 2.5], np.float32)),
        ("store_float2", np.complex64(1.5 + 2.5j)),
        ("store_pair", np.array((1.5, 7), PAIR)),
        ("store_pair", np.array((1.5, 7), PAIR)[()]),
    ],
)
def test_values_arrive_as_they_are(kernel, name, value):
    out = np.zeros_like(value)
    extra = [np.int8(1)] if name == "store_pair" else []
    kernel(name)(cuda.Out(out), *extra, value, block=ONE)
    assert (out == value).all()


def test_every_kind_of_pointer_is_an_address(kernel, device_array):
    a = np.arange(8, dtype=np.float32)

    class Interface:
        memory = device_array(a)
        __cuda_array_interface__ = {
            "shape": (8,),
            "typestr": "<f4",
            "data": (int(memory), False),
            "version": 3,
        }

    class Data:
        gpudata = device_array(a)

    class Holder(cuda.PointerHolderBase):
        memory = device_array(a)

        def get_pointer(self):
            return int(self.memory)

    out = np.zeros(8, np.float32)
    managed = cuda.managed_zeros(16, np.float32)
    managed[:] = 1
    for b in (device_array(a), Interface(), Data(), Holder(), np.uintp(int(Data.gpudata))):
        kernel("add")(cuda.Out(out), cuda.In(a), b, np.float32(2), np.int32(8), block=(8, 1, 1))
        assert (out == 3 * a).all()
    # A slice of managed memory is an address, too, not eight bytes of its content.
    for b in (managed, managed[8:]):
        kernel("add")(cuda.Out(out), cuda.In(a), b, np.float32(2), np.int32(8), block=(8, 1, 1))
        assert (out == a + 2).all()


def test_inout_travels_both_ways_on_a_stream_of_any_kind(kernel):
    for stream in (None, cuda.Stream(), cuda.Stream(1)):
        data = np.arange(8, dtype=np.float32)
        kernel("add")(
            cuda.InOut(data), cuda.In(data), cuda.In(data), np.float32(1), np.int32(8),
            block=(8, 1, 1), stream=stream,
        )  # fmt: skip
        assert (data == 2 * np.arange(8)).all()


@pytest.mark.parametrize("block", [(4, 2, 1), [4, 2, 1], (np.int32(4), 2, 1), (4, 2)])
@pytest.mark.parametrize(
    "grid", [(3,), (3, 2), (3, 2, 5), (3, True), [3, 2], np.array([3, 2])], ids=str
)
def test_shapes_of_any_sequence(kernel, block, grid):
    out = np.zeros(6, np.int32)
    kernel("shape")(cuda.Out(out), block=block, grid=grid)
    assert out.tolist() == [*(*(int(g) for g in grid), 1, 1)[:3], 4, 2, 1]


def test_dynamic_shared_memory(kernel):
    out = np.zeros(64, np.int32)
    kernel("through_shared")(cuda.Out(out), block=(64, 1, 1), shared=64 * 4)
    assert (out == np.arange(64)[::-1]).all()


def test_timed_calls_give_seconds(kernel, device_array):
    memory = device_array(np.zeros(1, np.int32))
    seconds = kernel("store_int")(memory, np.int32(1), block=ONE, time_kernel=True)
    assert isinstance(seconds, float)
    assert 0 < seconds < 60
    assert kernel("nothing")(block=ONE) is None
    with pytest.raises(AssertionError):
        kernel("nothing")(block=ONE, time_kernel=True, stream=cuda.Stream())


def test_attributes_of_a_kernel(kernel):
    add = kernel("add")
    assert add.max_threads_per_block >= 32
    assert add.get_attribute(cuda.function_attribute.SHARED_SIZE_BYTES) == add.shared_size_bytes
    assert add.num_regs >= 0
    assert add.NUM_REGS == add.num_regs
    for name in ("CONST_SIZE_BYTES", "LOCAL_SIZE_BYTES", "PTX_VERSION", "BINARY_VERSION"):
        number = add.get_attribute(getattr(cuda.function_attribute, name))
        assert getattr(add, name) == getattr(add, name.lower()) == number
    add.set_cache_config(cuda.func_cache.PREFER_L1)
    add.set_shared_config(cuda.shared_config.FOUR_BYTE_BANK_SIZE)
    add.mine = 3
    assert add.mine == 3
    with pytest.raises(AttributeError, match="nonsense"):
        add.nonsense  # noqa: B018
    assert kernel("add") is not add
    assert "add" in repr(add)


def test_finding_a_method_makes_no_object(kernel):
    """The interpreter calls a plain method of a type without a look-up of its own in place."""
    kind = type(kernel("add"))
    assert kind.__getattribute__ is object.__getattribute__
    assert not hasattr(kind, "__getattr__")
    assert type(kind.prepared_call) is type(str.join)


def test_globals_are_found_by_name(build):
    module = build("__constant__ int table[4]; __device__ float scale;\n"
                   "__global__ void k(int *out) { *out = table[2]; }")  # fmt: skip
    address, size = module.get_global("table")
    assert size == 16
    cuda.memcpy_htod(address, np.arange(4, dtype=np.int32))
    out = np.zeros(1, np.int32)
    module.get_function("k")(cuda.Out(out), block=ONE)
    assert out[0] == 2
    with pytest.raises(cuda.LogicError):
        module.get_global("missing")


# --- prepared calls --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "types",
    ["PPPfi", [np.intp] * 3 + [np.float32, np.int32], ["P", "P", "P", np.dtype("f4"), "i"], "3Pfi"],
)
def test_prepare_takes_types_in_any_spelling(kernel, device_array, types):
    a = np.arange(8, dtype=np.float32)
    out, memory = cuda.mem_alloc(32), device_array(a)
    add = kernel("add").prepare(types)
    for pointers in ((out, memory, memory), (int(out), int(memory), np.intp(memory))):
        add.prepared_call((1, 1), (8, 1, 1), *pointers, 2.0, 8)
        assert (cuda.from_device(out, 8, np.float32) == 3 * a).all()


def test_prepared_calls_on_streams_and_with_a_clock(kernel, device_array):
    memory = device_array(np.zeros(1, np.int32))
    store = kernel("store_int")
    assert store.prepare([np.intp, np.int32]) is store
    assert store.arg_format == "li"
    assert store.texrefs == []
    assert kernel("store_int").prepare([int, np.int32]).arg_format == "Li"
    assert kernel("store_int").prepare([np.bool_, object]).arg_format == "LL"
    stream = cuda.Stream()
    store.prepared_async_call((1, 1), ONE, stream, memory, 5)
    stream.synchronize()
    assert cuda.from_device(memory, 1, np.int32)[0] == 5
    store.prepared_async_call((1,), (1,), None, memory, np.int32(6))
    seconds = store.prepared_timed_call((1, 1), ONE, memory, 7)
    assert seconds() >= 0
    assert cuda.from_device(memory, 1, np.int32)[0] == 7
    shared = kernel("through_shared").prepare("P")
    out = cuda.mem_alloc(256)
    shared.prepared_call((1, 1), (64, 1, 1), out, shared_size=256)
    assert (cuda.from_device(out, 64, np.int32) == np.arange(64)[::-1]).all()


def test_two_handles_are_prepared_apart(kernel):
    first, second = kernel("store_int"), kernel("store_int")
    first.prepare("Pi")
    with pytest.raises(AttributeError, match="arg_format"):
        second.prepared_call((1, 1), ONE, 0, 0)


def test_structures_prepared_whole_or_by_their_members(kernel):
    out = cuda.mem_alloc(8)
    kernel("store_pair").prepare(["P", "b", PAIR]).prepared_call(
        (1, 1), ONE, out, 1, np.array((0.5, 3), PAIR)
    )
    assert cuda.from_device(out, (), PAIR)[()].tolist() == (0.5, 3)
    kernel("store_pair").prepare("Pbfi").prepared_call((1, 1), ONE, out, 1, 1.5, 4)
    assert cuda.from_device(out, (), PAIR)[()].tolist() == (1.5, 4)
    kernel("store_float2").prepare("Pff").prepared_call((1, 1), ONE, out, 1.0, 2.0)
    assert (cuda.from_device(out, 2, np.float32) == (1, 2)).all()


@pytest.mark.parametrize(
    ("fmt", "arguments", "error"),
    [
        ("Pi", (1,), pvt_struct.error),
        ("Pi", (1, 2, 3), pvt_struct.error),
        ("Pi", (1, 2.5), pvt_struct.error),
        ("Pi", (None, 2), pvt_struct.error),
        ("Pi", (1, 2**31), pvt_struct.error),
        ("P", (1,), cuda.LogicError),
        ("Pii", (1, 2, 3), cuda.LogicError),
        ("Pd", (1, 2.0), cuda.LogicError),
        ("P@i", (1, 2), pvt_struct.error),
    ],
)
def test_prepared_calls_that_do_not_fit_launch_nothing(kernel, fmt, arguments, error):
    with pytest.raises(error):
        kernel("store_int").prepare(fmt).prepared_call((1, 1), ONE, *arguments)


def test_prepared_calls_refuse_unknown_keywords(kernel):
    with pytest.raises(TypeError, match="unknown keyword arguments: nonsense"):
        kernel("nothing").prepare("").prepared_call((1, 1), ONE, nonsense=1)
    with pytest.raises(TypeError, match="grid, block"):
        kernel("nothing").prepare("").prepared_call((1, 1))


def test_packed_and_piecewise_launches(kernel, device_array):
    memory = device_array(np.zeros(1, np.int32))
    store = kernel("store_int")
    store._launch_kernel((1, 1), ONE, pvt_struct.pack("Pi", memory, 9), 0, None)
    assert cuda.from_device(memory, 1, np.int32)[0] == 9
    with pytest.raises(cuda.LogicError):
        store._launch_kernel((1, 1), ONE, b"1234", 0, None)
    store._set_block_shape(1, 1, 1)
    store._param_set_size(12)
    store._param_setv(0, pvt_struct.pack("P", memory))
    store._param_seti(8, 10)
    store._launch_grid(1, 1)
    assert cuda.from_device(memory, 1, np.int32)[0] == 10


# --- widths ----------------------------------------------------------------------------------


def test_an_integer_of_another_width_is_converted_with_one_warning(kernel, device_array):
    memory = device_array(np.zeros(1, np.int32))
    store = kernel("store_int")
    with pytest.warns(UserWarning, match="parameter #1 .* 8 bytes .* 4") as caught:
        for value in (5, -6):
            store(memory, np.int64(value), block=ONE)
    assert len(caught) == 1
    assert cuda.from_device(memory, 1, np.int32)[0] == -6
    wide = device_array(np.zeros(1, np.int64))
    with pytest.warns(UserWarning):
        kernel("store_long")(wide, np.int32(-7), block=ONE)
    assert cuda.from_device(wide, 1, np.int64)[0] == -7
    with pytest.warns(UserWarning):
        kernel("store_long").prepare("Pi").prepared_call((1, 1), ONE, wide, -8)
    assert cuda.from_device(wide, 1, np.int64)[0] == -8


def test_an_integer_that_does_not_fit_is_an_error(kernel, device_array):
    memory = device_array(np.zeros(1, np.int32))
    with pytest.raises(cuda.LogicError, match="8.*4|4.*8"):
        kernel("store_int")(memory, np.int64(2**40), block=ONE)
    with pytest.raises(cuda.LogicError):
        kernel("store_int").prepare("Pl").prepared_call((1, 1), ONE, memory, 2**40)


@pytest.mark.parametrize(
    ("name", "arguments", "error", "text"),
    [
        ("store_int", (np.intp(0),), cuda.LogicError, "2.*1|1.*2"),
        ("store_int", (np.intp(0), np.int32(0), np.int32(0)), cuda.LogicError, "2.*3|3.*2"),
        ("nothing", (np.int32(0),), cuda.LogicError, "0.*1|1.*0"),
        ("store_float", (np.intp(0), np.float64(0)), cuda.LogicError, "8.*4|4.*8"),
        ("store_double", (np.intp(0), np.float32(0)), cuda.LogicError, "8.*4|4.*8"),
        ("store_float2", (np.intp(0), np.zeros(3, np.float32)), cuda.LogicError, "12.*8|8.*12"),
        ("store_int", (np.intp(0), 5), TypeError, r"invalid type on parameter #1 \(0-based\)"),
        ("store_int", (np.intp(0), 5.0), TypeError, r"parameter #1 \(0-based\).*np.float32"),
        ("store_int", (None, np.int32(0)), TypeError, r"parameter #0 \(0-based\)"),
        ("store_int", ("text", np.int32(0)), TypeError, "parameter #0"),
        ("store_int", ([1, 2], np.int32(0)), TypeError, "parameter #0"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_before_the_launch(
    kernel, name, arguments, error, text
):
    with pytest.raises(error, match=text):
        kernel(name)(*arguments, block=ONE)


def test_refused_arguments_are_type_errors_too(kernel):
    with pytest.raises(TypeError):
        kernel("store_int")(np.intp(0), block=ONE)


def test_the_bits_of_another_kind_are_passed_with_a_warning(kernel, device_array, request):
    memory = device_array(np.ones(1, np.float32))
    store = kernel("store_float")
    if store.parameters is None or not store.parameters[1].type:
        pytest.skip("this driver does not tell the types of parameters")
    with pytest.warns(UserWarning, match="passed as they are"):
        store(memory, np.int32(0), block=ONE)
    assert cuda.from_device(memory, 1, np.float32)[0] == 0


@pytest.mark.parametrize(
    ("keywords", "error", "text"),
    [
        ({}, ValueError, "must specify block size"),
        ({"block": ONE, "nonsense": 1}, ValueError, "extra keyword arguments: nonsense"),
        ({"block": 4}, TypeError, "block must be a tuple"),
        ({"block": "abc"}, TypeError, "block must be a tuple"),
        ({"block": (1, 1, 1, 1)}, ValueError, "1 to 3 entries"),
        ({"block": ()}, ValueError, "1 to 3 entries"),
        ({"block": (1.0, 1, 1)}, TypeError, "integer"),
        ({"block": (-1, 1, 1)}, OverflowError, "negative"),
        ({"block": ONE, "grid": (1, 1, 1, 1)}, ValueError, "1 to 3 entries"),
        ({"block": ONE, "grid": (1, 1, 1, 1)}, cuda.LogicError, "1 to 3 entries"),
        ({"block": ONE, "grid": (1, -1)}, OverflowError, "grid.*negative"),
        ({"block": ONE, "stream": 5}, TypeError, "stream must be None or a Stream"),
        ({"block": ONE, "shared": -1}, OverflowError, "shared.*negative"),
        ({"block": ONE, "texrefs": [1]}, TypeError, "a texture reference is wanted, not int"),
        ({"block": (2048, 1, 1)}, cuda.Error, "1024"),
        ({"block": (33, 33, 1)}, cuda.Error, "1089|33"),
        ({"block": (0, 1, 1)}, cuda.Error, "block"),
        ({"block": (2**30 - 1, 1, 1)}, cuda.Error, "1073741823"),
        ({"block": (2**30, 1, 1)}, cuda.Error, "1073741824"),
        ({"block": (1, 2**32, 1)}, OverflowError, "4294967296"),
        ({"block": (1, 2**64, 1)}, OverflowError, "64 bits"),
        ({"block": ONE, "grid": (0, 1)}, cuda.Error, "grid"),
        ({"block": ONE, "shared": 1 << 30}, cuda.Error, "shared"),
    ],
)
def test_bad_shapes_are_refused_with_the_numbers_that_forbid_them(kernel, keywords, error, text):
    with pytest.raises(error, match=text):
        kernel("nothing")(**keywords)
    kernel("nothing")(block=ONE)
    cuda.Context.synchronize()


def test_freed_memory_is_no_argument(kernel):
    memory = cuda.mem_alloc(4)
    memory.free()
    with pytest.raises(cuda.LogicError, match="freed"):
        kernel("store_int")(memory, np.int32(1), block=ONE)
    with pytest.raises(cuda.LogicError, match="freed"):
        kernel("store_int").prepare("Pi").prepared_call((1, 1), ONE, memory, 1)


def test_an_unknown_kernel_is_an_error_that_names_the_near_ones(kernel):
    with pytest.raises(cuda.LogicError, match="cuModuleGetFunction.*store_int"):
        kernel("store_imt")


def test_exact_types_cause_no_warning(kernel, device_array):
    memory = device_array(np.zeros(1, np.int32))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel("store_int")(memory, np.int32(1), block=ONE)
        kernel("store_int").prepare("Pi").prepared_call((1, 1), ONE, memory, 1)


def test_handlers_without_a_size_are_refused(kernel):
    with pytest.raises(TypeError, match="could not determine array length"):
        kernel("store_int")(cuda.Out(5), np.int32(1), block=ONE)


def test_many_threads_launch_the_same_kernel(kernel, context):
    shared = cuda.Context.get_current()
    store = kernel("store_int")
    outputs = [cuda.mem_alloc(4) for _ in range(8)]
    errors = []

    def work(number):
        try:
            shared.push()
            for _ in range(200):
                store(outputs[number], np.int32(number), block=ONE)
            cuda.Context.synchronize()
            cuda.Context.pop()
        except Exception as error:  # noqa: BLE001 - it is shown by the assertion below
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert [cuda.from_device(o, 1, np.int32)[0] for o in outputs] == list(range(8))
