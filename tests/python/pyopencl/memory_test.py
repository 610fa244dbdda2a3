# SPDX-License-Identifier: MIT
"""Buffers: how they are made, their parts, and memory shared with the host."""

import gc
import weakref

import numpy as np
import pyopencl as cl
import pytest

mf = cl.mem_flags


def test_information(context):
    buffer = cl.Buffer(context, mf.READ_ONLY, size=np.int64(64))
    assert buffer.size == 64
    assert buffer.type == cl.mem_object_type.BUFFER
    assert buffer.flags == mf.READ_ONLY
    assert buffer.context == context
    assert buffer.offset == 0
    assert buffer.map_count == 0
    assert buffer.reference_count >= 1
    assert buffer.associated_memobject is None
    assert buffer.hostbuf is None
    assert buffer.get_info(cl.mem_info.SIZE) == 64
    assert isinstance(cl.MemoryObject.from_int_ptr(buffer.int_ptr), cl.Buffer)


@pytest.mark.parametrize(
    "host",
    [
        np.arange(6, dtype=np.float32),
        np.arange(6, dtype=np.float32).reshape(2, 3).T,
        b"some bytes",
        bytearray(b"bytes that change"),
        memoryview(b"a view"),
        np.float64(2.5),
    ],
    ids=lambda host: type(host).__name__,
)
def test_copied_from_the_host(host, context, queue):
    buffer = cl.Buffer(context, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=host)
    expected = host.tobytes("A") if isinstance(host, np.ndarray) else bytes(host)
    assert buffer.size == len(expected)
    result = bytearray(buffer.size)
    cl.enqueue_copy(queue, result, buffer)
    assert result == expected
    assert buffer.hostbuf is None


def test_a_part_of_the_host_memory(context, queue):
    host = np.arange(16, dtype=np.int32)
    buffer = cl.Buffer(context, mf.COPY_HOST_PTR, size=16, hostbuf=host)
    assert buffer.size == 16


def test_hostbuf_without_a_use_for_it_warns(context):
    with pytest.warns(UserWarning, match="hostbuf"), pytest.raises(cl.LogicError) as caught:
        cl.Buffer(context, mf.READ_WRITE, hostbuf=bytes(16))
    assert caught.value.code == cl.status_code.INVALID_HOST_PTR


@pytest.mark.parametrize(
    ("flags", "host", "kind"),
    [
        (mf.USE_HOST_PTR | mf.READ_WRITE, bytes(16), BufferError),
        (mf.USE_HOST_PTR | mf.WRITE_ONLY, bytes(16), BufferError),
        (mf.COPY_HOST_PTR, np.zeros((4, 4))[:, ::2], (ValueError, BufferError)),
        (mf.COPY_HOST_PTR, "text", TypeError),
        (mf.COPY_HOST_PTR, 5, TypeError),
    ],
)
def test_host_memory_that_will_not_do(flags, host, kind, context):
    with pytest.raises(kind):
        cl.Buffer(context, flags, hostbuf=host)


def test_memory_of_the_host_itself(context, queue):
    host = np.arange(64, dtype=np.float32)
    buffer = cl.Buffer(context, mf.READ_WRITE | mf.USE_HOST_PTR, hostbuf=host)
    assert buffer.hostbuf is host
    array = buffer.get_host_array((8, 8), np.float32)
    assert array.base is buffer
    assert array.shape == (8, 8)
    assert (array.ravel() == host).all()
    assert buffer.get_host_array(64, np.dtype("f4")).shape == (64,)
    assert buffer.get_host_array(np.array([8, 8]), np.float32).shape == (8, 8)
    assert buffer.get_host_array((8, 8), np.float32, order="F").flags.f_contiguous
    with pytest.raises(cl.LogicError, match="260"):
        buffer.get_host_array(65, np.float32)
    gone = weakref.ref(host)
    del host
    gc.collect()
    assert gone() is not None
    del array, buffer
    gc.collect()
    assert gone() is None


def test_memory_that_is_not_the_host_s(context):
    buffer = cl.Buffer(context, mf.READ_WRITE, 16)
    with pytest.raises(cl.LogicError, match="USE_HOST_PTR"):
        buffer.get_host_array(4, np.float32)
    with pytest.raises((BufferError, TypeError)):
        memoryview(buffer)


def test_sub_regions(context, queue, device, upload):
    step = max(device.mem_base_addr_align // 8, 4)
    whole = np.arange(step, dtype=np.float32)
    buffer = upload(whole)
    part = buffer.get_sub_region(origin=step, size=16)
    assert type(part) is cl.Buffer
    assert (part.size, part.offset) == (16, step)
    assert part.associated_memobject == buffer
    result = np.zeros(4, np.float32)
    cl.enqueue_copy(queue, result, part)
    assert (result == whole[step // 4 : step // 4 + 4]).all()
    sliced = buffer[step : step + 16]
    assert (sliced.size, sliced.offset) == (16, step)
    assert buffer[2 * step :].size == 4 * step - 2 * step
    assert buffer[: -2 * step].size == 2 * step


@pytest.mark.parametrize(
    "index", [slice(0, 16, 2), slice(8, 8), slice(8, 4), slice(16, 0, -1), 3, "x", (3, 4)]
)
def test_slices_that_are_no_regions(index, context):
    with pytest.raises(cl.LogicError):
        cl.Buffer(context, 1, 4096)[index]


def test_no_flags_are_allowed(context):
    assert cl.Buffer(context, 0, 16).size == 16


def test_too_much_memory(context, device):
    with pytest.raises(cl.Error) as caught:
        cl.Buffer(context, mf.READ_WRITE, 1 << 60)
    assert caught.value.code in (-61, -4, -5, -6)


def test_a_part_keeps_the_whole(context, queue, device):
    whole = cl.Buffer(context, mf.COPY_HOST_PTR, hostbuf=np.full(64, 7, np.int32))
    part = whole.get_sub_region(0, 16)
    whole.release()
    result = np.zeros(4, np.int32)
    cl.enqueue_copy(queue, result, part)
    assert (result == 7).all()


CYCLES = """
import gc
import numpy as np
import treadle.compat, pyopencl as cl

class Array(np.ndarray):
    pass

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
queue.context.queue = queue
queue.device.queue = queue
queue.device.platform.device = queue.device
host = np.zeros(16, np.float32).view(Array)
host.buffer = cl.Buffer(context, cl.mem_flags.USE_HOST_PTR, hostbuf=host)
host.event = cl.enqueue_copy(queue, host, cl.Buffer(context, 1, 64))
mapped, event = cl.enqueue_map_buffer(queue, host.buffer, cl.map_flags.READ, 0, 16, np.float32)
queue.map = mapped.base
kernel = cl.Program(context, "__kernel void f() {}").build().f
kernel.queue, queue.kernel = queue, kernel
del context, queue, host, mapped, event, kernel
gc.collect()
"""


def test_cycles_through_every_class_are_collected(run_python):
    result = run_python("-c", CYCLES)  # which fails where objects are left at exit
    assert result.returncode == 0, result.stderr


DAEMON = """
import threading, time
import pyopencl as cl

def work():
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    memory = cl.Buffer(context, cl.mem_flags.READ_WRITE, 1000)
    cl.enqueue_fill_buffer(queue, memory, b"x", 0, 1000).wait()
    print(memory.size, flush=True)
    ready.set()
    time.sleep(100)

ready = threading.Event()
threading.Thread(target=work, daemon=True).start()
ready.wait()
"""


def test_a_program_may_end_while_a_daemon_thread_holds_memory(run_python):
    program = f"import treadle.compat\n{DAEMON}"
    done = run_python("-c", program, TREADLE_TEST_LEAKS="")
    assert (done.returncode, done.stdout, done.stderr) == (0, "1000\n", "")
