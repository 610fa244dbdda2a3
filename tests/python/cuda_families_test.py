# SPDX-License-Identifier: MIT
"""treadle.cuda: what nodes of graphs tell, sparse arrays, external memory, links between devices,
settings of contexts, and the driver's own diagnostics."""

import os
import struct

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


TEXT = 'extern "C" __global__ void add(int *x, int n) { x[threadIdx.x] += n; }'


@pytest.fixture
def add(device):
    return cuda.Module(treadle.compile_cuda(TEXT, device.target).image).function("add")


def test_a_kernels_node_tells_what_it_launches(add):
    memory = cuda.DeviceMemory(16)
    graph = cuda.Graph()
    node = graph.add_kernel(add, memory, np.int32(5), grid=(2,), block=(4,))
    told = node.kernel
    assert told.name == "add"
    assert told.grid == (2, 1, 1) and told.block == (4, 1, 1) and told.shared_bytes == 0
    if told.arguments:
        assert struct.unpack("P", told.arguments[0])[0] == memory.address
        assert struct.unpack("i", told.arguments[1])[0] == 5
    assert node.attributes.cluster == (1, 1, 1)
    other = graph.add_kernel(add, memory, np.int32(1), grid=(1,), block=(4,), after=node)
    other.copy_attributes(node)
    with pytest.raises(treadle.DeviceError):
        _ = node.fill


def test_the_other_nodes_tell_what_they_do(device):
    memory, copy = cuda.DeviceMemory(16), cuda.DeviceMemory(16)
    event = cuda.Event()
    graph = cuda.Graph()
    filled = graph.add_fill(memory, 7, 4)
    copied = graph.add_copy(copy, memory, 16, after=filled)
    recorded = graph.add_record(event, after=copied)
    called = graph.add_host(lambda: None)
    made = graph.add_allocation(64)
    freed = graph.add_free(made.address, after=made.node)
    assert (filled.fill.destination, filled.fill.value) == (memory.address, 7)
    assert (filled.fill.width, filled.fill.element_bytes) == (4, 4)
    assert (copied.copy.source, copied.copy.destination) == (memory.address, copy.address)
    assert copied.copy.width_bytes == 16
    assert recorded.event == event.raw
    assert all(called.host)
    assert made.node.allocation.size_bytes == 64
    assert freed.freed == made.address


def test_operations_on_memory_are_nodes(device):
    words = cuda.HostMemory(8, cuda.HostMemoryFlags.device_map)
    view = np.asarray(words).view(np.uint32)
    view[:] = 0
    kind, at = cuda.MemoryOperation.Kind, words.device_pointer
    graph = cuda.Graph()
    node = graph.add_operations([cuda.MemoryOperation(kind.write32, at, 3)])
    assert [one.value for one in node.operations] == [3]
    executable = graph.instantiate()
    assert executable.flags == cuda.InstantiateFlags.none
    stream = cuda.Stream()
    executable.launch(stream)
    stream.synchronize()
    assert view[0] == 3
    executable.set_operations(node, [cuda.MemoryOperation(kind.write32, at + 4, 9)])
    executable.launch(stream)
    stream.synchronize()
    assert view[1] == 9
    with pytest.raises(treadle.InvalidArgument, match="no operations"):
        graph.add_operations([])


def test_an_event_is_recorded_for_outside(add):
    memory, event, stream = cuda.DeviceMemory(16), cuda.Event(), cuda.Stream()
    capture = cuda.Capture(stream)
    add(memory, np.int32(1), grid=(1,), block=(4,), stream=stream)
    cuda.record_external(event, stream)
    graph = capture.end()
    kinds = [node.type for node in graph.nodes]
    assert cuda.GraphNodeType.record in kinds


# What the CPU device lacks, and each driver that is older: the call that the error names.
LACKING = {
    "cuLogsCurrent": lambda device: cuda.log_end(),
    "cuLogsDumpToMemory": lambda device: cuda.log_text(),
    "cuLogsRegisterCallback": lambda device: cuda.DriverLog(print),
    "cuLogsDumpToFile": lambda device: cuda.write_log("/tmp/none"),
    "cuCoredumpGetAttributeGlobal": lambda device: cuda.Coredumps.of_process().file,
    "cuCheckpointProcessGetState": lambda device: cuda.CheckpointedProcess(os.getpid()).state,
    "cuDeviceRegisterAsyncNotification": lambda device: cuda.MemoryBudget(device, print),
    "cuImportExternalMemory": lambda device: cuda.ExternalMemory.import_file(0, 4096),
    "cuImportExternalSemaphore": lambda device: cuda.ExternalSemaphore.import_file(0),
    "cuArrayGetSparseProperties": lambda device: cuda.sparse_layout(cuda.Array(8, 8)),
    "cuMipmappedArrayGetMemoryRequirements": lambda device: cuda.array_memory(
        cuda.MipmappedArray(8, 8, levels=2)
    ),
    "cuArrayGetPlane": lambda device: cuda.array_plane(cuda.Array(8, 8), 0),
    "cuMemMapArrayAsync": lambda device: cuda.map_tiles(
        [cuda.TileMapping(cuda.Array(8, 8), cuda.ArrayTiles(8, 8))]
    ),
    "cuDeviceGetHostAtomicCapabilities": lambda device: cuda.host_atomics(
        device, cuda.AtomicOperation.integer_add
    ),
    "cuMemGetHandleForAddressRange": lambda device: cuda.export_dma_buffer(
        cuda.DeviceMemory(4096), 4096
    ),
    "cuMemBatchDecompressAsync": lambda device: cuda.decompress_batch(
        [cuda.Decompression(4096, 8192, 90, 12288, cuda.Compression.lz4)]
    ),
    "cuFlushGPUDirectRDMAWrites": lambda device: cuda.flush_remote_writes(),
    "cuMemGetDefaultMemPool": lambda device: cuda.MemoryPool.default_at(
        cuda.MemoryLocation.of(device)
    ),
    "cuMemGetMemPool": lambda device: cuda.MemoryPool.current_at(cuda.MemoryLocation.host()),
    "cuCtxGetExecAffinity": lambda device: cuda.multiprocessor_affinity(cuda.Context.current()),
    "cuTensorMapEncodeIm2colWide": lambda device: cuda.TensorMap.wide(
        cuda.DeviceMemory(4096), cuda.TensorElement.float16, (64, 8, 4), 0, 0, 64, 16
    ),
}


@pytest.mark.parametrize("call", LACKING)
def test_what_a_driver_lacks_is_named(device, call):
    if on_the_cpu():
        with pytest.raises(treadle.NotSupported, match=call):
            LACKING[call](device)
        return
    try:
        LACKING[call](device)
    except treadle.Error as error:
        assert call in str(error)


def test_memory_of_graphs_and_widths_of_textures_are_told_everywhere(device):
    graph = cuda.Graph()
    graph.add_allocation(1 << 20)
    executable = graph.instantiate()
    use = cuda.graph_memory_use(device)
    assert use.most_reserved >= use.reserved and use.most_used >= use.used
    cuda.trim_graph_memory(device)
    cuda.reset_most_graph_memory(device)
    assert cuda.graph_memory_use(device).most_used == cuda.graph_memory_use(device).used
    del executable
    for channels in (1, 2, 4):
        width = cuda.max_linear_texture_width(device, cuda.ArrayFormat.float32, channels)
        assert width >= 1 << 26
    with pytest.raises(treadle.InvalidArgument, match="channels is 3"):
        cuda.max_linear_texture_width(device, cuda.ArrayFormat.float32, 3)


def test_clusters_are_asked_for(add):
    with pytest.raises(treadle.InvalidArgument, match="no clusters"):
        cuda.max_active_clusters(add, (64,), (4,))
    if on_the_cpu():
        with pytest.raises(treadle.NotSupported, match="cuOccupancyMaxPotentialClusterSize"):
            cuda.max_cluster_blocks(add, (64,), (4,))


def test_settings_of_contexts(device):
    made = cuda.Context.create(device)
    assert cuda.context_id(made) != cuda.context_id(cuda.Context.current())
    cuda.set_flags(made, cuda.ContextFlags.schedule_blocking_sync)
    assert made.flags & 7 == cuda.ContextFlags.schedule_blocking_sync.value
    made.detach()
    with pytest.raises(treadle.InvalidState):
        cuda.context_id(made)
    assert cuda.has_affinity(device) in (False, True)


def test_code_is_loaded_by_hand(add):
    cuda.load(add)
    assert cuda.is_loaded(add)
    assert cuda.loading_mode() in (cuda.LoadingMode.eager, cuda.LoadingMode.lazy)


def test_what_is_wrong_is_told(device):
    with pytest.raises(treadle.InvalidArgument, match="both device 0"):
        cuda.peer_attribute(device, device, cuda.PeerAttribute.access_supported)
    with pytest.raises(TypeError, match="listener"):
        cuda.DriverLog(3)
    with pytest.raises(TypeError, match="over"):
        cuda.MemoryBudget(device, None)
    with pytest.raises(treadle.InvalidArgument, match="process is 0"):
        cuda.CheckpointedProcess(0)
    with pytest.raises(treadle.InvalidArgument, match="0 to 1023|1 to 1023"):
        cuda.Coredumps.of_process().file = ""
    with pytest.raises(treadle.InvalidArgument, match="a uuid has 3 bytes"):
        cuda.CheckpointedProcess(1).restore([(b"abc", b"abc")])
    with pytest.raises(OverflowError, match="size_bytes"):
        cuda.ExternalMemory.import_file(0, -1)
    with pytest.raises(treadle.InvalidArgument, match="descriptor is -1"):
        cuda.ExternalSemaphore.import_file(-1)
    with pytest.raises(treadle.InvalidArgument, match="no mappings"):
        cuda.map_tiles([])
    with pytest.raises(treadle.InvalidArgument, match="no semaphores"):
        cuda.signal_semaphores([])
    with pytest.raises(treadle.InvalidArgument, match="address is null|address"):
        cuda.export_dma_buffer(0, 4096)
