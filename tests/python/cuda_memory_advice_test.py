# SPDX-License-Identifier: MIT
"""treadle.cuda: what an address is of, prefetching and advice."""

import numpy as np
import pytest

import treadle
import treadle.cuda as cuda


@pytest.fixture
def here():
    device = cuda.default_device()
    with cuda.Context.make_current(device):
        yield cuda.MemoryLocation.of(device)


@pytest.fixture
def managed(here):
    if not cuda.default_device().attribute(cuda.DeviceAttribute.concurrent_managed_access):
        pytest.skip("the device does not share managed memory with the host while it works")
    return cuda.ManagedMemory(1 << 16)


def test_an_address_tells_its_allocation(here):
    memory = cuda.DeviceMemory(4096)
    info = cuda.pointer_info(memory.address + 100)
    assert info.type == cuda.MemoryType.device
    assert not info.is_managed
    assert (info.range_start, info.host_pointer) == (memory.address, 0)
    assert info.range_bytes >= 4096
    assert info.device_ordinal == cuda.default_device().raw
    assert info.context == cuda.Context.current().raw
    ask = cuda.pointer_attribute
    assert ask(cuda.PointerAttribute.range_start, memory) == memory.address
    assert ask(cuda.PointerAttribute.buffer_id, memory) == info.buffer_id
    cuda.set_sync_memops(memory, True)
    assert ask(cuda.PointerAttribute.sync_memops, memory) == 1
    with pytest.raises(treadle.DeviceError):
        ask(cuda.PointerAttribute.host_pointer, memory)


def test_other_memory_is_told_apart(here):
    host = cuda.HostMemory(64, cuda.HostMemoryFlags.device_map)
    assert cuda.pointer_info(host.device_pointer).type == cuda.MemoryType.host
    plain = np.zeros(8)
    assert cuda.pointer_info(plain.ctypes.data).type == cuda.MemoryType.none
    with pytest.raises(TypeError):
        cuda.pointer_info("memory")


def test_advice_is_told(here, managed):
    cuda.advise(managed, cuda.MemoryAdvice.set_read_mostly)
    cuda.advise(managed, cuda.MemoryAdvice.set_preferred_location, here)
    cuda.advise(managed, cuda.MemoryAdvice.set_accessed_by, cuda.MemoryLocation.host())
    advice = cuda.managed_advice(managed)
    assert advice.read_mostly
    assert advice.preferred == here
    assert advice.accessed_by == [cuda.MemoryLocation.host()]
    assert advice.last_prefetch is None
    assert repr(advice.preferred) == "MemoryLocation(kind=device, id=0)"


def test_memory_is_brought_to_a_place(here, managed):
    numbers = np.frombuffer(managed, np.int32)
    numbers[:] = 5
    stream = cuda.Stream()
    cuda.prefetch(managed, here, stream)
    assert cuda.managed_advice(managed).last_prefetch == here
    cuda.prefetch(cuda.ManagedRange(managed.address, 4096), cuda.MemoryLocation.host())
    stream.synchronize()
    assert (numbers == 5).all()
    try:
        cuda.discard([managed], stream)
        cuda.discard_and_prefetch([managed, cuda.ManagedRange(managed.address, 4)], here, stream)
        cuda.prefetch([managed], here, stream)
    except treadle.NotSupported:
        assert cuda.default_driver().version() < 13000
    stream.synchronize()
    del numbers


def test_what_is_not_managed_is_refused(here):
    memory = cuda.DeviceMemory(64)
    with pytest.raises(treadle.DeviceError, match="must be of managed memory"):
        cuda.prefetch(cuda.ManagedRange(memory.address, 64), here)
    with pytest.raises(TypeError):
        cuda.prefetch(memory, here)
