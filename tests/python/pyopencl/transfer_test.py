# SPDX-License-Identifier: MIT
"""Copies, boxes, fills and maps, against NumPy."""

import numpy as np
import pyopencl as cl
import pyopencl.array
import pytest

mf = cl.mem_flags
SIZE = 64


@pytest.fixture
def numbers():
    return np.arange(SIZE, dtype=np.int32)


@pytest.fixture
def filled(numbers, upload):
    return upload(numbers)


@pytest.fixture
def empty(upload):
    return upload(np.zeros(SIZE, np.int32))


# dest <- src with keywords; the slices say what NumPy would do.
BUFFERS = [
    ({}, slice(None), slice(None)),
    ({"byte_count": 16}, slice(0, 4), slice(0, 4)),
    ({"byte_count": 16, "src_offset": 8}, slice(0, 4), slice(2, 6)),
    ({"byte_count": 16, "dst_offset": 8}, slice(2, 6), slice(0, 4)),
    ({"src_offset": 32, "dst_offset": 64, "byte_count": 4}, slice(16, 17), slice(8, 9)),
]


@pytest.mark.parametrize(("keywords", "to", "source"), BUFFERS)
def test_between_buffers(keywords, to, source, queue, numbers, filled, empty, download):
    event = cl.enqueue_copy(queue, empty, filled, **keywords)
    assert type(event) is cl.Event
    expected = np.zeros_like(numbers)
    expected[to] = numbers[source]
    assert (download(empty, numbers) == expected).all()


def test_a_larger_source_is_copied_as_far_as_there_is_room(queue, context, filled, numbers):
    small = cl.Buffer(context, 1, 16)
    cl.enqueue_copy(queue, dest=small, src=filled)
    result = np.zeros(4, np.int32)
    cl.enqueue_copy(queue, dest=result, src=small)
    assert (result == numbers[:4]).all()


@pytest.mark.parametrize("blocking", [True, False])
@pytest.mark.parametrize("offset", [0, 16])
def test_with_the_host(blocking, offset, queue, numbers, empty):
    piece = numbers[10:20].copy()
    event = cl.enqueue_copy(queue, empty, piece, dst_offset=offset, is_blocking=blocking)
    assert type(event) is cl.NannyEvent
    back = np.zeros_like(piece)
    cl.enqueue_copy(
        queue, back, empty, src_offset=offset, is_blocking=blocking, wait_for=[event]
    ).wait()
    assert (back == piece).all()


def test_a_view_limits_the_length(queue, numbers, filled):
    result = np.zeros(SIZE, np.int32)
    cl.enqueue_copy(queue, result[:15], filled)
    assert (result[:15] == numbers[:15]).all()
    assert not result[15:].any()


def test_memory_layouts_of_the_host(queue, context, numbers):
    fortran = np.asfortranarray(numbers.reshape(8, 8))
    buffer = cl.Buffer(context, 1, fortran.nbytes)
    cl.enqueue_copy(queue, buffer, fortran)
    back = np.zeros_like(fortran, order="F")
    cl.enqueue_copy(queue, back, buffer)
    assert (back == fortran).all()
    with pytest.raises((ValueError, BufferError)):
        cl.enqueue_copy(queue, buffer, fortran[::2])
    frozen = np.zeros(4, np.int32)
    frozen.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        cl.enqueue_copy(queue, frozen, buffer)


def test_names_that_are_deprecated(queue, numbers, filled, empty, download):
    with pytest.warns(DeprecationWarning, match="dst_offset"):
        cl.enqueue_copy(queue, empty, filled, dest_offset=16, byte_count=16)
    with pytest.warns(DeprecationWarning, match="dst_offset"):
        cl.enqueue_copy(queue, empty, numbers[:2].copy(), device_offset=240)
    result = np.zeros(2, np.int32)
    with pytest.warns(DeprecationWarning, match="src_offset"):
        cl.enqueue_copy(queue, result, filled, device_offset=8)
    assert list(result) == [2, 3]
    expected = np.zeros_like(numbers)
    expected[4:8], expected[60:62] = numbers[:4], numbers[:2]
    assert (download(empty, numbers) == expected).all()
    with pytest.raises(TypeError):
        cl.enqueue_copy(queue, result, filled, device_offset=8, src_offset=8)


# --- boxes: 8 x 8 numbers of 4 bytes -------------------------------------------------------------

PITCH = (32,)


def test_boxes_between_buffers(queue, numbers, filled, empty, download):
    cl.enqueue_copy(
        queue, empty, filled, src_origin=(8, 1), dst_origin=(0, 3, 0), region=(12, 2),
        src_pitches=PITCH, dst_pitches=PITCH,
    )  # fmt: skip
    expected = np.zeros((8, 8), np.int32)
    expected[3:5, 0:3] = numbers.reshape(8, 8)[1:3, 2:5]
    assert (download(empty, expected) == expected).all()


@pytest.mark.parametrize("blocking", [True, False])
def test_boxes_with_the_host(blocking, queue, numbers, filled, empty, download):
    square = numbers.reshape(8, 8)
    small = np.zeros((3, 4), np.int32)
    cl.enqueue_copy(
        queue, small, filled, buffer_origin=(4, 2), host_origin=(0, 1), region=(16, 2),
        buffer_pitches=PITCH, host_pitches=(16,), is_blocking=blocking,
    ).wait()  # fmt: skip
    assert (small[1:] == square[2:4, 1:5]).all()
    assert not small[0].any()
    cl.enqueue_copy(
        queue, empty, small, buffer_origin=(0, 5), host_origin=(0, 1), region=(16, 2),
        buffer_pitches=PITCH, host_pitches=(16,), is_blocking=blocking,
    ).wait()  # fmt: skip
    expected = np.zeros((8, 8), np.int32)
    expected[5:7, :4] = small[1:]
    assert (download(empty, expected) == expected).all()


def test_boxes_of_three_dimensions(queue, numbers, filled, context):
    result = np.zeros((2, 2, 2), np.int32)
    cl.enqueue_copy(
        queue, result, filled, buffer_origin=(4, 1, 2), host_origin=(0, 0, 0), region=(8, 2, 2),
        buffer_pitches=(16, 64), host_pitches=(8, 16),
    )  # fmt: skip
    assert (result == numbers.reshape(4, 4, 4)[2:4, 1:3, 1:3]).all()


@pytest.mark.parametrize(
    "keywords",
    [
        {"buffer_origin": (0, 0, 0, 0), "host_origin": (0,), "region": (4,)},
        {"buffer_origin": (0,), "host_origin": (0,), "region": (4, 1, 1, 1)},
        {"buffer_origin": (0,), "host_origin": (0,), "region": (4,), "host_pitches": (4, 4, 4)},
        {"buffer_origin": (0,), "host_origin": (0,), "region": (1 << 20,)},
    ],
)
def test_boxes_that_are_none(keywords, queue, filled):
    with pytest.raises(cl.LogicError):
        cl.enqueue_copy(queue, np.zeros(64, np.int32), filled, **keywords)


# --- fills ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", [np.int32(7), b"abcd", np.array([1, 2], np.int16)])
def test_fill(pattern, queue, empty, download, numbers):
    cl.enqueue_fill_buffer(queue, empty, pattern, 16, 32)
    cl.enqueue_fill(queue, empty, pattern, 16, offset=128).wait()
    expected = np.zeros(SIZE, np.int32)
    value = np.frombuffer(bytes(memoryview(pattern)), np.int32)[0]
    expected[4:12] = expected[32:36] = value
    assert (download(empty, numbers) == expected).all()


def test_migrate(queue, filled):
    cl.enqueue_migrate_mem_objects(queue, [filled], cl.mem_migration_flags.HOST).wait()


# --- maps ----------------------------------------------------------------------------------------


def test_map_for_reading(queue, filled, numbers):
    array, event = cl.enqueue_map_buffer(
        queue, filled, cl.map_flags.READ, 16, (2, 4), np.int32, "C"
    )
    assert isinstance(event, cl.Event)
    assert isinstance(array.base, cl.MemoryMap)
    assert (array == numbers[4:12].reshape(2, 4)).all()
    assert array.flags.writeable  # as the original has it: programs pass it to compiled code
    assert filled.map_count >= 0
    array.base.release(queue).wait()


def test_map_for_writing(queue, empty, download, numbers):
    array, _ = cl.enqueue_map_buffer(queue, empty, cl.map_flags.WRITE, 0, SIZE, np.int32)
    with array.base as mapped:
        assert mapped is array.base
        array[:] = numbers
    assert (download(empty, numbers) == numbers).all()
    with pytest.raises(cl.LogicError):
        mapped.release()


def test_map_is_undone_when_nobody_looks(queue, empty, download, numbers):
    def write():
        array, _ = cl.enqueue_map_buffer(
            queue, empty, cl.map_flags.WRITE_INVALIDATE_REGION, 0, SIZE, np.int32, is_blocking=False
        )
        queue.finish()
        array[:] = numbers

    write()
    assert (download(empty, numbers) == numbers).all()


def test_map_of_structures_and_orders(queue, context):
    pair = np.dtype([("a", np.int32), ("b", np.float32)])
    buffer = cl.Buffer(context, 1, 8 * 6)
    array, _ = cl.enqueue_map_buffer(
        queue, buffer, cl.map_flags.WRITE, 0, (2, 3), pair, order="F", wait_for=None
    )
    assert array.flags.f_contiguous
    array["a"] = 3
    array.base.release(wait_for=[cl.enqueue_marker(queue)]).wait()
    dense, _ = cl.enqueue_map_buffer(
        queue, buffer, cl.map_flags.READ, 0, (2, 3), pair, strides=(8, 16)
    )
    assert (dense["a"] == 3).all()
    for strides in ((8, 64), (1 << 20, 8)):
        with pytest.raises(cl.LogicError, match="dense"):
            cl.enqueue_map_buffer(
                queue, buffer, cl.map_flags.READ, 0, (2, 3), pair, strides=strides
            )


REFUSED = [
    ("cl.enqueue_copy(q, b, large)", "clEnqueueWriteBuffer"),
    ("cl.enqueue_copy(q, large, b)", "clEnqueueReadBuffer"),
    ("cl.enqueue_copy(q, b, large[:64], dst_offset=8)", "clEnqueueWriteBuffer"),
    ("cl.enqueue_copy(q, b, large, is_blocking=False)", "clEnqueueWriteBuffer"),
    ("cl.enqueue_copy(q, b, b, byte_count=1000)", "clEnqueueCopyBuffer"),
    ("cl.enqueue_copy(q, b, large, **box, region=(9999, 1))", "clEnqueueWriteBufferRect"),
    ("cl.enqueue_copy(q, large, b, **box, region=(9999, 1))", "clEnqueueReadBufferRect"),
    ("cl.enqueue_copy(q, large, b, **box, region=(300, 1))", "clEnqueueReadBufferRect"),
    ("cl.enqueue_fill_buffer(q, b, np.int32(1), 0, 1000)", "clEnqueueFillBuffer"),
]


@pytest.mark.parametrize(("line", "routine"), REFUSED)
def test_a_refused_transfer_names_its_call(line, routine, queue, filled):
    box = {"buffer_origin": (0, 0), "host_origin": (0, 0)}
    scope = {"cl": cl, "np": np, "q": queue, "b": filled, "large": np.zeros(256), "box": box}
    with pytest.raises(cl.LogicError) as refused:
        eval(line, scope)
    assert refused.value.routine == routine
    assert refused.value.code == cl.status_code.INVALID_VALUE


def test_an_array_is_no_memory_to_copy(queue, filled, numbers):
    array = pyopencl.array.to_device(queue, numbers)
    for dest, src in [(filled, array), (array, filled), (array, numbers), (numbers, array)]:
        with pytest.raises(TypeError, match="data of an array"):
            cl.enqueue_copy(queue, dest, src)
