# SPDX-License-Identifier: MIT
"""CUDA C text to kernels: SourceModule and compile, through Treadle's compilers and cache.

NVRTC compiles in the process for an NVIDIA GPU, clang for the CPU device; nvcc runs where the
caller names one, as in SourceModule(text, nvcc="/opt/cuda/bin/nvcc").
"""

from __future__ import annotations

import dataclasses
import functools
import os
import re
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import treadle.pycuda.driver as driver
from treadle._core import compile as _compile
from treadle._core import cuda as _cuda
from treadle._core import tree as _tree
from treadle._required import encodable
from treadle.pycuda import _driver

DEFAULT_NVCC_FLAGS: list[str] = os.environ.get("PYCUDA_DEFAULT_NVCC_FLAGS", "").split()

_TARGETS = ("cubin", "ptx", "fatbin")


def _current_device() -> driver.Device | None:
    try:
        return driver.Context.get_device()
    except driver.Error:
        return None


def _require_name(argument: str, value: Any) -> None:
    if not isinstance(value, str | None):
        kind = type(value).__name__
        raise TypeError(f"{argument} is {value!r} ({kind}), wanted: a str such as 'sm_80', or None")


def _target(arch: str | None, code: str | None) -> str:
    """The target to compile for. The kind of the current device decides first, then the caller,
    then the device."""
    _require_name("arch", arch)
    device = _current_device()
    native = device._target() if device is not None else None
    if native is not None and native.startswith("cpu"):
        return native  # for any GPU architecture that the program names
    _require_name("code", code)
    wanted = code or arch
    if wanted is not None and wanted != "native":
        return wanted
    return native if native is not None else _cuda.default_device().target


def _cache_options(cache_dir: str | os.PathLike | Literal[False] | None) -> dict[str, Any]:
    if cache_dir is None:
        cache_dir = os.environ.get("PYCUDA_CACHE_DIR")
    if "PYCUDA_DISABLE_CACHE" in os.environ or cache_dir is False:
        return {"cache": False}
    return {} if cache_dir is None else {"cache_dir": Path(cache_dir)}


def _report(result: _compile.CompileResult, keep: bool) -> None:
    if keep:
        print(f"*** compiler output in {result.kept_in}")
    for text in result.warnings:
        warnings.warn(text, stacklevel=4)
    if result.log.strip():
        warnings.warn(
            "The CUDA compiler succeeded, but said the following:\n" + result.log, stacklevel=4
        )


@dataclasses.dataclass(frozen=True)
class _Request:
    """How to compile, in PyCUDA's terms."""

    nvcc: str
    options: Sequence[str]
    keep: bool
    extern_c: bool
    cache_dir: str | os.PathLike | Literal[False] | None
    include_dirs: Sequence[str] = ()
    output: str = "cubin"
    call: str = "compile"  # the function with these arguments


def _texts_of(source: Any) -> tuple[str, str | None]:
    """As _tree.program_texts(), which also makes texts of trees."""
    if isinstance(source, _tree.Node | _tree.GeneratedText):
        return _tree.program_texts(source, "CUDA C")
    return str(source), None


# Raises CompileError itself: the exception is translated in bindings/errors.cpp.
def _build(source: Any, target: str, request: _Request) -> _compile.CompileResult:
    if isinstance(request.options, str):
        raise TypeError(
            f"options must be a list of strings, not the str {request.options!r}: "
            f"write {request.options.split()!r}"
        )
    if isinstance(request.include_dirs, str | os.PathLike):
        raise TypeError(
            f"include_dirs must be a list of folders, not {request.include_dirs!r}: "
            f"write [{str(request.include_dirs)!r}]"
        )
    nvcc = os.fspath(request.nvcc)
    caching, keep = _cache_options(request.cache_dir), request.keep
    if "cache_dir" in caching:
        encodable(str(caching["cache_dir"]), request.call, "cache_dir")
    flags = [encodable(str(option), request.call, "an option") for option in request.options]
    folders = [
        encodable(os.fsdecode(d), request.call, "an include_dir") for d in request.include_dirs
    ]
    if driver.CUDA_DEBUGGING:
        caching, keep = {"cache": False}, True
        flags += ["-g", "-G"]
    asked_for_nvcc = nvcc != "nvcc" and not target.startswith("cpu")
    compiled = functools.partial(
        _driver._compile_cuda,
        target=target,
        flags=flags,
        include_dirs=[Path(d) for d in folders],
        output=request.output,
        toolchain="nvcc" if asked_for_nvcc else "automatic",
        nvcc=nvcc if asked_for_nvcc else "",
        extern_c=request.extern_c,
        keep=keep,
        **caching,
    )
    text, with_lines = _texts_of(source)
    encodable(text, request.call, "source")
    result: _compile.CompileResult | None
    try:
        result = compiled(source=text)
    except driver.CompileError:
        if with_lines is None:
            raise
        result = None
    if result is None:  # the error names lines of the program or the template
        result = compiled(source=with_lines or text)
    _report(result, keep)
    return result


# over 6 parameters because they are the keywords of PyCUDA's
def compile(  # noqa: A001 - the name is PyCUDA's
    source: Any,
    nvcc: str = "nvcc",
    options: Sequence[str] | None = None,
    keep: bool = False,
    no_extern_c: bool = False,
    arch: str | None = None,
    code: str | None = None,
    cache_dir: str | os.PathLike | Literal[False] | None = None,
    include_dirs: Sequence[str] | None = None,
    target: str = "cubin",
) -> bytes:
    """Machine code, PTX or a fatbin of CUDA C text, as module_from_buffer takes it."""
    assert target in _TARGETS, f"target is one of {_TARGETS}"
    request = _Request(
        nvcc=nvcc,
        options=DEFAULT_NVCC_FLAGS if options is None else options,
        keep=keep,
        extern_c=not no_extern_c,
        cache_dir=cache_dir,
        include_dirs=include_dirs or (),
        output=target,
    )
    return _build(source, _target(arch, code), request).image.code


_ARCH_OPTION = re.compile(r"^(?:-arch|--gpu-architecture|-code|--gpu-code)(?:=(.*))?$")


def _without_arch(options: Sequence[str]) -> tuple[list[str], str | None]:
    """Removes the architecture from a list of nvcc's options."""
    rest: list[str] = []
    arch = None
    words = iter(options)
    for word in words:
        match = _ARCH_OPTION.match(word)
        if match is None:
            rest.append(word)
        else:
            arch = match[1] if match[1] is not None else next(words, None)
    return rest, arch


def compile_plain(
    source: str,
    options: Sequence[str],
    keep: bool,
    nvcc: str,
    cache_dir: str | os.PathLike | Literal[False] | None,
    target: str = "cubin",
) -> bytes:
    """compile() for text that is complete as it is: no extern "C" is put around it."""
    assert target in _TARGETS, f"target is one of {_TARGETS}"
    rest, arch = _without_arch(options)
    request = _Request(
        nvcc=nvcc, options=rest, keep=keep, extern_c=False, cache_dir=cache_dir, output=target,
        call="compile_plain",
    )  # fmt: skip
    return _build(source, _target(arch, None), request).image.code


def _run_nvcc(command: Sequence[str]) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def preprocess_source(source: str, options: Sequence[str], nvcc: str) -> str:
    """The text after nvcc's preprocessor. Needs an nvcc: a missing one is an OSError."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernel.cu")
        path.write_text(source)
        command = [nvcc, "--preprocess", *options, str(path), "--compiler-options", "-P"]
        result = _run_nvcc(command)
    if result.returncode != 0 or len(result.stdout) < len(source) // 2:
        raise driver.CompileError("nvcc preprocessing failed", command, None, result.stderr)
    return result.stdout.replace(path.name, "").replace(folder, "")


@functools.cache
def get_nvcc_version(nvcc: str) -> str:
    """What `nvcc --version` prints. A missing nvcc is an OSError."""
    if shutil.which(nvcc) is None:
        raise FileNotFoundError(f"{nvcc} is not on PATH; kernels compile without it")
    return _run_nvcc([nvcc, "--version"]).stdout


class CudaModule:
    """What compiled modules have in common: `module` and the look-ups it offers."""

    module: driver.Module | None = None

    def get_function(self, name: str) -> driver.Function:
        """A kernel by its name. Raises LogicError if there is none."""
        return self._loaded().get_function(name)

    def _loaded(self) -> driver.Module:
        if self.module is None:
            raise driver.LogicError("this module is not linked yet: call link() first")
        return self.module

    def _bind_module(self) -> None:
        module = self._loaded()
        self.get_global = module.get_global
        self.get_texref = module.get_texref
        self.get_surfref = module.get_surfref

    def _check_arch(self, arch: str | None) -> None:
        if not isinstance(arch, str) or arch == "native":  # _target() refuses other types
            return
        match = re.fullmatch(r"(?:sm|compute)_(\d+)[a-z]?", arch)
        if match is None:
            warnings.warn(
                f"failed to check compute capability: {arch!r} is no architecture", stacklevel=4
            )
            return
        device = driver.Context.get_device()
        if device._target().startswith("cpu"):
            return
        wanted = divmod(int(match[1]), 10)
        if wanted > device.compute_capability():
            warnings.warn(
                f"trying to compile for {arch}, but the device has compute capability "
                "{}.{}".format(*device.compute_capability()),
                stacklevel=4,
            )


class SourceModule(CudaModule):
    """A module compiled from CUDA C text and loaded into the current context."""

    module: driver.Module

    # over 6 parameters because they are the keywords of PyCUDA's
    def __init__(
        self,
        source: Any,
        nvcc: str = "nvcc",
        options: Sequence[str] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | os.PathLike | Literal[False] | None = None,
        include_dirs: Sequence[str] | None = None,
    ) -> None:
        self._check_arch(arch)
        request = _Request(
            nvcc=nvcc,
            options=DEFAULT_NVCC_FLAGS if options is None else options,
            keep=keep,
            extern_c=not no_extern_c,
            cache_dir=cache_dir,
            include_dirs=include_dirs or (),
            call="SourceModule",
        )
        result = _build(source, _target(arch, code), request)
        self.module = _driver._module_from_image(result.image, _texts_of(source)[0])
        self._bind_module()


def _is_relocatable(options: Sequence[str]) -> bool:
    names = ("-dc", "--device-c", "-rdc", "--relocatable-device-code")
    return any(option.partition("=")[0] in names for option in options)


class DynamicModule(CudaModule):
    """Sources, code and libraries, which link() makes one module of. Sources whose functions or
    variables others use are compiled with the option -rdc=true."""

    linker: driver.Linker | None

    # over 6 parameters because they are the keywords of PyCUDA's
    def __init__(
        self,
        nvcc: str = "nvcc",
        link_options: Sequence[tuple[int, int]] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | os.PathLike | Literal[False] | None = None,
        include_dirs: Sequence[str] | None = None,
        message_handler: Callable[[bool, str, str], object] | None = None,
        log_verbose: bool = False,
        cuda_libdir: str | os.PathLike | None = None,
    ) -> None:
        self._check_arch(arch)
        self.linker = driver.Linker(message_handler, link_options, log_verbose)
        self.nvcc, self.keep, self.no_extern_c = nvcc, keep, no_extern_c
        self.arch, self.code = arch, code
        self.cache_dir, self.include_dirs = cache_dir, include_dirs or []
        self.cuda_libdir = cuda_libdir
        self.libdir: str | None = None
        self.libptn = "lib{}.a"

    def _open_linker(self) -> driver.Linker:
        if self.linker is None:
            raise driver.LogicError("this module is linked: make another one to add to")
        return self.linker

    def add_source(
        self,
        source: Any,
        nvcc_options: Sequence[str] | None = None,
        name: str = "kernel.ptx",
    ) -> DynamicModule:
        """Compiles CUDA C text and adds it; `name` is for messages."""
        linker = self._open_linker()
        options = DEFAULT_NVCC_FLAGS if nvcc_options is None else nvcc_options
        # add_stdlib() links libraries.
        options = [str(option) for option in options if not str(option).startswith("-l")]
        if driver.Context.get_device()._target().startswith("cpu") and not _is_relocatable(options):
            options.append("-rdc=true")  # the CPU device links only relocatable code
        code = compile(
            *(source, self.nvcc, options, self.keep, self.no_extern_c, self.arch, self.code),
            *(self.cache_dir, self.include_dirs),
            target="ptx",
        )
        linker.add_data(code, driver.jit_input_type.PTX, name)
        return self

    def add_data(self, data: Any, input_type: int, name: str = "unknown") -> DynamicModule:
        """Adds code of a jit_input_type."""
        self._open_linker().add_data(data, input_type, name)
        return self

    def add_file(self, filename: str, input_type: int) -> DynamicModule:
        """Adds the code in a file."""
        self._open_linker().add_file(filename, input_type)
        return self

    def add_stdlib(self, libname: str) -> DynamicModule:
        """Adds lib<libname>.a of `cuda_libdir`, or of a CUDA toolkit: OSError if there is none.
        "cudadevrt" is part of the CPU device, which needs no file for it."""
        linker = self._open_linker()
        folder = "" if self.cuda_libdir is None else os.fspath(self.cuda_libdir)
        if not driver.Context.get_device()._target().startswith("cpu"):
            try:
                path = _driver._find_static_library(libname, folder)
            except driver.RuntimeError as error:
                raise OSError(str(error)) from None
            self.libdir = str(path.parent)
        linker._add_library(libname, folder)
        return self

    def link(self) -> DynamicModule:
        """Links what was added, and loads it into the current context."""
        self.module = self._open_linker().link_module()
        self.linker = None
        self._bind_module()
        return self


class DynamicSourceModule(DynamicModule):
    """A source of which the device runtime is a part: its kernels may launch kernels."""

    # over 6 parameters because they are the keywords of PyCUDA's
    def __init__(
        self,
        source: Any,
        nvcc: str = "nvcc",
        options: Sequence[str] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | os.PathLike | Literal[False] | None = None,
        include_dirs: Sequence[str] | None = None,
        cuda_libdir: str | os.PathLike | None = None,
    ) -> None:
        super().__init__(
            *(nvcc, None, keep, no_extern_c, arch, code, cache_dir, include_dirs),
            cuda_libdir=cuda_libdir,
        )
        flags = list(DEFAULT_NVCC_FLAGS if options is None else options)
        if not _is_relocatable(flags):
            flags.append("-rdc=true")
        self.add_source(source, nvcc_options=flags)
        self.add_stdlib("cudadevrt")
        self.link()
