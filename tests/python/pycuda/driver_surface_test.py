# SPDX-License-Identifier: MIT
"""pycuda.driver's names, keywords, defaults and refusals, one row each."""

import re

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import _driver

FUNCTIONS = """
aligned_empty aligned_empty_like aligned_zeros aligned_zeros_like bind_array_to_texref bitlog2
dtype_to_array_format from_device from_device_like get_curand_version get_driver_version
get_version gpuarray_to_array have_gl_ext init initialize_profiler make_multichannel_2d_array
managed_empty managed_empty_like managed_zeros managed_zeros_like matrix_to_array matrix_to_texref
mem_alloc mem_alloc_like mem_alloc_pitch mem_get_address_range mem_get_info mem_get_ipc_handle
memcpy_atoa memcpy_atod memcpy_atoh memcpy_dtoa memcpy_dtod memcpy_dtod_async memcpy_dtoh
memcpy_dtoh_async memcpy_htoa memcpy_htod memcpy_htod_async memcpy_peer memcpy_peer_async
memset_d16 memset_d16_async memset_d2d16 memset_d2d16_async memset_d2d32 memset_d2d32_async
memset_d2d8 memset_d2d8_async memset_d32 memset_d32_async memset_d8 memset_d8_async
module_from_buffer module_from_file np_to_array pagelocked_empty pagelocked_empty_like
pagelocked_zeros pagelocked_zeros_like py_memcpy_atoh py_memcpy_htoa register_host_memory
set_debugging start_profiler stop_profiler to_device
""".split()
CLASSES = """
AlignedHostAllocation ArgumentHandler Array ArrayDescriptor ArrayDescriptor3D CompileError Context
Device DeviceAllocation Error Event Function HostAllocation HostPointer IPCMemoryHandle In InOut
LaunchError Linker LogicError ManagedAllocation ManagedAllocationOrStub Memcpy2D Memcpy3D
Memcpy3DPeer MemoryError Module Out PagelockedHostAllocation PointerHolderBase
RegisteredHostMemory RuntimeError Stream SurfaceReference TextureReference
""".split()
ENUMERATIONS = """
address_mode array3d_flags array_cubemap_face array_format compute_mode ctx_flags device_attribute
event_flags filter_mode func_cache function_attribute graphics_register_flags host_alloc_flags
ipc_mem_flags jit_fallback jit_input_type jit_option jit_target limit mem_attach_flags
mem_host_register_flags memory_type pointer_attribute profiler_output_mode shared_config
""".split()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_there(name):
    assert callable(getattr(cuda, name))


@pytest.mark.parametrize("name", CLASSES + ENUMERATIONS)
def test_classes_are_there(name):
    assert isinstance(getattr(cuda, name), type)


@pytest.fixture
def memory(context):
    return cuda.mem_alloc(256)


BYTES = np.arange(64, dtype=np.uint8)
# Each call by keyword: the names are those that programs use.
BY_KEYWORD = {
    "memcpy_htod": lambda m: cuda.memcpy_htod(dest=m, src=BYTES),
    "memcpy_htod_async": lambda m: cuda.memcpy_htod_async(dest=m, src=BYTES, stream=None),
    "memcpy_dtoh": lambda m: cuda.memcpy_dtoh(dest=BYTES.copy(), src=m),
    "memcpy_dtoh_async": lambda m: cuda.memcpy_dtoh_async(dest=BYTES.copy(), src=m, stream=None),
    "memcpy_dtod": lambda m: cuda.memcpy_dtod(dest=m, src=int(m) + 128, size=64),
    "memcpy_dtod_async": lambda m: cuda.memcpy_dtod_async(
        dest=m, src=int(m) + 128, size=64, stream=None
    ),
    "memcpy_peer": lambda m: cuda.memcpy_peer(
        dest=m, src=int(m) + 128, size=64, dest_context=None, src_context=None
    ),
    "memset_d8": lambda m: cuda.memset_d8(dest=m, data=1, size=256),
    "memset_d16": lambda m: cuda.memset_d16(dest=m, data=1, size=128),
    "memset_d32": lambda m: cuda.memset_d32(dest=m, data=1, size=64),
    "memset_d8 by count": lambda m: cuda.memset_d8(dest=m, data=1, count=256),
    "memset_d32_async by count": lambda m: cuda.memset_d32_async(dest=m, data=1, count=64),
    "memset_d8_async": lambda m: cuda.memset_d8_async(dest=m, data=1, size=256, stream=None),
    "memset_d2d8": lambda m: cuda.memset_d2d8(dest=m, pitch=16, data=1, width=8, height=4),
    "memset_d2d32": lambda m: cuda.memset_d2d32(dest=m, pitch=32, data=1, width=4, height=4),
    "memset_d2d16_async": lambda m: cuda.memset_d2d16_async(
        dest=m, pitch=32, data=1, width=4, height=4, stream=None
    ),
    "from_device": lambda m: cuda.from_device(devptr=m, shape=4, dtype=np.uint8, order="C"),
    "from_device_like": lambda m: cuda.from_device_like(devptr=m, other_ary=BYTES),
    "pagelocked_empty": lambda m: cuda.pagelocked_empty(
        shape=4, dtype=np.uint8, order="C", mem_flags=0
    ),
    "aligned_zeros": lambda m: cuda.aligned_zeros(
        shape=(2, 2), dtype=np.float32, order="F", alignment=64
    ),
    "managed_zeros": lambda m: cuda.managed_zeros(
        shape=3, dtype=np.int8, order="C", mem_flags=cuda.mem_attach_flags.GLOBAL
    ),
    "Stream": lambda m: cuda.Stream(flags=0),
    "Event": lambda m: cuda.Event(flags=cuda.event_flags.DISABLE_TIMING),
    "Event.record": lambda m: cuda.Event().record(stream=None).synchronize().query(),
    "Context.set_limit": lambda m: cuda.Context.set_limit(
        limit=cuda.limit.PRINTF_FIFO_SIZE, value=1 << 20
    ),
    "as_buffer": lambda m: m.as_buffer(size=16, offset=4),
    "Memcpy2D": lambda m: cuda.Memcpy2D()(aligned=False),
    "Memcpy2D of None": lambda m: cuda.Memcpy2D()(aligned=None),
}


@pytest.mark.parametrize("call", BY_KEYWORD)
def test_keywords_have_their_names(memory, call):
    BY_KEYWORD[call](memory)


NEGATIVE = {
    "mem_alloc": lambda m: cuda.mem_alloc(-1),
    "mem_alloc_pitch": lambda m: cuda.mem_alloc_pitch(-1, 1, 4),
    "memset size": lambda m: cuda.memset_d8(m, 0, -1),
    "memset data": lambda m: cuda.memset_d8(m, -1, 1),
    "memset_d2d8 pitch": lambda m: cuda.memset_d2d8(m, -16, 0, 1, 1),
    "memcpy_dtod": lambda m: cuda.memcpy_dtod(m, m, -1),
    "as_buffer size": lambda m: m.as_buffer(-1),
    "as_buffer offset": lambda m: m.as_buffer(1, -1),
    "bitlog2": lambda m: cuda.bitlog2(-1),
    "init": lambda m: cuda.init(-1),
    "set_limit": lambda m: cuda.Context.set_limit(cuda.limit.STACK_SIZE, -1),
    "Stream": lambda m: cuda.Stream(-1),
}


@pytest.mark.parametrize("call", NEGATIVE)
def test_negative_numbers_are_refused_by_name(memory, call):
    with pytest.raises(OverflowError, match="negative"):
        NEGATIVE[call](memory)


REFUSED = {
    "zero bytes": (cuda.LogicError, lambda m: cuda.mem_alloc(0)),
    "too many bytes": (cuda.MemoryError, lambda m: cuda.mem_alloc(1 << 60)),
    "a float for bytes": (TypeError, lambda m: cuda.mem_alloc(1.5)),
    "a list for a buffer": (TypeError, lambda m: cuda.memcpy_htod(m, [1, 2])),
    "text for a buffer": (TypeError, lambda m: cuda.memcpy_htod(m, "text")),
    "None for an address": (TypeError, lambda m: cuda.memcpy_htod(None, BYTES)),
    "a stream of another kind": (TypeError, lambda m: cuda.memcpy_htod_async(m, BYTES, 7)),
    "an order that is none": (cuda.LogicError, lambda m: cuda.pagelocked_empty(4, "f4", "A")),
    "an alignment that is none": (cuda.LogicError, lambda m: cuda.aligned_empty(4, "f4", "C", 3)),
    "no device": (cuda.LogicError, lambda m: cuda.Device(999)),
    "a bus id that is none": (cuda.Error, lambda m: cuda.Device("nowhere")),
    "a device by float": (TypeError, lambda m: cuda.Device(0.0)),
    "an unknown attribute": (AttributeError, lambda m: cuda.Device(0).no_such_attribute),
    "an int for a context": (TypeError, lambda m: cuda.memcpy_peer(m, m, 1, 3)),
    "a context of one's own": (RuntimeError, lambda m: cuda.Context()),
    "a module of one's own": (RuntimeError, lambda m: cuda.Module()),
    "an allocation of one's own": (RuntimeError, lambda m: cuda.DeviceAllocation()),
    "managed memory of one's own": (RuntimeError, lambda m: cuda.ManagedAllocation()),
    "page-locked memory of one's own": (RuntimeError, lambda m: cuda.PagelockedHostAllocation()),
    "aligned memory of one's own": (RuntimeError, lambda m: cuda.AlignedHostAllocation()),
    "a registration of one's own": (RuntimeError, lambda m: cuda.RegisteredHostMemory()),
    "text for code": (TypeError, lambda m: cuda.module_from_buffer("text")),
    "bytes that are no code": (cuda.Error, lambda m: cuda.module_from_buffer(b"nonsense" * 8)),
    "a file that is not there": (cuda.Error, lambda m: cuda.module_from_file("/no/such/file")),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refusals_have_their_class(memory, what):
    kind, call = REFUSED[what]
    with pytest.raises(kind):
        call(memory)


def test_a_second_free_is_an_error(memory):
    memory.free()
    with pytest.raises(cuda.LogicError, match="device_allocation::free"):
        memory.free()
    with pytest.raises(cuda.LogicError):
        cuda.memcpy_htod(memory, BYTES)


def test_a_launch_returns_while_its_kernel_runs(build):
    wait_for = build("__global__ void wait_for(volatile int *go) { while (*go == 0); }")
    go = cuda.pagelocked_zeros(1, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
    end = cuda.Event()
    wait_for.get_function("wait_for")(np.uintp(go.base.get_device_pointer()), block=(1, 1, 1))
    try:
        end.record()
        assert not end.query()  # the launch and the record have returned before it
    finally:
        go[0] = 1
    end.synchronize()
    assert end.query()


FLOATS = {
    "grid[0] must be an integer, not the float 4.0": lambda f, m: f(
        m, block=(1, 1, 1), grid=(8 / 2, 1)
    ),
    "grid[1] must be an integer, not the float 0.5": lambda f, m: f(
        m, block=(1, 1, 1), grid=(1, 0.5)
    ),
    "block[0] must be an integer, not the float 16.0": lambda f, m: f(m, block=(32 / 2, 1, 1)),
    "block[2] must be an integer, not the float 1.0": lambda f, m: f(
        m, block=(1, 1, np.float32(1))
    ),
    "shared must be an integer, not the float": lambda f, m: f(m, block=(1, 1, 1), shared=8 / 2),
    "grid[0] must be an integer, not the float 2.0": lambda f, m: f.prepare("P").prepared_call(
        (4 / 2, 1), (1, 1, 1), m
    ),
    "shared_size must be an integer": lambda f, m: f.prepare("P").prepared_call(
        (1, 1), (1, 1, 1), m, shared_size=2.0
    ),
    "grid[0] must be an integer, not the float 3.0": lambda f, m: f.prepare(
        "P"
    ).prepared_async_call((3.0, 1), (1, 1, 1), None, m),
    "grid width must be an integer": lambda f, m: f._launch_grid(4 / 2, 1),
    "bytes must be an integer, not the float 50.0": lambda f, m: cuda.mem_alloc(100 / 2),
    "size must be an integer": lambda f, m: cuda.memset_d8(m, 0, 8 / 2),
    "shape must be an integer or integers, not (4.0,)": lambda f, m: cuda.pagelocked_empty(
        8 / 2, np.float32
    ),
    "value must be an integer": lambda f, m: f.set_attribute(
        cuda.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024 / 2
    ),
}


@pytest.mark.parametrize("text", FLOATS)
def test_a_float_for_an_integer_is_told_how_to_divide(build, memory, text):
    f = build("__global__ void nothing(int *a) {}").get_function("nothing")
    with pytest.raises(TypeError, match=re.escape(text) + ".*write //"):
        FLOATS[text](f, memory)


def test_a_type_that_is_no_number_is_named(memory):
    with pytest.raises(TypeError, match="bytes must be an integer, not str"):
        cuda.mem_alloc("100")
    with pytest.raises(TypeError, match="bytes must be an integer, not complex"):
        cuda.mem_alloc(1j)


def test_names_of_older_drivers_can_be_asked_for():
    assert cuda.compute_mode.EXCLUSIVE == 1
    assert cuda.compute_mode(0) is cuda.compute_mode.DEFAULT
    assert cuda.get_curand_version() == (10, 40, 0)  # whose numbers curand_kernel.h draws
    assert cuda.jit_option.MAX_REGISTERS == 0


def test_names_in_python_are_names_of_the_native_half():
    for name in (
        "aligned_empty", "managed_empty", "pagelocked_empty", "register_host_memory",
        "PageLockedMemoryPool", "gl_init", "make_gl_context", "BufferObject", "BufferObjectMapping",
    ):  # fmt: skip
        assert getattr(_driver, name) is getattr(cuda, name)
    for name in (
        "_get_direction_vectors", "_get_scramble_constants32", "_get_scramble_constants64",
    ):  # fmt: skip
        with pytest.raises(AttributeError, match="tables of Sobol's generators are cuRAND's"):
            getattr(_driver, name)
    with pytest.raises(AttributeError, match=r"pycuda\._driver.* no attribute 'no_such_name'"):
        _driver.no_such_name  # noqa: B018
