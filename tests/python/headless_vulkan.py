# SPDX-License-Identifier: MIT
"""A device of Vulkan without a window, whose memory and semaphores other interfaces import, and the
calls of it that tests need."""

import ctypes
from ctypes import byref, c_char_p, c_int, c_uint8, c_uint32, c_uint64, c_void_p

import numpy as np

_ANY = c_void_p  # a pointer to a structure, or a handle of a device or queue
_OPAQUE_FD, _EXCLUSIVE = 1, 0
_TRANSFER = 1 | 2  # usage of buffers and images: source and destination
_DEVICE_LOCAL, _HOST_COHERENT = 1, 2 | 4
_ALL_COMMANDS, _READ_AND_WRITE = 1 << 16, 1 << 15 | 1 << 16
_GENERAL, _COLOUR, _R32_SFLOAT = 1, 1, 100
_IGNORED = 0xFFFFFFFF
EXTENSIONS = (b"VK_KHR_external_memory_fd", b"VK_KHR_external_semaphore_fd")


class NoVulkan(Exception):
    """Why there is no device."""


def _structure(name: str, kind: "int | None", /, **fields) -> type:
    """A class of structures that begin with their type and a pointer to the next one."""

    def make(self, next_one=None, /, **values):
        ctypes.Structure.__init__(self, **values)
        if kind is not None:
            self.kind = kind
            self.next = None if next_one is None else ctypes.addressof(next_one)
        self.kept = next_one

    head = [] if kind is None else [("kind", c_uint32), ("next", c_void_p)]
    return type(name, (ctypes.Structure,), {"_fields_": [*head, *fields.items()], "__init__": make})


_Application = _structure(
    "Application", 0,
    name=c_char_p, version=c_uint32, engine=c_char_p, engine_version=c_uint32, api=c_uint32,
)  # fmt: skip
_Instance = _structure(
    "Instance", 1,
    flags=c_uint32, application=c_void_p, layer_count=c_uint32, layers=c_void_p,
    extension_count=c_uint32, extensions=c_void_p,
)  # fmt: skip
_QueueRequest = _structure(
    "QueueRequest", 2, flags=c_uint32, family=c_uint32, count=c_uint32, priorities=c_void_p
)
_DeviceRequest = _structure(
    "DeviceRequest", 3,
    flags=c_uint32, queue_count=c_uint32, queues=c_void_p, layer_count=c_uint32, layers=c_void_p,
    extension_count=c_uint32, extensions=c_void_p, features=c_void_p,
)  # fmt: skip
_Submission = _structure(
    "Submission", 4,
    wait_count=c_uint32, waits=c_void_p, wait_stages=c_void_p, command_count=c_uint32,
    commands=c_void_p, signal_count=c_uint32, signals=c_void_p,
)  # fmt: skip
_Allocation = _structure("Allocation", 5, size=c_uint64, type_index=c_uint32)
_SemaphoreRequest = _structure("SemaphoreRequest", 9, flags=c_uint32)
_BufferRequest = _structure(
    "BufferRequest", 12,
    flags=c_uint32, size=c_uint64, usage=c_uint32, sharing=c_uint32, family_count=c_uint32,
    families=c_void_p,
)  # fmt: skip
_ImageRequest = _structure(
    "ImageRequest", 14,
    flags=c_uint32, dimension=c_uint32, format=c_uint32, extent=c_uint32 * 3, levels=c_uint32,
    layers=c_uint32, samples=c_uint32, tiling=c_uint32, usage=c_uint32, sharing=c_uint32,
    family_count=c_uint32, families=c_void_p, layout=c_uint32,
)  # fmt: skip
_PoolRequest = _structure("PoolRequest", 39, flags=c_uint32, family=c_uint32)
_CommandsRequest = _structure("CommandsRequest", 40, pool=c_uint64, level=c_uint32, count=c_uint32)
_Begin = _structure("Begin", 42, flags=c_uint32, inherited=c_void_p)
_ImageBarrier = _structure(
    "ImageBarrier", 45,
    before=c_uint32, after=c_uint32, old_layout=c_uint32, new_layout=c_uint32,
    source_family=c_uint32, destination_family=c_uint32, image=c_uint64, range=c_uint32 * 5,
)  # fmt: skip
_MemoryBarrier = _structure("MemoryBarrier", 46, before=c_uint32, after=c_uint32)
_Properties = _structure("Properties", 1000059001, core=c_uint64 * 256)
_Identity = _structure(
    "Identity", 1000071004,
    device=c_uint8 * 16, driver=c_uint8 * 16, luid=c_uint8 * 8, nodes=c_uint32, valid=c_uint32,
)  # fmt: skip
_ExternalBuffer = _structure("ExternalBuffer", 1000072000, types=c_uint32)
_ExternalImage = _structure("ExternalImage", 1000072001, types=c_uint32)
_ExportedMemory = _structure("ExportedMemory", 1000072002, types=c_uint32)
_MemoryFile = _structure("MemoryFile", 1000074002, memory=c_uint64, type=c_uint32)
_ExportedSemaphore = _structure("ExportedSemaphore", 1000077000, types=c_uint32)
_SemaphoreFile = _structure("SemaphoreFile", 1000079001, semaphore=c_uint64, type=c_uint32)
_Dedicated = _structure("Dedicated", 1000127001, image=c_uint64, buffer=c_uint64)
_TimelineFeature = _structure("TimelineFeature", 1000207000, enabled=c_uint32)
_SemaphoreType = _structure("SemaphoreType", 1000207002, type=c_uint32, first=c_uint64)
_TimelineValues = _structure(
    "TimelineValues", 1000207003,
    wait_count=c_uint32, waits=c_void_p, signal_count=c_uint32, signals=c_void_p,
)  # fmt: skip
_Requirements = _structure(
    "Requirements", None, size=c_uint64, alignment=c_uint64, type_bits=c_uint32
)
_MemoryTypes = _structure(
    "MemoryTypes", None,
    count=c_uint32, types=c_uint32 * 2 * 32, heap_count=c_uint32, heaps=c_uint64 * 2 * 16,
)  # fmt: skip
_BufferRegion = _structure("BufferRegion", None, source=c_uint64, to=c_uint64, size=c_uint64)
_ImageRegion = _structure(
    "ImageRegion", None,
    offset=c_uint64, row_length=c_uint32, image_height=c_uint32, layers=c_uint32 * 4,
    place=c_int * 3, extent=c_uint32 * 3,
)  # fmt: skip


class Buffer:
    """`size_bytes` of memory of the device, or of the host, with what was allocated for it."""

    def __init__(self, handle, memory, size_bytes, allocated_bytes):
        self.handle, self.memory = handle, memory
        self.size_bytes, self.allocated_bytes = size_bytes, allocated_bytes


class Image(Buffer):
    """Of floats, with memory of its own; `shape` is (height, width)."""

    shape = (0, 0)


class HeadlessVulkan:
    """The device of this UUID, as CUDA tells it; None: the first one. Ends by close(), when no
    other interface has its memory any more."""

    def __init__(self, uuid: "bytes | None", extensions=EXTENSIONS) -> None:
        try:
            self._library = ctypes.CDLL("libvulkan.so.1")
        except OSError as error:
            raise NoVulkan(str(error)) from None
        self._ends = []
        try:
            self._open(uuid, extensions)
        except NoVulkan:
            self.close()
            raise

    def close(self) -> None:
        while self._ends:
            self._ends.pop()()

    # ---- the device

    def _call(self, name: str, types, *arguments, address=None):
        """Calls one that answers with a result."""
        function = ctypes.CFUNCTYPE(c_int, *types)(address or (name, self._library))
        result = function(*arguments)
        if result != 0:
            raise NoVulkan(f"{name} answers {result}")

    def _tell(self, name: str, types, *arguments):
        """Calls one that answers with nothing."""
        ctypes.CFUNCTYPE(None, *types)((name, self._library))(*arguments)

    def _open(self, uuid, extensions) -> None:
        application = _Application(api=1 << 22 | 2 << 12)  # 1.2: semaphores with numbers
        request, self._instance = _Instance(application=ctypes.addressof(application)), c_void_p()
        self._call("vkCreateInstance", [_ANY] * 3, byref(request), None, byref(self._instance))
        self._ends.append(lambda: self._tell("vkDestroyInstance", [_ANY] * 2, self._instance, None))
        self._physical = self._find(uuid)
        self._family, self._device, self._queue = self._find_family(), c_void_p(), c_void_p()
        priority, names = ctypes.c_float(1), (c_char_p * len(extensions))(*extensions)
        queue = _QueueRequest(family=self._family, count=1, priorities=ctypes.addressof(priority))
        device = _DeviceRequest(
            _TimelineFeature(enabled=1), queue_count=1, queues=ctypes.addressof(queue),
            extension_count=len(extensions), extensions=ctypes.addressof(names),
        )  # fmt: skip
        self._call(
            "vkCreateDevice", [_ANY] * 4, self._physical, byref(device), None, byref(self._device)
        )
        self._ends.append(lambda: self._tell("vkDestroyDevice", [_ANY] * 2, self._device, None))
        types = [_ANY, c_uint32, c_uint32, _ANY]
        self._tell("vkGetDeviceQueue", types, self._device, self._family, 0, byref(self._queue))
        self._pool = self._make("CommandPool", _PoolRequest(family=self._family))

    def _find(self, uuid) -> c_void_p:
        count, found = c_uint32(16), (c_void_p * 16)()
        self._call("vkEnumeratePhysicalDevices", [_ANY] * 3, self._instance, byref(count), found)
        for address in found[: count.value]:
            identity = _Identity()
            properties = _Properties(identity)
            self._tell("vkGetPhysicalDeviceProperties2", [_ANY] * 2, address, byref(properties))
            if uuid is None or bytes(identity.device) == uuid:
                return c_void_p(address)
        raise NoVulkan("no device of Vulkan is the one that CUDA uses")

    def _find_family(self) -> int:
        count, found = c_uint32(16), (c_uint32 * 6 * 16)()
        name = "vkGetPhysicalDeviceQueueFamilyProperties"
        self._tell(name, [_ANY] * 3, self._physical, byref(count), found)
        for family in range(count.value):
            if found[family][0] & 3:  # draws or computes, so that it copies
                return family
        raise NoVulkan("no queue of the device copies")

    def _make(self, kind: str, request) -> int:
        made, types = c_uint64(), [_ANY, _ANY, _ANY, _ANY]
        self._call(f"vkCreate{kind}", types, self._device, byref(request), None, byref(made))
        self._end(f"vkDestroy{kind}", made.value)
        return made.value

    def _end(self, name: str, handle: int) -> None:
        types = [_ANY, c_uint64, _ANY]
        self._ends.append(lambda: self._tell(name, types, self._device, handle, None))

    def _extension(self, name: str) -> int:
        function = self._library.vkGetDeviceProcAddr
        function.argtypes, function.restype = [_ANY, c_char_p], c_void_p
        address = function(self._device, name.encode())
        if not address:
            raise NoVulkan(f"the device has no {name}")
        return address

    # ---- memory

    def _allocate(self, kind: str, handle: int, properties: int, exported, dedicated):
        """(memory, its bytes), bound to the buffer or image."""
        needs, known = _Requirements(), _MemoryTypes()
        types = [_ANY, c_uint64, _ANY]
        self._tell(f"vkGet{kind}MemoryRequirements", types, self._device, handle, byref(needs))
        name = "vkGetPhysicalDeviceMemoryProperties"
        self._tell(name, [_ANY] * 2, self._physical, byref(known))
        fitting = [
            index
            for index in range(known.count)
            if needs.type_bits >> index & 1 and known.types[index][0] & properties == properties
        ]
        next_one = dedicated
        if exported:
            next_one = _ExportedMemory(dedicated, types=_OPAQUE_FD)
        request = _Allocation(next_one, size=needs.size, type_index=fitting[0])
        memory = c_uint64()
        self._call(
            "vkAllocateMemory", [_ANY] * 4, self._device, byref(request), None, byref(memory)
        )
        self._end("vkFreeMemory", memory.value)
        types = [_ANY, c_uint64, c_uint64, c_uint64]
        self._call(f"vkBind{kind}Memory", types, self._device, handle, memory.value, 0)
        return memory.value, needs.size

    def buffer(self, size_bytes: int, is_of_host: bool = False, is_exported: bool = True) -> Buffer:
        """Memory of the device, for export_memory(); or of the host, for words()."""
        is_exported = is_exported and not is_of_host
        request = _BufferRequest(
            _ExternalBuffer(types=_OPAQUE_FD) if is_exported else None,
            size=size_bytes, usage=_TRANSFER, sharing=_EXCLUSIVE,
        )  # fmt: skip
        handle = self._make("Buffer", request)
        properties = _HOST_COHERENT if is_of_host else _DEVICE_LOCAL
        memory, allocated = self._allocate("Buffer", handle, properties, is_exported, None)
        return Buffer(handle, memory, size_bytes, allocated)

    def image(self, height: int, width: int, is_exported: bool = True) -> Image:
        """A plane of floats, as the device lays it out, in memory for it alone."""
        request = _ImageRequest(
            _ExternalImage(types=_OPAQUE_FD) if is_exported else None,
            dimension=1, format=_R32_SFLOAT, extent=(width, height, 1), levels=1, layers=1,
            samples=1, tiling=0, usage=_TRANSFER, sharing=_EXCLUSIVE, layout=0,
        )  # fmt: skip
        handle = self._make("Image", request)
        memory, allocated = self._allocate(
            "Image", handle, _DEVICE_LOCAL, is_exported, _Dedicated(image=handle)
        )
        made = Image(handle, memory, 4 * width * height, allocated)
        made.shape = (height, width)
        return made

    def export_memory(self, buffer: Buffer) -> int:
        """A file descriptor of the memory, which the caller owns."""
        request, descriptor = _MemoryFile(memory=buffer.memory, type=_OPAQUE_FD), c_int(-1)
        name = "vkGetMemoryFdKHR"
        self._call(
            name, [_ANY] * 3, self._device, byref(request), byref(descriptor),
            address=self._extension(name),
        )  # fmt: skip
        return descriptor.value

    def words(self, buffer: Buffer) -> np.ndarray:
        """The memory of the host behind a buffer, as 32-bit numbers, until close()."""
        address, types = c_void_p(), [_ANY, c_uint64, c_uint64, c_uint64, c_uint32, _ANY]
        self._call(
            "vkMapMemory", types, self._device, buffer.memory, 0, buffer.size_bytes, 0,
            byref(address),
        )  # fmt: skip
        raw = (c_uint32 * (buffer.size_bytes // 4)).from_address(address.value)
        return np.frombuffer(raw, np.uint32)

    # ---- semaphores

    def semaphore(self, is_timeline: bool, is_exported: bool = True) -> int:
        """One that is a number, 0 at first, or one that is signalled or not."""
        next_one = _SemaphoreType(type=1, first=0) if is_timeline else None
        if is_exported:
            next_one = _ExportedSemaphore(next_one, types=_OPAQUE_FD)
        return self._make("Semaphore", _SemaphoreRequest(next_one))

    def export_semaphore(self, semaphore: int) -> int:
        """A file descriptor of it, which the caller owns."""
        request, descriptor = _SemaphoreFile(semaphore=semaphore, type=_OPAQUE_FD), c_int(-1)
        name = "vkGetSemaphoreFdKHR"
        self._call(
            name, [_ANY] * 3, self._device, byref(request), byref(descriptor),
            address=self._extension(name),
        )  # fmt: skip
        return descriptor.value

    # ---- commands: functions of a command buffer

    def fill(self, buffer: Buffer, word: int):
        types = [_ANY, c_uint64, c_uint64, c_uint64, c_uint32]
        return lambda commands: self._tell(
            "vkCmdFillBuffer", types, commands, buffer.handle, 0, buffer.size_bytes, word
        )

    def copy(self, destination: Buffer, source: Buffer):
        types = [_ANY, c_uint64, c_uint64, c_uint32, _ANY]
        region = _BufferRegion(size=min(destination.size_bytes, source.size_bytes))
        return lambda commands: self._tell(
            "vkCmdCopyBuffer", types, commands, source.handle, destination.handle, 1, byref(region)
        )

    def lay_out(self, image: Image):
        """Before its first use."""
        types = [_ANY] + [c_uint32] * 4 + [_ANY, c_uint32, _ANY, c_uint32, _ANY]
        barrier = _ImageBarrier(
            after=_READ_AND_WRITE, new_layout=_GENERAL, source_family=_IGNORED,
            destination_family=_IGNORED, image=image.handle, range=(_COLOUR, 0, 1, 0, 1),
        )  # fmt: skip
        return lambda commands: self._tell(
            "vkCmdPipelineBarrier", types, commands, _ALL_COMMANDS, _ALL_COMMANDS, 0,
            0, None, 0, None, 1, byref(barrier),
        )  # fmt: skip

    def _image_region(self, image: Image):
        height, width = image.shape
        return _ImageRegion(layers=(_COLOUR, 0, 0, 1), extent=(width, height, 1))

    def write_image(self, image: Image, source: Buffer):
        types, region = (
            [_ANY, c_uint64, c_uint64, c_uint32, c_uint32, _ANY],
            self._image_region(image),
        )
        return lambda commands: self._tell(
            "vkCmdCopyBufferToImage", types, commands, source.handle, image.handle, _GENERAL, 1,
            byref(region),
        )  # fmt: skip

    def read_image(self, destination: Buffer, image: Image):
        types, region = (
            [_ANY, c_uint64, c_uint32, c_uint64, c_uint32, _ANY],
            self._image_region(image),
        )
        return lambda commands: self._tell(
            "vkCmdCopyImageToBuffer", types, commands, image.handle, _GENERAL, destination.handle,
            1, byref(region),
        )  # fmt: skip

    def _barrier(self, commands) -> None:
        types = [_ANY] + [c_uint32] * 4 + [_ANY, c_uint32, _ANY, c_uint32, _ANY]
        barrier = _MemoryBarrier(before=_READ_AND_WRITE, after=_READ_AND_WRITE)
        self._tell(
            "vkCmdPipelineBarrier", types, commands, _ALL_COMMANDS, _ALL_COMMANDS, 0,
            1, byref(barrier), 0, None, 0, None,
        )  # fmt: skip

    def submit(self, *steps, wait=None, signal=None) -> None:
        """Queues the commands, in their order: after `wait`, before `signal`, each of which is
        (semaphore, number). Nobody waits: finish() does."""
        commands, request = c_void_p(), _CommandsRequest(pool=self._pool, level=0, count=1)
        self._call(
            "vkAllocateCommandBuffers", [_ANY] * 3, self._device, byref(request), byref(commands)
        )
        self._call("vkBeginCommandBuffer", [_ANY] * 2, commands, byref(_Begin(flags=1)))
        for step in steps:
            self._barrier(commands)
            step(commands)
        self._barrier(commands)
        self._call("vkEndCommandBuffer", [_ANY], commands)
        waits, signals = ([given] if given else [] for given in (wait, signal))
        numbers = [(c_uint64 * 1)(*(value for _, value in each)) for each in (waits, signals)]
        handles = [(c_uint64 * 1)(*(handle for handle, _ in each)) for each in (waits, signals)]
        stage, every = c_uint32(_ALL_COMMANDS), (c_void_p * 1)(commands.value)
        values = _TimelineValues(
            wait_count=len(waits), waits=ctypes.addressof(numbers[0]),
            signal_count=len(signals), signals=ctypes.addressof(numbers[1]),
        )  # fmt: skip
        submission = _Submission(
            values, wait_count=len(waits), waits=ctypes.addressof(handles[0]),
            wait_stages=ctypes.addressof(stage), command_count=1,
            commands=ctypes.addressof(every), signal_count=len(signals),
            signals=ctypes.addressof(handles[1]),
        )  # fmt: skip
        types = [_ANY, c_uint32, _ANY, c_uint64]
        self._call("vkQueueSubmit", types, self._queue, 1, byref(submission), 0)

    def finish(self) -> None:
        """Waits for all that was queued."""
        self._call("vkQueueWaitIdle", [_ANY], self._queue)
