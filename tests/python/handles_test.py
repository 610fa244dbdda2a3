# SPDX-License-Identifier: MIT
"""Handles to and from cuda.bindings and cuda.core: stand-ins have their public shape."""

import sys
import types

import numpy as np
import pytest

import treadle
import treadle.cuda as cuda

TEXT = 'extern "C" __global__ void put(int *out, int value) { out[threadIdx.x] = value; }'


class Handle:
    """A handle of cuda.bindings: a number behind int()."""

    def __init__(self, init_value=0):
        self.value = int(init_value)

    def __int__(self):
        return self.value


def handle_type(name):
    return type(name, (Handle,), {})


CUstream, CUevent, CUcontext, CUmodule, CUfunction, CUlibrary, CUkernel, CUdeviceptr = (
    handle_type(name)
    for name in "CUstream CUevent CUcontext CUmodule CUfunction CUlibrary CUkernel "
    "CUdeviceptr".split()
)


class CoreStream:
    """cuda.core's Stream."""

    def __init__(self, handle):
        self.handle = handle

    def __cuda_stream__(self):
        return (0, int(self.handle))


class CoreObject:
    """cuda.core's Event, Kernel and ObjectCode."""

    def __init__(self, handle):
        self.handle = handle


class CoreBuffer:
    """cuda.core's Buffer."""

    def __init__(self, handle, size, is_device_accessible=True):
        self.handle, self.size, self.is_device_accessible = handle, size, is_device_accessible


@pytest.fixture
def context():
    with cuda.Context.make_current(cuda.default_device()) as current:
        yield current


@pytest.fixture
def module(context):
    return cuda.Module(treadle.compile_cuda(TEXT, cuda.default_device().target).image)


@pytest.fixture
def bindings(monkeypatch):
    """cuda.bindings.driver, with a type for any name that is asked for."""
    package, bindings = types.ModuleType("cuda"), types.ModuleType("cuda.bindings")
    driver = types.ModuleType("cuda.bindings.driver")
    driver.__getattr__ = handle_type
    package.bindings, bindings.driver = bindings, driver
    for each in (package, bindings, driver):
        monkeypatch.setitem(sys.modules, each.__name__, each)


def filled(memory, count=8):
    host = np.zeros(count, np.int32)
    memory.copy_to(host)
    return host.tolist()


def test_every_object_is_its_handle(context, module):
    stream, event = cuda.Stream(), cuda.Event()
    function = module.function("put")
    for ours in (context, stream, event, module, function):
        assert int(ours) == ours.raw != 0
    with pytest.raises(TypeError):
        range(stream)  # a handle, and no number to count with


@pytest.mark.parametrize("make", [CUstream, lambda raw: CoreStream(CUstream(raw)), CoreStream])
def test_streams_of_others_are_taken_wherever_one_is_wanted(context, module, make):
    stream, memory = cuda.Stream(), cuda.DeviceMemory(32)
    theirs = make(stream.raw)
    module.function("put")(memory, np.int32(7), grid=(1,), block=(8,), stream=theirs)
    stream.synchronize()
    assert filled(memory) == [7] * 8
    wrapped = cuda.Stream.wrap(theirs)
    assert wrapped.raw == stream.raw
    assert wrapped.is_done
    del wrapped
    stream.synchronize()  # it was not destroyed


def test_events_of_others_are_wrapped(context):
    stream, event = cuda.Stream(), cuda.Event()
    for theirs in (CUevent(event.raw), CoreObject(CUevent(event.raw)), event.raw, event):
        wrapped = cuda.Event.wrap(theirs)
        wrapped.record(stream)
        wrapped.synchronize()
        assert wrapped.raw == event.raw
        del wrapped
    event.record(stream)
    event.synchronize()


def test_modules_and_functions_of_others_are_launched(context, module):
    memory = cuda.DeviceMemory(32)
    cuda.Module.wrap(CUmodule(module.raw)).function("put")(
        memory, np.int32(1), grid=(1,), block=(8,)
    )
    assert filled(memory) == [1] * 8
    function = cuda.wrap_function(CoreObject(CUfunction(module.function("put").raw)))
    assert function.name == "put"
    function(memory, np.int32(2), grid=(1,), block=(8,))
    assert filled(memory) == [2] * 8


def test_libraries_and_kernels_of_others_are_launched(context):
    library = cuda.Library(treadle.compile_cuda(TEXT, cuda.default_device().target).image)
    kernel = library.kernel("put")
    assert int(library) == library.raw and int(kernel) == kernel.raw
    memory = cuda.DeviceMemory(32)
    theirs = cuda.Library.wrap(CUlibrary(library.raw))
    theirs.kernel("put").function()(memory, np.int32(3), grid=(1,), block=(8,))
    assert filled(memory) == [3] * 8
    wrapped = cuda.Kernel.wrap(CoreObject(CUkernel(kernel.raw)))
    assert wrapped == kernel and wrapped.name == "put"
    wrapped.function()(memory, np.int32(4), grid=(1,), block=(8,))
    assert filled(memory) == [4] * 8


def test_contexts_of_others_are_wrapped(context):
    assert cuda.Context.wrap(CUcontext(context.raw)) == context
    assert cuda.Context.wrap(context.raw) == context


def test_addresses_of_others_are_arguments_of_kernels(context, module):
    memory = cuda.DeviceMemory(32)
    put = module.function("put")
    for value, theirs in enumerate(
        [
            CUdeviceptr(memory.address),
            CoreBuffer(memory.address, 32),
            CoreBuffer(CUdeviceptr(memory.address), 32),
        ]
    ):
        put(theirs, np.int32(value), grid=(1,), block=(8,))
        assert filled(memory) == [value] * 8
        assert cuda.pointer_info(theirs).range_start == memory.address
    with pytest.raises(TypeError, match="not for the device"):
        put(
            CoreBuffer(memory.address, 32, is_device_accessible=False),
            np.int32(0),
            grid=(1,),
            block=(8,),
        )


def test_other_kinds_of_handles_are_refused(context):
    event = cuda.Event()
    with pytest.raises(TypeError, match="CUstream is wanted, not a .*CUevent"):
        cuda.Stream.wrap(CUevent(event.raw))
    with pytest.raises(TypeError, match="stream must be"):
        event.record(CUevent(event.raw))
    for wrong in ("7", 1.5, None, True, [3]):
        with pytest.raises(TypeError, match="handle"):
            cuda.Event.wrap(wrong)
    for wrap in (cuda.Stream.wrap, cuda.Event.wrap, cuda.Module.wrap, cuda.Context.wrap):
        with pytest.raises(treadle.InvalidArgument):
            wrap(0)
    with pytest.raises(OverflowError):
        cuda.Event.wrap(-1)


def test_a_wrapped_handle_keeps_the_object_of_the_other_library(context):
    import weakref

    stream = cuda.Stream()
    theirs = CoreStream(CUstream(stream.raw))
    kept = weakref.ref(theirs)
    wrapped = cuda.Stream.wrap(theirs)
    del theirs
    assert kept() is not None
    del wrapped
    assert kept() is None


def test_handles_become_those_of_cuda_bindings(context, module, monkeypatch):
    package, bindings = types.ModuleType("cuda"), types.ModuleType("cuda.bindings")
    driver = types.ModuleType("cuda.bindings.driver")
    for kind in (CUstream, CUevent, CUcontext, CUmodule, CUfunction, CUdeviceptr):
        setattr(driver, kind.__name__, kind)
    package.bindings, bindings.driver = bindings, driver
    for each in (package, bindings, driver):
        monkeypatch.setitem(sys.modules, each.__name__, each)
    stream, memory = cuda.Stream(), cuda.DeviceMemory(16)
    theirs = cuda.as_bindings(stream)
    assert type(theirs) is CUstream and int(theirs) == stream.raw
    assert type(cuda.as_bindings(module.function("put"))) is CUfunction
    assert int(cuda.as_bindings(memory)) == memory.address
    with pytest.raises(TypeError, match="no handle for"):
        cuda.as_bindings(3)


def every_object(context, module):
    """One object of each class that stands for something of the driver's."""
    device = cuda.default_device()
    stream, event = cuda.Stream(), cuda.Event()
    array = cuda.Array(8, 8, flags=cuda.ArrayFlags.surface_load_store)
    levels = cuda.MipmappedArray(8, 8, levels=2)
    graph = cuda.Graph()
    library = cuda.Library(treadle.compile_cuda(TEXT, device.target).image)
    yield from [
        ("CUcontext", context),
        ("CUstream", stream),
        ("CUevent", event),
        ("CUmodule", module),
        ("CUfunction", module.function("put")),
        ("CUlibrary", library),
        ("CUkernel", library.kernel("put")),
        ("CUarray", array),
        ("CUmipmappedArray", levels),
        ("CUtexObject", cuda.Texture(array)),
        ("CUsurfObject", cuda.Surface(array)),
        ("CUgraph", graph),
        ("CUgraphNode", graph.add_empty()),
        ("CUgraphExec", graph.instantiate()),
        ("CUgraphConditionalHandle", graph.add_condition()),
        ("CUmemoryPool", cuda.MemoryPool()),
        ("CUlinkState", cuda.Linker()),
        ("CUdeviceptr", cuda.DeviceMemory(64)),
        ("CUdeviceptr", cuda.ManagedMemory(64)),
        ("CUdeviceptr", cuda.AddressReservation(1 << 21)),
        (
            "CUmemGenericAllocationHandle",
            cuda.PhysicalMemory(1 << 21, cuda.MemoryLocation.of(device)),
        ),
    ]


def test_int_gives_the_handle_of_every_class(context, module, bindings):
    for name, ours in every_object(context, module):
        number = int(ours)
        assert number != 0, name
        for attribute in ("raw", "address", "value"):
            if hasattr(ours, attribute):
                assert number == getattr(ours, attribute), name
        theirs = cuda.as_bindings(ours)
        assert type(theirs).__name__ == name and int(theirs) == number
    host = cuda.HostMemory(64)
    assert cuda.as_bindings(host) == int(host) == np.frombuffer(host, np.uint8).ctypes.data
    assert int(cuda.as_bindings(cuda.default_device())) == cuda.default_device().raw


def test_int_gives_the_handle_of_pycuda_objects(bindings):
    import pycuda.driver as driver

    driver.init()
    own = driver.Device(0).make_context()
    try:
        array = driver.np_to_array(np.zeros((4, 4), np.float32), "C")
        for name, ours in [
            ("CUcontext", own),
            ("CUstream", driver.Stream()),
            ("CUevent", driver.Event()),
            ("CUdeviceptr", driver.mem_alloc(64)),
            ("CUdeviceptr", driver.managed_empty(16, np.int32, mem_flags=1).base),
            ("CUarray", array),
            ("CUdevice", driver.Device(0)),
        ]:
            theirs = cuda.as_bindings(ours)
            assert type(theirs).__name__ == name and int(theirs) == int(ours)
            if hasattr(ours, "handle"):
                assert int(ours) == ours.handle != 0
    finally:
        own.pop()


def test_graphs_of_others_are_described_and_run(context, module):
    memory, graph = cuda.DeviceMemory(32), cuda.Graph()
    theirs = cuda.Graph.wrap(handle_type("CUgraph")(graph.raw))
    assert theirs == graph
    put = cuda.Module(treadle.compile_cuda(TEXT, cuda.default_device().target).image)
    node = theirs.add_kernel(put.function("put"), memory, np.int32(6), grid=(1,), block=(8,))
    assert graph.nodes == [node]
    del theirs, put  # what the wrapper's nodes need lives as long as the graph
    exec_ = graph.instantiate()
    wrapped = cuda.GraphExec.wrap(CoreObject(handle_type("CUgraphExec")(exec_.raw)))
    assert wrapped.raw == exec_.raw
    wrapped.launch()
    assert filled(memory) == [6] * 8
    del wrapped
    exec_.launch()
    context.synchronize()
    for kind in (cuda.Graph, cuda.GraphExec, cuda.MemoryPool, cuda.Array, cuda.Texture):
        with pytest.raises(treadle.InvalidArgument):
            kind.wrap(0)


def test_pools_of_others_give_memory(context):
    pool = cuda.MemoryPool()
    wrapped = cuda.MemoryPool.wrap(handle_type("CUmemoryPool")(pool.raw))
    assert wrapped == pool and wrapped.device == cuda.default_device()
    memory = wrapped.allocate(64)
    assert pool.used_bytes >= 64
    memory.free()
    del wrapped
    assert pool.used_bytes == 0


def test_arrays_textures_and_surfaces_of_others_say_what_they_are(context):
    array = cuda.Array(
        8, 4, format=cuda.ArrayFormat.uint8, flags=cuda.ArrayFlags.surface_load_store
    )
    told = cuda.Array.wrap(handle_type("CUarray")(array.raw))
    assert (told.width, told.height, told.format) == (8, 4, cuda.ArrayFormat.uint8)
    levels = cuda.MipmappedArray(8, 8, levels=3)
    wrapped = cuda.MipmappedArray.wrap(handle_type("CUmipmappedArray")(levels.raw), 3)
    assert wrapped.levels == 3 and wrapped.level(2).width == 2
    texture = cuda.Texture(
        array, normalized_values=True, normalized_coordinates=True, filter=cuda.FilterMode.linear
    )
    theirs = cuda.Texture.wrap(handle_type("CUtexObject")(texture.raw))
    assert theirs.raw == texture.raw
    surface = cuda.Surface(array)
    assert cuda.Surface.wrap(handle_type("CUsurfObject")(surface.raw)).raw == surface.raw
    with pytest.raises(TypeError, match="CUtexObject is wanted"):
        cuda.Texture.wrap(handle_type("CUsurfObject")(surface.raw))


def test_the_real_packages_understand_the_handles(context, module):
    driver = pytest.importorskip("cuda.bindings.driver")
    stream, event = cuda.Stream(), cuda.Event()
    assert int(cuda.as_bindings(stream)) == stream.raw
    assert cuda.Stream.wrap(driver.CUstream(stream.raw)).raw == stream.raw
    assert cuda.Event.wrap(driver.CUevent(int(event))).raw == event.raw
    memory = cuda.DeviceMemory(32)
    put = module.function("put")
    put(driver.CUdeviceptr(memory.address), np.int32(5), grid=(1,), block=(8,))
    assert filled(memory) == [5] * 8


def test_streams_of_the_real_cuda_core_are_taken(context, module):
    core = pytest.importorskip("cuda.core")
    if cuda.default_driver().provider != cuda.Provider.nvidia:
        pytest.skip("cuda.core works on NVIDIA's driver alone")
    if not hasattr(core, "Stream"):  # before 0.5
        core = pytest.importorskip("cuda.core.experimental")
    core.Device(cuda.default_device().raw).set_current()
    ours = cuda.Stream()
    theirs = core.Stream.from_handle(ours.raw)
    assert int(theirs.handle) == ours.raw
    assert cuda.Stream.wrap(theirs).raw == ours.raw
