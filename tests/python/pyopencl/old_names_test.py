# SPDX-License-Identifier: MIT
"""The names of the papers' years: they work, and say once what they are called today."""

import warnings

import numpy as np
import pyopencl as cl
import pytest


@pytest.fixture
def once():
    """once(function, ...) calls it, and holds it to one DeprecationWarning that names it."""

    def call(function, *args, **kwargs):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = function(*args, **kwargs)
        assert [w.category for w in caught] == [DeprecationWarning]
        assert f"pyopencl.{function.__name__} is an old name: enqueue_copy(" in str(
            caught[0].message
        )
        assert caught[0].filename == __file__
        return result

    return call


def test_a_program_of_2010(context, once):
    numbers = np.arange(12, dtype=np.float32)
    queue = cl.CommandQueue(context)
    mf = cl.mem_flags
    a = cl.Buffer(context, mf.READ_ONLY, numbers.nbytes)
    b = cl.Buffer(context, mf.WRITE_ONLY, numbers.nbytes)
    once(cl.enqueue_write_buffer, queue, a, numbers).wait()
    once(cl.enqueue_copy_buffer, queue, a, b).wait()
    result = np.empty_like(numbers)
    once(cl.enqueue_read_buffer, queue, b, result).wait()
    assert (result == numbers).all()


def test_offsets_and_blocking(context, queue, once):
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 32)
    once(cl.enqueue_write_buffer, queue, buffer, np.zeros(8, np.int32))
    first = once(
        cl.enqueue_write_buffer,
        queue,
        buffer,
        np.array([7, 8], np.int32),
        device_offset=8,
        is_blocking=False,
    )
    part = np.empty(3, np.int32)
    once(cl.enqueue_read_buffer, queue, buffer, part, 8, [first], True)
    assert part.tolist() == [7, 8, 0]
    other = cl.Buffer(context, cl.mem_flags.READ_WRITE, 32)
    once(
        cl.enqueue_copy_buffer, queue, buffer, other, byte_count=4, src_offset=12, dst_offset=4
    ).wait()
    once(cl.enqueue_read_buffer, queue, other, part[:1], device_offset=4, is_blocking=True)
    assert part[0] == 8


def test_rectangular_forms(context, queue, once):
    picture = np.arange(16, dtype=np.uint8).reshape(4, 4)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 16)
    once(
        cl.enqueue_write_buffer_rect,
        queue,
        buffer,
        picture,
        buffer_origin=(0, 0),
        host_origin=(0, 0),
        region=(4, 4),
        buffer_pitches=(4,),
        host_pitches=(4,),
        is_blocking=True,
    )
    other = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4)
    once(
        cl.enqueue_copy_buffer_rect, queue, buffer, other, (1, 1), (0, 0), (2, 2), (4,), (2,)
    ).wait()
    middle = np.empty((2, 2), np.uint8)
    once(
        cl.enqueue_read_buffer_rect, queue, other, middle, (0, 0), (0, 0), (2, 2), (2,), (2,)
    ).wait()
    assert (middle == picture[1:3, 1:3]).all()


@pytest.fixture
def told():
    """told(text, function, ...) calls it, and holds it to one DeprecationWarning with this text."""

    def call(text, function, *args, **kwargs):
        with pytest.warns(DeprecationWarning, match=text) as caught:
            result = function(*args, **kwargs)
        assert [w.filename for w in caught] == [__file__]
        return result

    return call


def test_waiting_on_the_device_and_tasks(context, queue, build, told, upload, download):
    gate = cl.UserEvent(context)
    assert told(r"enqueue_barrier\(queue, wait", cl.enqueue_wait_for_events, queue, [gate]) is None
    numbers = np.array([5], np.int32)
    memory = upload(numbers)
    kernel = build("__kernel void twice(__global int *x) { x[get_global_id(0)] *= 2; }").twice
    kernel.set_args(memory)
    call = r"enqueue_nd_range_kernel\(queue, kernel, \(1,\), \(1,\)\)"
    first = told(call, cl.enqueue_task, queue, kernel)
    assert isinstance(first, cl.Event)
    assert first.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    told(call, cl.enqueue_task, queue, kernel, wait_for=[first]).wait()
    assert download(memory, numbers)[0] == 20
    assert not {"enqueue_wait_for_events", "enqueue_task"} & set(cl.__all__)


def test_bad_input_is_refused_as_under_the_new_name(context, queue):
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 8)
    with pytest.warns(DeprecationWarning), pytest.raises(cl.LogicError, match="do not fit"):
        cl.enqueue_read_buffer(queue, buffer, np.empty(3, np.int32))
    with pytest.warns(DeprecationWarning), pytest.raises(TypeError):
        cl.enqueue_write_buffer(queue, buffer, 1)
    with pytest.warns(DeprecationWarning), pytest.raises(TypeError, match="offset"):
        cl.enqueue_read_buffer(queue, buffer, np.empty(1, np.int32), offset=4)


NO_GPU = """
import sys, warnings
import treadle.compat
import pyopencl as cl
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for platform in cl.get_platforms():
        is_gpu = any(d.type & cl.device_type.GPU for d in platform.get_devices())
        is_cpu = any(d.type & cl.device_type.CPU for d in platform.get_devices())
        if is_gpu or not is_cpu:
            continue
        gpus = platform.get_devices(device_type=cl.device_type.GPU)
        print("gpus:", len(gpus), {d.type & cl.device_type.CPU for d in gpus})
        try:
            context = cl.Context(
                dev_type=cl.device_type.GPU,
                properties=[(cl.context_properties.PLATFORM, platform)])
            print("context:", len(context.devices))
        except cl.Error as error:
            print("context:", error)
        break
    else:
        sys.exit(77)
for warning in caught:
    print("warning:", warning.message)
"""


def _answer(run_python, **environment):
    result = run_python("-c", NO_GPU, **environment)
    if result.returncode == 77:
        pytest.skip("needs a platform with a processor and no GPU")
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_who_asks_for_a_gpu_where_there_is_none_is_told_of_the_setting(context, run_python):
    text = _answer(run_python, TREADLE_OPENCL_CPU_AS_GPU="0")
    assert "gpus: 0 set()" in text
    assert "context: clCreateContextFromType failed: DEVICE_NOT_FOUND" in text
    assert text.count("TREADLE_OPENCL_CPU_AS_GPU=1") == 2  # the warning, and the error


def test_the_setting_lets_the_cpu_answer(context, run_python):
    text = _answer(run_python, TREADLE_OPENCL_CPU_AS_GPU="1")
    assert "gpus: 0" not in text
    assert "context: 0" not in text and "context: " in text
    assert "{2}" in text
    assert "warning:" not in text


def test_one_offset_under_two_names_is_refused(queue, upload):
    memory, host = upload(np.arange(4, dtype=np.int32)), np.empty(2, np.int32)
    with (
        pytest.warns(DeprecationWarning),
        pytest.raises(TypeError, match=r"device_offset=4, src_offset=8\): the two are one"),
    ):
        cl.enqueue_read_buffer(queue, memory, host, device_offset=4, src_offset=8)
