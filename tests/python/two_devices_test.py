# SPDX-License-Identifier: MIT
"""Work of one device on the memory of another, in pycuda.driver, treadle.cuda and on the waist.

Copies between contexts run with two of one device, too. The rest needs two GPUs with access to each
other; on the CPU device a second context of it stands in, whose memory its kernels see anyway.
"""

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda.compiler import SourceModule

import treadle
from treadle import cuda as native

COUNT = 1000
VALUES = np.arange(COUNT, dtype=np.int32)
TWICE = """
extern "C" __global__ void twice(int *to, const int *from, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = 2 * from[i];
}
"""
SHAPE = {"grid": (4, 1), "block": (256, 1, 1)}


def the_other_gpu(own):
    """A device whose kernels may use the memory of `own`, and the other way round; None: there is
    one GPU, or the CPU device."""
    if isinstance(own, native.Device):
        everyone = native.default_driver().devices()
    else:
        everyone = [type(own)(i) for i in range(type(own).count())]
    for device in everyone:
        if device != own and device.can_access_peer(own) and own.can_access_peer(device):
            return device
    return None


class Pair:
    """Two contexts of pycuda.driver: `here` is current, `there` is on the other device, if any."""

    def __init__(self):
        self.here, device = cuda.Context.get_current(), cuda.Context.get_device()
        other = the_other_gpu(device)
        self.is_real = other is not None
        self.there = (other or device).make_context()
        self.twice = SourceModule(TWICE, no_extern_c=True).get_function("twice")
        self.there.pop()

    def end(self):
        self.there.push()
        del self.twice
        self.there.pop()
        self.there.detach()


@pytest.fixture
def access():
    """Skips the test where the default device is a GPU without a peer."""
    device = native.default_device()
    if not device.target.startswith("cpu") and the_other_gpu(device) is None:
        pytest.skip("needs two GPUs with access to each other")


@pytest.fixture
def two_contexts(context):
    pair = Pair()
    yield pair
    pair.end()


@pytest.fixture
def pair(access, two_contexts):
    return two_contexts


def test_a_kernel_uses_the_memory_of_the_peer(pair):
    memory, result = cuda.to_device(VALUES), cuda.mem_alloc(VALUES.nbytes)
    cuda.Context.synchronize()
    pair.there.push()
    try:
        if pair.is_real:
            cuda.Context.enable_peer_access(pair.here)
            with pytest.raises(cuda.LogicError):
                cuda.Context.enable_peer_access(pair.here)
        own = cuda.mem_alloc(VALUES.nbytes)
        pair.twice(own, memory, np.int32(COUNT), **SHAPE)
        pair.twice(result, memory, np.int32(COUNT), **SHAPE)
        np.testing.assert_array_equal(cuda.from_device(own, COUNT, np.int32), 2 * VALUES)
        cuda.Context.synchronize()
        own.free()
        if pair.is_real:
            cuda.Context.disable_peer_access(pair.here)
        with pytest.raises(cuda.LogicError):
            cuda.Context.disable_peer_access(pair.here)
    finally:
        pair.there.pop()
    np.testing.assert_array_equal(cuda.from_device(result, COUNT, np.int32), 2 * VALUES)


def test_memory_is_copied_between_two_contexts(two_contexts):
    pair = two_contexts
    memory, back = cuda.to_device(VALUES), cuda.mem_alloc(VALUES.nbytes)
    pair.there.push()
    try:
        far, doubled = cuda.mem_alloc(VALUES.nbytes), cuda.mem_alloc(VALUES.nbytes)
        cuda.memcpy_peer(far, memory, VALUES.nbytes, pair.there, pair.here)
        pair.twice(doubled, far, np.int32(COUNT), **SHAPE)
        cuda.Context.synchronize()
    finally:
        pair.there.pop()
    stream = cuda.Stream()
    cuda.memcpy_peer_async(back, doubled, VALUES.nbytes, pair.here, pair.there, stream)
    stream.synchronize()
    np.testing.assert_array_equal(cuda.from_device(back, COUNT, np.int32), 2 * VALUES)
    far.free()
    doubled.free()


@pytest.mark.parametrize("is_async", [False, True])
def test_boxes_are_copied_between_two_contexts(two_contexts, is_async):
    pair = two_contexts
    # Rows 1 and 2 of each of two slices of 5 rows of 100 numbers.
    memory = cuda.to_device(VALUES)
    cuda.Context.synchronize()
    pair.there.push()
    try:
        far = cuda.mem_alloc(2 * 2 * 400)
    finally:
        pair.there.pop()
    copy = cuda.Memcpy3DPeer()
    copy.set_src_device(memory)
    copy.set_src_context(pair.here)
    copy.set_dst_device(far)
    copy.set_dst_context(pair.there)
    copy.src_pitch = copy.dst_pitch = copy.width_in_bytes = 400
    copy.src_height, copy.src_y = 5, 1
    copy.dst_height = copy.height = copy.depth = 2
    if is_async:
        stream = cuda.Stream()
        copy(stream)
        stream.synchronize()
    else:
        copy()
        cuda.Context.synchronize()
    pair.there.push()
    try:
        found = cuda.from_device(far, (2, 2, 100), np.int32)
        far.free()
    finally:
        pair.there.pop()
    np.testing.assert_array_equal(found, VALUES.reshape(2, 5, 100)[:, 1:3])


# ---- two processes

OTHER = """
import sys
import numpy as np
import treadle.compat
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

cuda.init()
context = cuda.Device(int(sys.argv[2])).make_context()
memory = cuda.IPCMemoryHandle(bytearray.fromhex(sys.argv[1]))
module = SourceModule("__global__ void twice(int *a) { a[threadIdx.x] *= 2; }")
module.get_function("twice")(np.uintp(memory), block=(250, 1, 1))
cuda.Context.synchronize()
memory.close()
context.pop()
print("closed")
"""


def test_another_process_works_with_another_device_on_this_memory(context, run_python):
    own = cuda.Context.get_device()
    other = the_other_gpu(own)
    if other is None and not own._target().startswith("cpu"):
        pytest.skip("needs two GPUs with access to each other")
    memory = cuda.to_device(VALUES)
    cuda.Context.synchronize()
    handle = cuda.mem_get_ipc_handle(memory)
    result = run_python("-c", OTHER, handle.hex(), str(hash(other or own)))
    assert (result.returncode, result.stdout) == (0, "closed\n"), result.stderr
    expected = np.concatenate([2 * VALUES[:250], VALUES[250:]])
    np.testing.assert_array_equal(cuda.from_device(memory, COUNT, np.int32), expected)


# ---- treadle.cuda


class NativePair:
    """The same with treadle.cuda: doubled(address) is what a kernel of the other device reads."""

    def __init__(self):
        self.device = native.Context.current().device
        other = the_other_gpu(self.device)
        self.is_real, self.other = other is not None, other or self.device
        self.there = native.Context.create(self.other)

    def doubled(self, memory):
        self.there.push()
        try:
            module = native.Module(treadle.compile_cuda(TWICE, self.other.target).image)
            to, found = native.DeviceMemory(VALUES.nbytes), np.empty_like(VALUES)
            module.function("twice")(to, memory, np.int32(COUNT), grid=(4,), block=(256,))
            to.copy_to(found)
        finally:
            native.Context.pop()
        return found


@pytest.fixture
def two_native_contexts():
    with native.Context.make_current(native.default_device()):
        yield NativePair()


@pytest.fixture
def native_pair(access, two_native_contexts):
    return two_native_contexts


def test_native_contexts_enable_and_disable_their_peers(native_pair):
    here, there = native.Context.current(), native_pair.there
    memory = native.DeviceMemory(VALUES.nbytes)
    memory.copy_from(VALUES)
    here.synchronize()
    if native_pair.is_real:
        there.enable_peer_access(here)
    np.testing.assert_array_equal(native_pair.doubled(memory), 2 * VALUES)
    if native_pair.is_real:
        there.disable_peer_access(here)
    with pytest.raises(treadle.DeviceError, match="cuCtxDisablePeerAccess"):
        there.disable_peer_access(here)


def test_a_pool_lets_the_other_device_read(native_pair):
    pool, stream, other = native.MemoryPool(native_pair.device), native.Stream(), native_pair.other
    memory = pool.allocate(VALUES.nbytes, stream)
    stream.synchronize()
    memory.copy_from(VALUES)
    native.Context.current().synchronize()
    if native_pair.is_real:
        assert pool.access(other) == native.MemoryAccess.none
    pool.set_access(other)
    assert pool.access(other) == native.MemoryAccess.read_write
    np.testing.assert_array_equal(native_pair.doubled(memory), 2 * VALUES)


def test_mapped_memory_is_read_by_the_other_device(native_pair):
    here = native.MemoryLocation.of(native_pair.device)
    there = native.MemoryLocation.of(native_pair.other)
    unit = native.allocation_granularity(here)
    addresses = native.AddressReservation(unit)
    mapping = addresses.map(native.PhysicalMemory(unit, here))
    mapping.set_access(here)
    if native_pair.is_real:
        assert mapping.access(there) == native.MemoryAccess.none
    mapping.set_access(there)
    assert mapping.access(there) == mapping.access(here) == native.MemoryAccess.read_write
    memory = native.DeviceMemory(VALUES.nbytes)
    memory.copy_from(VALUES)
    module = native.Module(treadle.compile_cuda(TWICE, native_pair.device.target).image)
    module.function("twice")(mapping, memory, np.int32(COUNT), grid=(4,), block=(256,))
    native.Context.current().synchronize()
    np.testing.assert_array_equal(native_pair.doubled(mapping), 4 * VALUES)


def test_native_memory_is_copied_between_two_contexts(two_native_contexts):
    memory, back = native.DeviceMemory(VALUES.nbytes), native.DeviceMemory(VALUES.nbytes)
    memory.copy_from(VALUES)
    here, there = native.Context.current(), two_native_contexts.there
    there.push()
    try:
        far = native.DeviceMemory(VALUES.nbytes)
    finally:
        native.Context.pop()
    native.copy_peer(far, memory, VALUES.nbytes)  # memory knows its context
    stream, found = native.Stream(), np.zeros_like(VALUES)
    native.copy_peer(
        back.address + 400, far.address, 800,
        destination_context=here, source_context=there, stream=stream,
    )  # fmt: skip
    native.copy_peer(back, far, 400, stream=stream)
    stream.synchronize()
    back.copy_to(found)
    np.testing.assert_array_equal(found[:300], np.concatenate([VALUES[:100], VALUES[:200]]))
    with pytest.raises(treadle.InvalidArgument, match="cuMemcpyPeer: destination is null"):
        native.copy_peer(0, far, 4)
    with pytest.raises(OverflowError, match="size_bytes"):
        native.copy_peer(back, far, -4)
    with pytest.raises(TypeError, match="source"):
        native.copy_peer(back, "far", 4)


@pytest.mark.parametrize("is_async", [False, True])
def test_native_boxes_are_copied_between_two_contexts(two_native_contexts, is_async):
    # Rows 1 and 2 of each of two slices of 5 rows of 100 numbers, into an array there and back.
    memory, found = native.DeviceMemory(VALUES.nbytes), np.zeros((2, 2, 100), np.int32)
    memory.copy_from(VALUES)
    two_native_contexts.there.push()
    try:
        far = native.Array(100, 3, 2, format=native.ArrayFormat.int32)
    finally:
        native.Context.pop()
    rows = native.CopySide(memory, y=1, pitch_bytes=400, height=5)
    stream = native.Stream() if is_async else None
    native.copy_3d_peer(
        native.Copy3D(native.CopySide(far, y=1), rows, 400, height=2, depth=2), stream
    )
    native.copy_3d_peer(
        native.Copy3D(native.CopySide(found), native.CopySide(far, y=1), 400, 2, 2), stream
    )
    if stream:
        stream.synchronize()
    np.testing.assert_array_equal(found, VALUES.reshape(2, 5, 100)[:, 1:3])


# ---- the waist


def test_buffers_are_copied_between_two_gpus_in_the_order_of_events():
    gpus = [device for device in treadle.devices() if device.id.startswith("cuda:")]
    if len(gpus) < 2:
        pytest.skip("needs two GPUs")
    here, there = gpus[:2]
    near, far = here.make_stream(), there.make_stream()
    source, back = treadle.Buffer(here, VALUES.nbytes), treadle.Buffer(here, VALUES.nbytes)
    middle = treadle.Buffer(there, VALUES.nbytes)
    twice = treadle.Program(there, TWICE).kernel("twice")
    doubled = treadle.Buffer(there, VALUES.nbytes)
    filled = near.copy_in(source, VALUES, event=True)
    far.copy(middle, source, wait_for=filled)
    done = twice(doubled, middle, np.int32(COUNT), groups=4, group_size=256, stream=far, event=True)
    near.copy(back, doubled, wait_for=done)
    near.synchronize()
    found = np.empty_like(VALUES)
    back.copy_to(found)
    np.testing.assert_array_equal(found, 2 * VALUES)
