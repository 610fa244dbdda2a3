# SPDX-License-Identifier: MIT
"""Caches bound to contexts, devices for tests, pools, and arguments of kernels that are written."""

from __future__ import annotations

import gc
import hashlib
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from treadle.pyopencl import _structs
from treadle.pyopencl._arguments import (  # noqa: F401
    Argument,
    DtypedArgument,
    OtherArg,
    ScalarArg,
    VectorArg,
    get_arg_list_arg_types,
    get_arg_list_scalar_arg_dtypes,
    get_arg_offset_adjuster_code,
    parse_arg_list,
    parse_c_arg,
)
from treadle.pyopencl._c_names import (  # noqa: F401
    TypeNameNotKnown,
    dtype_to_ctype,
    get_or_register_dtype,
    register_dtype,
)
from treadle.pyopencl._caches import (  # noqa: F401
    clear_first_arg_caches,
    context_dependent_memoize,
    first_arg_dependent_memoize,
    first_arg_dependent_memoize_nested,
)
from treadle.pyopencl._choice import get_test_platforms_and_devices
from treadle.pyopencl._cl import (  # noqa: F401
    AllocatorBase,
    Context,
    DeferredAllocator,
    ImmediateAllocator,
    MemoryPool,
    PooledBuffer,
    PooledSVM,
    SVMAllocator,
    SVMPool,
    _gl_sharing_properties,
    bitlog2,
    get_platforms,
)
from treadle.pyopencl._program import is_spirv  # noqa: F401
from treadle.pyopencl._templates import CDeclList as _CDeclList  # noqa: F401
from treadle.pyopencl._templates import KernelTemplateBase, macro_safe  # noqa: F401

# --- structures ----------------------------------------------------------------------------------

match_dtype_to_c_struct = _structs.match_dtype_to_c_struct
dtype_to_c_struct = _structs.dtype_to_c_struct

# --- devices for tests ---------------------------------------------------------------------------


class _ContextFactory:
    """A fixture's value: called, it makes a context that no cache of an earlier test touches."""

    def __init__(self, device: Any) -> None:
        self.device = device

    def __call__(self) -> Context:
        clear_first_arg_caches()
        gc.collect()
        return Context([self.device])

    def __str__(self) -> str:  # without an address, so that names of tests stay the same
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


# --- OpenGL --------------------------------------------------------------------------------------


def get_gl_sharing_context_properties() -> list[tuple[int, int]]:
    """Properties for a Context that shares memory with the OpenGL context of this thread."""
    return _gl_sharing_properties()


# --- keys of caches ------------------------------------------------------------------------------


class _NumpyTypesKeyBuilder:
    """Checksums of keys of which dtypes and descriptions of parameters are parts, the same in every
    process: `builder(key)`, and `builder.rec(checksum, part)` for a part."""

    def __call__(self, key: Any) -> str:
        checksum = hashlib.sha256()
        self.rec(checksum, key)
        return checksum.hexdigest()

    def rec(self, key_hash: Any, key: Any) -> None:
        """Adds a part of a key: what describes itself, or a container of such parts."""
        key_hash.update(type(key).__qualname__.encode())
        if isinstance(key, tuple | list):
            for part in key:
                self.rec(key_hash, part)
        elif isinstance(key, dict):
            for name in sorted(key, key=repr):
                self.rec(key_hash, (name, key[name]))
        elif isinstance(key, set | frozenset):
            for text in sorted(self(part) for part in key):
                key_hash.update(text.encode())
        elif isinstance(key, np.dtype):
            key_hash.update(repr(key).encode())
        elif isinstance(key, type):
            key_hash.update(f"{key.__module__}.{key.__qualname__}".encode())
        elif isinstance(key, Argument | np.generic | str | bytes | int | float | complex | None):
            key_hash.update(f"{key!r};".encode())
        else:
            raise TypeError(f"a {type(key).__name__} is no part of a key that other processes know")


# --- odds and ends -------------------------------------------------------------------------------


class _NumpyArrays:
    """What array_module() gives for arrays of the device: NumPy's names for some functions."""

    def __init__(self, module: Any) -> None:
        self.ndarray = module.Array
        self.dot, self.vdot = module.dot, module.vdot
        self.hstack, self.empty = module.hstack, module.empty


def array_module(a: Any) -> Any:
    """NumPy for its arrays, and for those of pyopencl.array what has the same names."""
    if isinstance(a, np.ndarray):
        return np
    module = sys.modules.get("treadle.pyopencl.array")  # otherwise there are no such arrays
    if module is not None and isinstance(a, module.Array):
        return _NumpyArrays(module)
    raise TypeError(f"a {type(a).__name__} is no array of NumPy's or of pyopencl.array's")


def _process_code_for_macro(code: str) -> str:
    """`code` as the body of a macro, for generators of other packages."""
    return macro_safe("the code", code)
