# SPDX-License-Identifier: MIT
"""treadle.cuda: physical memory, reserved addresses and mappings."""

import os

import numpy as np
import pytest

import treadle
import treadle.cuda as cuda


@pytest.fixture
def here():
    device = cuda.default_device()
    if not device.attribute(cuda.DeviceAttribute.virtual_address_management_supported):
        pytest.skip("the device has no virtual memory management")
    with cuda.Context.make_current(device):
        yield cuda.MemoryLocation.of(device)


def test_an_array_grows_where_it_is(here):
    text = 'extern "C" __global__ void put(int *out) { out[threadIdx.x] = threadIdx.x; }'
    put = cuda.Module(treadle.compile_cuda(text, cuda.default_device().target).image)
    unit = cuda.allocation_granularity(here)
    addresses = cuda.AddressReservation(2 * unit)
    first = addresses.map(cuda.PhysicalMemory(unit, here))
    first.set_access(here)
    put.function("put")(first, grid=(1,), block=(32,))
    second = addresses.map(cuda.PhysicalMemory(unit, here), offset=unit)
    second.set_access(here)
    assert int(second) == addresses.address + unit
    assert second.access(here) == cuda.MemoryAccess.read_write
    put.function("put")(second, grid=(1,), block=(8,))
    cuda.Context.current().synchronize()
    assert cuda.pointer_info(second).type == cuda.MemoryType.device
    first.unmap()
    assert not first.is_mapped
    with pytest.raises(treadle.InvalidState):
        put.function("put")(first, grid=(1,), block=(32,))
    with pytest.raises(treadle.InvalidArgument):
        addresses.map(cuda.PhysicalMemory(unit, here), offset=2 * unit)


def test_memory_is_shared_by_a_file_descriptor(here):
    device = cuda.default_device()
    if not device.attribute(cuda.DeviceAttribute.handle_type_posix_file_descriptor_supported):
        pytest.skip("the device shares no memory by file descriptors")
    unit = cuda.allocation_granularity(here)
    memory = cuda.PhysicalMemory(unit, here, cuda.SharedAs.file_descriptor)
    descriptor = memory.export_file()
    again = cuda.PhysicalMemory.import_file(descriptor, unit)
    os.close(descriptor)
    addresses = cuda.AddressReservation(2 * unit)
    ours, theirs = addresses.map(memory), addresses.map(again, unit)
    ours.set_access(here)
    theirs.set_access(here)
    buffer, seen = cuda.DeviceMemory(16), np.zeros(4, np.int32)
    buffer.copy_from(np.arange(4, dtype=np.int32))
    text = (
        'extern "C" __global__ void move(int *to, const int *from)'
        "{ to[threadIdx.x] = from[threadIdx.x]; }"
    )
    move = cuda.Module(treadle.compile_cuda(text, device.target).image).function("move")
    move(ours, buffer, grid=(1,), block=(4,))
    buffer.fill8(0)
    move(buffer, theirs, grid=(1,), block=(4,))
    buffer.copy_to(seen)
    assert seen.tolist() == [0, 1, 2, 3]
    with pytest.raises(treadle.DeviceError):
        cuda.PhysicalMemory(unit, here).export_file()
