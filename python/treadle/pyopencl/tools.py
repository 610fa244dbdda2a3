# SPDX-License-Identifier: MIT
"""Caches bound to contexts, devices for tests, and arguments of kernels that are written."""

from __future__ import annotations

import abc
import atexit
import functools
import gc
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treadle.pyopencl import _structs
from treadle.pyopencl import cltypes as _cltypes  # noqa: F401 - registers the vector types
from treadle.pyopencl._choice import _by_index
from treadle.pyopencl._cl import (  # noqa: F401
    AllocatorBase,
    Context,
    DeferredAllocator,
    ImmediateAllocator,
    MemoryPool,
    PooledBuffer,
    bitlog2,
    get_platforms,
)
from treadle.pyopencl._program import is_spirv  # noqa: F401
from treadle.pyopencl.compyte.dtypes import (  # noqa: F401
    TYPE_REGISTRY,
    TypeNameNotKnown,
    dtype_to_ctype,
    get_or_register_dtype,
    parse_c_arg_backend,
    register_dtype,
)

# --- caches bound to contexts --------------------------------------------------------------------

_first_arg_caches: list[dict] = []


def first_arg_dependent_memoize(func: Callable) -> Callable:
    """Remembers results for the first argument, an object of OpenCL's, and for the others."""
    by_object: dict[Any, dict] = {}
    _first_arg_caches.append(by_object)

    @functools.wraps(func)
    def wrapper(cl_object: Any, *args: Any, **kwargs: Any) -> Any:
        key = (args, frozenset(kwargs.items())) if kwargs else (args,)
        results = by_object.setdefault(cl_object, {})
        try:
            return results[key]
        except KeyError:
            result = results[key] = func(cl_object, *args, **kwargs)
            return result

    return wrapper


context_dependent_memoize = first_arg_dependent_memoize

# {the enclosing function's code: its cache}
_nested_caches: dict[Any, dict] = {}


def first_arg_dependent_memoize_nested(nested_func: Callable) -> Callable:
    """The same for a function that is made anew in each call of another: its cache stays."""
    by_object = _nested_caches.get(nested_func.__code__)
    if by_object is None:
        by_object = _nested_caches[nested_func.__code__] = {}
        _first_arg_caches.append(by_object)

    @functools.wraps(nested_func)
    def wrapper(cl_object: Any, *args: Any) -> Any:
        results = by_object.setdefault(cl_object, {})
        try:
            return results[args]
        except KeyError:
            result = results[args] = nested_func(cl_object, *args)
            return result

    return wrapper


def clear_first_arg_caches() -> None:
    """Forgets every remembered result, and with them the references to contexts."""
    for cache in _first_arg_caches:
        cache.clear()


atexit.register(clear_first_arg_caches)

# --- structures ----------------------------------------------------------------------------------

match_dtype_to_c_struct = first_arg_dependent_memoize(_structs.matched)
dtype_to_c_struct = first_arg_dependent_memoize(_structs.declared)

# --- devices for tests ---------------------------------------------------------------------------


def _described(cl_object: Any) -> str:
    return f"{cl_object.name} {cl_object.vendor}".lower()


def _find(objects: Sequence[Any], wanted: str, what: str) -> Any:
    found = _by_index(objects, wanted)
    if found is not None:
        return found
    for item in objects:
        if wanted.lower() in _described(item):
            return item
    names = ", ".join(repr(item.name) for item in objects)
    raise RuntimeError(f"no {what} matches {wanted!r}: there is {names}")


def _parse_devices(entry: str) -> tuple[Any, list[Any]]:
    parts = entry.split(":")
    if len(parts) > 2:
        raise RuntimeError(f"{entry!r} has more than one ':': platform:device,device is wanted")
    platform = _find(get_platforms(), parts[0].strip(), "platform")
    devices = platform.get_devices()
    if len(parts) == 1:
        return platform, devices
    return platform, [_find(devices, d.strip(), "device") for d in parts[1].split(",")]


def get_test_platforms_and_devices(
    plat_dev_string: str | None = None,
) -> list[tuple[Any, list[Any]]]:
    """Platforms with devices: those PYOPENCL_TEST names (platform:device,device;...) or all."""
    text = os.environ.get("PYOPENCL_TEST") if plat_dev_string is None else plat_dev_string
    if text:
        return [_parse_devices(entry) for entry in text.split(";")]
    return [(platform, platform.get_devices()) for platform in get_platforms()]


class _ContextFactory:
    """A fixture's value: called, it makes a context that no cache of an earlier test touches."""

    def __init__(self, device: Any) -> None:
        self.device = device

    def __call__(self) -> Context:
        clear_first_arg_caches()
        gc.collect()
        return Context([self.device])

    def __str__(self) -> str:  # without an address: names of tests stay the same
        platform = self.device.platform
        return (
            f"<context factory for <pyopencl.Device '{self.device.name.strip()}' "
            f"on '{platform.name.strip()}'>>"
        )


_FIXTURES = ("platform", "device", "ctx_factory", "ctx_getter")


def get_pyopencl_fixture_arg_names(
    metafunc: Any, extra_arg_names: Sequence[str] | None = None
) -> list[str]:
    """Which of this face's fixtures a test asks for."""
    names = [*_FIXTURES, *(extra_arg_names or ())]
    found = [name for name in names if name in metafunc.fixturenames]
    if "ctx_getter" in found:
        warnings.warn(
            "the fixture ctx_getter is deprecated, use ctx_factory",
            DeprecationWarning,
            stacklevel=2,
        )
    return found


def get_pyopencl_fixture_arg_values() -> tuple[list[dict[str, Any]], Callable[[Any], str]]:
    """The fixtures' values for each device, and a function that names them."""
    values = []
    for platform, devices in get_test_platforms_and_devices():
        for device in devices:
            factory = _ContextFactory(device)
            values.append(
                {
                    "platform": platform,
                    "device": device,
                    "ctx_factory": factory,
                    "ctx_getter": factory,
                }
            )
    return values, str


def pytest_generate_tests_for_pyopencl(metafunc: Any) -> None:
    """Runs a test that asks for platform, device or ctx_factory once for each device."""
    names = get_pyopencl_fixture_arg_names(metafunc)
    if not names:
        return
    values, name_of = get_pyopencl_fixture_arg_values()
    metafunc.parametrize(
        names,
        [tuple(entry[name] for name in names) for entry in values],
        ids=[name_of(entry["ctx_factory"]) for entry in values],
    )


# --- arguments of kernels that are written -------------------------------------------------------


class Argument(abc.ABC):
    """One parameter of a kernel."""

    @abc.abstractmethod
    def declarator(self) -> str:
        """The parameter as OpenCL C declares it."""


@dataclass(frozen=True)
class DtypedArgument(Argument):
    """A parameter with an element type."""

    dtype: Any
    name: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", np.dtype(self.dtype))


@dataclass(frozen=True)
class VectorArg(DtypedArgument):
    """A pointer to global memory; with_offset, an offset in bytes comes as a parameter more."""

    with_offset: bool = False

    def declarator(self) -> str:
        ctype = dtype_to_ctype(self.dtype)
        if self.with_offset:
            return f"__global {ctype} *{self.name}__base, long {self.name}__offset"
        return f"__global {ctype} *{self.name}"


@dataclass(frozen=True)
class ScalarArg(DtypedArgument):
    """A parameter passed by value."""

    def declarator(self) -> str:
        return f"{dtype_to_ctype(self.dtype)} {self.name}"


@dataclass(frozen=True)
class OtherArg(Argument):
    """A parameter in its own words."""

    decl: str
    name: str

    def declarator(self) -> str:
        return self.decl


def parse_c_arg(c_arg: str, with_offset: bool = False) -> DtypedArgument:
    """`__global const float *x` to VectorArg(float32, "x")."""
    for space in ("__local", "__constant"):
        if space in c_arg:
            raise RuntimeError(f"cannot deal with {space} in the argument {c_arg!r}")
    text = c_arg.replace("__global", "")
    return parse_c_arg_backend(
        text,
        ScalarArg,
        functools.partial(VectorArg, with_offset=with_offset),
        TYPE_REGISTRY.name_to_dtype,
    )


def parse_arg_list(
    arguments: str | Iterable[str | Argument], with_offset: bool = False
) -> list[Argument]:
    """Parameters from a text with commas, or from a list of texts and Arguments."""
    parts = arguments.split(",") if isinstance(arguments, str) else arguments
    return [parse_c_arg(p, with_offset) if isinstance(p, str) else p for p in parts]


def get_arg_list_arg_types(arg_types: Iterable[Argument]) -> tuple[Any, ...]:
    """What Kernel.set_arg_types() wants: dtypes and VectorArgs."""
    types = []
    for argument in arg_types:
        if isinstance(argument, ScalarArg):
            types.append(argument.dtype)
        elif isinstance(argument, VectorArg):
            types.append(argument)
        else:
            raise RuntimeError(f"arg type not understood: {type(argument).__name__}")
    return tuple(types)


def get_arg_list_scalar_arg_dtypes(arg_types: Iterable[Argument]) -> list[Any]:
    """What Kernel.set_scalar_arg_dtypes() wants: dtypes, None for memory."""
    types: list[Any] = []
    for argument in arg_types:
        if isinstance(argument, ScalarArg):
            types.append(argument.dtype)
        elif isinstance(argument, VectorArg):
            types += [None, np.int64] if argument.with_offset else [None]
        else:
            raise RuntimeError(f"arg type not understood: {type(argument).__name__}")
    return types


def get_arg_offset_adjuster_code(arg_types: Iterable[Argument]) -> str:
    """C text that makes each offset vector's pointer of its base and its offset."""
    lines = []
    for argument in arg_types:
        if isinstance(argument, VectorArg) and argument.with_offset:
            ctype = dtype_to_ctype(argument.dtype)
            name = argument.name
            lines.append(
                f"__global {ctype} *{name} = (__global {ctype} *) "
                f"((__global char *) {name}__base + {name}__offset);"
            )
    return "\n".join(lines)
