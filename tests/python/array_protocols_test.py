# SPDX-License-Identifier: MIT
"""treadle.Array beside NumPy's functions, other libraries' arrays, and Python's protocols."""

import copy
import ctypes
import gc
import pathlib
import pickle
import weakref

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices() if d.traits.runs_kernels]
CUDA_IDS = [d.id for d in treadle.devices() if d.language == treadle.Language.cuda_c]
DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"]
# Waits until `open` is set, or as many cycles as a test should never take.
GATE = """
extern "C" __global__ void gate(volatile int *open, int *out, long long cycles) {
  for (const long long start = clock64(); *open == 0 && clock64() - start < cycles;) {}
  out[0] = 7;
}
"""


class Gate:
    """A kernel in a stream that ends when the host lets it."""

    def __init__(self, device, stream, out):
        self.opener, self.flag = device.make_stream(), treadle.Buffer(device, np.zeros(1, np.int32))
        self.out = out  # freeing memory waits for the work on it
        self.kernel = treadle.Program(device, GATE).kernel("gate")
        cycles = np.int64(40_000_000_000)
        self.kernel(self.flag, out, cycles, groups=1, group_size=1, stream=stream)

    def open(self):
        if self.opener.device.id == "cpu":  # who waits for a copy there may run the kernel
            ctypes.memset(self.flag.__cuda_array_interface__["data"][0], 1, 4)
        else:
            self.opener.fill(self.flag, np.int32(1))  # waits for no other stream
            self.opener.synchronize()


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


@pytest.fixture(params=CUDA_IDS)
def cuda_device(request):
    with treadle.find_device(request.param) as device:
        yield device


@pytest.fixture
def cpu():
    with treadle.find_device("cpu") as device:
        yield device


class WithInterface:
    """Another library's array, as __cuda_array_interface__ tells of it."""

    def __init__(self, array, **keys):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, "stream": None, **keys}


class WithDlpack:
    """Another library's array, with DLPack alone."""

    def __init__(self, array, knows_versions=True):
        self.array, self.knows_versions, self.asked = array, knows_versions, {}

    def __dlpack__(self, **asked):
        if not self.knows_versions and "max_version" in asked:
            raise TypeError("unexpected keyword argument 'max_version'")
        self.asked = asked
        return self.array.__dlpack__(**asked)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def same_memory(a, b):
    return tnp.may_share_memory(a, b)


# ---- out


def test_the_interface_tells_of_elements_and_stream(cuda_device):
    x = tnp.arange(6, dtype="f4").reshape(2, 3)
    told = x.__cuda_array_interface__
    assert (told["shape"], told["typestr"], told["strides"]) == ((2, 3), "<f4", None)
    assert (told["version"], told["stream"], told["data"][1]) == (3, 1, False)
    view = x[:, ::-2].__cuda_array_interface__
    assert (view["shape"], view["strides"]) == ((2, 2), (12, -8))
    assert view["data"][0] == told["data"][0] + 8
    stream = cuda_device.make_stream()
    with stream:
        assert x.__cuda_array_interface__["stream"] == stream.raw


def test_run_times_without_addresses_have_no_interface(device):
    x = tnp.arange(3) + 1
    if device.language != treadle.Language.cuda_c:
        assert not hasattr(x, "__cuda_array_interface__")
        assert x.is_pending  # asking computes nothing


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_sees_memory_of_the_cpu_device(cpu, dtype):
    x = tnp.asarray(np.arange(6).astype(dtype)).reshape(2, 3).T
    for seen in (np.from_dlpack(x), np.asarray(memoryview(x)), np.asarray(x)):
        assert (seen.dtype, seen.shape, seen.strides) == (np.dtype(dtype), (3, 2), x.strides)
        np.testing.assert_array_equal(seen, np.arange(6).astype(dtype).reshape(2, 3).T)
    seen = np.asarray(memoryview(x))
    seen[2, 1] = 0
    assert x[2, 1].item() == 0
    del x
    gc.collect()
    assert seen[0, 0] == 0  # the memory is kept


def test_numpy_sees_arrays_of_other_devices_by_copies(device):
    x = tnp.arange(3)
    if device.id != "cpu":
        with pytest.raises(BufferError, match="x.get"):
            memoryview(x)
        with pytest.raises(ValueError, match="copy=False"):
            np.asarray(x, copy=False)
    assert np.asarray(x).tolist() == np.array(x, "f4").tolist() == [0, 1, 2]
    assert np.from_dlpack(x, device="cpu").tolist() == [0, 1, 2]
    if device.id != "cpu":
        assert (x + 1).is_pending, "a copy is no way to its memory"


def test_a_pending_array_is_computed_to_be_handed_over(device):
    x = tnp.arange(3) + 1
    x.__dlpack__(max_version=(1, 0))
    assert not x.is_pending
    y = x + 1
    assert not y.is_pending, "others may change its memory now"


def test_buffers_of_strided_arrays_are_refused_to_who_knows_no_strides(cpu):
    x = tnp.arange(6).reshape(2, 3)
    assert bytes(memoryview(x)) == np.arange(6).tobytes()
    assert memoryview(x).contiguous and not memoryview(x[:, ::2]).contiguous
    assert np.frombuffer(x, np.int64).tolist() == list(range(6))
    with pytest.raises(TypeError, match="contiguous"):
        ctypes.c_char.from_buffer(x[:, ::2])
    with pytest.raises(BufferError, match="contiguous"):
        np.frombuffer(x.T, np.int64)


def test_dlpack_keeps_to_the_protocol(device):
    x = tnp.arange(6, dtype="f4").reshape(2, 3)
    kind, _ = x.__dlpack_device__()
    if device.id == "cpu":
        assert kind == 1
    elif device.language == treadle.Language.cuda_c:
        assert kind == 2
    else:
        assert kind == 4
    assert '"dltensor"' in repr(x.__dlpack__())
    assert '"dltensor_versioned"' in repr(x.__dlpack__(max_version=(1, 1)))
    with pytest.raises(BufferError, match="another device"):
        x.__dlpack__(dl_device=(9, 0))
    copied = tnp.from_dlpack(WithDlpack(x), copy=True)
    assert not same_memory(copied, x)
    assert copied.get().tolist() == x.get().tolist()


def test_a_copy_for_dlpack_is_of_its_own(cpu):
    x = tnp.arange(3)
    seen = np.from_dlpack(x, copy=True)
    seen[0] = 9
    assert x[0].item() == 0


# ---- in


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_with_dlpack_are_seen_in_place(device, dtype):
    x = tnp.asarray(np.arange(12).astype(dtype)).reshape(3, 4)
    for theirs in (x, x.T, x[::-2, 1::2], x[:0], x[1, 2]):
        for knows_versions in (True, False):
            ours = tnp.from_dlpack(WithDlpack(theirs, knows_versions))
            assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
            assert ours.device is device
            np.testing.assert_array_equal(ours.get(), theirs.get())
            assert ours.size == 0 or same_memory(ours, theirs)


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_with_the_interface_are_seen_in_place(cuda_device, dtype):
    x = tnp.asarray(np.arange(12).astype(dtype)).reshape(3, 4)
    for theirs in (x, x.T, x[::-2, 1::2], x[:0], x[1, 2]):
        ours = tnp.asarray(WithInterface(theirs))
        assert (ours.shape, ours.dtype, ours.strides) == (
            theirs.shape,
            theirs.dtype,
            theirs.strides if theirs.size else ours.strides,
        )
        np.testing.assert_array_equal(ours.get(), theirs.get())
        assert ours.size == 0 or same_memory(ours, theirs)


def test_operands_of_other_libraries_are_used_where_they_are(device):
    x, y = tnp.arange(4, dtype="f4"), tnp.ones(4, dtype="f4")
    theirs = WithDlpack(y)
    assert (x + theirs).get().tolist() == [1, 2, 3, 4]
    assert (theirs + x).get().tolist() == [1, 2, 3, 4]
    assert tnp.hypot(theirs, x).dtype == np.float32
    x += theirs
    assert x.get().tolist() == [1, 2, 3, 4]
    x[1:3] = WithDlpack(y[:2])
    assert x.get().tolist() == [1, 1, 1, 4]
    assert (x == theirs).get().tolist() == [True, True, True, False]
    np_on_the_left = np.full(4, 2.0)
    assert (np_on_the_left - x).get().tolist() == [1, 1, 1, -2]
    assert (x - np_on_the_left).get().tolist() == [-1, -1, -1, 2]


def test_numpy_operands_follow_to_the_device_of_the_array(device):
    x = tnp.arange(3)
    with treadle.find_device("null"):
        y = x + np.ones(3)
        assert y.device is device
        z = tnp.multiply(np.ones(3), x)
        assert z.device is device
        x[:] = np.arange(3)[::-1]
    assert y.get().tolist() == [1, 2, 3]
    assert x.get().tolist() == [2, 1, 0]


def test_a_buffer_is_an_array_of_its_bytes(device):
    buffer = treadle.Buffer(device, np.arange(4, dtype=np.int32))
    x = tnp.asarray(buffer[4:8])
    assert (x.dtype, x.get().tolist()) == (np.dtype("u1"), [1, 0, 0, 0])
    x += 1
    host = np.empty(4, np.int32)
    buffer.copy_to(host)
    assert host[1] == 0x01010102


def test_read_only_memory_stays_as_it_is(cuda_device):
    y = tnp.arange(3)
    x = tnp.asarray(WithInterface(y, data=(y.__cuda_array_interface__["data"][0], True)))
    for write in (
        lambda: x.fill(1),
        lambda: x.set([1, 2, 3]),
        lambda: x.__setitem__(0, 1),
        lambda: x.__iadd__(1),
        lambda: tnp.sin(tnp.ones(3), out=x[:]),
    ):
        with pytest.raises(treadle.Error):
            write()
    assert x.__cuda_array_interface__["data"][1]
    assert tnp.from_dlpack(WithDlpack(x)).__cuda_array_interface__["data"][1]
    with pytest.raises(BufferError, match="read-only"):
        x.__dlpack__()
    assert (x + 1).get().tolist() == [1, 2, 3]
    if cuda_device.id == "cpu":
        assert memoryview(x).readonly
        assert not np.asarray(x).flags.writeable


def test_memory_of_others_lives_until_work_on_it_is_done(cuda_device, run_python):
    # In a process of its own: freeing what other tests left would wait for the gate.
    result = run_python("-c", OTHERS_PROGRAM, str(pathlib.Path(__file__).parent), cuda_device.id)
    assert result.returncode == 0, result.stderr


OTHERS_PROGRAM = """
import sys; sys.path[:0] = [sys.argv[1], sys.argv[1] + "/.."]
from array_protocols_test import *
with treadle.find_device(sys.argv[2]) as device, device.make_stream() as stream:
    theirs = WithInterface(tnp.arange(4))
    kept = weakref.ref(theirs)
    for _ in range(3):  # what compiles, loads or allocates may wait for the gate
        (y := tnp.ones(4, dtype="i8") + theirs).get()
    gate = Gate(device, stream, treadle.Buffer(device, 4))
    y = tnp.ones(4, dtype="i8") + theirs
    del theirs; gc.collect()
    assert not stream.is_done and kept() is not None
    gate.open()
    assert y.get().tolist() == [1, 2, 3, 4]
    gc.collect()
    assert kept() is None
"""


def test_their_stream_comes_first(cuda_device):
    theirs, ours = cuda_device.make_stream(), cuda_device.make_stream()
    buffer = treadle.Buffer(cuda_device, np.zeros(1, np.int32))
    with ours:
        (tnp.asarray(WithInterface(tnp.zeros(1, dtype="i4"))) + 1).get()  # compiles
    gate = Gate(cuda_device, theirs, buffer)
    told = buffer.__cuda_array_interface__ | {
        "shape": (1,),
        "typestr": "<i4",
        "stream": theirs.raw,
    }
    foreign = type("Foreign", (), {"__cuda_array_interface__": told})()
    with ours:
        y = tnp.asarray(foreign) + 1
        assert not ours.is_done, "the host does not wait"
        gate.open()
        assert y.get().tolist() == [8]


def test_host_memory_is_copied_in(device):
    host = np.arange(3)
    x = tnp.from_dlpack(host)
    host[0] = 7
    assert x.get().tolist() == [0, 1, 2]
    assert tnp.asarray(memoryview(host)).get().tolist() == [7, 1, 2]
    with pytest.raises(BufferError, match="copy=False"):
        tnp.from_dlpack(host, copy=False)
    with pytest.raises(ValueError, match="copy=False"):
        tnp.asarray(host, copy=False)


def test_dtypes_that_devices_do_not_have_are_refused(cuda_device):
    y = tnp.arange(4)
    y.get()
    for typestr in ("<M8[ns]", ">i8", "<f16"):
        with pytest.raises(treadle.DTypeError):
            tnp.asarray(WithInterface(y, typestr=typestr, shape=(2,)))


# ---- NumPy's functions


def test_numpy_functions_of_elements_give_arrays(device):
    x, host = tnp.arange(1, 5, dtype="f8"), np.arange(1.0, 5)
    for ours, theirs in (
        (np.sqrt(x), np.sqrt(host)),
        (np.add(x, 1), host + 1),
        (np.add(host, x), host + host),
        (np.multiply.outer(x, x), np.multiply.outer(host, host)),
        (np.where(x > 2, x, 0), np.where(host > 2, host, 0)),
        (np.reshape(x, (2, 2)), host.reshape(2, 2)),
        (np.reshape(x, (2, 2), order="F"), host.reshape(2, 2, order="F")),
        (np.ravel(x, order="K"), host),
        (np.diff(x, 2), np.diff(host, 2)),
        (np.round(x / 3, 2), np.round(host / 3, 2)),
        (np.around(x / 3), np.around(host / 3)),
        (np.modf(x / 2)[0], np.modf(host / 2)[0]),
        (np.frexp(x)[1], np.frexp(host)[1]),
        (np.divmod(x, 3)[1], np.divmod(host, 3)[1]),
        (np.radians(x), np.radians(host)),
        (np.bitwise_not(x > 2), np.bitwise_not(host > 2)),
        (np.nan_to_num(x), host),
        (np.outer(x, x), np.outer(host, host)),
        (np.diag(x), np.diag(host)),
        (np.trace(np.diag(x)), np.trace(np.diag(host))),
        (np.full_like(x, 3), np.full_like(host, 3)),
        (np.add(x, x, dtype="f4"), np.add(host, host, dtype="f4")),
    ):
        assert isinstance(ours, treadle.Array) and ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours.get(), theirs)
    assert (np.shape(x), np.ndim(x), np.size(x)) == ((4,), 1, 4)


def test_numpy_reductions_give_arrays(device):
    host = np.arange(1.0, 7).reshape(2, 3)
    x = tnp.asarray(host)
    for call in (
        lambda a: np.sum(a, axis=1),
        lambda a: np.add.reduce(a),
        lambda a: np.multiply.reduce(a, axis=None),
        lambda a: np.maximum.reduce(a, axis=1, keepdims=True),
        lambda a: np.logical_and.reduce(a > 1),
        lambda a: np.mean(a, keepdims=True),
        lambda a: np.argmax(a),
    ):
        ours = call(x)
        assert isinstance(ours, treadle.Array)
        np.testing.assert_allclose(ours.get(), call(host))
    out = tnp.zeros(3)
    assert np.add.reduce(x, out=out) is out
    assert out.get().tolist() == [5, 7, 9]


def test_numpy_functions_write_into_arrays(device):
    x, out = tnp.arange(4, dtype="f8"), tnp.zeros(4)
    assert np.add(x, 1, out=out) is out
    assert np.multiply(x, 2, out=out, where=x > 1) is out
    assert out.get().tolist() == [1, 2, 4, 6]
    host = np.zeros(4)
    with pytest.raises(TypeError, match="out="):
        np.add(x, 1, out=host)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.is_busday(x),
        lambda x: np.datetime_as_string(x),
    ],
)
def test_what_is_not_there_says_so(device, call):
    with pytest.raises(TypeError, match=r"numpy\.[\w.]+\(\) is not in treadle.numpy.*x\.get\(\)"):
        call(tnp.ones(3))


@pytest.mark.parametrize("kind", ["f4", "i2", "f8", "c8"])
def test_numpy_scalars_have_their_dtype_on_either_side(device, kind):
    x, host, number = tnp.ones(2, dtype="f4"), np.ones(2, "f4"), np.dtype(kind).type(2)
    assert (number * x).dtype == (number * host).dtype
    assert (x * number).dtype == (host * number).dtype
    assert (2.5 * x).dtype == np.float32
    assert isinstance(number * x, treadle.Array)


# ---- Python's protocols


def test_pickles_and_copies_are_of_their_own(device):
    x = tnp.asarray(np.asfortranarray(np.arange(6).reshape(2, 3)))
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(x, protocol))
        assert isinstance(again, treadle.Array) and again.strides == x.strides
        np.testing.assert_array_equal(again.get(), x.get())
    for again in (copy.copy(x), copy.deepcopy([x])[0]):
        again[0, 0] = 9
        assert x[0, 0].item() == 0
    with pytest.raises(TypeError, match="hash"):
        hash(x)


def test_sequences(device):
    x = tnp.arange(6).reshape(2, 3)
    assert [row.get().tolist() for row in x] == [[0, 1, 2], [3, 4, 5]]
    assert len(x) == 2
    assert 5 in x and 6 not in x
    assert all(a.item() == b for a, b in zip(x[1], [3, 4, 5], strict=True))
    with pytest.raises(TypeError):
        iter(x[0, 0])


def test_numbers(device):
    x = tnp.asarray([3])
    assert (int(x), float(x), complex(x), bool(x)) == (3, 3.0, 3 + 0j, True)
    assert [10, 20, 30, 40][x[0]] == 40
    assert f"{tnp.asarray(2.5):.3f}" == "2.500" and f"{x}" == "[3]"
    with pytest.raises(TypeError, match="format"):
        f"{x:.3f}"
    with pytest.raises(TypeError, match="index"):
        [1, 2][tnp.asarray(1.0)]
    with pytest.raises(treadle.ShapeError):
        float(tnp.ones(2))
    quotient, rest = divmod(tnp.asarray([7, -7]), 2)
    assert (quotient.get().tolist(), rest.get().tolist()) == ([3, -4], [1, 1])
    assert [part.get().tolist() for part in divmod(7, tnp.asarray([2]))] == [[3], [1]]


def test_products_of_matrices_beside_numpys(device):
    x, host = tnp.ones((2, 2)), np.ones((2, 2))
    assert (x @ x).shape == (host @ x).shape == np.matmul(x, x).shape == (2, 2)


@pytest.mark.parametrize(
    "shape", [(), (0,), (3,), (2, 3), (1001,), (40, 60), (2, 1000), (11, 12, 13), (3, 0, 2)]
)
@pytest.mark.parametrize("dtype", ["i4", "f8", "c8"])
def test_arrays_print_as_numpys(device, shape, dtype):
    host = (np.arange(np.prod(shape, dtype=int)) % 97 * 1.5).astype(dtype).reshape(shape)
    x = tnp.asarray(host)
    assert (repr(x), str(x)) == (repr(host), str(host))


def test_notebooks_show_where_it_is(device):
    text = (tnp.arange(3) < 1)._repr_html_()
    assert text.startswith("<pre>[ True False False]</pre>")
    assert f"shape (3,), bool, on {device.id}" in text


# ---- the host


def test_get_fills_an_array_of_the_host(device):
    x = tnp.arange(6, dtype="f4").reshape(2, 3)
    for out in (
        np.empty((2, 3), "f4"),
        np.empty((2, 3), "f4", "F"),
        np.empty((2, 6), "f4")[:, ::2],
    ):
        for source in (x, x + 0, x.T.copy().T):
            out[...] = -1
            assert source.get(out) is out
            assert out.tolist() == [[0, 1, 2], [3, 4, 5]]
    frozen = np.empty((2, 3), "f4")
    frozen.flags.writeable = False
    for bad, error in (
        (np.empty((3, 2), "f4"), treadle.ShapeError),
        (np.empty((2, 3)), treadle.DTypeError),
        (frozen, treadle.InvalidState),
        ([1], TypeError),
    ):
        with pytest.raises(error, match="out="):
            x.get(bad)


def test_copies_need_not_wait(device):
    locked = np.frombuffer(treadle.Buffer.page_locked(device, 32), np.float32)
    stream = device.make_stream()
    x = tnp.arange(8, dtype="f4")
    assert (x * 2).get(locked, stream=stream, blocking=False) is locked
    stream.synchronize()
    assert locked.tolist() == [0, 2, 4, 6, 8, 10, 12, 14]
    locked += 1
    before = x + 0
    x.set(locked, stream=stream, blocking=False)  # `before` is computed first
    assert before.get().tolist() == list(range(8))
    stream.synchronize()
    assert x.get().tolist() == [1, 3, 5, 7, 9, 11, 13, 15]
    part = np.empty(16, "f4")[::2]
    with pytest.raises(treadle.InvalidArgument, match="gaps"):
        x.get(part, blocking=False)
    other = treadle.find_device("null").make_stream()
    with pytest.raises(treadle.InvalidArgument, match="stream"):
        x.get(stream=other)


def test_host_memory_of_a_copy_is_kept_until_it_is_over(cpu):
    stream = cpu.make_stream()
    x = tnp.zeros(4, dtype="i4")
    tnp.evaluate(x)
    gate = Gate(cpu, stream, treadle.Buffer(cpu, 4))
    host = np.arange(4, dtype="i4")
    kept = weakref.ref(host)
    x.set(host, stream=stream, blocking=False)
    del host
    gc.collect()
    assert not stream.is_done and kept() is not None
    gate.open()
    stream.synchronize()
    assert x.get().tolist() == [0, 1, 2, 3]
    gc.collect()
    assert kept() is None


def test_set_broadcasts_and_casts(device):
    x = tnp.zeros((2, 3), dtype="i4")
    x.set([1.5, 2.5, 3.5])
    assert x.get().tolist() == [[1, 2, 3]] * 2
    x.T.set(np.arange(6, dtype="i4").reshape(3, 2))
    assert x.get().tolist() == [[0, 2, 4], [1, 3, 5]]
    x.set(np.asfortranarray(np.arange(6, dtype="i4").reshape(2, 3)))
    assert x.get().tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(treadle.ShapeError):
        x.set(np.zeros(4))


def test_arrays_move_to_other_devices(device):
    x = tnp.arange(6).reshape(2, 3).T
    cpu = treadle.find_device("cpu")
    moved = (x + 1).to_device("cpu")
    assert moved.device is cpu and moved.get().tolist() == (x.get() + 1).tolist()
    back = moved.to_device(device)
    assert back.device is device and back.get().tolist() == moved.get().tolist()
    assert same_memory(x.to_device(device), x)
    assert tnp.asarray(x, device="cpu").device is cpu


def test_memory_is_lent_after_what_reads_it(device):
    """Of the CPU: a memoryview is written to while an expression waits."""
    x = tnp.asarray(np.arange(100_000, dtype=np.float32), device=device)
    y = x + 1
    try:
        view = memoryview(x)
    except BufferError:
        return
    view.cast("B").cast("f")[0] = 100
    np.testing.assert_array_equal(y.get(), np.arange(100_000, dtype=np.float32) + 1)


def test_in_place_on_what_waits_reads_memory_that_others_know(device):
    x = tnp.asarray(np.ones(1000, np.float32), device=device)
    known = tnp.asarray(np.full(1000, 2, np.float32), device=device)
    known.buffer.raw  # noqa: B018  # its address is asked for
    y = x * 2
    y += known
    assert not y.is_pending
