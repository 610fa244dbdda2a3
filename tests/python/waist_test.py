# SPDX-License-Identifier: MIT
"""What Python sees of devices, streams, events and order, on each device there is."""

import gc
import re
import sys
import threading
import weakref

import numpy as np
import pytest

import treadle

SPIN = """
#include <treadle/dialect.h>
TREADLE_KERNEL spin(long rounds, TREADLE_GLOBAL long *out)
{
    unsigned long s = out[0];
    for (long i = 0; i < rounds; ++i) s = s * 6364136223846793005UL + 1;
    out[0] = (long)s;
}
TREADLE_KERNEL add(TREADLE_GLOBAL int *out, int value) { out[treadle_global_id(0)] += value; }
"""
IDS = [device.id for device in treadle.devices()] + ["null"]


@pytest.fixture(params=IDS)
def device(request):
    return treadle.find_device(request.param)


@pytest.fixture
def program(device):
    return treadle.Program(device, SPIN)


def read(buffer, dtype, count, stream=None):
    host = np.empty(count, dtype)
    buffer.copy_to(host, stream)
    if stream is not None:
        stream.synchronize()
    return host


def test_what_a_device_is_comes_in_three_groups(device):
    assert device.limits.max_group_items > 0
    assert device.limits.max_group_size.x > 0 and device.limits.max_groups.x > 0
    assert device.limits.allocation_alignment >= 1 <= device.limits.offset_alignment
    assert device.limits.greatest_priority <= device.limits.least_priority
    assert device.traits.schedule in ("wide", "narrow")
    assert device.traits.runs_kernels == (device.id != "null")
    assert device.performance.bandwidth in ("unknown", "stated", "measured")
    assert not device.is_adopted
    with pytest.raises(AttributeError):
        device.limits.max_group_items = 3


def test_memory_of_a_device_is_counted(device):
    info = device.memory_info()
    assert 0 < info.free_bytes <= info.total_bytes == device.memory_bytes
    assert isinstance(info.is_measured, bool)


# ---- current device and stream


def test_with_blocks_nest_and_end_with_an_exception(device):
    before = treadle.current_device()
    stream = device.make_stream()
    null = treadle.find_device("null")
    with device as entered:
        assert entered is device is treadle.current_device()
        assert treadle.current_stream() is device.default_stream()
        with pytest.raises(ZeroDivisionError), stream:
            assert treadle.current_stream() is stream
            with null:
                assert treadle.current_device() is null
                assert treadle.current_stream() is null.default_stream()
            raise ZeroDivisionError
        assert treadle.current_stream() is device.default_stream()
    assert treadle.current_device() is before


def test_a_with_block_is_left_on_its_own_thread(device):
    stream = device.make_stream()
    errors = []

    def leave():
        for scope in (stream, device):
            try:
                scope.__exit__(None, None, None)
            except treadle.InvalidState as error:
                errors.append(str(error))

    with device, stream:
        thread = threading.Thread(target=leave)
        thread.start()
        thread.join()
        assert treadle.current_stream() is stream
    # The default device of that thread is this one perhaps; then nothing was entered, it says.
    assert len(errors) == 2


def test_the_current_device_is_the_thread_s_own(device):
    seen = []
    with device:
        thread = threading.Thread(target=lambda: seen.append(treadle.current_device()))
        thread.start()
        thread.join()
    assert seen == [treadle.default_device()]


def test_kernels_and_copies_go_to_the_current_stream(device, program):
    stream = device.make_stream()
    buffer = treadle.Buffer(device, np.zeros(4, np.int32))
    with stream:
        program.kernel("add")(buffer, np.int32(3), groups=1, group_size=4)
        assert list(read(buffer, np.int32, 4)) == (
            [3] * 4 if device.traits.runs_kernels else [0] * 4
        )


def test_a_stream_keeps_its_device():
    for stream in (
        treadle.find_device("null").make_stream(),
        treadle.find_device("null").default_stream(),
    ):
        assert stream.device.id == "null"
        stream.fill(treadle.Buffer(stream.device, 4), np.int32(1))


# ---- order


def test_work_waits_for_events_and_returns_one(device, program):
    first, second = device.make_stream(), device.make_stream()
    a = treadle.Buffer(device, np.arange(4, dtype=np.int32))
    b = treadle.Buffer(device, 16)
    host = np.full(4, 9, np.int32)
    add = program.kernel("add")
    added = add(a, np.int32(1), groups=1, group_size=4, stream=first, event=True)
    assert isinstance(added, treadle.Event) and added.device is device
    copied = second.copy(b, a, wait_for=added, event=True)
    filled = device.make_event(timing=False)
    assert first.fill(a, np.int32(7), wait_for=[copied], event=filled) is filled
    read_back = first.copy_out(host, b, wait_for=(copied, filled), event=True)
    read_back.synchronize()
    step = 1 if device.traits.runs_kernels else 0
    assert list(host) == [step, 1 + step, 2 + step, 3 + step]
    assert second.copy_in(a, np.ones(4, np.int32), wait_for=[read_back]) is None
    assert add(a, np.int32(1), groups=1, group_size=4, stream=second, event=None) is None
    assert list(read(a, np.int32, 4, second)) == [1 + step] * 4


def test_what_is_no_event_is_refused(device, program):
    stream, buffer = device.make_stream(), treadle.Buffer(device, 16)
    with pytest.raises(TypeError, match=r"wait_for is a treadle\.Event .* not int"):
        stream.fill(buffer, np.int32(0), wait_for=3)
    with pytest.raises(TypeError, match=r"wait_for has a str"):
        stream.fill(buffer, np.int32(0), wait_for=["now"])
    with pytest.raises(TypeError, match=r"event is True, None or a treadle\.Event, not str"):
        stream.fill(buffer, np.int32(0), event="yes")
    with pytest.raises(TypeError, match="wait_for"):
        program.kernel("add")(buffer, np.int32(0), groups=1, group_size=1, wait_for=3)


def test_an_event_of_another_device_is_waited_for(device):
    null = treadle.find_device("null")
    foreign = null.default_stream().record()
    stream, buffer = device.make_stream(), treadle.Buffer(device, 16)
    stream.wait(foreign)
    stream.fill(buffer, np.int32(5), wait_for=foreign)
    assert list(read(buffer, np.int32, 4, stream)) == [5] * 4
    if null is not device:
        with pytest.raises(treadle.InvalidArgument, match="event"):
            stream.fill(buffer, np.int32(5), event=foreign)


def test_an_untimed_event_tells_no_time(device):
    if device.id == "null":
        pytest.skip("its events are done at once")
    stream = device.make_stream()
    start, end = device.make_event(timing=False), device.make_event()
    stream.record(start)
    stream.record(end)
    stream.synchronize()
    with pytest.raises(treadle.InvalidState, match="time"):
        end.seconds_since(start)


def test_a_priority_out_of_range_is_clamped(device):
    stream = device.make_stream(priority=-100)
    stream.fill(treadle.Buffer(device, 4), np.int32(1))
    stream.synchronize()


# ---- functions of the host


def test_a_stream_calls_python(device):
    stream, called = device.make_stream(), threading.Event()
    threads = []

    def call():
        threads.append(threading.current_thread())
        called.set()

    stream.call_host(call)
    assert called.wait(30)
    assert threads != [threading.main_thread()]


def test_what_a_called_function_raises_is_told(device, monkeypatch):
    told = []
    done = threading.Event()

    def hook(unraisable):
        told.append((unraisable.exc_type, str(unraisable.exc_value)))
        done.set()

    monkeypatch.setattr(sys, "unraisablehook", hook)

    def fail():
        raise ValueError("from the host")

    device.make_stream().call_host(fail)
    assert done.wait(30)
    assert told == [(ValueError, "from the host")]


def test_a_called_function_is_let_go(device):
    class Function:
        def __init__(self):
            self.called = threading.Event()

        def __call__(self):
            self.called.set()

    function = Function()
    seen, called = weakref.ref(function), function.called
    stream = device.make_stream()
    stream.call_host(function)
    assert called.wait(30)
    del function
    second = threading.Event()
    stream.call_host(second.set)  # behind it: the first has been let go by then
    assert second.wait(30)
    gc.collect()
    assert seen() is None


def test_what_cannot_be_called_is_refused(device):
    with pytest.raises(TypeError, match="function, not int"):
        device.make_stream().call_host(3)


def test_the_process_ends_while_functions_are_waiting(run_python, device, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"""
import numpy as np, treadle
device = treadle.find_device({device.id!r})
stream = device.make_stream()
for _ in range(100):
    stream.call_host(lambda: None)
print("ends")
""")
    done = run_python(str(script))
    assert (done.returncode, done.stdout) == (0, "ends\n"), done.stderr


# ---- fills and copies


@pytest.mark.parametrize(
    ("size", "pattern"), [(10, np.int32(1)), (12, np.int64(1)), (1, np.int16(1))]
)
def test_a_fill_that_leaves_a_tail_is_refused(device, size, pattern):
    buffer = treadle.Buffer(device, np.zeros(size, np.uint8))
    with pytest.raises(
        treadle.InvalidArgument, match=rf"buffer of {size} bytes .* pattern of {pattern.nbytes}"
    ):
        device.make_stream().fill(buffer, pattern)
    assert not read(buffer, np.uint8, size).any()


STRIDED = {
    "columns": lambda a: a[:, :, ::2],
    "rows": lambda a: a[:, ::3],
    "slices": lambda a: a[::2],
    "box": lambda a: a[1:3, 2:5, 1:4],
    "every second": lambda a: a[::2, ::2, ::2],
    "transposed": lambda a: a.T,
    "transposed part": lambda a: a[:, 1:4, 1:3].transpose(2, 0, 1),
    "plane": lambda a: a[:, 2, :],
    "one column": lambda a: a[1, :, 3],
    "one element": lambda a: a[2:3, 3:4, 1:2],
    "nothing": lambda a: a[:, :0, ::2],
    "whole": lambda a: a,
}


@pytest.mark.parametrize("name", STRIDED)
def test_arrays_with_strides_are_copied_both_ways(device, name):
    host = np.arange(4 * 6 * 8, dtype=np.int32).reshape(4, 6, 8)
    part = STRIDED[name](host)
    # A contiguous array is copied as it lies in memory, C or Fortran; others in C order.
    flat = part.ravel(order="A") if part.flags.forc else np.ascontiguousarray(part).ravel()
    buffer = treadle.Buffer(device, part)
    assert buffer.size_bytes == part.nbytes
    if part.size:
        assert (read(buffer, np.int32, part.size) == flat).all()
    back = np.full_like(host, -1)
    stream = device.make_stream()
    stream.copy_out(STRIDED[name](back), buffer)
    stream.synchronize()
    expected = np.full_like(host, -1)
    STRIDED[name](expected)[...] = part
    assert (back == expected).all()
    again = treadle.Buffer(device, part.nbytes)
    stream.copy_in(again, part)
    if part.size:
        assert (read(again, np.int32, part.size, stream) == flat).all()


def test_negative_strides_are_refused(device):
    with pytest.raises(treadle.InvalidArgument, match="stride of -4 bytes in dimension 0"):
        treadle.Buffer(device, np.zeros(4, np.int32)[::-1])


def test_a_host_array_larger_than_the_buffer_is_refused(device):
    buffer, stream = treadle.Buffer(device, 8), device.make_stream()
    for copy in (stream.copy_in, lambda a, b: stream.copy_out(b, a)):
        with pytest.raises(treadle.InvalidArgument, match="16 bytes, the buffer only 8"):
            copy(buffer, np.zeros(4, np.int32))


def test_buffers_of_two_devices_are_copied(device):
    other = treadle.find_device("cpu" if device.id != "cpu" else "null")
    here = treadle.Buffer(device, np.arange(1000, dtype=np.int32))
    there = treadle.Buffer(other, here.size_bytes)
    back = treadle.Buffer(device, here.size_bytes)
    stream = device.make_stream()
    stream.copy(there, here)
    stream.copy(back, there)
    assert (read(back, np.int32, 1000, stream) == np.arange(1000)).all()
    third = treadle.find_device("null").make_stream()
    if third.device not in (device, other):
        with pytest.raises(treadle.InvalidState):
            third.copy(there, here)


def test_kernels_tell_what_they_need(device, program):
    add = program.kernel("add")
    assert add.resources.max_group_items == add.max_group_items > 0
    groups = add.groups_per_compute_unit(64)
    assert (groups is None) == (not device.traits.kernel_occupancy)
    if groups is not None:
        assert groups >= 1


def test_a_variable_of_a_program_is_a_buffer(device):
    if not device.traits.module_globals:
        return
    program = treadle.Program(
        device,
        "__device__ int table[4] = {1, 2, 3, 4};"
        'extern "C" __global__ void twice() { table[threadIdx.x] *= 2; }',
    )
    table = program.variable("table")
    assert table.size_bytes == 16
    program.kernel("twice")(groups=1, group_size=4)
    assert list(read(table, np.int32, 4)) == [2, 4, 6, 8]
    with pytest.raises(treadle.InvalidArgument, match="tabel"):
        program.variable("tabel")


def test_a_kernel_is_explained(device, program):
    kernel = program.kernel("add")
    told = kernel.occupancies()
    assert bool(told) == device.traits.kernel_occupancy
    for each in told:
        assert each.groups == kernel.groups_per_compute_unit(each.group_items)
        assert 0 <= each.fraction <= 1
        assert each.limit in ("work-items", "registers", "local memory", "groups")
        assert repr(each).startswith("<Occupancy: ")
    assert (kernel.occupancy(32) is None) == (not told)
    words = treadle.explain(kernel, 256)
    assert f"kernel add on {device.id}" in words
    assert re.search("a group needs [01] bytes", words)  # NVIDIA's OpenCL tells of one
    with pytest.raises(TypeError, match="takes a Kernel or an Array, not int"):
        treadle.explain(3)
    if device.traits.runs_kernels:
        x = treadle.numpy.ones(3, device=device) + 1
        assert treadle.explain(x) == x.explain()


def test_a_device_has_an_identity(device):
    identity = device.identity
    assert identity.name == device.name and identity.driver
    assert identity.architecture == (device.target or identity.architecture) != ""
    assert identity.name in repr(identity)
