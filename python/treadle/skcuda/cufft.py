# SPDX-License-Identifier: MIT
"""skcuda.cufft: cuFFT's plans by their own names, whose transforms are treadle.fft's.

A plan is a number. Its arrays are addresses, taken in the context that is current; elements lie as
cuFFT has them: packed, or by inembed, istride and idist (onembed, ostride, odist).
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import itertools
import math
from typing import Any

import numpy as np

from treadle._core import NotSupported
from treadle._core import array as _array
from treadle._core import fft as _fft
from treadle.pycuda.gpuarray import GPUArray

CUFFT_R2C, CUFFT_C2R, CUFFT_C2C = 0x2A, 0x2C, 0x29
CUFFT_D2Z, CUFFT_Z2D, CUFFT_Z2Z = 0x6A, 0x6C, 0x69
CUFFT_FORWARD, CUFFT_INVERSE = -1, 1
CUFFT_COMPATIBILITY_NATIVE = 0
CUFFT_COMPATIBILITY_FFTW_PADDING = 1
CUFFT_COMPATIBILITY_FFTW_ASYMMETRIC = 2
CUFFT_COMPATIBILITY_FFTW_ALL = 3
_cufft_version = 11000  # without compatibility modes, as all since 9.2


class cufftError(Exception):
    """A mistake in a call of cuFFT."""


class cufftInvalidPlan(cufftError):
    """No plan has this number."""


class cufftAllocFailed(cufftError):
    """Memory is used up."""


class cufftInvalidType(cufftError):
    """The plan is for other types of elements."""


class cufftInvalidValue(cufftError):
    """An argument that no plan has."""


class cufftInternalError(cufftError):
    """A failure of the library."""


class cufftExecFailed(cufftError):
    """A transform did not run."""


class cufftSetupFailed(cufftError):
    """The library did not start."""


class cufftInvalidSize(cufftError):
    """A length below 1."""


class cufftUnalignedData(cufftError):
    """An address that elements do not lie at."""


cufftExceptions: dict[int, type[cufftError]] = {
    1: cufftInvalidPlan,
    2: cufftAllocFailed,
    3: cufftInvalidType,
    4: cufftInvalidValue,
    5: cufftInternalError,
    6: cufftExecFailed,
    7: cufftSetupFailed,
    8: cufftInvalidSize,
    9: cufftUnalignedData,
}


def cufftCheckStatus(status: int) -> None:
    """Raises the class of a status that is no success."""
    if status:
        raise cufftExceptions.get(status, cufftError)


_DTYPES = {
    CUFFT_R2C: ("f4", "c8"),
    CUFFT_C2R: ("c8", "f4"),
    CUFFT_C2C: ("c8", "c8"),
    CUFFT_D2Z: ("f8", "c16"),
    CUFFT_Z2D: ("c16", "f8"),
    CUFFT_Z2Z: ("c16", "c16"),
}


@dataclasses.dataclass(frozen=True)
class _Side:
    """How the elements of one side lie: packed without `embed`."""

    lengths: tuple[int, ...]
    embed: tuple[int, ...] | None
    stride: int
    dist: int

    def strides(self, itemsize: int, in_place: bool) -> tuple[int, ...]:
        """In bytes, of the batch first."""
        if self.embed is None:
            lengths = (*self.lengths[:-1], self.padded(in_place))
            stride, dist = 1, math.prod(lengths)
        else:
            lengths, stride, dist = self.embed, self.stride, self.dist
        inner = [stride]
        for length in reversed(lengths[1:]):
            inner.append(inner[-1] * length)
        return tuple(itemsize * step for step in (dist, *reversed(inner)))

    def padded(self, in_place: bool) -> int:
        """The last axis of real elements that are where their transform is: room for n/2 + 1."""
        return self.lengths[-1]


@dataclasses.dataclass(frozen=True)
class _RealSide(_Side):
    def padded(self, in_place: bool) -> int:
        return 2 * (self.lengths[-1] // 2 + 1) if in_place else self.lengths[-1]


@dataclasses.dataclass
class _Plan:
    fft_type: int = 0  # none yet
    lengths: tuple[int, ...] = ()
    batch: int = 1
    given: _Side | None = None
    made: _Side | None = None
    stream: int = 0  # its handle
    allocates: bool = True


_plans: dict[int, _Plan] = {}
_numbers = itertools.count(1)


def _plan_of(plan: Any) -> _Plan:
    try:
        return _plans[int(getattr(plan, "value", plan))]
    except (KeyError, TypeError, ValueError):
        raise cufftInvalidPlan(f"{plan!r} is no plan: cufftCreate() makes one") from None


def _integers(address: Any, rank: int) -> tuple[int, ...] | None:
    """What a program hands as the address of int32 numbers, or as numbers."""
    if address is None or isinstance(address, int) and not address:
        return None
    if isinstance(address, int | ctypes.c_void_p):
        given = ctypes.cast(address, ctypes.POINTER(ctypes.c_int))
        return tuple(given[i] for i in range(rank))
    return tuple(int(number) for number in np.asarray(address).ravel()[:rank])


# over 6 parameters because they are cuFFT's
def _fill(
    plan: _Plan,
    lengths: tuple[int, ...],
    fft_type: int,
    batch: int,
    given: tuple[Any, int, int] = (None, 1, 0),
    made: tuple[Any, int, int] = (None, 1, 0),
) -> int:
    if fft_type not in _DTYPES:
        raise cufftInvalidType(f"fft_type={fft_type!r}: one of CUFFT_R2C, C2R, C2C, D2Z, Z2D, Z2Z")
    if batch < 1 or not 1 <= len(lengths) <= 3 or min(lengths) < 1:
        raise cufftInvalidSize(f"{batch} transforms of shape {lengths}: each is 1 or more")
    half = (*lengths[:-1], lengths[-1] // 2 + 1)
    sides = []
    for dtype, (embed, stride, dist) in zip(_DTYPES[fft_type], (given, made), strict=True):
        is_real = dtype[0] == "f"
        is_whole = is_real or fft_type in (CUFFT_C2C, CUFFT_Z2Z)
        kind = _RealSide if is_real else _Side
        sides.append(kind(lengths if is_whole else half, embed, stride, dist))
    plan.fft_type, plan.lengths, plan.batch = fft_type, lengths, batch
    plan.given, plan.made = sides
    return _worksize(lengths, fft_type, batch)


def _worksize(lengths: tuple[int, ...], fft_type: int, batch: int) -> int:
    largest = max(np.dtype(name).itemsize for name in _DTYPES[fft_type])
    return int(batch) * math.prod(lengths) * largest


def cufftCreate() -> ctypes.c_int:
    """A plan of nothing yet."""
    number = next(_numbers)
    _plans[number] = _Plan()
    return ctypes.c_int(number)


def cufftDestroy(plan: Any) -> None:
    """Forgets a plan."""
    _plan_of(plan)
    del _plans[int(getattr(plan, "value", plan))]


def cufftMakePlan1d(plan: Any, nx: int, fft_type: int, batch: int) -> int:
    """Of `batch` transforms of nx elements; the bytes of its work area."""
    return _fill(_plan_of(plan), (int(nx),), fft_type, int(batch))


def cufftMakePlan2d(plan: Any, nx: int, ny: int, fft_type: int) -> int:
    """Of one transform of two axes."""
    return _fill(_plan_of(plan), (int(nx), int(ny)), fft_type, 1)


def cufftMakePlan3d(plan: Any, nx: int, ny: int, nz: int, fft_type: int) -> int:
    """Of one transform of three axes."""
    return _fill(_plan_of(plan), (int(nx), int(ny), int(nz)), fft_type, 1)


# over 6 parameters because they are cuFFT's
def cufftMakePlanMany(
    plan: Any,
    rank: int,
    n: Any,
    inembed: Any,
    istride: int,
    idist: int,
    onembed: Any,
    ostride: int,
    odist: int,
    fft_type: int,
    batch: int,
) -> int:
    """Of `batch` transforms of `rank` axes, whose elements lie as inembed and onembed say."""
    lengths = _integers(n, rank)
    if lengths is None:
        raise cufftInvalidValue(f"n={n!r}: the address of {rank} lengths")
    given = (_integers(inembed, rank), istride, idist)
    made = (_integers(onembed, rank), ostride, odist)
    return _fill(_plan_of(plan), lengths, fft_type, int(batch), given, made)


def cufftPlan1d(nx: int, fft_type: int, batch: int) -> ctypes.c_int:
    """A plan as cufftMakePlan1d() makes it."""
    plan = cufftCreate()
    cufftMakePlan1d(plan, nx, fft_type, batch)
    return plan


def cufftPlan2d(nx: int, ny: int, fft_type: int) -> ctypes.c_int:
    """A plan as cufftMakePlan2d() makes it."""
    plan = cufftCreate()
    cufftMakePlan2d(plan, nx, ny, fft_type)
    return plan


def cufftPlan3d(nx: int, ny: int, nz: int, fft_type: int) -> ctypes.c_int:
    """A plan as cufftMakePlan3d() makes it."""
    plan = cufftCreate()
    cufftMakePlan3d(plan, nx, ny, nz, fft_type)
    return plan


def cufftPlanMany(rank: int, n: Any, *rest: Any) -> ctypes.c_int:
    """A plan as cufftMakePlanMany() makes it."""
    plan = cufftCreate()
    cufftMakePlanMany(plan, rank, n, *rest)
    return plan


def cufftEstimate1d(nx: int, fft_type: int, batch: int = 1) -> int:
    """The bytes of a work area."""
    return _worksize((int(nx),), fft_type, batch)


def cufftEstimate2d(nx: int, ny: int, fft_type: int) -> int:
    """The same of two axes."""
    return _worksize((int(nx), int(ny)), fft_type, 1)


def cufftEstimate3d(nx: int, ny: int, nz: int, fft_type: int) -> int:
    """The same of three axes."""
    return _worksize((int(nx), int(ny), int(nz)), fft_type, 1)


def cufftEstimateMany(rank: int, n: Any, *rest: Any) -> int:
    """The same of cufftPlanMany()'s arguments."""
    return _worksize(_integers(n, rank) or (), rest[-2], rest[-1])


def cufftGetSize1d(plan: Any, nx: int, fft_type: int, batch: int = 1) -> int:
    """The bytes of the work area of such a plan."""
    return cufftEstimate1d(nx, fft_type, batch)


def cufftGetSize2d(plan: Any, nx: int, ny: int, fft_type: int) -> int:
    """The same of two axes."""
    return cufftEstimate2d(nx, ny, fft_type)


def cufftGetSize3d(plan: Any, nx: int, ny: int, nz: int, fft_type: int) -> int:
    """The same of three axes."""
    return cufftEstimate3d(nx, ny, nz, fft_type)


def cufftGetSizeMany(plan: Any, rank: int, n: Any, *rest: Any) -> int:
    """The same of cufftPlanMany()'s arguments."""
    return cufftEstimateMany(rank, n, *rest)


def cufftGetSize(plan: Any) -> int:
    """The bytes of a plan's work area."""
    made = _plan_of(plan)
    return _worksize(made.lengths, made.fft_type, made.batch) if made.fft_type else 0


def cufftSetAutoAllocation(plan: Any, auto_allocate: Any) -> None:
    """Whether the plan has a work area of its own; ours comes from the device's pool anyway."""
    _plan_of(plan).allocates = bool(auto_allocate)


def cufftSetWorkArea(plan: Any, work_area: Any) -> None:
    """Takes memory for a work area, which stays unused."""
    _plan_of(plan)
    int(work_area)


def cufftSetStream(plan: Any, stream: Any) -> None:
    """Transforms of the plan are queued on the stream of this handle; None or 0: the default."""
    _plan_of(plan).stream = int(getattr(stream, "handle", stream) or 0)


def cufftGetVersion() -> int:
    """The version whose interface this is."""
    return _cufft_version


def cufftSetCompatibilityMode(plan: Any, mode: int) -> None:
    """Gone since cuFFT 9.2."""
    raise NotSupported("cufftSetCompatibilityMode is gone since cuFFT 9.2: leave it out")


def on_stream_of(plan: Any, device: Any) -> Any:
    """For a with block: work on the device goes to the plan's stream."""
    handle = _plan_of(plan).stream
    return device.adopt_stream(handle) if handle else contextlib.nullcontext()


def _transform(plan: Any, types: tuple[int, ...], idata: Any, odata: Any, inverse: bool) -> None:
    """Of a plan of one of these types."""
    own = _plan_of(plan)
    if own.fft_type not in types or own.given is None or own.made is None:
        raise cufftInvalidType(f"a plan of fft_type={own.fft_type:#x} for transforms of others")
    names = _DTYPES[own.fft_type]
    addresses = int(idata), int(odata)
    in_place = addresses[0] == addresses[1]
    arrays = []
    for side, name, address in zip((own.given, own.made), names, addresses, strict=True):
        dtype = np.dtype(name)
        strides = side.strides(dtype.itemsize, in_place)
        shape = (own.batch, *side.lengths)
        arrays.append(GPUArray(shape, dtype, gpudata=address, strides=strides))
    source, target = arrays
    axes = list(range(1, 1 + len(own.lengths)))
    with on_stream_of(plan, target.device):
        if names[0][0] == "f":
            made = _fft.rfft(source, axes, [], "backward")
        elif names[1][0] == "f":
            # "forward": the inverse divides by nothing, as cuFFT's.
            made = _fft.irfft(source, axes, list(own.lengths), "forward")
        elif inverse:
            made = _fft.ifft(source, axes, [], "forward")
        else:
            made = _fft.fft(source, axes, [], "backward")
        _array.write_into(target, made)


def cufftExecC2C(plan: Any, idata: int, odata: int, direction: int) -> None:
    """Transforms complex64, as CUFFT_FORWARD or CUFFT_INVERSE; nothing is divided."""
    _transform(plan, (CUFFT_C2C,), idata, odata, direction == CUFFT_INVERSE)


def cufftExecZ2Z(plan: Any, idata: int, odata: int, direction: int) -> None:
    """The same of complex128."""
    _transform(plan, (CUFFT_Z2Z,), idata, odata, direction == CUFFT_INVERSE)


def cufftExecR2C(plan: Any, idata: int, odata: int) -> None:
    """Transforms float32 to the half of complex64 that symmetry does not tell."""
    _transform(plan, (CUFFT_R2C,), idata, odata, False)


def cufftExecD2Z(plan: Any, idata: int, odata: int) -> None:
    """The same of float64."""
    _transform(plan, (CUFFT_D2Z,), idata, odata, False)


def cufftExecC2R(plan: Any, idata: int, odata: int) -> None:
    """The inverse of cufftExecR2C(), times the number of elements."""
    _transform(plan, (CUFFT_C2R,), idata, odata, True)


def cufftExecZ2D(plan: Any, idata: int, odata: int) -> None:
    """The inverse of cufftExecD2Z(), likewise."""
    _transform(plan, (CUFFT_Z2D,), idata, odata, True)
