# SPDX-License-Identifier: MIT
"""The native API over every run-time system: the words of C++, on each device there is."""

import threading

import numpy as np
import pytest

import treadle

CUDA_C = """
extern "C" __global__ void scale(float *a, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= factor;
}
struct pair { int a; float b; };
extern "C" __global__ void unpack(float *to, struct pair p) { *to = p.a + p.b; }
extern "C" __global__ void spin(int *a, long rounds) {
  volatile int sink = 0;
  for (long i = 0; i < rounds; ++i) sink = sink + 1;
  *a = 1;
}
"""
OPENCL_C = """
__kernel void scale(__global float *a, float factor, int n) {
  int i = get_global_id(0);
  if (i < n) a[i] *= factor;
}
struct pair { int a; float b; };
__kernel void unpack(__global float *to, struct pair p) { *to = p.a + p.b; }
__kernel void spin(__global int *a, long rounds) {
  volatile int sink = 0;
  for (long i = 0; i < rounds; ++i) sink = sink + 1;
  *a = 1;
}
"""
IDS = [device.id for device in treadle.devices()] + ["null"]


@pytest.fixture(params=IDS)
def device(request):
    return treadle.find_device(request.param)


def text_for(device):
    return CUDA_C if device.language == treadle.Language.cuda_c else OPENCL_C


@pytest.fixture
def program(device):
    return treadle.Program(device, text_for(device))


def test_devices_say_what_they_are(device):
    assert device.kind in ("gpu", "cpu", "accelerator", "null")
    assert device.memory_bytes > 0
    assert device.name and device.runtime
    assert device.id in repr(device)
    x, y, z = device.limits.max_groups
    assert (device.limits.max_groups.x, x, y, z) == (x, *device.limits.max_groups)
    assert device.limits.max_groups == treadle.Extent(x, y, z) != device.limits.max_group_size
    assert device.limits.max_group_size.count >= device.limits.max_group_items


def test_one_device_is_one_object():
    first, second = treadle.find_device("cpu"), treadle.find_device("cpu")
    assert first is second
    assert first in treadle.devices()


def test_an_unknown_device_lists_what_there_is():
    with pytest.raises(treadle.InvalidArgument, match=r'no device "cpux".*cpu \('):
        treadle.find_device("cpux")


def test_a_kernel_computes_on_a_buffer(device, program):
    host = np.arange(1000, dtype=np.float32)
    buffer = treadle.Buffer(device, host)
    program.kernel("scale")(buffer, np.float32(3), np.int32(1000), groups=(16,), group_size=(64, 1))
    back = np.empty_like(host)
    buffer.copy_to(back)
    assert (back == (3 * host if device.traits.runs_kernels else host)).all()


def test_streams_events_and_queued_copies(device, program):
    host = np.arange(1000, dtype=np.float32)
    back = np.empty_like(host)
    buffer, other = treadle.Buffer(device, host.nbytes), treadle.Buffer(device, host.nbytes)
    stream, second = device.make_stream(), device.make_stream()
    start = stream.record()
    buffer.copy_from(host.copy(), stream)  # the copy is kept until the stream is past it
    scale = program.kernel("scale")
    scale(buffer, np.float32(2), np.int32(1000), groups=16, group_size=64, stream=stream)
    stream.copy(other, buffer)
    done = stream.record()
    second.wait(done)
    other.copy_to(back, second)
    second.synchronize()
    assert (back == (2 * host if device.traits.runs_kernels else host)).all()
    assert done.is_done and second.is_done
    assert 0 <= done.seconds_since(start) < 60


def test_fill(device):
    buffer = treadle.Buffer(device, 64)
    stream = device.make_stream()
    stream.fill(buffer, np.int32(7))
    back = np.zeros(16, np.int32)
    buffer.copy_to(back, stream)
    stream.synchronize()
    assert (back == 7).all()


def test_structures_are_passed_by_value(device, program):
    pair = np.array((3, 0.5), dtype=[("a", np.int32), ("b", np.float32)])[()]
    buffer = treadle.Buffer(device, np.zeros(1, np.float32))
    if device.id == "null":  # it knows no structures, and takes any
        return
    program.kernel("unpack")(buffer, pair, groups=1, group_size=1)
    back = np.empty(1, np.float32)
    buffer.copy_to(back)
    assert back[0] == 3.5


def test_memory_is_counted_and_freed(device):
    before = device.live_memory()
    buffer = treadle.Buffer(device, 1000)
    with_buffer = device.live_memory()
    assert (with_buffer.count, with_buffer.bytes) == (before.count + 1, before.bytes + 1000)
    buffer.free()
    assert buffer.is_freed
    after = device.live_memory()
    assert (after.count, after.bytes) == (before.count, before.bytes)
    with pytest.raises(treadle.InvalidState):
        buffer.free()


BAD_CALLS = {
    "too few": (lambda b: (b,), {}, treadle.InvalidArgument, "1 argument for 3"),
    "too many": (lambda b: (b,) * 4, {}, treadle.InvalidArgument, "4 arguments for 3"),
    "size": (
        lambda b: (b, np.float64(1), np.int32(1)),
        {},
        treadle.InvalidArgument,
        "argument 1.*8 bytes.*4 bytes",
    ),
    "plain number": (
        lambda b: (b, 1.0, np.int32(1)),
        {},
        TypeError,
        "argument 1 is a float.*NumPy",
    ),
    "host array": (
        lambda b: (np.zeros(4), np.float32(1), np.int32(1)),
        {},
        TypeError,
        "argument 0.*Buffer",
    ),
    "nothing": (lambda b: (None, np.float32(1), np.int32(1)), {}, TypeError, "argument 0"),
    "no work-items": (
        lambda b: (b, np.float32(1), np.int32(1)),
        {"group_size": 0},
        treadle.InvalidArgument,
        "no work-items",
    ),
    "large group": (
        lambda b: (b, np.float32(1), np.int32(1)),
        {"group_size": (1 << 20,)},
        treadle.InvalidArgument,
        "1048576.*allows",
    ),
    "negative": (
        lambda b: (b, np.float32(1), np.int32(1)),
        {"groups": -1},
        OverflowError,
        "groups",
    ),
    "no shape": (lambda b: (b, np.float32(1), np.int32(1)), {"groups": "4"}, TypeError, "groups"),
    "keyword": (lambda b: (b, np.float32(1), np.int32(1)), {"grid": 1}, TypeError, "'grid'"),
    "stream": (lambda b: (b, np.float32(1), np.int32(1)), {"stream": 5}, TypeError, "stream"),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_bad_calls_are_refused_before_anything_is_launched(device, program, name):
    arguments, keywords, error, text = BAD_CALLS[name]
    buffer = treadle.Buffer(device, np.ones(1, np.float32))
    shape = {"groups": 1, "group_size": 1, **keywords}
    with pytest.raises(error, match=text):
        program.kernel("scale")(*arguments(buffer), **shape)
    back = np.empty(1, np.float32)
    buffer.copy_to(back)
    assert back[0] == 1


def test_a_call_without_shape_is_refused(device, program):
    with pytest.raises(TypeError, match=r"groups=.*group_size="):
        program.kernel("scale")(groups=1)


def test_memory_of_another_device_is_refused(program):
    null = treadle.find_device("null")
    if program.device is null:
        return
    buffer = treadle.Buffer(null, 16)
    with pytest.raises(treadle.InvalidArgument, match="null"):
        program.kernel("scale")(buffer, np.float32(1), np.int32(1), groups=1, group_size=1)


def test_an_unknown_kernel_gives_near_names(program):
    with pytest.raises(treadle.InvalidArgument, match="scael"):
        program.kernel("scael")


def test_failing_text_is_a_compile_error(device):
    with pytest.raises(treadle.CompileError) as caught:
        treadle.Program(device, "this is no kernel")
    assert caught.value.source == "this is no kernel"


def test_text_in_the_wrong_language_is_refused(device):
    (other,) = set(treadle.Language) - {device.language}
    assert {str(language) for language in treadle.Language} == {"CUDA C", "OpenCL C"}
    for given in (other, str(other)):
        with pytest.raises(treadle.NotSupported, match=str(other)):
            treadle.Program(device, "", language=given)
    assert treadle.Program(device, text_for(device), language=str(device.language)).kernel_names
    with pytest.raises(treadle.InvalidArgument, match="Fortran"):
        treadle.Program(device, "", language="Fortran")


def test_a_program_says_where_it_came_from(device, program):
    again = treadle.Program(device, text_for(device))
    assert again.origin == "memory cache"
    assert again.device is device
    assert "scale" in again.kernel_names


def test_kernel_describes_itself(device, program):
    scale = program.kernel("scale")
    assert scale.name == "scale" and scale.device is device
    assert [parameter.size_bytes for parameter in scale.parameters] == [8, 4, 4]
    kinds = [parameter.kind for parameter in scale.parameters]
    assert treadle.ParameterKind.memory in kinds or set(kinds) == {treadle.ParameterKind.unknown}
    assert scale.max_group_items >= 64
    assert repr(scale) == f"<kernel scale on {device.id}>"


def test_threads_share_a_kernel(device, program):
    scale = program.kernel("scale")
    results = {}

    def work(number):
        host = np.ones(64, np.float32)
        buffer, stream = treadle.Buffer(device, host), device.make_stream()
        for _ in range(20):
            scale(buffer, np.float32(number), np.int32(64), groups=1, group_size=64, stream=stream)
            buffer.copy_to(host, stream)
            stream.synchronize()
            stream.fill(buffer, np.float32(1))
        results[number] = host[0]

    threads = [threading.Thread(target=work, args=(number,)) for number in (2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ({2: 2, 3: 3, 4: 4} if device.traits.runs_kernels else {2: 1, 3: 1, 4: 1})


def test_shell_memory_serves_a_kernel_of_the_waist():
    device = treadle.find_device("cpu")
    with treadle.cuda.Context.make_current(treadle.cuda.Driver.cpu().device(0)):
        memory = treadle.cuda.DeviceMemory(16)
        memory.copy_from(np.ones(4, np.float32))
        scale = treadle.Program(device, CUDA_C).kernel("scale")
        scale(memory, np.float32(5), np.int32(4), groups=1, group_size=4)
        device.default_stream().synchronize()
        back = np.empty(4, np.float32)
        memory.copy_to(back)
        memory.free()
    assert (back == 5).all()
