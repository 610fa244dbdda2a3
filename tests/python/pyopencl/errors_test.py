# SPDX-License-Identifier: MIT
"""Which class each failure is, under PyOpenCL's names and under Treadle's."""

import ctypes
import pathlib

import numpy as np
import pyopencl as cl
import pyopencl._cl as native
import pytest

import treadle
from treadle.pyopencl import _errors


@pytest.mark.parametrize("name", ["MemoryError", "LogicError", "RuntimeError"])
def test_classes_derive_from_error_and_from_no_builtin(name):
    kind = getattr(cl, name)
    assert kind.__mro__[1:] == (cl.Error, Exception, BaseException, object)
    assert kind.__module__ == "pyopencl._cl"


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (-4, "MemoryError"),
        (-5, "RuntimeError"),
        (-11, "RuntimeError"),
        (-29, "RuntimeError"),
        (-30, "LogicError"),
        (-1001, "LogicError"),
        (0, "Error"),
        (3, "Error"),
    ],
)
def test_class_by_code(code, kind):
    assert _errors.class_of(code) is getattr(cl, kind)


def test_record():
    record = native._ErrorRecord(routine="clThing", code=-6, msg="why")
    assert (record.routine(), record.code(), record.what()) == ("clThing", -6, "why")
    assert record.is_out_of_memory()
    assert not native._ErrorRecord("clThing", -30, "").is_out_of_memory()
    assert record._program() is None
    error = cl.Error(record)
    assert (error.code, error.routine) == (-6, "clThing")
    assert error.what is record
    assert error.args[0] is record


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (("clThing", -30, ""), "clThing failed: INVALID_VALUE"),
        (("clThing", -36, "why"), "clThing failed: INVALID_COMMAND_QUEUE - why"),
        (("clThing", 0, "why"), "clThing failed - why"),
        (("clThing", -7777, ""), "clThing failed: unknown error -7777"),
        (("", -30, "why"), "why"),
    ],
)
def test_text(record, text):
    assert str(cl.Error(native._ErrorRecord(*record))) == text


# What is done, which code it has, which of Treadle's classes it is, what the text must say.
def _empty_buffer(context, queue):
    cl.Buffer(context, cl.mem_flags.READ_WRITE, 0)


def _released_buffer(context, queue):
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 16)
    buffer.release()
    cl.enqueue_copy(queue, np.zeros(4, np.float32), buffer)


def _released_twice(context, queue):
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 16)
    buffer.release()
    buffer.release()


def _read_beyond(context, queue):
    cl.enqueue_copy(queue, np.zeros(8, np.float32), cl.Buffer(context, 1, 16))


def _odd_pattern(context, queue):
    cl.enqueue_fill_buffer(queue, cl.Buffer(context, 1, 16), b"abc", 0, 12)


def _no_such_kernel(context, queue):
    cl.Kernel(cl.Program(context, "__kernel void a() {}").build(), "b")


def _unknown_parameter(context, queue):
    context.devices[0].get_info(0xBAD)


def _misaligned(context, queue):
    cl.Buffer(context, 1, 4096).get_sub_region(1, 16)


def _devices_and_type(context, queue):
    cl.Context(devices=context.devices, dev_type=cl.device_type.ALL)


def _no_devices(context, queue):
    cl.Context([])


def _no_devices_by_name(context, queue):
    cl.Context(devices=[])


def _odd_properties(context, queue):
    cl.Context(context.devices, [(1, 2, 3)])


def _unknown_property(context, queue):
    cl.Context(context.devices, [(0x7777, 1)])


def _no_device_of_type(context, queue):
    cl.Context(dev_type=cl.device_type.CUSTOM)


def _nothing_to_wait_for(context, queue):
    cl.wait_for_events([])


def _four_dimensions(context, queue):
    cl.Program(context, "__kernel void a() {}").build().a(queue, (1, 1, 1, 1), None)


def _host_pointer(context, queue):
    cl.Buffer(context, 1, 16).host_ptr  # noqa: B018


def _larger_than_hostbuf(context, queue):
    cl.Buffer(context, 1 | 32, 99, hostbuf=bytes(4))


REFUSALS = [
    (_empty_buffer, -61, treadle.DeviceError, "0 bytes"),
    (_released_buffer, None, treadle.InvalidState, "released"),
    (_released_twice, None, treadle.InvalidState, "released"),
    (_read_beyond, None, treadle.InvalidArgument, "32"),
    (_odd_pattern, None, treadle.Error, "3|pattern|INVALID"),
    (_no_such_kernel, -46, treadle.DeviceError, "INVALID_KERNEL_NAME"),
    (_unknown_parameter, -30, treadle.DeviceError, "clGetDeviceInfo"),
    (_misaligned, -13, treadle.DeviceError, "128|align"),
    (_devices_and_type, -30, treadle.InvalidArgument, "not both"),
    (_no_devices, -30, treadle.InvalidArgument, r"get_platforms\(\)\[0\].get_devices\(\)"),
    (_no_devices_by_name, -30, treadle.InvalidArgument, r"get_platforms\(\)\[0\].get_dev"),
    (_odd_properties, -30, treadle.InvalidArgument, "pairs"),
    (_unknown_property, -30, treadle.InvalidArgument, "30583"),
    (_no_device_of_type, -1, treadle.InvalidArgument, "type 16"),
    (_nothing_to_wait_for, -30, treadle.InvalidArgument, "no events"),
    (_four_dimensions, -30, treadle.InvalidArgument, "dimensions"),
    (_host_pointer, -30, treadle.InvalidArgument, "get_host_array"),
    (_larger_than_hostbuf, -30, treadle.InvalidArgument, "99"),
]


@pytest.mark.parametrize(
    ("attempt", "code", "native_class", "text"), REFUSALS, ids=[r[0].__name__ for r in REFUSALS]
)
def test_refusal(attempt, code, native_class, text, context, queue):
    if attempt is _misaligned and "NVIDIA" in context.devices[0].platform.name:
        pytest.skip("NVIDIA's parts of buffers begin anywhere")
    with pytest.raises(cl.Error, match=text) as caught:
        attempt(context, queue)
    error = caught.value
    assert isinstance(error, native_class)
    if code is not None:
        assert error.code == code
    assert isinstance(error, _errors.class_of(error.code))
    assert type(error).__module__ == "pyopencl._cl"


def test_hint_is_a_note_and_not_part_of_the_text(context, queue):
    with pytest.raises(cl.LogicError) as caught:
        _four_dimensions(context, queue)
    if hasattr(caught.value, "__notes__"):
        assert caught.value.__notes__[0].startswith("try: ")
    assert "try: " not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda c, q: cl.Context([1]), Exception),
        (lambda c, q: cl.Buffer(c), TypeError),
        (lambda c, q: cl.Buffer("no context", 1, 4), TypeError),
        (lambda c, q: cl.Buffer(c, 1, 16)[3], TypeError),
        (lambda c, q: cl.enqueue_copy(q, bytearray(4), bytearray(4)), TypeError),
        (lambda c, q: cl.enqueue_marker(q, [1]), TypeError),
        (lambda c, q: cl.enqueue_marker(q, 1), TypeError),
        (lambda c, q: cl.enqueue_copy(q, cl.Buffer(c, 1, 4), 5), TypeError),
        (lambda c, q: cl.enqueue_copy(q, bytes(4), cl.Buffer(c, 1, 4)), BufferError),
        (lambda c, q: cl.enqueue_copy(q, np.zeros(2), cl.Buffer(c, 1, 16), bad=1), TypeError),
        (lambda c, q: cl.enqueue_fill(q, np.zeros(2), b"a", 2), TypeError),
        (lambda c, q: cl.Program(c, 5), TypeError),
    ],
)
def test_wrong_types(call, kind, context, queue):
    with pytest.raises(kind):
        call(context, queue)


NO_PLATFORM = """
import treadle.compat, pyopencl as cl
try:
    cl.get_platforms()
except cl.LogicError as error:
    print(error.code, error.routine)
try:
    cl.create_some_context(interactive=False)
except cl.RuntimeError as error:
    print(error)
"""


def _loader_without_vendors(folder):
    """A copy of the system's loader whose own list of platforms lies where nothing is.

    Some loaders know no variable for it: NVIDIA's reads /etc/OpenCL/vendors whatever is set.
    """
    ctypes.CDLL("libOpenCL.so.1")
    mapped = pathlib.Path("/proc/self/maps").read_text().splitlines()
    original = next(line.split()[-1] for line in mapped if "libOpenCL.so" in line)
    code = pathlib.Path(original).read_bytes()
    copy = folder / "libOpenCL.so.1"
    copy.write_bytes(code.replace(b"/etc/OpenCL/vendors", b"/etc/OpenCL/nowhere"))
    return copy


def test_no_platform_says_what_to_install(context, run_python, tmp_path, monkeypatch):
    monkeypatch.delenv("OCL_ICD_FILENAMES", raising=False)  # platforms beside those of the folder
    result = run_python(
        "-c",
        NO_PLATFORM,
        TREADLE_LIBOPENCL=str(_loader_without_vendors(tmp_path)),
        OCL_ICD_VENDORS=str(tmp_path),
        OPENCL_VENDOR_PATH=str(tmp_path),
    )
    assert result.stdout.startswith("-1001 clGetPlatformIDs\n"), result.stdout + result.stderr
    assert "pocl-opencl-icd" in result.stdout


def test_no_loader_says_what_to_install(run_python, tmp_path):
    result = run_python("-c", NO_PLATFORM, TREADLE_LIBOPENCL=str(tmp_path / "libOpenCL.so.1"))
    assert result.stdout.startswith("-1001 clGetPlatformIDs\n"), result.stdout + result.stderr
    assert "pocl-opencl-icd" in result.stdout
    assert str(tmp_path) in result.stdout
