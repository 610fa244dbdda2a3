# SPDX-License-Identifier: MIT
"""The CPU device through its two libraries alone: compiled by libtreadle_clang, run by
libtreadle_cpu. What stands above them has tests of its own."""

import atexit
import ctypes
import os
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

# Tests are imported by path: the modules they share lie beside them.
sys.path.insert(0, str(Path(__file__).resolve().parent))
import machines  # noqa: E402

# Before anything reads the settings: the user's own folder of debug files is left alone.
if "TREADLE_CACHE_DIR" not in os.environ:
    _cache = tempfile.mkdtemp(prefix="treadle-tests-")
    os.environ["TREADLE_CACHE_DIR"] = _cache
    atexit.register(shutil.rmtree, _cache, ignore_errors=True)


class CompileError(Exception):
    """The compiler's log."""


def _library_dir():
    if "TREADLE_LIBRARY_DIR" in os.environ:
        return Path(os.environ["TREADLE_LIBRARY_DIR"])
    try:
        import treadle
    except ImportError:
        return Path(__file__).resolve().parents[3] / "build" / "lib"
    return Path(treadle.__file__).resolve().parent / "lib"


def library_path(name):
    path = _library_dir() / name
    if not path.exists():
        build = Path(__file__).resolve().parents[3] / "build" / "lib" / name
        path = build if build.exists() else path
    if not path.exists():
        pytest.skip(f"{name} is not built ({path})")
    return path


def _open(name):
    return ctypes.CDLL(str(library_path(name)), mode=os.RTLD_NOW | os.RTLD_LOCAL)


class Kernel:
    def __init__(self, device, handle):
        self._device, self._handle = device, handle

    def __call__(self, *arguments, block=(1, 1, 1), grid=(1, 1, 1), shared=0, cooperative=False):
        """Launches and waits. Arguments: NumPy arrays (device memory is host memory), NumPy
        scalars, or bytes of a structure."""
        block, grid = (tuple(x) + (1,) * (3 - len(x)) for x in (block, grid))
        storage = []
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                data = int(argument.ctypes.data).to_bytes(8, "little")
            else:
                data = argument if isinstance(argument, bytes) else np.asarray(argument).tobytes()
            # The driver reads as many bytes as the parameter has; structures may want alignment.
            buffer = np.zeros(len(data) + 64, np.uint8)
            offset = -buffer.ctypes.data % 64
            buffer[offset : offset + len(data)] = np.frombuffer(data, np.uint8)
            storage.append((buffer, buffer.ctypes.data + offset))
        pointers = (ctypes.c_void_p * max(1, len(storage)))(*[address for _, address in storage])
        call = "cuLaunchCooperativeKernel" if cooperative else "cuLaunchKernel"
        extra = () if cooperative else (None,)
        self._device.check(call, self._handle, *grid, *block, shared, None, pointers, *extra)
        self._device.check("cuCtxSynchronize")

    def attribute(self, number):
        value = ctypes.c_int()
        self._device.check("cuFuncGetAttribute", ctypes.byref(value), number, self._handle)
        return value.value


class Module:
    def __init__(self, device, image):
        self._device, self.image = device, image
        self._handle = ctypes.c_void_p()
        device.check("cuModuleLoadData", ctypes.byref(self._handle), image)

    def kernel(self, name="k"):
        handle = ctypes.c_void_p()
        self._device.check("cuModuleGetFunction", ctypes.byref(handle), self._handle, name.encode())
        return Kernel(self._device, handle)

    def variable(self, name, dtype):
        """The device variable `name` as an array."""
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        self._device.check(
            "cuModuleGetGlobal_v2",
            ctypes.byref(address),
            ctypes.byref(size),
            self._handle,
            name.encode(),
        )
        memory = (ctypes.c_char * size.value).from_address(address.value)
        return np.frombuffer(memory, dtype)


class Device:
    def __init__(self):
        self._driver, self._compiler = _open("libtreadle_cpu.so"), _open("libtreadle_clang.so")
        self.context = ctypes.c_void_p()
        self.check("cuInit", 0)
        self.check("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)

    def make_current(self, context):
        self.check("cuCtxSetCurrent", context)

    def check(self, call, *arguments):
        code = getattr(self._driver, call)(*arguments)
        if code:
            raise RuntimeError(f"{call} = {code}")

    def attribute(self, number):
        value = ctypes.c_int()
        self.check("cuDeviceGetAttribute", ctypes.byref(value), number, 0)
        return value.value

    def image(self, source, *options):
        return self._compile(source, options)[0]

    def compile_log(self, source, *options):
        """What the compiler says of a text that it accepts."""
        return self._compile(source, options)[1]

    def _compile(self, source, options):
        nvrtc, program = self._compiler, ctypes.c_void_p()
        nvrtc.nvrtcCreateProgram(
            ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None
        )
        options = [option.encode() for option in ("--gpu-architecture=cpu", *options)]
        failed = nvrtc.nvrtcCompileProgram(
            program, len(options), (ctypes.c_char_p * len(options))(*options)
        )
        texts = []
        for part in ("ProgramLog", *([] if failed else ["CUBIN"])):
            size = ctypes.c_size_t()
            getattr(nvrtc, f"nvrtcGet{part}Size")(program, ctypes.byref(size))
            texts.append(ctypes.create_string_buffer(size.value))
            getattr(nvrtc, f"nvrtcGet{part}")(program, texts[-1])
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
        log = texts[0].value.decode()
        if failed:
            raise CompileError(log)
        return texts[1].raw, log

    def load(self, image):
        return Module(self, image)

    def compile(self, source, *options):
        return self.load(self.image(source, *options))

    def run(self, source, size, dtype, *arguments, options=(), **shape):
        """Compiles, runs `k(output, arguments...)` and returns the output, zero before. `shape`
        is block, grid and shared as a Kernel takes them; without one a block is a warp."""
        output = np.zeros(size, dtype)
        kernel = self.compile(source, *options).kernel()
        kernel(output, *arguments, **{"block": (32,), **shape})
        return output


@pytest.fixture(scope="session")
def opened_device():
    return Device()


@pytest.fixture(scope="session", params=["cpu", "gpu"] if machines.gpu() else ["cpu"])
def opened_machine(request):
    if request.param == "gpu":
        return machines.Gpu(machines.gpu())
    return machines.Machine(request.getfixturevalue("opened_device"))


@pytest.fixture
def machine(opened_machine):
    """What runs the lists of device functions: the CPU device, and a GPU where there is one."""
    with opened_machine.current():
        yield opened_machine


@pytest.fixture
def device(opened_device):
    opened_device.make_current(opened_device.context)
    yield opened_device
    # Other tests of the same process begin without a context.
    opened_device.make_current(None)


@pytest.fixture(scope="session")
def compile_error():
    return CompileError
