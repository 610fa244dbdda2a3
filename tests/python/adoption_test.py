# SPDX-License-Identifier: MIT
"""Contexts, streams and events of other libraries, of the shells and of both faces."""

import gc
import weakref

import numpy as np
import pytest

import treadle
from treadle import cuda

ADD = 'extern "C" __global__ void add(int *out, int value) { out[threadIdx.x] += value; }'
CUDA_IDS = [d.id for d in treadle.devices() if d.language == treadle.Language.cuda_c]


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


def test_a_context_has_one_device(cpu, context):
    own = treadle.Device.of(context)
    assert own is not cpu and own.is_adopted and own is treadle.Device.of(context)
    if cuda.default_driver() == cuda.Driver.cpu():  # a number is a context of the default driver's
        assert treadle.Device.of(context.raw) is own
    buffer = treadle.Buffer(own, np.arange(4, dtype=np.int32))
    treadle.Program(own, ADD).kernel("add")(buffer, np.int32(1), groups=1, group_size=4)
    assert list(read(buffer)) == [1, 2, 3, 4]
    primary = cuda.Context.primary(cuda.Driver.cpu().device(0))
    assert treadle.Device.of(primary) is cpu


def test_what_is_no_context_is_refused():
    with pytest.raises(TypeError, match=r"float is no context.*\.handle"):
        treadle.Device.of(1.5)
    with pytest.raises(treadle.InvalidArgument, match="null"):
        treadle.Device.of(0)


def test_a_context_of_the_pycuda_face_is_a_device(context_of_pycuda):
    import pycuda.driver as driver

    device = treadle.Device.of(context_of_pycuda)
    assert device.is_adopted
    stream = driver.Stream()
    own = device.adopt_stream(stream)
    assert own.raw == stream.handle and own is device.adopt_stream(stream.handle)
    memory = driver.mem_alloc(16)
    program = treadle.Program(device, ADD)
    own.fill(treadle.Buffer(device, 4), np.int32(0))
    driver.memset_d32_async(memory, 3, 4, stream)
    program.kernel("add")(memory, np.int32(4), groups=1, group_size=4, stream=own)
    assert list(driver.from_device(memory, 4, np.int32)) == [7] * 4


@pytest.fixture
def context_of_pycuda():
    from pycuda.tools import init_cuda_context_fixture

    fixture = init_cuda_context_fixture()
    next(fixture)
    import pycuda.driver as driver

    yield driver.Context.get_current()
    next(fixture, None)


def test_a_context_of_the_pyopencl_face_is_a_device():
    try:
        import pyopencl as cl

        platforms = cl.get_platforms()
    except Exception:
        pytest.skip("needs an OpenCL platform")
    context = cl.Context(platforms[0].get_devices()[:1])
    device = treadle.Device.of(context)
    assert device is treadle.Device.of(context, context.devices[0])
    queue = cl.CommandQueue(context)
    stream = device.adopt_stream(queue)
    assert stream.raw == queue.int_ptr
    buffer = treadle.Buffer(device, 16)
    stream.fill(buffer, np.int32(5))
    assert list(read(buffer, stream=stream)) == [5] * 4
    event = cl.enqueue_marker(queue)
    device.adopt_event(event).synchronize()


class Torch:
    def __init__(self, raw):
        self.cuda_stream = raw


class CuPyStream:
    def __init__(self, raw):
        self.ptr = raw


class CudaCore:
    def __init__(self, raw, version=0):
        self.pair = version, raw

    def __cuda_stream__(self):
        return self.pair


@pytest.mark.parametrize("library", [Torch, CuPyStream, CudaCore, int])
def test_streams_of_others_are_adopted(cpu, library):
    with cuda.Context.make_current(cuda.Driver.cpu().device(0)):
        shell = cuda.Stream()
        foreign = library(shell.raw)
        stream = cpu.adopt_stream(foreign)
        assert stream.raw == shell.raw and stream.device is cpu
        assert cpu.adopt_stream(shell) is stream is cpu.adopt_stream(stream)
        assert stream.__cuda_stream__() == (0, shell.raw)
        buffer = treadle.Buffer(cpu, 16)
        stream.fill(buffer, np.int32(4))
        shell.synchronize()
        assert list(read(buffer)) == [4] * 4
        if library is not int:
            kept = weakref.ref(foreign)
            del foreign
            gc.collect()
            assert kept() is not None, "a stream is its owner's, who must live as long"
        del stream
        gc.collect()


def test_default_streams_are_adopted(cuda_device):
    for raw in (0, 1, Torch(0), CudaCore(0)):
        assert cuda_device.adopt_stream(raw) is cuda_device.default_stream()
    per_thread = cuda_device.adopt_stream(2)
    assert per_thread.raw == 2
    assert cuda_device.default_stream().__cuda_stream__() == (0, 0)


def test_what_is_no_stream_is_refused(cuda_device):
    with pytest.raises(TypeError, match=r"NoneType is no stream.*\.cuda_stream"):
        cuda_device.adopt_stream(None)
    with pytest.raises(TypeError, match="bool is no stream"):
        cuda_device.adopt_stream(True)
    with pytest.raises(treadle.NotSupported, match="version 3"):
        cuda_device.adopt_stream(CudaCore(0, version=3))
    with pytest.raises(treadle.InvalidArgument, match="null"):
        cuda_device.adopt_stream(treadle.find_device("null").default_stream())


class Address:
    """An address by the names of handles, as arrays, allocations and kernels have."""

    ptr = handle = raw = int_ptr = 4096


@pytest.mark.parametrize("adopt", ["adopt_stream", "adopt_event", "of"])
def test_an_address_is_no_handle(cpu, adopt):
    # Drivers do not check handles: NVIDIA's ends the process.
    with pytest.raises(TypeError, match="Address is no (stream|event|context): pass its handle"):
        getattr(cpu, adopt)(Address())


def test_streams_are_no_events_and_events_no_streams(cpu):
    with cuda.Context.make_current(cuda.Driver.cpu().device(0)):
        with pytest.raises(TypeError, match="Event is no stream"):
            cpu.adopt_stream(cuda.Event())
        with pytest.raises(TypeError, match="Stream is no event"):
            cpu.adopt_event(cuda.Stream())


def test_a_stream_of_another_context_is_refused(cpu, context):
    stream = treadle.Device.of(context).make_stream()
    with pytest.raises(treadle.InvalidArgument, match="another context"):
        cpu.adopt_stream(stream.raw)


def test_events_of_others_are_adopted(cpu):
    with cuda.Context.make_current(cuda.Driver.cpu().device(0)):
        shell, event = cuda.Stream(), cuda.Event()
        event.record(shell)
        own = cpu.adopt_event(event)
        assert own.raw == event.raw
        cpu.make_stream().wait(own)
        own.synchronize()
        assert own.is_done and cpu.adopt_event(own) is own
