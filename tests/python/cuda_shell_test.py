# SPDX-License-Identifier: MIT
"""treadle.cuda: copies of boxes, batches of copies, tensor maps, green contexts, multicast, shared
pools, and attributes of streams."""

import numpy as np
import pytest

import treadle
import treadle.cuda as cuda


@pytest.fixture
def device():
    device = cuda.default_device()
    with cuda.Context.make_current(device):
        yield device


def on_the_cpu():
    return cuda.default_device().driver.provider == cuda.Provider.cpu


def test_a_batch_of_copies(device):
    stream = cuda.Stream()
    source, back = np.arange(100, dtype=np.int32), np.zeros(100, np.int32)
    memory = cuda.DeviceMemory(400)
    now = cuda.BatchCopyHints(source_access=cuda.SourceAccess.during_call)
    cuda.copy_batch([cuda.BatchCopy(memory, source, 400, now)], stream)
    cuda.copy_batch(
        [cuda.BatchCopy(back, memory, 200), cuda.BatchCopy(back[50:], int(memory) + 200, 200)],
        stream,
    )
    stream.synchronize()
    assert back.tolist() == source.tolist()
    with pytest.raises(treadle.InvalidArgument, match="default stream takes no batches"):
        cuda.copy_batch([cuda.BatchCopy(memory, source, 400)], None)
    with pytest.raises(treadle.InvalidArgument, match="copy 0 has no bytes"):
        cuda.copy_batch([cuda.BatchCopy(memory, source, 0)], stream)
    with pytest.raises(OverflowError, match="size_bytes"):
        cuda.BatchCopy(memory, source, -1)
    with pytest.raises(TypeError, match="size_bytes"):
        cuda.BatchCopy(memory, source, 1.5)
    with pytest.raises((BufferError, ValueError), match="contiguous"):
        cuda.BatchCopy(source[::2], memory, 8)


@pytest.mark.parametrize("is_async", [False, True])
def test_a_box_between_memory_arrays_and_the_host(device, is_async):
    stream = cuda.Stream() if is_async else None
    array, memory = cuda.Array(8, 5), cuda.DeviceMemory(4 * 64)
    rows, back = np.arange(64, dtype=np.float32).reshape(4, 16), np.zeros((2, 5), np.float32)
    source = cuda.CopySide(rows, x_bytes=16, pitch_bytes=64)
    cuda.copy_3d(cuda.Copy3D(cuda.CopySide(array, y=1), source, 32, 4), stream)
    cuda.copy_3d(
        cuda.Copy3D(
            cuda.CopySide(memory, pitch_bytes=64), cuda.CopySide(array, x_bytes=8, y=2), 24, 3
        ),
        stream,
    )
    cuda.copy_3d(
        cuda.Copy3D(cuda.CopySide(back), cuda.CopySide(memory, pitch_bytes=64), 20, 2), stream
    )
    if stream:
        stream.synchronize()
    np.testing.assert_array_equal(back, rows[1:3, 6:11])


def test_a_box_that_cannot_be_copied(device):
    memory, values = cuda.DeviceMemory(64), np.zeros(16, np.float32)
    side = cuda.CopySide(memory)
    with pytest.raises(treadle.ShapeError, match="64"):
        cuda.copy_3d(cuda.Copy3D(side, cuda.CopySide(values), 32, 3))
    with pytest.raises(treadle.InvalidArgument, match="read-only"):
        cuda.Copy3D(cuda.CopySide(b"0123"), side, 4)
    with pytest.raises((BufferError, ValueError), match="contiguous"):
        cuda.CopySide(values[::2])
    with pytest.raises(OverflowError, match="pitch_bytes"):
        cuda.CopySide(memory, pitch_bytes=-64)
    with pytest.raises(TypeError, match="depth"):
        cuda.Copy3D(side, side, 4, 1, 1.5)
    with pytest.raises(TypeError, match="memory"):
        cuda.CopySide("here")
    memory.free()
    with pytest.raises(treadle.InvalidState):
        cuda.CopySide(memory)


def test_a_batch_of_boxes(device):
    stream = cuda.Stream()
    array = cuda.Array(8, 5)
    rows, back = np.arange(64, dtype=np.float32).reshape(4, 16), np.zeros((4, 8), np.float32)
    any_time = cuda.BatchCopyHints(source_access=cuda.SourceAccess.any)
    box = cuda.BatchCopy3D(array, rows, 32, 4, source_pitch_bytes=64, hints=any_time)
    cuda.copy_3d_batch([box], stream)
    cuda.copy_3d_batch([cuda.BatchCopy3D(back, array, 32, 4)], stream)
    stream.synchronize()
    np.testing.assert_array_equal(back, rows[:, :8])
    with pytest.raises(treadle.ShapeError):
        cuda.copy_3d_batch([cuda.BatchCopy3D(array, rows, 32, 6)], stream)


def test_a_tensor_map_is_refused_or_taken(device):
    memory = cuda.DeviceMemory(64 * 20 * 4)
    make = cuda.TensorMap.tiled
    with pytest.raises(treadle.InvalidArgument, match=r"box\[1\] is 300"):
        make(memory, cuda.TensorElement.float32, (64, 20), (32, 300))
    with pytest.raises(treadle.ShapeError, match="box has 1"):
        make(memory, cuda.TensorElement.float32, (64, 20), (32,))
    if on_the_cpu():
        with pytest.raises(treadle.NotSupported, match="cuTensorMapEncodeTiled"):
            make(memory, cuda.TensorElement.float32, (64, 20), (32, 8))
        return
    if device.attribute(cuda.DeviceAttribute.compute_capability_major) < 9:
        pytest.skip("no tensor memory accelerator")
    tensor = make(memory, cuda.TensorElement.float32, (64, 20), (32, 8))
    assert tensor.address == memory.address and len(bytes(tensor)) == 128
    text = """
    struct alignas(64) Map { unsigned long long words[16]; };
    extern "C" __global__ void peek(const __grid_constant__ Map map, unsigned long long *out)
    { if (threadIdx.x < 16) out[threadIdx.x] = map.words[threadIdx.x]; }
    """
    module = cuda.Module(treadle.compile_cuda(text, device.target).image)
    out, words = cuda.DeviceMemory(128), np.zeros(16, np.uint64)
    module.function("peek")(tensor, out, grid=(1,), block=(32,))
    out.copy_to(words)
    assert words.tobytes() == bytes(tensor)


def test_green_contexts(device):
    if on_the_cpu():
        with pytest.raises(treadle.NotSupported, match="cuDeviceGetDevResource"):
            cuda.DeviceResource.multiprocessors_of(device)
        return
    everything = cuda.DeviceResource.multiprocessors_of(device)
    if everything.multiprocessors < 16:
        pytest.skip("too small to be split")
    groups, rest = everything.split(1, 8)
    assert groups[0].multiprocessors + rest.multiprocessors == everything.multiprocessors
    green = cuda.GreenContext(groups)
    assert green.resource.multiprocessors == groups[0].multiprocessors
    stream = green.make_stream()
    stream.synchronize()
    del stream
    with pytest.raises(treadle.InvalidArgument, match="resources is empty"):
        cuda.GreenContext([])


def test_multicast_says_where_it_is_not(device):
    with pytest.raises(treadle.InvalidArgument, match="devices is 0"):
        cuda.Multicast(1 << 21, 0)
    if on_the_cpu():
        with pytest.raises(treadle.NotSupported, match="cuMulticastGetGranularity"):
            cuda.Multicast.granularity(1 << 21, 2)


def test_pools_are_shared(device):
    pool = cuda.MemoryPool()
    assert pool.access(device) == cuda.MemoryAccess.read_write
    pool.set_access(device)
    with pytest.raises(treadle.DeviceError):
        pool.set_access(device, cuda.MemoryAccess.none)
    with pytest.raises((treadle.DeviceError, treadle.NotSupported)):
        pool.export_file()
    with pytest.raises(treadle.InvalidArgument, match="allocation has 3 bytes"):
        pool.take(b"abc", 16)


def test_a_pool_goes_to_another_owner_by_a_file(device):
    if on_the_cpu():
        with pytest.raises((treadle.DeviceError, treadle.NotSupported)):
            cuda.MemoryPool(shared_as=cuda.SharedAs.file_descriptor)
        return
    import os

    pool, stream = cuda.MemoryPool(shared_as=cuda.SharedAs.file_descriptor), cuda.Stream()
    memory = pool.allocate(4096, stream)
    stream.synchronize()
    with pytest.raises(treadle.DeviceError, match="export_file"):
        cuda.export_allocation(memory)
    descriptor = pool.export_file()
    assert len(cuda.export_allocation(memory)) == 64
    os.close(descriptor)


def test_attributes_of_streams(device):
    one, other = cuda.Stream(), cuda.Stream()
    assert one.id != other.id
    memory = cuda.DeviceMemory(4096)
    window = cuda.AccessWindow(memory.address, 4096, hit_ratio=0.5)
    try:
        cuda.set_access_window(one, window)
    except treadle.DeviceError:
        pytest.skip("the device has no windows")
    cuda.copy_attributes(other, one)
    found = cuda.access_window(other)
    assert (found.size_bytes, found.hit_ratio) == (4096, 0.5)
    assert cuda.memory_domain(one) == cuda.MemoryDomain.standard


def test_a_side_holds_the_buffer_that_it_is_made_of(context):
    memory = bytearray(b"0123")
    side = cuda.CopySide(memory)
    with pytest.raises(BufferError):
        memory.extend(b"456")
    del side
    memory.extend(b"456")
    with pytest.raises(TypeError, match="Context, not a int"):
        cuda.CopySide(memory, context=3)
