# SPDX-License-Identifier: MIT
"""pyopencl.Program: source that becomes a program of OpenCL's when it is built or asked."""

from __future__ import annotations

import logging
import os
import shlex
import sys
import time
import warnings
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import treadle
from treadle._core import tree as _tree
from treadle._core.opencl import _build_cached, _create_program_with_il, _is_costly_as_binary
from treadle._required import encodable
from treadle.pyopencl import _cl
from treadle.pyopencl._constants import members_of, program_info
from treadle.pyopencl._errors import Error, RuntimeError, _ErrorRecord, both, list_of, wrong_kind
from treadle.pyopencl._warnings import RepeatedKernelRetrieval, log_text, report_build

logger = logging.getLogger("pyopencl")

_SPIRV_MAGIC = (b"\x07\x23\x02\x03", b"\x03\x02\x23\x07")
_SLOW_BUILD_SECONDS = 0.2

# Programs change these lists and tables.
DEFAULT_BUILD_OPTIONS: list[str] = []
PLAT_BUILD_OPTIONS: dict[str, list[str]] = {"Oclgrind": ["-D", "PYOPENCL_USING_OCLGRIND"]}


def _is_cache_off() -> bool:
    """Whether the environment or the program has switched the cache off. The package has the
    setting."""
    return bool(sys.modules[__package__]._PYOPENCL_NO_CACHE)


def _include_option() -> list[str]:
    folder = Path(__file__).parent / "cl"
    if not folder.is_dir():
        return []
    return ["-I", f'"{folder}"' if " " in str(folder) else str(folder)]


DEFAULT_INCLUDE_OPTIONS: list[str] = _include_option()


def is_spirv(code: Any) -> bool:
    """Whether bytes are a SPIR-V module, of either byte order."""
    return isinstance(code, bytes) and code[:4] in _SPIRV_MAGIC


def _words(
    options: str | bytes | Sequence[str | bytes] | None, call: str = "Program.build"
) -> list[str]:
    if options is None:
        return []
    if isinstance(options, bytes):
        options = options.decode()
    if isinstance(options, str):
        return shlex.split(encodable(options, call, "options"))
    if not isinstance(options, Iterable):
        raise wrong_kind(call, "options", options, "a str, or a list of str")
    words = []
    for place, option in enumerate(options):
        if not isinstance(option, str | bytes | os.PathLike):
            raise wrong_kind(call, f"options[{place}]", option, "str, bytes or a path")
        words.append(encodable(os.fsdecode(option), call, f"options[{place}]"))
    return words


_ARGUMENT_INFO = "-cl-kernel-arg-info"


def _argument_info(platform: str) -> list[str]:
    """The option with which a program keeps its kernels' parameters, so that calls are checked.

    Not on NVIDIA's platform, whose compiler (580) makes broken PTX with it of each kernel without
    parameters.
    """
    return [] if "NVIDIA" in platform else [_ARGUMENT_INFO]


def _effective_options(device: Any, options: Any) -> list[str]:
    """All options of a build, in the order of their sources."""
    words = _words(options)
    return [
        *words,
        *(_argument_info(device.platform.name) if _ARGUMENT_INFO not in words else ()),
        *DEFAULT_BUILD_OPTIONS,
        *DEFAULT_INCLUDE_OPTIONS,
        *PLAT_BUILD_OPTIONS.get(device.platform.name, ()),
        *os.environ.get("PYOPENCL_BUILD_OPTIONS", "").split(),
    ]


def _include_dirs(words: Sequence[str]) -> list[str]:
    folders = []
    rest = iter(words)
    for word in rest:
        if word.startswith("-I"):
            folder = word[2:] or next(rest, "")
            folders.append(folder.strip('"'))
    return [folder for folder in folders if folder]


def _failure(error: Error, logs: Sequence[tuple[Any, str]], words: Sequence[str]) -> Error:
    """The same error, with the log of every device's compiler and the options."""
    text = error.what.what()
    said = log_text(logs)
    if said:
        text += f"\n\n{said}"
    text += f"\n(options: {' '.join(words)})"
    native = [c for c in type(error).__mro__ if c.__module__.startswith("treadle")]
    kind = both(RuntimeError, native[0]) if native else RuntimeError
    made = kind(_ErrorRecord(error.routine, error.code, text))
    made.__dict__.update(error.__dict__)
    return made


def _check_devices(call: str, devices: Any) -> None:
    """Refuses an object that is no list of devices, before other code reads the first device."""
    if devices is None:
        return
    if not isinstance(devices, Collection) or isinstance(devices, str | bytes):
        raise wrong_kind(call, "devices", devices, "a list of pyopencl.Device")
    for place, device in enumerate(devices):
        if not isinstance(device, _cl.Device):
            raise wrong_kind(call, f"devices[{place}]", device, "pyopencl.Device")
    if not devices:
        text = "devices is empty; leave it out for all of the context's"
        raise _cl.LogicError(_ErrorRecord(call, -30, text))


def _check_program(call: str, argument: str, program: Any) -> None:
    if not isinstance(program, Program | _cl._Program):
        raise wrong_kind(call, argument, program, "pyopencl.Program")


def _headers(headers: Any) -> list[tuple[str, Any]]:
    """The names and the native programs of headers."""
    call, pair = "Program.compile", "a pair of a header's name and its Program"
    if headers is not None and not isinstance(headers, Iterable):
        raise wrong_kind(call, "headers", headers, f"a list, each of it {pair}")
    pairs = []
    for place, header in enumerate(headers or ()):
        argument = f"headers[{place}]"
        if not isinstance(header, list | tuple) or len(header) != 2:
            raise wrong_kind(call, argument, header, pair)
        name, program = header
        if not isinstance(name, str):
            raise wrong_kind(call, f"{argument}[0]", name, "str, the header's name")
        _check_program(call, f"{argument}[1]", program)
        pairs.append((name, _native(program)))
    return pairs


class Program:
    """OpenCL C text, SPIR-V or binaries for the devices of a context; its kernels are attributes.

    `Program(context, source)`, `Program(context, devices, binaries)` or `Program(_Program)`.
    """

    def __init__(self, arg1: Any, arg2: Any = None, arg3: Any = None) -> None:
        self._context: Any = None
        self._source: str | None = None
        self._source_with_lines: str | None = None  # for a generated text
        self._prg: Any = None
        self._is_of_cache = False  # such a program is not rebuilt but made anew
        self._is_text = True  # takes the options of source texts
        self._build_duration_info: tuple[str, bool, float] | None = None
        self._retrieved: dict[str, int] = {}
        if arg2 is not None and not isinstance(arg1, _cl.Context):
            raise wrong_kind("Program", "context", arg1, "pyopencl.Context")
        if arg2 is None:
            _check_program("Program", "the only argument", arg1)
            self._prg = arg1._get_prg() if isinstance(arg1, Program) else arg1
        elif arg3 is not None:
            self._prg = _cl._Program(arg1, arg2, arg3)
        elif is_spirv(arg2):
            self._prg = _create_program_with_il(arg1, arg2)
        else:
            if isinstance(arg2, _tree.Node | _tree.GeneratedText):
                arg2, self._source_with_lines = _tree.program_texts(arg2, "OpenCL C")
            if not isinstance(arg2, str | bytes):
                raise wrong_kind("Program", "source", arg2, "str, bytes or a tree")
            self._context = arg1
            text = arg2.decode() if isinstance(arg2, bytes) else arg2
            self._source = encodable(text, "Program", "source")

    def _get_prg(self) -> Any:
        if self._prg is None:
            warnings.warn(
                "Pre-build attribute access defeats compiler caching.", UserWarning, stacklevel=3
            )
            self._prg = _cl._Program(self._context, self._source)
        return self._prg

    # --- building ---------------------------------------------------------------------------------

    def _devices(self, devices: Sequence[Any] | None) -> list[Any]:
        if devices is not None:
            return list(devices)
        return self._context.devices if self._prg is None else self._prg.devices

    def build(
        self,
        options: str | bytes | Sequence[str | bytes] | None = None,
        devices: Sequence[Any] | None = None,
        cache_dir: str | os.PathLike | bool | None = None,
    ) -> Program:
        """Compiles and links, or takes the binaries of an earlier build from the cache."""
        _check_devices("Program.build", devices)
        chosen = self._devices(devices)
        words = _effective_options(chosen[0], options) if self._is_text else _words(options)
        began = time.perf_counter()
        if cache_dir is None:
            cache_dir = getattr(self._context, "cache_dir", None)
        if not isinstance(cache_dir, str | os.PathLike | bool | None):
            raise wrong_kind("Program.build", "cache_dir", cache_dir, "a path, False or None")
        if isinstance(cache_dir, str):
            encodable(cache_dir, "Program.build", "cache_dir")
        may_cache = self._source is not None and (self._prg is None or self._is_of_cache)
        if cache_dir is None and _is_costly_as_binary(self._source or "", chosen[0]):
            cache_dir = False
        may_cache = may_cache and cache_dir is not False and not _is_cache_off()
        try:
            was_cached = self._build_text(words, devices, cache_dir, may_cache)
        except Error:
            if self._source_with_lines is None:
                raise
            was_cached = None
        if was_cached is None:  # the error names lines of the program or the template
            self._source, self._source_with_lines, self._prg = self._source_with_lines, None, None
            was_cached = self._build_text(words, devices, cache_dir, may_cache)
        seconds = time.perf_counter() - began
        self._build_duration_info = (
            "cache retrieval" if was_cached else "build",
            was_cached,
            seconds,
        )
        return self

    def _build_text(self, words: list[str], devices: Any, cache_dir: Any, may_cache: bool) -> bool:
        if may_cache:
            return self._build_cached(words, devices, cache_dir)
        return self._build_here(words, devices)

    def _build_cached(self, words: list[str], devices: Any, cache_dir: Any) -> bool:
        left: list[Any] = []  # the compiled program if there is no binary
        try:
            self._prg, logs, was_cached = _build_cached(
                self._context,
                self._source or "",
                words,
                _include_dirs(words),
                devices,
                None if cache_dir in (None, True) else cache_dir,
                left,
            )
        except treadle.NotSupported:  # PoCL has no binary for a part of a device
            if os.environ.get("PYOPENCL_CACHE_FAILURE_FATAL"):
                raise
            if not left:
                return self._build_here(words, devices)
            self._prg, self._is_of_cache = left[0], False
            report_build("source", self._prg._get_build_logs())
            return False
        except Error as error:
            # Programs ask a failed program for its log, and only a program of the platform has a
            # log.
            if isinstance(error, treadle.CompileError) and not left:
                return self._build_here(words, devices)
            if left:
                self._prg, self._is_of_cache = left[0], False
            raise _failure(error, getattr(error, "logs", ()), words) from None
        self._is_of_cache = True
        report_build("source", logs)
        return was_cached

    def _build_here(self, words: list[str], devices: Any) -> bool:
        if self._prg is None or self._is_of_cache:
            self._prg = _cl._Program(self._context, self._source)
            self._is_of_cache = False
        try:
            self._prg._build(" ".join(words).encode(), devices)
        except Error as error:
            raise _failure(error, getattr(error, "logs", ()), words) from None
        kind = {"SOURCE": "source", "BINARY": "binary", "IL": "IL"}.get(self._prg.kind().name, "")
        report_build(kind, self._prg._get_build_logs())
        return False

    def compile(
        self,
        options: str | bytes | Sequence[str | bytes] | None = None,
        devices: Sequence[Any] | None = None,
        headers: Sequence[tuple[str, Program]] | None = None,
    ) -> Program:
        """Compiles for a later link_program()."""
        _check_devices("Program.compile", devices)
        programs = _headers(headers)
        _words(options, "Program.compile")
        words = _effective_options(self._devices(devices)[0], options)
        if self._prg is None:
            self._prg = _cl._Program(self._context, self._source)
        try:
            self._prg.compile(" ".join(words).encode(), devices, programs)
        except Error as error:
            raise _failure(error, getattr(error, "logs", ()), words) from None
        return self

    # --- kernels and information ------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _INFO_NAMES:
            info = getattr(self._get_prg(), name)
            # A program built of a cached binary has no source.
            return self._source if name == "source" and self._source is not None else info
        try:
            kernel = _cl.Kernel(self, name)
        except _cl.LogicError:
            raise AttributeError(
                f"'{name}' was not found as a program info attribute or as a kernel name"
            ) from None
        self._note_retrieval(name)
        return kernel

    def _note_retrieval(self, name: str) -> None:
        if self._build_duration_info is not None:
            what, was_cached, seconds = self._build_duration_info
            if seconds > _SLOW_BUILD_SECONDS:
                logger.info("build of a program with kernel %s: %s, %.2f s", name, what, seconds)
            self._build_duration_info = None
        count = self._retrieved[name] = self._retrieved.get(name, 0) + 1
        if count != 2:
            return
        warnings.warn(
            f"Kernel '{name}' has been retrieved more than once. Each retrieval creates a new, "
            "independent kernel, at possibly considerable expense. To avoid the expense, reuse "
            "the retrieved kernel instance, or create it with pyopencl.Kernel(prg, name).",
            RepeatedKernelRetrieval,
            stacklevel=3,
        )

    def all_kernels(self) -> list[Any]:
        """One for each kernel, made anew by each call."""
        kernels = self._get_prg().all_kernels()
        if self._source is not None:
            for kernel in kernels:
                kernel._source = self._source
        return kernels

    def get_info(self, param: int) -> Any:
        """The answer to one constant of program_info."""
        info = self._get_prg().get_info(param)
        return self.source if param == program_info.SOURCE else info

    def get_build_info(self, device: Any, param: int) -> Any:
        """The answer to one constant of program_build_info, of the last build for `device`."""
        return self._get_prg().get_build_info(device, param)

    def _get_build_logs(self) -> list[tuple[Any, str]]:
        return self._get_prg()._get_build_logs()

    def set_specialization_constant(self, spec_id: int, buffer: Any) -> None:
        """Before a build: the value of a SPIR-V specialization constant."""
        self._get_prg().set_specialization_constant(spec_id, buffer)

    @property
    def int_ptr(self) -> int:
        return self._get_prg().int_ptr

    @staticmethod
    def from_int_ptr(int_ptr_value: int, retain: bool = True) -> Program:
        """Wraps a handle of another library; retain=False takes its reference over."""
        return Program(_cl._Program.from_int_ptr(int_ptr_value, retain))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self._get_prg() == other._get_prg()

    def __hash__(self) -> int:
        return hash(self._get_prg())


Program.__module__ = "pyopencl"

_INFO_NAMES = frozenset(name.lower() for name in members_of(program_info))


def _native(program: Any) -> Any:
    return program._get_prg() if isinstance(program, Program) else program


def create_program_with_built_in_kernels(
    context: Any, devices: Sequence[Any], kernel_names: str | Sequence[str]
) -> Program:
    """A program of kernels that the devices bring along."""
    call = "create_program_with_built_in_kernels"
    _check_devices(call, devices)
    if not isinstance(kernel_names, str):
        wanted = ("str, or a list of str", "str")
        kernel_names = ";".join(list_of(str, call, "kernel_names", kernel_names, wanted))
    made = Program(_cl._Program.create_with_built_in_kernels(context, devices, kernel_names))
    made._is_text = False
    return made


def link_program(
    context: Any,
    programs: Sequence[Program],
    options: str | bytes | Sequence[str | bytes] | None = None,
    devices: Sequence[Any] | None = None,
) -> Program:
    """Joins programs that compile() made. Only these options count."""
    call = "link_program"
    if not isinstance(context, _cl.Context):
        raise wrong_kind(call, "context", context, "pyopencl.Context")
    _check_devices(call, devices)
    wanted = ("a list of pyopencl.Program", "pyopencl.Program")
    programs = list_of((Program, _cl._Program), call, "programs", programs, wanted)
    words = _words(options, call)
    parts = [_native(program) for program in programs]
    try:
        return Program(_cl._Program.link(context, parts, " ".join(words).encode(), devices))
    except Error as error:
        raise _failure(error, getattr(error, "logs", ()), words) from None
