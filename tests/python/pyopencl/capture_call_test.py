# SPDX-License-Identifier: MIT
"""Calls captured as programs: run again, they do what the call did."""

import io

import numpy as np
import pyopencl as cl
import pyopencl.array
import pyopencl.characterize
import pyopencl.tools
import pytest
from pyopencl.capture_call import capture_kernel_call

SOURCE = """
__kernel void add(__global int *a, int by, float more, __local int *scratch)
{
    scratch[get_local_id(0)] = by;
    a[get_global_id(0)] += scratch[get_local_id(0)] + (int) more;
}
"""


def _run(text):
    names = {"__name__": "captured"}
    exec(compile(text, "captured.py", "exec"), names)
    return names


def test_a_captured_call_repeats_itself(context, queue, upload, tmp_path, monkeypatch):
    kernel = cl.Program(context, SOURCE).build(options=["-DUNUSED=1"]).add
    memory = upload(np.arange(8, dtype=np.int32))
    arguments = (memory, np.int32(5), np.float32(2.5), cl.LocalMemory(16))
    path = str(tmp_path / "captured.py")
    kernel.capture_call(path, queue, (2,), (4,), *arguments, g_times_l=True)
    with open(path) as file:
        text = file.read()
    assert "(8,), (4,)" in text and "-DUNUSED=1" in text
    seen = []

    class Remembered(cl.Buffer):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            seen.append(self)

    names = _run(text)
    monkeypatch.setattr(cl, "Buffer", Remembered)
    names["main"]()
    found = np.empty(8, np.int32)
    cl.enqueue_copy(cl.CommandQueue(seen[0].context), found, seen[0])
    assert (found == np.arange(8) + 7).all()


def test_offsets_and_files_that_are_open(context, queue, upload):
    kernel = cl.Program(context, SOURCE).build().add
    file = io.StringIO()
    arguments = (upload(np.zeros(8, np.int32)), np.int32(1), None, b"\0" * 4)
    capture_kernel_call(
        kernel, file, queue, (2,), (2,), *arguments, g_times_l=True, global_offset=(1,)
    )
    assert "global_offset=(2,)" in file.getvalue()
    capture_kernel_call(kernel, file, queue, (np.int64(4),), None, *arguments)
    assert "queue, (4,), None, arg0, arg1, arg2, arg3" in file.getvalue()


def test_the_method_calls_the_sizes_as_a_call_does(context, queue):
    kernel = cl.Program(context, "__kernel void nothing(void) {}").build().nothing
    file = io.StringIO()
    kernel.capture_call(output_file=file, queue=queue, global_size=(8,), local_size=(4,))
    assert "(8,), (4,)" in file.getvalue()


def test_what_cannot_be_captured_is_refused(context, queue):
    program = cl.Program(context, SOURCE).build()
    with pytest.raises(RuntimeError, match="argument of type"):
        program.add.capture_call(io.StringIO(), queue, (1,), None, object())
    loaded = cl.Program(context, context.devices, program.binaries).build()
    with pytest.raises(RuntimeError, match="no source"):
        loaded.add.capture_call(io.StringIO(), queue, (1,), None)


TYPED = """
typedef struct { float x, y; } point;
__kernel void k(__global float *a, long start, point by, float times, __global float *out)
{
    __global float *first = (__global float *) ((__global char *) a + start);
    out[0] = first[0] * times + by.x + by.y;
}
"""


def _captured(kernel, queue, *arguments):
    file = io.StringIO()
    kernel.capture_call(file, queue, (1,), None, *arguments)
    return file.getvalue()


def _replayed(text, monkeypatch):
    """What the last argument's memory has after the captured program ran."""
    names = _run(text)
    calls = []

    class Watched:
        def __init__(self, kernel):
            self.kernel = kernel

        def __getattr__(self, name):
            return getattr(self.kernel, name)

        def __call__(self, queue, *args, **kwargs):
            event = self.kernel(queue, *args, **kwargs)
            calls.append((queue, args))
            return event

    real = cl.Kernel
    with monkeypatch.context() as patch:
        patch.setattr(cl, "Kernel", lambda *args: Watched(real(*args)))
        names["main"]()
    queue, args = calls[0]
    found = np.empty(1, np.float32)
    cl.enqueue_copy(queue, found, args[-1])
    return found[0]


def test_a_typed_kernel_is_repeated_with_its_types(context, queue, monkeypatch):
    kernel = cl.Program(context, TYPED).build().k
    point = np.dtype([("x", np.float32), ("y", np.float32)])
    kernel.set_scalar_arg_dtypes(
        [cl.tools.VectorArg(np.float32, "a", with_offset=True), point, np.float32, None]
    )
    array = cl.array.to_device(queue, np.arange(8, dtype=np.float32))[3:]
    place = np.array((10, 20), point)
    out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4)
    for typed in (kernel, kernel.clone()):
        text = _captured(typed, queue, array, place, 2, out)
        assert _replayed(text, monkeypatch) == 3 * 2 + 30


@pytest.mark.parametrize("kind", ["pooled", "svm", "wrapped svm", "pooled svm"])
def test_memory_of_every_kind_is_repeated(kind, context, queue, monkeypatch):
    kernel = cl.Program(context, TYPED).build().k
    host = np.full(4, 7, np.float32)
    if kind == "pooled":
        memory = cl.tools.MemoryPool(cl.tools.ImmediateAllocator(queue)).allocate(16)
    elif not cl.characterize.has_coarse_grain_buffer_svm(context.devices[0]):
        pytest.skip("the device shares no memory")
    elif kind == "svm":
        memory = cl.SVMAllocation(context, 16, 0, cl.svm_mem_flags.READ_WRITE)
    elif kind == "pooled svm":
        memory = cl.tools.SVMPool(cl.tools.SVMAllocator(context, queue=queue)).allocate(16)
    else:
        memory = cl.SVM(cl.csvm_empty(context, 4, np.float32))
    cl.enqueue_copy(queue, memory, host)
    point = np.zeros(1, [("x", np.float32), ("y", np.float32)])
    out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4)
    text = _captured(kernel, queue, memory, np.int64(4), point, np.float32(3), out)
    assert _replayed(text, monkeypatch) == 21


def test_images_and_samplers_are_repeated(context, queue, monkeypatch):
    if not context.devices[0].image_support:
        pytest.skip("the device has no images")
    text = """
    __kernel void k(read_only image2d_t image, sampler_t sampler, read_only image2d_array_t many,
                    __global float *out)
    {
        out[0] = read_imagef(image, sampler, (int2)(1, 2)).y
            + 100 * read_imagef(many, sampler, (int4)(1, 0, 2, 0)).x;
    }
    """
    pixels = np.arange(4 * 3 * 4, dtype=np.float32).reshape(4, 3, 4)
    form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    image = cl.create_image(context, flags, form, (3, 4), hostbuf=pixels)
    many = cl.create_image(context, flags, form, (2, 2, 3), is_array=True, hostbuf=pixels)
    sampler = cl.Sampler(context, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST)
    out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4)
    kernel = cl.Program(context, text).build().k
    found = _replayed(_captured(kernel, queue, image, sampler, many, out), monkeypatch)
    assert found == pixels[2, 1, 1] + 100 * pixels.reshape(3, 2, 2, 4)[2, 0, 1, 0]


def test_memory_that_is_passed_twice_is_one_memory(context, queue, upload, monkeypatch):
    text = "__kernel void k(__global float *a, __global float *b) { a[0] = 5; b[0] += 1; }"
    kernel = cl.Program(context, text).build().k
    memory = upload(np.zeros(1, np.float32))
    text = _captured(kernel, queue, memory, memory)
    assert "arg1 = arg0" in text
    assert _replayed(text, monkeypatch) == 6


@pytest.mark.parametrize("value", [np.float32(np.inf), np.float32(np.nan), np.float32(1.5)])
def test_numbers_are_repeated_that_have_no_digits(value, context, queue, upload, monkeypatch):
    kernel = cl.Program(context, "__kernel void k(float x, __global float *o) { o[0] = x; }")
    text = _captured(kernel.build().k, queue, value, upload(np.zeros(1, np.float32)))
    np.testing.assert_equal(_replayed(text, monkeypatch), value)


def test_kernels_know_their_source_however_they_were_made(context, queue):
    program = cl.Program(context, "__kernel void k() {}").build()
    first = cl.Kernel(program, "k")
    for kernel in (program.k, first, program.all_kernels()[0], first.clone()):
        assert "__kernel void k() {}" in _captured(kernel, queue)
