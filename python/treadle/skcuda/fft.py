# SPDX-License-Identifier: MIT
"""skcuda.fft: plans, and transforms of arrays of the PyCUDA face."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from treadle._core import InvalidArgument

from . import cufft, misc
from .cufft import (
    CUFFT_COMPATIBILITY_FFTW_ALL,
    CUFFT_COMPATIBILITY_FFTW_ASYMMETRIC,
    CUFFT_COMPATIBILITY_FFTW_PADDING,
    CUFFT_COMPATIBILITY_NATIVE,
)

__all__ = [
    "CUFFT_COMPATIBILITY_FFTW_ALL",
    "CUFFT_COMPATIBILITY_FFTW_ASYMMETRIC",
    "CUFFT_COMPATIBILITY_FFTW_PADDING",
    "CUFFT_COMPATIBILITY_NATIVE",
    "Plan",
    "cufft",
    "fft",
    "ifft",
    "misc",
]

_TYPES = {
    tuple(map(np.dtype, names)): (number, function)
    for names, number, function in (
        (("f4", "c8"), cufft.CUFFT_R2C, cufft.cufftExecR2C),
        (("c8", "f4"), cufft.CUFFT_C2R, cufft.cufftExecC2R),
        (("c8", "c8"), cufft.CUFFT_C2C, cufft.cufftExecC2C),
        (("f8", "c16"), cufft.CUFFT_D2Z, cufft.cufftExecD2Z),
        (("c16", "f8"), cufft.CUFFT_Z2D, cufft.cufftExecZ2D),
        (("c16", "c16"), cufft.CUFFT_Z2Z, cufft.cufftExecZ2Z),
    )
}


class Plan:
    """`batch` transforms of `shape`, the shape of the real side, from in_dtype to out_dtype."""

    # over 6 parameters because they are scikit-cuda's
    def __init__(
        self,
        shape: Any,
        in_dtype: Any,
        out_dtype: Any,
        batch: int = 1,
        stream: Any = None,
        mode: int = 0x01,
        inembed: Any = None,
        istride: int = 1,
        idist: int = 0,
        onembed: Any = None,
        ostride: int = 1,
        odist: int = 0,
        auto_allocate: bool = True,
    ) -> None:
        lengths = (shape,) if np.isscalar(shape) else tuple(shape)
        if not lengths:
            raise InvalidArgument("shape=(): a transform has one to three axes")
        if batch <= 0:
            raise InvalidArgument(f"batch={batch}: it is 1 or more")
        self.shape = lengths if np.isscalar(shape) else shape
        self.in_dtype, self.out_dtype = np.dtype(in_dtype), np.dtype(out_dtype)
        self.batch = batch
        if (self.in_dtype, self.out_dtype) not in _TYPES:
            raise InvalidArgument(
                f"a transform from in_dtype={self.in_dtype} to out_dtype={self.out_dtype}: both "
                "have one precision, and one is complex"
            )
        self.fft_type, self.fft_func = _TYPES[self.in_dtype, self.out_dtype]
        self.handle = cufft.cufftCreate()
        if stream is not None:
            cufft.cufftSetStream(self.handle, stream.handle)
        cufft.cufftSetAutoAllocation(self.handle, auto_allocate)
        n = np.array(lengths, np.int32)
        addresses = [None if given is None else given.ctypes.data for given in (inembed, onembed)]
        try:
            self.worksize = cufft.cufftMakePlanMany(
                self.handle, n.size, n.ctypes.data, addresses[0], istride, idist, addresses[1],
                ostride, odist, self.fft_type, batch,
            )  # fmt: skip
        except cufft.cufftInvalidSize as problem:
            raise InvalidArgument(str(problem)) from None

    def set_work_area(self, work_area: Any) -> None:
        """Takes an array of at least `worksize` bytes, which stays unused."""
        cufft.cufftSetWorkArea(self.handle, work_area.gpudata)

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            cufft.cufftDestroy(self.handle)


def _run(x_gpu: Any, y_gpu: Any, plan: Plan, direction: int) -> None:
    addresses = int(x_gpu.gpudata), int(y_gpu.gpudata)
    is_real = plan.fft_type not in (cufft.CUFFT_C2C, cufft.CUFFT_Z2Z)
    if is_real and addresses[0] == addresses[1]:
        raise InvalidArgument(
            "a real transform within one array: pass another array for the result"
        )
    more = () if is_real else (direction,)
    plan.fft_func(plan.handle, *addresses, *more)


def fft(x_gpu: Any, y_gpu: Any, plan: Plan, scale: bool = False) -> None:
    """The forward transform of x_gpu into y_gpu; divided by the number of its elements if `scale`.
    Queued on the plan's stream. Raises InvalidArgument, a ValueError, for a plan from complex to
    real, and for a real transform in place."""
    if plan.fft_type in (cufft.CUFFT_C2R, cufft.CUFFT_Z2D):
        raise InvalidArgument("a plan from complex to real elements is for ifft()")
    _run(x_gpu, y_gpu, plan, cufft.CUFFT_FORWARD)
    if scale == True:  # noqa: E712 - 1 scales, 2 does not
        _divide(y_gpu, x_gpu.size // plan.batch, plan)


def ifft(x_gpu: Any, y_gpu: Any, plan: Plan, scale: bool = False) -> None:
    """The inverse transform, likewise: N times what fft() was given unless `scale`."""
    if plan.fft_type in (cufft.CUFFT_R2C, cufft.CUFFT_D2Z):
        raise InvalidArgument("a plan from real to complex elements is for fft()")
    _run(x_gpu, y_gpu, plan, cufft.CUFFT_INVERSE)
    if scale == True:  # noqa: E712 - 1 scales, 2 does not
        _divide(y_gpu, y_gpu.size // plan.batch, plan)


def _divide(y_gpu: Any, count: int, plan: Plan) -> None:
    with cufft.on_stream_of(plan.handle, y_gpu.device):
        y_gpu *= y_gpu.dtype.type(1 / count)
