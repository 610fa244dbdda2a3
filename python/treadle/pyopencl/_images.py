# SPDX-License-Identifier: MIT
"""create_image and image_from_array: images without a descriptor, and of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.pyopencl import _cl
from treadle.pyopencl._cl import Context, Image, ImageFormat, RuntimeError
from treadle.pyopencl._constants import channel_order, channel_type, mem_flags
from treadle.pyopencl._errors import _ErrorRecord, shown, wrong_kind
from treadle.pyopencl._vector_types import vec_type_to_scalar_and_count

DTYPE_TO_CHANNEL_TYPE = {
    np.dtype(np.float32): channel_type.FLOAT,
    np.dtype(np.float16): channel_type.HALF_FLOAT,
    np.dtype(np.int8): channel_type.SIGNED_INT8,
    np.dtype(np.int16): channel_type.SIGNED_INT16,
    np.dtype(np.int32): channel_type.SIGNED_INT32,
    np.dtype(np.uint8): channel_type.UNSIGNED_INT8,
    np.dtype(np.uint16): channel_type.UNSIGNED_INT16,
    np.dtype(np.uint32): channel_type.UNSIGNED_INT32,
}
DTYPE_TO_CHANNEL_TYPE_NORM = {
    np.dtype(np.int8): channel_type.SNORM_INT8,
    np.dtype(np.int16): channel_type.SNORM_INT16,
    np.dtype(np.uint8): channel_type.UNORM_INT8,
    np.dtype(np.uint16): channel_type.UNORM_INT16,
}
_ORDERS = {1: channel_order.R, 2: channel_order.RG, 3: channel_order.RGB, 4: channel_order.RGBA}


# over 6 parameters because they are PyOpenCL's
def create_image(
    context: Context,
    flags: int,
    format: ImageFormat,  # noqa: A002 - the names are PyOpenCL's
    shape: Any = None,
    pitches: Any = None,
    hostbuf: Any = None,
    is_array: bool = False,
    buffer: Any = None,
) -> Image:
    """An image of `shape` (columns, rows, slices), or of the shape of hostbuf.

    `pitches` are the bytes between rows and slices of hostbuf; with is_array the last size is the
    number of images; `buffer` gives an image of one dimension its pixels.
    """
    return _cl.Image(
        context,
        flags,
        format,
        shape,
        pitches,
        hostbuf,
        is_array,
        buffer,
        _through_create_image=True,
    )


def _scalars_of(ary: Any, num_channels: int | None) -> tuple[Any, int, Any, Any]:
    """The channels' dtype and number, and the array's shape and strides in pixels."""
    if num_channels is None:
        if ary.dtype in vec_type_to_scalar_and_count:
            dtype, num_channels = vec_type_to_scalar_and_count[ary.dtype]
            return np.dtype(dtype), num_channels, ary.shape, ary.strides
        num_channels = 1
    if num_channels == 1:
        return ary.dtype, 1, ary.shape, ary.strides
    if not ary.shape or ary.shape[-1] != num_channels:
        raise RuntimeError(
            _ErrorRecord(
                "",
                -1,
                f"the last axis of an array of shape {ary.shape} has not the {num_channels} "
                "channels of a pixel",
            )
        )
    return ary.dtype, num_channels, ary.shape[:-1], ary.strides[:-1]


def image_from_array(
    ctx: Context,
    ary: Any,
    num_channels: int | None = None,
    mode: str = "r",
    norm_int: bool = False,
) -> Image:
    """An image with an array's elements: `ary[y, x]` is the pixel at (x, y).

    Elements of a vector type are pixels; with num_channels the last axis is the pixel's channels.
    `mode` is "r" or "w", what kernels do; norm_int makes integers numbers from -1 or 0 to 1.
    """
    call = "image_from_array"
    if not isinstance(ctx, Context):
        raise wrong_kind(call, "ctx", ctx, "pyopencl.Context")
    if not isinstance(ary, np.ndarray | np.generic):
        raise wrong_kind(call, "ary", ary, "numpy.ndarray")
    if not isinstance(num_channels, int | np.integer | None):
        raise wrong_kind(call, "num_channels", num_channels, "None or int")
    if not ary.flags.c_contiguous:
        raise ValueError("image_from_array wants an array in C order: numpy.ascontiguousarray")
    dtype, channels, shape, strides = _scalars_of(ary, num_channels)
    if mode not in ("r", "w"):
        raise ValueError(f"{call}: mode is {shown(mode)}, wanted: 'r' or 'w'")
    access = mem_flags.READ_ONLY if mode == "r" else mem_flags.WRITE_ONLY
    types = DTYPE_TO_CHANNEL_TYPE_NORM if norm_int else DTYPE_TO_CHANNEL_TYPE
    if channels not in _ORDERS:
        raise KeyError(f"{call}: num_channels is {channels}, wanted: 1, 2, 3 or 4")
    if dtype not in types:
        known = ", ".join(sorted(str(d) for d in types))
        raise KeyError(
            f"{call}: ary is of dtype {dtype}, which is no type of channels"
            f"{' with norm_int' if norm_int else ''}; wanted: {known}"
        )
    return create_image(
        ctx,
        access | mem_flags.COPY_HOST_PTR,
        ImageFormat(_ORDERS[channels], types[dtype]),
        shape=shape[::-1],
        pitches=strides[::-1][1:],
        hostbuf=ary,
    )
