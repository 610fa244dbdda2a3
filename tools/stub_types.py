# SPDX-License-Identifier: MIT
"""Types of the classes written against CPython's own interface, which carry no annotations.

stub file -> class -> attribute -> its type; what begins with "(" is a method's signature. An
attribute that is not here, or is no longer in the class, stops tools/generate_stubs.py.
"""

_SIZES = "int | Sequence[int]"
_EXTENT = f"{_SIZES} | treadle._core.device.Extent"
_ATTRIBUTES = (
    "max_threads_per_block",
    "shared_size_bytes",
    "const_size_bytes",
    "local_size_bytes",
    "num_regs",
    "ptx_version",
    "binary_version",
    "cache_mode_ca",
    "max_dynamic_shared_size_bytes",
    "preferred_shared_memory_carveout",
)
_FUNCTION = {"name": "str"} | dict.fromkeys(_ATTRIBUTES, "int")
_SHAPE = "grid: Sequence[int], block: Sequence[int]"
# The launch piece by piece, with and without the underscore that the calls got in 2011.
_PIECES = {
    "set_block_shape": "(self, x: int, y: int, z: int, /) -> None",
    "set_shared_size": "(self, bytes: int, /) -> None",
    "param_set_size": "(self, bytes: int, /) -> None",
    "param_seti": "(self, offset: int, value: int, /) -> None",
    "param_setf": "(self, offset: int, value: float, /) -> None",
    "param_setv": "(self, offset: int, value: object, /) -> None",
    "launch": "(self) -> None",
    "launch_grid": "(self, width: int, height: int, /) -> None",
    "launch_grid_async": "(self, width: int, height: int, stream: object, /) -> None",
}

_OF_FACES = ("_allocator", "_misfit", "_data", "_queue", "context", "_place", "_events")
TYPES: dict[str, dict[str, dict[str, str]]] = {
    "array.pyi": {"FaceArray": dict.fromkeys(_OF_FACES, "Any") | {"_is_mask": "bool"}},
    "kernel.pyi": {
        "Kernel": {
            "__call__": f"(self, *arguments: object, groups: {_EXTENT}, group_size: {_EXTENT}, "
            "stream: treadle._core.device.Stream | None = None, local_bytes: int = 0, "
            "cooperative: bool = False, wait_for: treadle._core.device.Event | "
            "Iterable[treadle._core.device.Event] | None = None, "
            "event: treadle._core.device.Event | bool | None = None) "
            "-> treadle._core.device.Event | None",
            "name": "str",
            "device": "treadle._core.device.Device",
            "max_group_items": "int",
            "resources": "KernelResources",
            "groups_per_compute_unit": "(self, group_items: int, local_bytes: int = 0, /) "
            "-> int | None",
            "occupancy": "(self, group_items: int, local_bytes: int = 0, /) -> Occupancy | None",
            "occupancies": "(self, local_bytes: int = 0, /) -> list[Occupancy]",
            "_repr_html_": "(self, /) -> str",
            "parameters": "list[treadle._core.device.Parameter] | None",
        }
    },
    "cuda.pyi": {
        "Function": {
            "__call__": f"(self, *arguments: object, grid: {_SIZES}, block: {_SIZES}, "
            "stream: object | None = None, shared_bytes: int = 0, "
            "cooperative: bool = False, attributes: LaunchAttributes | None = None) -> None",
            "attribute": "(self, attribute: FunctionAttribute, /) -> int",
            "set_attribute": "(self, attribute: FunctionAttribute, value: int, /) -> None",
            "set_cache_config": "(self, config: CacheConfig, /) -> None",
            "_repr_html_": "(self, /) -> str",
            **_FUNCTION,
            "raw": "int",
            "parameters": "list[KernelParameter] | None",
        }
    },
    "driver.pyi": {
        "Function": {
            "__call__": "(self, *arguments: object, block: Sequence[int], "
            "grid: Sequence[int] = ..., stream: object | None = None, shared: int = 0, "
            "texrefs: Sequence[object] = ..., time_kernel: bool = False) -> float | Any",
            "get_attribute": "(self, attribute: int, /) -> int",
            "set_attribute": "(self, attribute: int, value: int, /) -> None",
            "set_cache_config": "(self, config: int, /) -> None",
            "_repr_html_": "(self, /) -> str",
            "set_shared_config": "(self, config: int, /) -> None",
            "param_set_texref": "(self, texref: object, /) -> None",
            "prepare": "(self, arg_types: object, texrefs: Sequence[object] | None = None, *, "
            "block: Sequence[int] | None = None, shared: int | None = None) "
            "-> Function",
            "prepared_call": f"(self, {_SHAPE}, *args: object, shared_size: int = 0) -> None",
            "prepared_async_call": f"(self, {_SHAPE}, stream: object, *args: object, "
            "shared_size: int = 0) -> None",
            "prepared_timed_call": f"(self, {_SHAPE}, *args: object, shared_size: int = 0) "
            "-> Callable[[], float]",
            "_launch_kernel": f"(self, {_SHAPE}, arg_buf: object, shared: int, "
            "stream: object, /) -> None",
            "param_set": "(self, *arguments: object) -> None",
            **_PIECES,
            **{f"_{name}": signature for name, signature in _PIECES.items()},
            **_FUNCTION,
            **{name.upper(): "int" for name in _ATTRIBUTES},
            **dict.fromkeys(("lmem", "smem", "registers"), "int"),
            "handle": "int",
            "parameters": "list[treadle._core.cuda.KernelParameter] | None",
            "arg_format": "str",
            "texrefs": "Any",
        }
    },
    "opencl.pyi": {
        "Kernel": {
            "__call__": "(self, queue: CommandQueue, global_size: Sequence[int] | None, "
            "local_size: Sequence[int] | None, *args: object, **options: Any) -> Event",
            "set_arg": "(self, arg_index: int, arg: object) -> None",
            "set_args": "(self, *args: object, **named: object) -> None",
        }
    },
}
# Attributes that Python code may set.
WRITABLE = {"arg_format", "texrefs", *_OF_FACES, "_is_mask"}
