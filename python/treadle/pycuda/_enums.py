# SPDX-License-Identifier: MIT
"""Enumerations and flag classes of `pycuda.driver`: names and numbers as in cuda.h."""

from __future__ import annotations

from typing import Any

_MODULE = "pycuda._driver"


class DriverEnum(int):
    """An int that knows its name. Numbers without a name are allowed: drivers outgrow tables."""

    names: dict[str, DriverEnum]
    values: dict[int, DriverEnum]
    name: str | None

    def __new__(cls, value: int) -> DriverEnum:
        number = int(value)
        known = getattr(cls, "values", {}).get(number)
        if known is not None:
            return known
        member = super().__new__(cls, number)
        member.name = None
        return member

    def __str__(self) -> str:
        return self.name if self.name is not None else str(int(self))

    def __repr__(self) -> str:
        kind = type(self)
        shown = f".{self.name}" if self.name is not None else f"({int(self)})"
        return f"{_MODULE}.{kind.__name__}{shown}"

    def __hash__(self) -> int:
        return int.__hash__(self)

    def __eq__(self, other: object) -> bool:
        return int.__eq__(self, other) if isinstance(other, int) else NotImplemented

    def __reduce__(self):
        return type(self), (int(self),)


# Returns Any, because a type checker cannot see the members of a class made here.
def _enumeration(name: str, doc: str, **members: int) -> Any:
    kind: Any = type(name, (DriverEnum,), {"__doc__": doc, "__module__": _MODULE})
    kind.names, kind.values = {}, {}
    for member_name, value in members.items():
        member: Any = int.__new__(kind, value)
        member.name = member_name
        kind.names[member_name] = member
        kind.values[value] = member  # the last name of a number is canonical
        setattr(kind, member_name, member)
    return kind


def _flags(name: str, doc: str, **members: int) -> Any:
    def refuse(cls, *args, **kwargs):
        raise RuntimeError("This class cannot be instantiated from Python")

    return type(name, (), {"__doc__": doc, "__module__": _MODULE, "__new__": refuse, **members})


ipc_mem_flags = _enumeration(
    "ipc_mem_flags", "How memory of another process is opened.", LAZY_ENABLE_PEER_ACCESS=1
)
ctx_flags = _enumeration(
    "ctx_flags",
    "How a context waits, and what its memory allows.",
    SCHED_AUTO=0,
    SCHED_SPIN=1,
    SCHED_YIELD=2,
    BLOCKING_SYNC=4,
    SCHED_BLOCKING_SYNC=4,
    SCHED_MASK=7,
    MAP_HOST=8,
    LMEM_RESIZE_TO_MAX=16,
    FLAGS_MASK=255,
)
event_flags = _enumeration(
    "event_flags",
    "How an event is made.",
    DEFAULT=0,
    BLOCKING_SYNC=1,
    DISABLE_TIMING=2,
    INTERPROCESS=4,
)
array_format = _enumeration(
    "array_format",
    "Element type of an array.",
    UNSIGNED_INT8=1,
    UNSIGNED_INT16=2,
    UNSIGNED_INT32=3,
    SIGNED_INT8=8,
    SIGNED_INT16=9,
    SIGNED_INT32=10,
    HALF=16,
    FLOAT=32,
)
address_mode = _enumeration(
    "address_mode",
    "What a texture read outside the array gives.",
    WRAP=0,
    CLAMP=1,
    MIRROR=2,
    BORDER=3,
)
filter_mode = _enumeration("filter_mode", "How a texture interpolates.", POINT=0, LINEAR=1)
pointer_attribute = _enumeration(
    "pointer_attribute",
    "What can be asked about a pointer.",
    CONTEXT=1,
    MEMORY_TYPE=2,
    DEVICE_POINTER=3,
    HOST_POINTER=4,
)
profiler_output_mode = _enumeration(
    "profiler_output_mode", "Format of the profiler's file.", KEY_VALUE_PAIR=0, CSV=1
)
func_cache = _enumeration(
    "func_cache",
    "How on-chip memory is split between shared and L1.",
    PREFER_NONE=0,
    PREFER_SHARED=1,
    PREFER_L1=2,
    PREFER_EQUAL=3,
)
shared_config = _enumeration(
    "shared_config",
    "Width of a shared-memory bank.",
    DEFAULT_BANK_SIZE=0,
    FOUR_BYTE_BANK_SIZE=1,
    EIGHT_BYTE_BANK_SIZE=2,
)
function_attribute = _enumeration(
    "function_attribute",
    "What can be asked about a kernel.",
    MAX_THREADS_PER_BLOCK=0,
    SHARED_SIZE_BYTES=1,
    CONST_SIZE_BYTES=2,
    LOCAL_SIZE_BYTES=3,
    NUM_REGS=4,
    PTX_VERSION=5,
    BINARY_VERSION=6,
    CACHE_MODE_CA=7,
    MAX_DYNAMIC_SHARED_SIZE_BYTES=8,
    PREFERRED_SHARED_MEMORY_CARVEOUT=9,
    MAX=16,
)
memory_type = _enumeration(
    "memory_type", "Where memory lives.", HOST=1, DEVICE=2, ARRAY=3, UNIFIED=4
)
compute_mode = _enumeration(
    "compute_mode",
    "Who may use a device; EXCLUSIVE was a mode before CUDA 8, and no driver answers with it now.",
    DEFAULT=0,
    EXCLUSIVE=1,
    PROHIBITED=2,
    EXCLUSIVE_PROCESS=3,
)
jit_option = _enumeration(
    "jit_option",
    "Options of the driver's own compiler of PTX.",
    MAX_REGISTERS=0,
    THREADS_PER_BLOCK=1,
    WALL_TIME=2,
    INFO_LOG_BUFFER=3,
    INFO_LOG_BUFFER_SIZE_BYTES=4,
    ERROR_LOG_BUFFER=5,
    ERROR_LOG_BUFFER_SIZE_BYTES=6,
    OPTIMIZATION_LEVEL=7,
    TARGET_FROM_CUCONTEXT=8,
    TARGET=9,
    FALLBACK_STRATEGY=10,
)
jit_target = _enumeration(
    "jit_target",
    "Architectures the driver's own compiler knows.",
    **{
        f"COMPUTE_{n}": n
        for n in (
            30,
            32,
            35,
            37,
            50,
            52,
            53,
            60,
            61,
            62,
            70,
            72,
            75,
            80,
            86,
            87,
            89,
            90,
            100,
            103,
            110,
            120,
            121,
        )
    },
    COMPUTE_90A=65626,
)
jit_fallback = _enumeration(
    "jit_fallback", "What is tried first when no exact match exists.", PREFER_PTX=0, PREFER_BINARY=1
)
jit_input_type = _enumeration(
    "jit_input_type", "What a linker is given.", CUBIN=0, PTX=1, FATBINARY=2, OBJECT=3, LIBRARY=4
)
limit = _enumeration(
    "limit",
    "Limits of a context.",
    STACK_SIZE=0,
    PRINTF_FIFO_SIZE=1,
    MALLOC_HEAP_SIZE=2,
    DEV_RUNTIME_SYNC_DEPTH=3,
    DEV_RUNTIME_PENDING_LAUNCH_COUNT=4,
)
mem_attach_flags = _enumeration(
    "mem_attach_flags", "Who may touch managed memory.", GLOBAL=1, HOST=2, SINGLE=4
)
graphics_register_flags = _enumeration(
    "graphics_register_flags",
    "How a graphics resource is used.",
    NONE=0,
    READ_ONLY=1,
    WRITE_DISCARD=2,
    SURFACE_LDST=4,
    TEXTURE_GATHER=8,
)
graphics_map_flags = _enumeration(
    "graphics_map_flags",
    "How a mapped buffer of OpenGL is used.",
    NONE=0,
    READ_ONLY=1,
    WRITE_DISCARD=2,
)
array_cubemap_face = _enumeration(
    "array_cubemap_face",
    "The faces of a cube.",
    POSITIVE_X=0,
    NEGATIVE_X=1,
    POSITIVE_Y=2,
    NEGATIVE_Y=3,
    POSITIVE_Z=4,
    NEGATIVE_Z=5,
)
direction_vector_set = _enumeration(
    "direction_vector_set",
    "Sets of direction vectors of the Sobol generators.",
    VECTOR_32=101,
    SCRAMBLED_VECTOR_32=102,
    VECTOR_64=103,
    SCRAMBLED_VECTOR_64=104,
)

host_alloc_flags = _flags(
    "host_alloc_flags",
    "How page-locked memory is allocated.",
    PORTABLE=1,
    DEVICEMAP=2,
    WRITECOMBINED=4,
)
mem_host_register_flags = _flags(
    "mem_host_register_flags", "How host memory is page-locked.", PORTABLE=1, DEVICEMAP=2
)
array3d_flags = _flags(
    "array3d_flags",
    "What a 3-D array is used for.",
    ARRAY3D_2DARRAY=1,
    **{"2DARRAY": 1},
    ARRAY3D_LAYERED=1,
    LAYERED=1,
    SURFACE_LDST=2,
    CUBEMAP=4,
    TEXTURE_GATHER=8,
)

TRSA_OVERRIDE_FORMAT = 1
TRSF_READ_AS_INTEGER = 1
TRSF_NORMALIZED_COORDINATES = 2
TR_DEFAULT = -1

# If two names share a number, a query answers with the name that is listed last.
device_attribute = _enumeration(
    "device_attribute",
    "What can be asked about a device.",
    MAX_THREADS_PER_BLOCK=1,
    MAX_BLOCK_DIM_X=2,
    MAX_BLOCK_DIM_Y=3,
    MAX_BLOCK_DIM_Z=4,
    MAX_GRID_DIM_X=5,
    MAX_GRID_DIM_Y=6,
    MAX_GRID_DIM_Z=7,
    MAX_SHARED_MEMORY_PER_BLOCK=8,
    SHARED_MEMORY_PER_BLOCK=8,
    TOTAL_CONSTANT_MEMORY=9,
    WARP_SIZE=10,
    MAX_PITCH=11,
    MAX_REGISTERS_PER_BLOCK=12,
    REGISTERS_PER_BLOCK=12,
    CLOCK_RATE=13,
    TEXTURE_ALIGNMENT=14,
    GPU_OVERLAP=15,
    MULTIPROCESSOR_COUNT=16,
    KERNEL_EXEC_TIMEOUT=17,
    INTEGRATED=18,
    CAN_MAP_HOST_MEMORY=19,
    COMPUTE_MODE=20,
    MAXIMUM_TEXTURE1D_WIDTH=21,
    MAXIMUM_TEXTURE2D_WIDTH=22,
    MAXIMUM_TEXTURE2D_HEIGHT=23,
    MAXIMUM_TEXTURE3D_WIDTH=24,
    MAXIMUM_TEXTURE3D_HEIGHT=25,
    MAXIMUM_TEXTURE3D_DEPTH=26,
    MAXIMUM_TEXTURE2D_ARRAY_WIDTH=27,
    MAXIMUM_TEXTURE2D_ARRAY_HEIGHT=28,
    MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES=29,
    MAXIMUM_TEXTURE2D_LAYERED_WIDTH=27,
    MAXIMUM_TEXTURE2D_LAYERED_HEIGHT=28,
    MAXIMUM_TEXTURE2D_LAYERED_LAYERS=29,
    SURFACE_ALIGNMENT=30,
    CONCURRENT_KERNELS=31,
    ECC_ENABLED=32,
    PCI_BUS_ID=33,
    PCI_DEVICE_ID=34,
    TCC_DRIVER=35,
    MEMORY_CLOCK_RATE=36,
    GLOBAL_MEMORY_BUS_WIDTH=37,
    L2_CACHE_SIZE=38,
    MAX_THREADS_PER_MULTIPROCESSOR=39,
    ASYNC_ENGINE_COUNT=40,
    UNIFIED_ADDRESSING=41,
    MAXIMUM_TEXTURE1D_LAYERED_WIDTH=42,
    MAXIMUM_TEXTURE1D_LAYERED_LAYERS=43,
    MAXIMUM_TEXTURE2D_GATHER_WIDTH=45,
    MAXIMUM_TEXTURE2D_GATHER_HEIGHT=46,
    MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE=47,
    MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE=48,
    MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE=49,
    PCI_DOMAIN_ID=50,
    TEXTURE_PITCH_ALIGNMENT=51,
    MAXIMUM_TEXTURECUBEMAP_WIDTH=52,
    MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH=53,
    MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS=54,
    MAXIMUM_SURFACE1D_WIDTH=55,
    MAXIMUM_SURFACE2D_WIDTH=56,
    MAXIMUM_SURFACE2D_HEIGHT=57,
    MAXIMUM_SURFACE3D_WIDTH=58,
    MAXIMUM_SURFACE3D_HEIGHT=59,
    MAXIMUM_SURFACE3D_DEPTH=60,
    MAXIMUM_SURFACE1D_LAYERED_WIDTH=61,
    MAXIMUM_SURFACE1D_LAYERED_LAYERS=62,
    MAXIMUM_SURFACE2D_LAYERED_WIDTH=63,
    MAXIMUM_SURFACE2D_LAYERED_HEIGHT=64,
    MAXIMUM_SURFACE2D_LAYERED_LAYERS=65,
    MAXIMUM_SURFACECUBEMAP_WIDTH=66,
    MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH=67,
    MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS=68,
    MAXIMUM_TEXTURE1D_LINEAR_WIDTH=69,
    MAXIMUM_TEXTURE2D_LINEAR_WIDTH=70,
    MAXIMUM_TEXTURE2D_LINEAR_HEIGHT=71,
    MAXIMUM_TEXTURE2D_LINEAR_PITCH=72,
    MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH=73,
    MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT=74,
    COMPUTE_CAPABILITY_MAJOR=75,
    COMPUTE_CAPABILITY_MINOR=76,
    MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH=77,
    STREAM_PRIORITIES_SUPPORTED=78,
    GLOBAL_L1_CACHE_SUPPORTED=79,
    LOCAL_L1_CACHE_SUPPORTED=80,
    MAX_SHARED_MEMORY_PER_MULTIPROCESSOR=81,
    MAX_REGISTERS_PER_MULTIPROCESSOR=82,
    MANAGED_MEMORY=83,
    MULTI_GPU_BOARD=84,
    MULTI_GPU_BOARD_GROUP_ID=85,
    HOST_NATIVE_ATOMIC_SUPPORTED=86,
    SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO=87,
    PAGEABLE_MEMORY_ACCESS=88,
    CONCURRENT_MANAGED_ACCESS=89,
    COMPUTE_PREEMPTION_SUPPORTED=90,
    CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM=91,
    MAX_SHARED_MEMORY_PER_BLOCK_OPTIN=97,
    PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES=100,
    DIRECT_MANAGED_MEM_ACCESS_FROM_HOST=101,
    HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED=103,
    HANDLE_TYPE_WIN32_HANDLE_SUPPORTED=104,
    HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED=105,
    MAX_BLOCKS_PER_MULTIPROCESSOR=106,
    GENERIC_COMPRESSION_SUPPORTED=107,
    MAX_PERSISTING_L2_CACHE_SIZE=108,
    RESERVED_SHARED_MEMORY_PER_BLOCK=111,
    READ_ONLY_HOST_REGISTER_SUPPORTED=113,
    MEMORY_POOLS_SUPPORTED=115,
)

__all__ = [
    name
    for name in globals()
    if not name.startswith("_") and name not in ("annotations", "DriverEnum")
]
