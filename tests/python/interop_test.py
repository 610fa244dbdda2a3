# SPDX-License-Identifier: MIT
"""Memory that is shared with other libraries, and the order of their work and ours."""

import ctypes
import gc
import threading
import weakref

import numpy as np
import pytest

import treadle
from treadle import cuda

ADD = 'extern "C" __global__ void add(int *out, int value) { out[threadIdx.x] += value; }'
# Long enough that nothing behind it is done by chance when the host looks.
SLOW = """
extern "C" __global__ void slow(int *out, long rounds) {
  unsigned long s = rounds;
  for (long i = 0; i < rounds; ++i) s = s * 6364136223846793005UL + 1;
  out[0] = s == 0 ? 0 : 7;
}
"""
IDS = [device.id for device in treadle.devices()] + ["null"]
CUDA_IDS = [d.id for d in treadle.devices() if d.language == treadle.Language.cuda_c]


@pytest.fixture(params=IDS)
def device(request):
    return treadle.find_device(request.param)


@pytest.fixture(params=CUDA_IDS)
def cuda_device(request):
    return treadle.find_device(request.param)


@pytest.fixture
def cpu():
    return treadle.find_device("cpu")


@pytest.fixture
def context():
    """A context of the program's own on the CPU device."""
    made = cuda.Context.create(cuda.Driver.cpu().device(0))
    yield made
    made.detach()


def read(buffer, dtype=np.int32, stream=None):
    host = np.empty(buffer.size_bytes // np.dtype(dtype).itemsize, dtype)
    if stream is None:
        buffer.copy_to(host)
    else:
        stream.copy_out(host, buffer)
        stream.synchronize()
    return host


# ---- buffers


def test_slices_share_their_memory(device):
    buffer = treadle.Buffer(device, np.arange(10, dtype=np.int32))
    middle = buffer[8:24]
    assert (middle.size_bytes, middle.nbytes, middle.offset) == (16, 16, 8)
    assert list(read(middle)) == [2, 3, 4, 5]
    assert list(read(middle[-4:])) == [5]
    assert list(read(buffer[36:1000])) == [9]
    middle.copy_from(np.int32([20, 30]))
    assert list(read(buffer)) == [0, 1, 20, 30, 4, 5, 6, 7, 8, 9]
    gc.collect()
    live = device.live_memory().count
    del buffer
    gc.collect()
    assert device.live_memory().count == live
    assert list(read(middle)) == [20, 30, 4, 5]
    middle.free()
    assert device.live_memory().count == live - 1


def test_slices_with_steps_and_items_are_refused(device):
    buffer = treadle.Buffer(device, 16)
    with pytest.raises(treadle.InvalidArgument, match="step of 2"):
        buffer[::2]
    with pytest.raises(TypeError, match="no items"):
        buffer[0]
    with pytest.raises(TypeError):
        list(buffer)


def test_kinds_of_memory(device):
    assert treadle.Buffer(device, 8).kind == "owned"
    host = treadle.Buffer.page_locked(device, 16)
    assert host.kind == "page-locked"
    array = np.frombuffer(host, np.int32)
    array[:] = [1, 2, 3, 4]
    on_device = treadle.Buffer(device, 16)
    stream = device.make_stream()
    stream.copy_in(on_device, host)
    assert list(read(on_device, stream=stream)) == [1, 2, 3, 4]
    with stream:
        pooled = treadle.Buffer.pooled(16)
        assert pooled.kind == "pooled" and pooled.device is device
    stream.fill(pooled, np.int32(3))
    assert list(read(pooled, stream=stream)) == [3] * 4
    with pytest.raises(BufferError, match="owned"):
        memoryview(on_device)
    host.free()
    with pytest.raises(treadle.InvalidState):
        memoryview(host)


def test_pooled_memory_comes_again(device):
    stream = device.make_stream()
    first = treadle.Buffer.pooled(1000, stream)
    place = first.raw
    del first
    assert treadle.Buffer.pooled(1000, stream).raw == place


def test_an_exhausted_pool_names_the_line_that_holds_most():
    device = treadle.find_device("null")
    stream = device.make_stream()
    held = treadle.Buffer.pooled(900 << 20, stream)
    with pytest.raises(treadle.OutOfMemory, match=r"interop_test\.py:\d+"):
        treadle.Buffer.pooled(900 << 20, stream)
    held.free()


def test_memory_has_an_address_on_cuda_alone(device):
    buffer = treadle.Buffer(device, 64)
    assert buffer.raw != 0 and buffer[16:].offset == 16
    if device.language == treadle.Language.cuda_c and device.id != "null":
        assert buffer[16:].address == buffer.address + 16 == buffer.raw + 16
        info = device.address_info(buffer.address + 5)
        assert (info.kind, info.start, info.size_bytes, info.offset) == (
            "device",
            buffer.address,
            64,
            5,
        )
        assert info.is_own
        assert device.address_info(buffer[16:].address).offset == 16
    else:
        with pytest.raises(treadle.NotSupported, match="no address"):
            _ = buffer.address
    assert device.address_info(1).kind == "unknown"


# ---- __cuda_array_interface__


class Array:
    """What another library's array says of itself."""

    def __init__(self, buffer, typestr="<i4", **keys):
        self.buffer = buffer
        count = buffer.size_bytes // int(typestr[2:])
        self.__cuda_array_interface__ = {
            "shape": (count,),
            "typestr": typestr,
            "data": (buffer.address, False),
            "version": 3,
            **keys,
        }


def test_a_buffer_has_the_interface_on_cuda_alone(device):
    buffer = treadle.Buffer(device, 16)
    if device.language != treadle.Language.cuda_c or device.id == "null":
        assert not hasattr(buffer, "__cuda_array_interface__")
        return
    interface = buffer[4:].__cuda_array_interface__
    assert interface == {
        "shape": (12,),
        "typestr": "|u1",
        "data": (buffer.address + 4, False),
        "strides": None,
        "stream": 1,
        "version": 3,
    }
    stream = device.make_stream()
    with stream:
        assert buffer.__cuda_array_interface__["stream"] == stream.raw


def slow_work(device, buffer, stream):
    """Puts work on the stream that ends by writing 7. Keep the kernel: its end waits for it."""
    kernel = treadle.Program(device, SLOW).kernel("slow")
    kernel(buffer, np.int64(1_000_000_000), groups=1, group_size=1, stream=stream)
    return kernel


def test_a_foreign_stream_is_waited_for_by_a_kernel(cuda_device):
    theirs, ours = cuda_device.make_stream(), cuda_device.make_stream()
    buffer = treadle.Buffer(cuda_device, np.zeros(1, np.int32))
    add = treadle.Program(cuda_device, ADD).kernel("add")
    slow = slow_work(cuda_device, buffer, theirs)
    add(Array(buffer, stream=theirs.raw), np.int32(1), groups=1, group_size=1, stream=ours)
    assert not ours.is_done, "nothing waits on the host"
    assert list(read(buffer, stream=ours)) == [8]
    del slow


def test_a_foreign_stream_is_waited_for_by_an_adoption(cuda_device):
    theirs, ours = cuda_device.make_stream(), cuda_device.make_stream()
    buffer = treadle.Buffer(cuda_device, np.zeros(1, np.int32))
    slow = slow_work(cuda_device, buffer, theirs)
    adopted = treadle.Buffer.adopt(Array(buffer, stream=theirs.raw), ours)
    assert (adopted.kind, adopted.device, adopted.size_bytes) == ("adopted", cuda_device, 4)
    assert not ours.is_done
    assert list(read(adopted, stream=ours)) == [7]
    del slow


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"stream": None},
        {"stream": 1},
        {"stream": 2},
        {"version": 2, "strides": None},
        {"strides": (4,)},
    ],
)
def test_arrays_of_others_are_adopted(cuda_device, keys):
    buffer = treadle.Buffer(cuda_device, np.arange(4, dtype=np.int32))
    array = Array(buffer, **keys)
    adopted = treadle.Buffer.adopt(array)
    assert adopted.address == buffer.address
    kept = weakref.ref(array)
    del array, buffer
    gc.collect()
    assert list(read(adopted[4:])) == [1, 2, 3]
    part = adopted[:4]
    del adopted
    gc.collect()
    assert kept() is not None
    del part
    gc.collect()
    assert kept() is None


BAD_ARRAYS = {
    "stream 0": ({"stream": 0}, treadle.InvalidArgument, "stream 0"),
    "stream text": ({"stream": "1"}, TypeError, "stream"),
    "strides": ({"shape": (2,), "strides": (8,)}, treadle.InvalidArgument, "stride of 8 bytes"),
    "transposed": (
        {"shape": (2, 2), "strides": (4, 8)},
        treadle.InvalidArgument,
        "stride of 8 bytes",
    ),
    "mask": ({"mask": object()}, treadle.NotSupported, "mask"),
    "data": ({"data": None}, TypeError, "data"),
}


@pytest.mark.parametrize("name", BAD_ARRAYS)
def test_arrays_that_cannot_be_taken_are_refused(cuda_device, name):
    keys, error, text = BAD_ARRAYS[name]
    buffer = treadle.Buffer(cuda_device, np.zeros(4, np.int32))
    array = Array(buffer, **keys)
    with pytest.raises(error, match=text):
        treadle.Buffer.adopt(array)
    add = treadle.Program(cuda_device, ADD).kernel("add")
    with pytest.raises(error, match=text):
        add(array, np.int32(1), groups=1, group_size=1)
    assert not read(buffer).any()


def test_memory_of_no_device_is_refused(cpu):
    host = np.zeros(4, np.int32)
    array = Array(treadle.Buffer(cpu, 16), data=(host.ctypes.data, False))
    with pytest.raises(treadle.InvalidArgument, match="memory of no device"):
        treadle.Buffer.adopt(array)
    with pytest.raises(treadle.InvalidArgument, match="memory of no device"):
        treadle.Buffer.adopt(host)
    with pytest.raises(TypeError, match="int has neither"):
        treadle.Buffer.adopt(3)


def test_an_adopted_array_of_a_context_is_of_its_device(cpu, context):
    own = treadle.Device.of(context)
    buffer = treadle.Buffer(own, np.arange(4, dtype=np.int32))
    adopted = treadle.Buffer.adopt(Array(buffer))
    assert adopted.device is own
    assert list(read(adopted)) == [0, 1, 2, 3]


def test_the_streams_of_two_contexts_are_ordered(cpu, context):
    own = treadle.Device.of(context)
    theirs, ours = own.make_stream(), cpu.make_stream()
    buffer, copy = treadle.Buffer(own, np.zeros(1, np.int32)), treadle.Buffer(cpu, 4)
    slow = slow_work(own, buffer, theirs)
    adopted = treadle.Buffer.adopt(Array(buffer, stream=theirs.raw), ours)
    assert adopted.device is own
    ours.copy(copy, adopted)
    assert not ours.is_done
    assert list(read(copy, stream=ours)) == [7]
    del slow


# ---- DLPack


def test_numpy_reads_memory_of_the_cpu_device_in_place(cpu):
    stream = cpu.make_stream()
    buffer = treadle.Buffer(cpu, np.zeros(4, np.int32))
    slow = slow_work(cpu, buffer, stream)
    with stream:
        assert buffer.__dlpack_device__() == (1, 0)
        array = np.from_dlpack(buffer).view(np.int32)  # after what the stream has to do
    assert array[0] == 7
    del slow
    array[1] = 5
    assert read(buffer)[1] == 5
    live = cpu.live_memory().count
    del buffer
    gc.collect()
    assert array[0] == 7 and cpu.live_memory().count == live
    del array
    gc.collect()
    assert cpu.live_memory().count == live - 1


@pytest.mark.parametrize("max_version", [None, (0, 8), (1, 0), (1, 1)])
def test_capsules_have_the_version_that_was_asked_for(cpu, max_version):
    buffer = treadle.Buffer(cpu, 16)
    capsule = buffer.__dlpack__(max_version=max_version)
    name = "dltensor_versioned" if max_version and max_version >= (1, 0) else "dltensor"
    assert f'"{name}"' in repr(capsule)
    live = cpu.live_memory().count
    del buffer, capsule  # a capsule that nobody took frees what it has
    gc.collect()
    assert cpu.live_memory().count == live - 1


def test_a_copy_is_handed_over_where_it_is_asked_for(cpu):
    buffer = treadle.Buffer(cpu, np.arange(4, dtype=np.int32))
    copy = treadle.Buffer.adopt(Exporter(buffer, copy=True))
    assert copy.address != buffer.address
    assert list(read(copy)) == [0, 1, 2, 3]
    with pytest.raises(BufferError, match="another device"):
        buffer.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="stream"):
        buffer.__dlpack__(stream=1)
    assert buffer.__dlpack__(stream=-1, dl_device=(1, 0))


class Exporter:
    """An array with DLPack alone."""

    def __init__(self, buffer, **keywords):
        self.buffer, self.keywords, self.asked = buffer, keywords, {}

    def __dlpack__(self, **asked):
        self.asked = asked
        return self.buffer.__dlpack__(**asked, **self.keywords)

    def __dlpack_device__(self):
        return self.buffer.__dlpack_device__()


def test_tensors_of_others_are_adopted(cpu):
    exporter = Exporter(treadle.Buffer(cpu, np.arange(4, dtype=np.int32)))
    adopted = treadle.Buffer.adopt(exporter)
    assert exporter.asked["max_version"] == (1, 0)
    assert adopted.address == exporter.buffer.address
    live = cpu.live_memory().count
    del exporter
    gc.collect()
    assert cpu.live_memory().count == live
    assert list(read(adopted)) == [0, 1, 2, 3]
    del adopted
    gc.collect()
    assert cpu.live_memory().count == live - 1


def test_dlpack_names_the_memory(device):
    buffer, host = treadle.Buffer(device, 16), treadle.Buffer.page_locked(device, 16)
    if device.id == "cpu":
        assert (buffer.__dlpack_device__(), host.__dlpack_device__()) == ((1, 0), (1, 0))
    elif device.id.startswith("cuda"):
        number = int(device.id.partition(":")[2])
        assert buffer.__dlpack_device__() == (2, number)
        assert host.__dlpack_device__() == (3, number)
    elif device.id == "null":
        with pytest.raises(BufferError, match="null"):
            buffer.__dlpack_device__()
    else:
        assert (buffer.__dlpack_device__(), host.__dlpack_device__()) == ((4, 0), (1, 0))
        with device:
            adopted = treadle.Buffer.adopt(Exporter(buffer[4:]))
        assert (adopted.raw, adopted.offset, adopted.device) == (buffer.raw, 4, device)


def test_torch_and_treadle_share_memory_and_streams():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU that PyTorch can use")
    device = treadle.find_device("cuda:0")
    tensor = torch.arange(4, dtype=torch.int32, device="cuda")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side), device.adopt_stream(side) as stream:
        tensor += 1
        buffer = treadle.Buffer.adopt(tensor)
        treadle.Program(device, ADD).kernel("add")(buffer, np.int32(1), groups=1, group_size=4)
        back = torch.from_dlpack(buffer).view(torch.int32)
        back += 1
        assert stream.raw == side.cuda_stream
    side.synchronize()
    assert tensor.tolist() == [3, 4, 5, 6]


def test_cupy_and_treadle_share_memory_and_streams():
    cupy = pytest.importorskip("cupy")
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        pytest.skip("needs a GPU that CuPy can use")
    device = treadle.find_device("cuda:0")
    with cupy.cuda.Stream(non_blocking=True) as side:
        array = cupy.arange(4, dtype=cupy.int32)
        array += 1
        ours = device.make_stream()
        add = treadle.Program(device, ADD).kernel("add")
        add(array, np.int32(1), groups=1, group_size=4, stream=ours)
        with ours:
            back = cupy.asarray(treadle.Buffer.adopt(array)).view(cupy.int32)
        back += 1
        side.synchronize()
    assert array.get().tolist() == [3, 4, 5, 6]


# ---- host memory of queued copies


FAIL = """
extern "C" __global__ void fail(int *a, long rounds) {
  unsigned long s = rounds;
  for (long i = 0; i < rounds; ++i) s = s * 6364136223846793005UL + 1;
  *(volatile int *)(s == 0 ? a : 0) = 1;
}
"""


# Ends when the host says so, by a copy on another stream.
GATE = 'extern "C" __global__ void wait(int *gate) { while (atomicAdd(gate, 0) == 0); }'


@pytest.mark.filterwarnings("ignore::treadle.TreadleWarning")  # the lost context's, at its end
def test_host_memory_of_a_queued_copy_outlives_the_failure_of_another_context(cpu, context):
    stream, quiet = cpu.make_stream(), cpu.make_stream()
    buffer, third = (treadle.Buffer(cpu, 4) for _ in range(2))
    other = treadle.Device.of(context)
    failing, lost = other.make_stream(), treadle.Buffer(other, 4)
    fail = treadle.Program(other, FAIL).kernel("fail")
    # Behind the kernel that fails: nobody can tell any more when this copy is over.
    fail(lost, np.int64(100_000_000), groups=1, group_size=1, stream=failing)
    failing.copy_in(lost, np.zeros(1, np.int32))
    with pytest.raises(treadle.DeviceError):
        failing.synchronize()

    host = np.full(1, 5, np.int32)
    kept = weakref.ref(host)
    gate = treadle.Buffer(cpu, np.zeros(1, np.int32))
    wait = treadle.Program(cpu, GATE).kernel("wait")
    wait(gate, groups=1, group_size=1, stream=stream)
    buffer.copy_from(host, stream)
    del host
    try:
        # Each looks which copies are over; the failure of the other context is none of this one's.
        quiet.copy_in(third, np.zeros(1, np.int32))
        quiet.synchronize()
        gc.collect()
        assert not stream.is_done and kept() is not None
    finally:
        gate.copy_from(np.ones(1, np.int32), quiet)
    stream.synchronize()
    assert list(read(buffer)) == [5]
    gc.collect()
    assert kept() is None


def test_many_threads_call_back_and_copy(cpu):
    done = threading.Semaphore(0)

    def work():
        stream = cpu.make_stream()
        buffer = treadle.Buffer(cpu, 64)
        for number in range(20):
            stream.copy_in(buffer, np.full(16, number, np.int32))
            stream.call_host(done.release)
            assert list(read(buffer, stream=stream)) == [number] * 16

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for _ in range(80):
        assert done.acquire(timeout=30)


def test_dlpack_structures_are_those_of_the_specification(cpu):
    class Tensor(ctypes.Structure):
        _fields_ = [
            ("data", ctypes.c_void_p),
            ("device_type", ctypes.c_int32),
            ("device_id", ctypes.c_int32),
            ("ndim", ctypes.c_int32),
            ("code", ctypes.c_uint8),
            ("bits", ctypes.c_uint8),
            ("lanes", ctypes.c_uint16),
            ("shape", ctypes.POINTER(ctypes.c_int64)),
            ("strides", ctypes.POINTER(ctypes.c_int64)),
            ("byte_offset", ctypes.c_uint64),
        ]

    buffer = treadle.Buffer(cpu, 24)
    capsule = buffer[8:].__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = Tensor.from_address(get(capsule, b"dltensor"))
    assert (tensor.data + tensor.byte_offset, tensor.ndim) == (buffer.address + 8, 1)
    assert (tensor.code, tensor.bits, tensor.lanes) == (1, 8, 1)
    assert (tensor.shape[0], tensor.strides[0]) == (16, 1)
