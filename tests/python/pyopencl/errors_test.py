# SPDX-License-Identifier: MIT
"""Which class each failure is, under PyOpenCL's names and under Treadle's."""

import copy
import ctypes
import pathlib
import pickle

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
        (("", -30, "why"), "INVALID_VALUE - why"),
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
    (_odd_properties, -30, treadle.InvalidArgument, "pair"),
    (_unknown_property, -30, treadle.InvalidArgument, "30583"),
    (_no_device_of_type, -1, treadle.InvalidArgument, "type 16"),
    (_nothing_to_wait_for, -30, treadle.InvalidArgument, "no events"),
    (_four_dimensions, -53, treadle.InvalidArgument, "dimensions"),
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
        cl.enqueue_copy(queue, np.zeros(1000), cl.Buffer(context, cl.mem_flags.READ_WRITE, 256))
    if hasattr(caught.value, "add_note"):  # Python 3.11
        assert caught.value.__notes__[0].startswith("try: ")
    assert "try: " not in str(caught.value)


class _OfAProgram(cl.LogicError):
    pass


def _broken(context, queue):
    cl.Program(context, "nonsense").build()


def _refused_argument(context, queue):
    cl.Program(context, "__kernel void a(__global int *x) {}").build().a(queue, (1,), None, 5)


def _raised_by_the_program(context, queue):
    raise _OfAProgram(native._ErrorRecord("clThing", -30, "why"))


def _raised_with_a_text(context, queue):
    raise cl.RuntimeError("only a text")


@pytest.mark.parametrize(
    "attempt",
    [
        *(_empty_buffer, _released_buffer, _four_dimensions, _no_such_kernel, _broken),
        *(_refused_argument, _raised_by_the_program, _raised_with_a_text),
    ],
)
def test_errors_are_copied_and_pickled(attempt, context, queue):
    with pytest.raises(cl.Error) as caught:
        attempt(context, queue)
    error = caught.value
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(other) is type(error) and str(other) == str(error)
        assert other.__dict__ == error.__dict__
        if attempt is not _raised_with_a_text:
            assert (other.code, other.routine) == (error.code, error.routine)
            assert other.what.what() == error.what.what()


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda c, q: cl.Context([1]), Exception),
        (lambda c, q: cl.Buffer(c), TypeError),
        (lambda c, q: cl.Buffer("no context", 1, 4), TypeError),
        (lambda c, q: cl.Buffer(c, 1, 16)[3], cl.LogicError),
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


FORMAT = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
PIXELS = np.zeros((4, 8, 4), np.float32)


def _image(context):
    if not context.devices[0].image_support:
        pytest.skip("the device has no images")
    return cl.create_image(context, cl.mem_flags.READ_WRITE, FORMAT, shape=(8, 4))


def _buffer(context):
    return cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)


def _used(context):
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    return cl.Buffer(context, flags, hostbuf=np.zeros(16, np.float32))


def _rect(queue, **other):
    places = {"buffer_origin": (0, 0), "host_origin": (0, 0), "region": (4, 1)} | other
    cl.enqueue_copy(queue, np.zeros(16, np.float32), _buffer(queue.context), **places)


def _on_image(queue, **other):
    where = {"origin": (0, 0), "region": (8, 4)} | other
    cl.enqueue_copy(queue, PIXELS.copy(), _image(queue.context), **where)


def _between_images(queue, **other):
    image = _image(queue.context)
    where = {"src_origin": (0, 0), "dest_origin": (4, 0), "region": (2, 2)} | other
    cl.enqueue_copy(queue, image, image, **where)


def _map_image(queue, origin=(0, 0), region=(8, 4), shape=(4, 8, 4)):
    cl.enqueue_map_image(
        queue, _image(queue.context), cl.map_flags.READ, origin, region, shape, np.float32
    )


def _map(queue, offset=0, shape=(4,)):
    cl.enqueue_map_buffer(
        queue, _buffer(queue.context), cl.map_flags.READ, offset, shape, np.float32
    )


def _descriptor(name, value):
    setattr(cl.ImageDescriptor(), name, value)


# What is done, and the argument and the value that the error names.
WRONG_SIZES = [
    (lambda c, q: cl.Buffer(c, 1, -5), "size", "-5"),
    (lambda c, q: cl.Buffer(c, 1, 1 << 70), "size", str(1 << 70)),
    (lambda c, q: _buffer(c).get_sub_region(-4, 4), "origin", "-4"),
    (lambda c, q: _buffer(c).get_sub_region(0, -4), "size", "-4"),
    (lambda c, q: _used(c).get_host_array((-1,), np.float32), "shape", "-1"),
    (lambda c, q: _used(c).get_host_array((-1, -4), np.float32), "shape", "-1"),
    (lambda c, q: cl.LocalMemory(-4), "size", "-4"),
    (lambda c, q: cl.LocalMemory(0), "size", "0"),
    (lambda c, q: cl.SVMAllocation(c, -4, 0, 1), "size", "-4"),
    (lambda c, q: cl.SVMAllocation(c, 64, -8, 1), "alignment", "-8"),
    (lambda c, q: cl.enqueue_copy(q, bytearray(4), _buffer(c), src_offset=-4), "src_offset", "-4"),
    (lambda c, q: cl.enqueue_copy(q, _buffer(c), bytes(4), dst_offset=-4), "dst_offset", "-4"),
    (
        lambda c, q: cl.enqueue_copy(q, _buffer(c), _buffer(c), byte_count=4, src_offset=-4),
        "src_offset",
        "-4",
    ),
    (lambda c, q: cl.enqueue_fill_buffer(q, _buffer(c), b"a", -1, 4), "offset", "-1"),
    (lambda c, q: cl.enqueue_fill_buffer(q, _buffer(c), b"a", 0, -4), "size", "-4"),
    (lambda c, q: _rect(q, buffer_origin=(-1, 0)), "buffer_origin", "-1"),
    (lambda c, q: _rect(q, host_origin=(0, -2)), "host_origin", "-2"),
    (lambda c, q: _rect(q, region=(-4, 1)), "region", "-4"),
    (lambda c, q: _rect(q, buffer_pitches=(-8,)), "buffer_pitches", "-8"),
    (lambda c, q: cl.create_image(c, 1, FORMAT, shape=(-3, 4)), "shape", "-3"),
    (
        lambda c, q: cl.create_image(c, 1 | 32, FORMAT, (8, 4), (-3,), hostbuf=PIXELS),
        "pitches",
        "-3",
    ),
    (lambda c, q: _descriptor("shape", (-1, 2)), "shape", "-1"),
    (lambda c, q: _descriptor("pitches", (-1,)), "pitches", "-1"),
    (lambda c, q: _descriptor("array_size", -1), "array_size", "-1"),
    (lambda c, q: _on_image(q, origin=(-1, 0)), "origin", "-1"),
    (lambda c, q: _on_image(q, region=(-8, 4)), "region", "-8"),
    (lambda c, q: _on_image(q, pitches=(-5,)), "row_pitch (pitches[0])", "-5"),
    (lambda c, q: _between_images(q, src_origin=(-1, 0)), "origin", "-1"),
    (lambda c, q: _between_images(q, dest_origin=(0, -1)), "dest_origin", "-1"),
    (
        lambda c, q: cl.enqueue_fill_image(q, _image(c), np.zeros(4, np.float32), (0, 0), (-1, 1)),
        "region",
        "-1",
    ),
    (lambda c, q: _map_image(q, origin=(-1, 0)), "origin", "-1"),
    (lambda c, q: _map_image(q, region=(-8, 4)), "region", "-8"),
    (lambda c, q: _map_image(q, shape=(-4, 8, 4)), "shape", "-4"),
    (lambda c, q: _map(q, shape=(-4,)), "shape", "-4"),
    (lambda c, q: _map(q, shape=-4), "shape", "-4"),
    (lambda c, q: _map(q, offset=-4), "offset", "-4"),
    (lambda c, q: cl.CommandQueue(c, properties=-1), "properties", "-1"),
]


@pytest.mark.parametrize(("attempt", "name", "value"), WRONG_SIZES)
def test_a_wrong_size_is_named_with_its_value(attempt, name, value, context, queue):
    with pytest.raises(cl.LogicError) as caught:
        attempt(context, queue)
    assert isinstance(caught.value, treadle.InvalidArgument)
    assert caught.value.code == cl.status_code.INVALID_VALUE
    assert f"{name} is {value}" in str(caught.value)


@pytest.mark.parametrize(
    ("attempt", "text"),
    [
        (lambda c, q: cl.Buffer(c, 1, 4.5), r"size is 4\.5 \(float\), wanted: int"),
        (
            lambda c, q: cl.create_image(c, 1, FORMAT, shape=(8.5, 4)),
            r"shape is 8\.5 \(float\), wanted: int",
        ),
        (lambda c, q: _on_image(q, region=(8.5, 4)), r"region is 8\.5 \(float\), wanted: int"),
        (
            lambda c, q: cl.CommandQueue(c, device=5),
            r"device is 5 \(int\), wanted: pyopencl\.Device",
        ),
        (lambda c, q: cl.Context([5]), r"devices\[0\] is 5 \(int\), wanted: pyopencl\.Device"),
    ],
)
def test_what_is_no_size_or_device_is_a_type_error(attempt, text, context, queue):
    with pytest.raises(TypeError, match=text):
        attempt(context, queue)


def test_a_sampler_of_unknown_modes_is_refused(context):
    clamp, nearest = cl.addressing_mode.CLAMP, cl.filter_mode.NEAREST
    for modes, wrong in (((77, nearest), 77), ((clamp, 78), 78), ((77, 78), 77)):
        with pytest.raises(cl.LogicError, match=f"{wrong} is no constant") as caught:
            cl.Sampler(context, False, *modes)
        assert caught.value.code == cl.status_code.INVALID_VALUE


def test_groups_of_nothing_are_refused(context, queue):
    kernel = cl.Program(context, "__kernel void k() {}").build().k
    for local in ((0,), (1, 0)):
        with pytest.raises(cl.LogicError, match="a local size is 0") as caught:
            kernel(queue, (4,) * len(local), local)
        assert caught.value.code == cl.status_code.INVALID_WORK_GROUP_SIZE
    assert kernel(queue, (4,), (0,), allow_empty_ndrange=True) is not None


_TEXT = "__kernel void a() {}"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda c: cl.Program(c, _TEXT).build(devices=[5]), r"Program\.build: devices.* is 5"),
        (lambda c: cl.Program(c, _TEXT).build(devices=5), r"Program\.build: devices.* is 5"),
        (lambda c: cl.Program(c, _TEXT).build(devices=c.devices[0]), r"build: devices is .*Device"),
        (
            lambda c: cl.Program(c, _TEXT).compile(devices=["cpu"]),
            r"compile: devices\[0\] is 'cpu'",
        ),
        (lambda c: cl.Program(c, _TEXT).compile(headers=[5]), r"compile: headers\[0\] is 5"),
        (
            lambda c: cl.Program(c, _TEXT).compile(headers=[("a.h", 6)]),
            r"compile: headers\[0\]\[1\] is 6",
        ),
        (lambda c: cl.Program(5, _TEXT), r"Program: context is 5"),
        (lambda c: cl.Program(c), r"Program: the only argument is a pyopencl\.Context"),
        (lambda c: cl.link_program(c, [5]), r"link_program: programs\[0\] is 5"),
        (lambda c: cl.link_program(5, []), r"link_program: context is 5"),
        (
            lambda c: cl.link_program(c, [cl.Program(c, _TEXT).compile()], devices=[5]),
            r"link_program: devices\[0\] is 5",
        ),
    ],
)
def test_an_argument_of_another_type_is_named(context, call, text):
    with pytest.raises(TypeError, match=text):
        call(context)


def test_no_devices_to_build_for(context):
    for build in (cl.Program(context, _TEXT).build, cl.Program(context, _TEXT).compile):
        with pytest.raises(cl.LogicError, match="INVALID_VALUE.*devices is empty"):
            build(devices=[])
