# SPDX-License-Identifier: MIT
"""Whatever changes memory computes the expressions that read it before: every way in Python."""

import threading

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import _core

IDS = [d.id for d in treadle.devices()]
RANDOM = _core.random


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


@pytest.fixture
def scale(device):
    is_cuda = device.language == treadle.Language.cuda_c
    text = (
        'extern "C" __global__ void scale(float *x, float f) { x[threadIdx.x] *= f; }'
        if is_cuda
        else "__kernel void scale(__global float *x, float f) { x[get_global_id(0)] *= f; }"
    )
    kernel = treadle.Program(device, text).kernel("scale")
    return lambda x: kernel(x, np.float32(2), groups=(1,), group_size=(4,))


WRITES = {
    "in-place": lambda x, stream, scale: x.__iadd__(1),
    "item": lambda x, stream, scale: x.__setitem__(slice(None, 2), 7),
    "mask": lambda x, stream, scale: x.__setitem__(x > 1, 7),
    "fill": lambda x, stream, scale: x.fill(7),
    "set": lambda x, stream, scale: x.set(np.zeros(4, "f4")),
    "out": lambda x, stream, scale: tnp.negative(x, out=x),
    "copy_from": lambda x, stream, scale: x.buffer.copy_from(np.zeros(4, "f4")),
    "part": lambda x, stream, scale: x.buffer[4:8].copy_from(np.zeros(1, "f4")),
    "copy_in": lambda x, stream, scale: stream.copy_in(x.buffer, np.zeros(4, "f4")),
    "copy": lambda x, stream, scale: stream.copy(x.buffer, tnp.ones(4, dtype="f4").buffer),
    "stream fill": lambda x, stream, scale: stream.fill(x.buffer, np.float32(7)),
    "launch": lambda x, stream, scale: scale(x),
    "launch of a buffer": lambda x, stream, scale: scale(x.buffer),
    "random": lambda x, stream, scale: RANDOM.fill(
        x.buffer, RANDOM.RandomDraw.uniform("float32"), RANDOM.RandomState()
    ),
    "free": lambda x, stream, scale: x.buffer.free(),
}


@pytest.mark.parametrize("name", WRITES)
def test_expressions_keep_what_they_read(device, scale, name):
    x = tnp.array(np.arange(4, dtype="f4"))
    total, part = x + 1, x[2:] * 2
    assert total.is_pending and part.is_pending
    WRITES[name](x, treadle.current_stream(), scale)
    assert not total.is_pending and not part.is_pending
    np.testing.assert_array_equal(total.get(), np.arange(4) + 1)
    np.testing.assert_array_equal(part.get(), [4, 6])
    treadle.current_stream().synchronize()  # lets go of what was copied


def test_arrays_are_arguments_of_kernels(device, scale):
    x = tnp.array(np.arange(4, dtype="f4"))
    y = x + 1
    scale(y)
    np.testing.assert_array_equal(y.get(), [2, 4, 6, 8])
    scale(x)
    assert (x + 1).is_pending


def test_arrays_of_other_devices_are_refused(device, scale):
    with treadle.find_device("null"):
        x = tnp.array(np.arange(4, dtype="f4"))
    with pytest.raises(treadle.InvalidArgument, match="memory of null"):
        scale(x)


def test_memory_whose_address_is_known_is_not_deferred(device):
    x = tnp.array(np.arange(4, dtype="f4"))
    before = x + 1
    _ = x.buffer.raw
    assert not before.is_pending
    assert not (x + 1).is_pending
    with treadle.fusing():
        assert (x + 1).is_pending


def test_marks_of_a_stream_compute_what_waits_for_it(device):
    x = tnp.array(np.arange(4, dtype="f4"))
    stream = treadle.current_stream()
    for mark in (stream.record, stream.synchronize):
        y = x + 1
        mark()
        assert not y.is_pending


def test_waiting_for_one_array_leaves_others_pending(device):
    x = tnp.array(np.arange(4, dtype="f4"))
    y, z = x + 1, x * 2
    y.get()
    assert z.is_pending


def test_threads_compute_one_expression_without_a_deadlock(device):
    """One thread computes while others, that hold Python's lock, wait for the same array."""
    x = tnp.array(np.arange(1000, dtype="f4"))
    for round in range(20):
        y = x * float(round) + 1  # one node that all look at
        results = [None] * 8

        def look(place, y=y, results=results):
            results[place] = (y[3:4] if place % 2 else y).get()[-1]

        threads = [threading.Thread(target=look, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
            assert not thread.is_alive()
        assert results == [1 + round * (3 if i % 2 else 999) for i in range(8)]


def test_one_thread_changes_what_others_record(device):
    x = tnp.array(np.zeros(1000, "f4"))
    stop = threading.Event()
    failures = []

    def record():
        while not stop.is_set():
            y = (x + 1) * 2
            values = y.get()
            if not (values == values[0]).all():
                failures.append(values)

    threads = [threading.Thread(target=record) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(100):
        x += 1
    stop.set()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert not failures


def test_explain_names_kernel_bytes_and_lines(device):
    x = tnp.array(np.arange(100, dtype="f4"))
    z = 5 * x + tnp.sqrt(x)
    text = z.explain()
    assert "is to be computed by kernel fused_multiply_sqrt_add_f32" in text
    assert "reads 400 bytes, writes 400 bytes" in text
    assert text.count("array_mutation_test.py:") == 4  # the array's line, and one for each step
    assert z.is_pending
    z.get()
    assert "was computed by kernel fused_multiply_sqrt_add_f32" in z.explain()


RECORDED = [
    lambda x, y: divmod(x, y)[1],
    lambda x, y: x.astype("f8"),
    lambda x, y: x[np.array([0, 2])],
    lambda x, y: x.take([0, 2]),
    lambda x, y: tnp.take_along_axis(x, np.array([0, 2]), 0),
    lambda x, y: x.sum(),
    lambda x, y: tnp.sum(x),
    lambda x, y: x.dot(y),
    lambda x, y: tnp.vdot(x, y),
    lambda x, y: tnp.average(x, weights=y),
    lambda x, y: x.clip(1, 2),
    lambda x, y: tnp.isclose(x, y),
    lambda x, y: tnp.triu(x.reshape(2, 2)),
    lambda x, y: tnp.arange(5) * 1,
    lambda x, y: tnp.zeros(5),
]


@pytest.mark.parametrize("record", RECORDED)
def test_explain_names_the_line_of_whatever_records(device, record):
    x, y = tnp.array(np.arange(4, dtype="f4")), tnp.array(np.ones(4, "f4"))
    (x + y).get()  # a line before, which is not to be named
    line = record.__code__.co_firstlineno
    text = record(x, y).explain()
    assert f"array_mutation_test.py:{line}\n" in text
    assert text.count("array_mutation_test.py:") == text.count(f"array_mutation_test.py:{line}")


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize(
    "number",
    [float("nan"), np.inf, -np.inf, 1e300, -1e300, 2.0**64, -(2.0**63) - 2048, 300.7, -1.5, 3e9],
)
def test_numbers_that_are_no_integers_of_the_array_are_refused_as_numpy_does(device, dtype, number):
    writes = [
        lambda x: x.fill(number),
        lambda x: x.__setitem__(0, number),
        lambda x: x.__setitem__(Ellipsis, number),
        lambda x: x.__setitem__(slice(1, None), number),
        lambda x: x.__setitem__([0, 1], number),
    ]
    for write in writes:
        theirs, ours = np.full(3, 7, dtype), tnp.full(3, 7, dtype)
        wanted = None
        try:
            write(theirs)
        except (ValueError, OverflowError) as error:
            wanted = type(error)
        if wanted is None:
            write(ours)
        else:
            with pytest.raises(wanted, match="cannot convert float|(above|below) u?int"):
                write(ours)
        if device.traits.runs_kernels:
            np.testing.assert_array_equal(ours.get(), theirs)


def test_arrays_are_cast_where_a_number_is_refused(device):
    x = tnp.full(3, 7, "i4")
    x[...] = tnp.array([1.5, -2.5, 1e9])
    if device.traits.runs_kernels:
        assert x.tolist() == [1, -2, 1_000_000_000]
    with pytest.raises(TypeError, match="complex .* is no real number for an array of int32"):
        x[0] = 1j
    flags = tnp.zeros(2, bool)
    flags[...] = float("nan")
    if device.traits.runs_kernels:
        assert flags.tolist() == [True, True]
