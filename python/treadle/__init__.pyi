# SPDX-License-Identifier: MIT
import builtins

import numpy as _numpy

from treadle import cgen as cgen
from treadle import codepy as codepy
from treadle import compat as compat
from treadle import compile as compile
from treadle import cuda as cuda
from treadle import numpy as numpy
from treadle import pycuda as pycuda
from treadle import pyopencl as pyopencl
from treadle import random as random
from treadle import scans as scans
from treadle import sparse as sparse
from treadle import templates as templates
from treadle import testing as testing
from treadle import tune as tune
from treadle._core import Language as Language
from treadle._core import Settings as Settings
from treadle._core import TraceRange as TraceRange
from treadle._core import is_tracing as is_tracing
from treadle._core import live_objects as live_objects
from treadle._core import settings as settings
from treadle._core import start_trace as start_trace
from treadle._core import write_trace as write_trace
from treadle._core.array import Array as Array
from treadle._core.array import ElementwiseKernel as ElementwiseKernel
from treadle._core.array import ReductionKernel as ReductionKernel
from treadle._core.array import ScanKernel as ScanKernel
from treadle._core.array import evaluate as evaluate
from treadle._core.array import fusing as fusing
from treadle._core.array import merge as merge
from treadle._core.array import top_k as top_k
from treadle._core.compile import compile_cuda as compile_cuda
from treadle._core.compile import compile_variants as compile_variants
from treadle._core.device import AddressInfo as AddressInfo
from treadle._core.device import Buffer as Buffer
from treadle._core.device import Device as Device
from treadle._core.device import DeviceIdentity as DeviceIdentity
from treadle._core.device import DeviceLimits as DeviceLimits
from treadle._core.device import DevicePerformance as DevicePerformance
from treadle._core.device import DevicePool as DevicePool
from treadle._core.device import DeviceTraits as DeviceTraits
from treadle._core.device import Event as Event
from treadle._core.device import Extent as Extent
from treadle._core.device import LiveMemory as LiveMemory
from treadle._core.device import MemoryInfo as MemoryInfo
from treadle._core.device import Parameter as Parameter
from treadle._core.device import ParameterKind as ParameterKind
from treadle._core.device import Stream as Stream
from treadle._core.device import current_device as current_device
from treadle._core.device import current_stream as current_stream
from treadle._core.device import default_device as default_device
from treadle._core.device import devices as devices
from treadle._core.device import find_device as find_device
from treadle._core.device import missing_runtimes as missing_runtimes
from treadle._core.device import release_default_device as release_default_device
from treadle._core.device import trim_memory as trim_memory
from treadle._core.kernel import Kernel as Kernel
from treadle._core.kernel import KernelResources as KernelResources
from treadle._core.kernel import Local as Local
from treadle._core.kernel import Occupancy as Occupancy
from treadle._core.kernel import Program as Program
from treadle._core.kernel import Tiling as Tiling
from treadle._core.kernel import explain as explain
from treadle._core.kernel import set_tiling as set_tiling
from treadle._core.kernel import tiling as tiling
from treadle._core.rules import can_cast as can_cast
from treadle._core.rules import promote_types as promote_types
from treadle._core.rules import result_type as result_type
from treadle.templates import specialize as specialize

__version__: str
__all__: list[str]

def load_ipython_extension(shell: object) -> None:
    """`%load_ext treadle` in a notebook: cells of CUDA C, %%cuda and %%cu."""

class Error(Exception):
    """Base of everything Treadle raises; the text is the message followed by the hint."""

    message: str
    hint: str

class DeviceError(Error, RuntimeError):
    """A driver answered a call with an error code."""

    code: int
    code_name: str
    call: str

class OutOfMemory(DeviceError, MemoryError):
    """The device or the page-locked host memory is exhausted."""

class LaunchError(DeviceError):
    """A kernel could not start, or failed while running."""

class InvalidArgument(Error, ValueError):
    """An argument was refused before anything was done with it."""

class LinAlgError(InvalidArgument, _numpy.linalg.LinAlgError):
    """A matrix is singular, not positive definite, or an iteration did not end."""

class ShapeError(InvalidArgument):
    """Sizes or shapes that do not fit each other."""

class MatrixShapeError(ShapeError, LinAlgError):
    """No matrix where one is wanted, or none that is square."""

class DTypeError(InvalidArgument, TypeError):
    """An element type that is unknown, malformed, or not what was expected."""

class OverflowError(InvalidArgument, builtins.OverflowError):
    """An integer is beyond the dtype that it should take on."""

class IndexError(InvalidArgument, builtins.IndexError):
    """An index names no element or axis."""

class InvalidState(Error, RuntimeError):
    """The object was freed, popped, detached or moved from."""

class NotSupported(Error, NotImplementedError):
    """This device, driver or build does not have what was asked for."""

class LibraryNotFound(Error, OSError):
    """A library needed at run time is missing; `tried` has each place with its answer."""

    library: str
    tried: list[str]

class CompileError(Error, RuntimeError):
    """A compiler refused the source; the text shows its log and the numbered lines it names."""

    log: str
    source: str
    options: list[str]

class FileError(Error, OSError):
    """A call on a file failed where going on without it makes no sense."""

    path: str

class TreadleWarning(RuntimeWarning):
    """What the library warns of, once for each cause."""
