# SPDX-License-Identifier: MIT
from treadle import compat as compat
from treadle import compile as compile
from treadle import cuda as cuda
from treadle import pycuda as pycuda
from treadle import pyopencl as pyopencl
from treadle._core import Settings as Settings
from treadle._core import settings as settings
from treadle._core.compile import compile_cuda as compile_cuda
from treadle._core.device import Buffer as Buffer
from treadle._core.device import Device as Device
from treadle._core.device import Event as Event
from treadle._core.device import Stream as Stream
from treadle._core.device import default_device as default_device
from treadle._core.device import devices as devices
from treadle._core.device import find_device as find_device
from treadle._core.device import missing_runtimes as missing_runtimes
from treadle._core.kernel import Kernel as Kernel
from treadle._core.kernel import Local as Local
from treadle._core.kernel import Program as Program

__version__: str
__all__: list[str]

class Error(Exception):
    message: str
    hint: str

class DeviceError(Error, RuntimeError):
    code: int
    code_name: str
    call: str

class OutOfMemory(DeviceError, MemoryError): ...
class LaunchError(DeviceError): ...
class InvalidArgument(Error, ValueError): ...
class ShapeError(InvalidArgument): ...
class DTypeError(InvalidArgument, TypeError): ...
class InvalidState(Error, RuntimeError): ...
class NotSupported(Error, NotImplementedError): ...

class LibraryNotFound(Error, OSError):
    library: str
    tried: list[str]

class CompileError(Error, RuntimeError):
    log: str
    source: str
    options: list[str]

class FileError(Error, OSError):
    path: str

class TreadleWarning(RuntimeWarning): ...
