# SPDX-License-Identifier: MIT
import gc
import weakref

import numpy as np
import pycuda.driver as cuda
import pytest


def test_a_round_trip(context):
    data = np.arange(1000, dtype=np.float32)
    allocation = cuda.mem_alloc(data.nbytes)
    cuda.memcpy_htod(allocation, data)
    back = np.empty_like(data)
    cuda.memcpy_dtoh(back, allocation)
    assert (back == data).all()
    assert cuda.mem_get_address_range(allocation) == (int(allocation), data.nbytes)
    assert (cuda.from_device(int(allocation), (10, 100), np.float32) == data.reshape(10, 100)).all()
    assert (cuda.from_device_like(allocation, data) == data).all()


def test_an_allocation_is_an_address(context):
    allocation = cuda.mem_alloc(np.int64(64))
    address = int(allocation)
    assert address == allocation.__index__() == np.intp(allocation) == np.uintp(allocation)
    assert hex(allocation) == hex(address)
    allocation.free()
    assert int(allocation) == address
    with pytest.raises(cuda.LogicError, match="invalid resource handle"):
        allocation.free()


def test_to_device_takes_arrays_of_any_layout(context):
    data = np.arange(12, dtype=np.int32).reshape(3, 4)
    allocation = cuda.to_device(data.T)
    assert (cuda.from_device(allocation, (4, 3), np.int32) == data.T).all()


def test_memory_information(context):
    free, total = cuda.mem_get_info()
    assert 0 < free <= total


FILL = """
import numpy as np, pycuda.autoinit, pycuda.driver as cuda, treadle
device = pycuda.autoinit.device
free, total = cuda.mem_get_info()
assert free == total == device.total_memory() == 256 << 20, (free, total)
assert treadle.find_device("cpu").memory_bytes == total
held = []
try:
    while len(held) < 10:
        held.append(cuda.mem_alloc(48 << 20))
        assert cuda.mem_get_info()[0] <= total - sum([48 << 20] * len(held))
except cuda.MemoryError as error:
    print(len(held), error)
for allocate in (cuda.pagelocked_empty, cuda.managed_empty):
    try:
        print(allocate(48 << 20, np.uint8, **FLAGS.get(allocate, {})))
    except cuda.MemoryError:
        pass
held.clear()
cuda.mem_alloc(total)
""".replace("FLAGS", "{cuda.managed_empty: {'mem_flags': cuda.mem_attach_flags.GLOBAL}}")


def test_a_program_that_fills_the_cpu_device_is_told_and_goes_on(run_python, tmp_path):
    script = tmp_path / "fill.py"
    script.write_text(FILL)
    environment = {"TREADLE_DEVICE": "cpu", "TREADLE_CPU_MEMORY_BYTES": str(256 << 20)}
    result = run_python("-m", "treadle", "run", str(script), **environment)
    assert result.returncode == 0, result.stderr
    (line,) = result.stdout.splitlines()
    assert line.startswith("5 ")
    assert "out of memory - allocating 50331648 bytes of device memory" in line


def test_pitched_memory(context):
    allocation, pitch = cuda.mem_alloc_pitch(100, 8, 4)
    assert pitch >= 100
    cuda.memset_d2d8(allocation, pitch, 7, 100, 8)
    copy = cuda.Memcpy2D()
    copy.set_src_device(allocation)
    copy.src_pitch = pitch
    host = np.zeros((8, 100), np.uint8)
    copy.set_dst_host(host)
    copy.dst_pitch = host.strides[0]
    copy.width_in_bytes, copy.height = 100, 8
    copy(aligned=True)
    assert (host == 7).all()


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_memset(context, bits):
    allocation = cuda.mem_alloc(64)
    count = 64 * 8 // bits
    value = 2**bits - 2
    getattr(cuda, f"memset_d{bits}")(allocation, value, count)
    assert (cuda.from_device(allocation, count, f"u{bits // 8}") == value).all()
    stream = cuda.Stream()
    getattr(cuda, f"memset_d{bits}_async")(dest=allocation, data=3, size=count, stream=stream)
    stream.synchronize()
    assert (cuda.from_device(allocation, count, f"u{bits // 8}") == 3).all()
    getattr(cuda, f"memset_d2d{bits}_async")(allocation, 32, 5, 16 * 8 // bits, 2, stream)
    stream.synchronize()
    assert (cuda.from_device(allocation, 16 * 8 // bits, f"u{bits // 8}") == 5).all()
    with pytest.raises(OverflowError):
        getattr(cuda, f"memset_d{bits}")(allocation, 2**bits, 1)


def test_copies_on_the_device(context):
    source = cuda.to_device(np.arange(16, dtype=np.int32))
    destination = cuda.mem_alloc(64)
    cuda.memcpy_dtod(destination, source, 64)
    assert (cuda.from_device(destination, 16, np.int32) == np.arange(16)).all()
    cuda.memset_d8(destination, 0, 64)
    stream = cuda.Stream()
    cuda.memcpy_dtod_async(destination, source, 64, stream)
    stream.synchronize()
    assert (cuda.from_device(destination, 16, np.int32) == np.arange(16)).all()
    cuda.memset_d8(destination, 0, 64)
    cuda.memcpy_peer(destination, source, 64)
    assert (cuda.from_device(destination, 16, np.int32) == np.arange(16)).all()


def test_asynchronous_copies_of_page_locked_memory(context):
    stream = cuda.Stream()
    data = cuda.pagelocked_empty(1000, np.float64)
    data[:] = np.arange(1000)
    allocation = cuda.mem_alloc(data.nbytes)
    cuda.memcpy_htod_async(allocation, data, stream)
    back = cuda.pagelocked_zeros(1000, np.float64)
    cuda.memcpy_dtoh_async(back, allocation, stream)
    stream.synchronize()
    assert stream.is_done()
    assert (back == data).all()


def test_three_dimensional_copies(context):
    data = np.arange(2 * 3 * 4, dtype=np.int32).reshape(2, 3, 4)
    allocation = cuda.mem_alloc(data.nbytes)
    copy = cuda.Memcpy3D()
    assert str(copy.src_memory_type) == "0"
    copy.set_src_host(data)
    copy.src_pitch, copy.src_height = 16, 3
    copy.set_dst_device(allocation)
    copy.dst_pitch, copy.dst_height = 16, 3
    copy.width_in_bytes, copy.height, copy.depth = 16, 3, 2
    copy()
    assert (cuda.from_device(allocation, (2, 3, 4), np.int32) == data).all()
    copy(cuda.Stream())
    copy(None)
    assert copy.dst_memory_type == cuda.memory_type.DEVICE


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(3, 4), 5, (), (0, 3), np.int64(2), [2, 3]])
@pytest.mark.parametrize("kind", ["pagelocked", "aligned", "managed"])
def test_host_arrays(context, kind, shape, order):
    array = getattr(cuda, f"{kind}_zeros")(shape, np.float32, order=order)
    assert array.shape == np.zeros(shape).shape
    assert array.flags["C_CONTIGUOUS" if order == "C" else "F_CONTIGUOUS"]
    assert not array.any()
    base = {
        "pagelocked": cuda.PagelockedHostAllocation,
        "aligned": cuda.AlignedHostAllocation,
        "managed": cuda.ManagedAllocation,
    }[kind]
    assert isinstance(array.base, base)
    like = getattr(cuda, f"{kind}_empty_like")(array)
    assert (like.shape, like.dtype) == (array.shape, array.dtype)
    assert like.strides == array.strides or not array.size


def test_host_arrays_refuse_what_they_cannot_be(context):
    with pytest.raises(cuda.LogicError, match="unrecognized order specifier"):
        cuda.pagelocked_empty(4, np.float32, order="K")
    with pytest.raises(ValueError, match="could not detect array order"):
        cuda.pagelocked_empty_like(np.zeros((8, 8))[::2, ::2])
    with pytest.raises(cuda.LogicError, match="power of two"):
        cuda.aligned_empty(4, np.float32, alignment=3)
    with pytest.raises(ValueError, match="negative"):
        cuda.managed_empty((-1, 2), np.float32)


def test_aligned_memory_is_aligned(context):
    assert cuda.aligned_empty(10, np.uint8, alignment=8192).ctypes.data % 8192 == 0


def test_page_locked_memory_is_freed_once_and_has_a_device_address(context):
    array = cuda.pagelocked_empty(4, np.float32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
    allocation = array.base
    assert allocation.get_device_pointer() > 0
    assert allocation.get_flags() & cuda.host_alloc_flags.DEVICEMAP
    allocation.free()
    with pytest.raises(cuda.LogicError):
        allocation.free()


def test_memory_of_numpy_can_be_page_locked(context):
    array = cuda.aligned_zeros(4096, np.uint8)
    registered = cuda.register_host_memory(array)
    assert isinstance(registered.base, cuda.RegisteredHostMemory)
    assert registered.base.base is array
    registered[0] = 5
    assert array[0] == 5
    registered.base.unregister()
    with pytest.raises(cuda.LogicError):
        registered.base.unregister()
    with pytest.raises(cuda.LogicError):
        cuda.register_host_memory([1, 2])
    with pytest.raises(cuda.LogicError):
        cuda.register_host_memory(np.zeros((8, 8))[::2, ::2])


def test_managed_memory_is_shared(context):
    array = cuda.managed_zeros(16, np.int32, mem_flags=cuda.mem_attach_flags.GLOBAL)
    cuda.memset_d32(array.base, 9, 16)
    cuda.Context.synchronize()
    assert (array == 9).all()
    assert array.base.get_device_pointer() == int(array.base)


def test_pointer_holders_are_addresses(context):
    class Holder(cuda.PointerHolderBase):
        def __init__(self, allocation):
            super().__init__()
            self.allocation = allocation

        def get_pointer(self):
            return int(self.allocation)

    data = np.arange(4, dtype=np.int32)
    holder = Holder(cuda.to_device(data))
    assert int(holder) == int(holder.allocation)
    back = np.empty_like(data)
    cuda.memcpy_dtoh(back, holder)
    assert (back == data).all()

    class Hollow(cuda.PointerHolderBase):
        pass

    with pytest.raises(TypeError, match="get_pointer"):
        cuda.memcpy_dtoh(back, Hollow())


def test_objects_with_gpudata_are_addresses(context):
    class Array:
        gpudata = cuda.to_device(np.arange(4, dtype=np.int32))

    back = np.empty(4, np.int32)
    cuda.memcpy_dtoh(back, Array())
    assert (back == np.arange(4)).all()


def copy_from_nowhere():
    copy = cuda.Memcpy2D()
    copy.width_in_bytes, copy.height = 4, 1
    copy(aligned=True)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda a: cuda.mem_alloc(0), cuda.LogicError),
        (lambda a: cuda.mem_alloc(-1), OverflowError),
        (lambda a: cuda.mem_alloc(1.5), TypeError),
        (lambda a: cuda.mem_alloc(1 << 62), cuda.MemoryError),
        (lambda a: cuda.mem_alloc_like(3), AttributeError),
        (lambda a: cuda.memcpy_htod(a, "text"), TypeError),
        (lambda a: cuda.memcpy_htod(a, [1, 2]), TypeError),
        (lambda a: cuda.memcpy_htod(None, np.zeros(1)), TypeError),
        (lambda a: cuda.memcpy_htod(1.0, np.zeros(1)), TypeError),
        (lambda a: cuda.memcpy_htod(a, np.zeros((4, 4))[:, ::2]), ValueError),
        (lambda a: cuda.memcpy_dtoh(b"readonly", a), BufferError),
        (lambda a: cuda.memcpy_dtod(a, a, -1), OverflowError),
        (lambda a: cuda.memcpy_htod_async(a, np.zeros(1), 5), TypeError),
        (lambda a: cuda.memset_d8(a, -1, 1), OverflowError),
        (lambda a: cuda.memset_d8(a, 1, 1.5), TypeError),
        (lambda a: a.as_buffer(-1), OverflowError),
        (lambda a: cuda.Stream(flags=-1), OverflowError),
        (lambda a: copy_from_nowhere(), cuda.LogicError),
    ],
)
def test_bad_input_is_a_typed_error_and_work_goes_on(context, call, error):
    allocation = cuda.mem_alloc(64)
    with pytest.raises(error):
        call(allocation)
    cuda.memset_d32(allocation, 1, 16)
    assert (cuda.from_device(allocation, 16, np.uint32) == 1).all()


def test_freed_memory_is_refused_by_copies(context):
    allocation = cuda.mem_alloc(64)
    allocation.free()
    with pytest.raises(cuda.LogicError, match="freed"):
        cuda.memset_d8(allocation, 0, 64)


def test_zero_bytes_are_copied_without_complaint(context):
    allocation = cuda.mem_alloc(16)
    cuda.memcpy_htod(allocation, np.empty(0))
    cuda.memcpy_dtoh(np.empty(0), allocation)


def test_garbage_is_collected_before_memory_is_exhausted(context):
    free, _ = cuda.mem_get_info()
    size = free // 2 + (64 << 20)

    class Ring:
        pass

    gc.disable()
    try:
        ring = Ring()
        ring.me = ring
        ring.memory = cuda.mem_alloc(size)
        del ring
        cuda.mem_alloc(size)
    finally:
        gc.enable()


def test_events_measure_and_order(context):
    start, end = cuda.Event(), cuda.Event(flags=cuda.event_flags.DEFAULT)
    assert start.record() is start
    end.record()
    assert end.synchronize() is end
    assert end.query()
    assert end.time_since(start) >= 0
    assert start.time_till(end) == end.time_since(start)
    stream = cuda.Stream()
    stream.wait_for_event(end)
    stream.synchronize()
    assert stream.handle > 0
    with pytest.raises(cuda.Error):
        cuda.Event(cuda.event_flags.DISABLE_TIMING).record().time_till(end)
    with pytest.raises(TypeError):
        start.record(stream=3)


def test_cycles_through_kept_arrays_end(context):
    class Array(np.ndarray):  # instances have attributes
        pass

    def cycle(keep):
        array = np.zeros(4096, np.uint8).view(Array)
        array.keeper = keep(array)
        return weakref.ref(array)

    def structured(make):
        def keep(array):
            copy = make()
            copy.set_src_host(array)
            return copy

        return keep

    def registered(array):
        # Not the array that register_host_memory returns: NumPy shows the collector no base.
        return cuda.register_host_memory(array).base

    makers = [structured(make) for make in (cuda.Memcpy2D, cuda.Memcpy3D, cuda.Memcpy3DPeer)]
    left = [cycle(keep) for keep in (*makers, registered, cuda.InOut)]
    gc.collect()
    assert [array() for array in left] == [None] * len(left)
