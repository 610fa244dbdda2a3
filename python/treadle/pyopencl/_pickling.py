# SPDX-License-Identifier: MIT
"""Devices, platforms and arrays in pickles.

A device is found again by what it says of itself. An array comes back on the queue that
queue_for_pickling() names, or on one of its device that unpickled arrays share.
"""

from __future__ import annotations

import contextlib
import contextvars
import copyreg
from collections.abc import Iterator
from typing import Any

from treadle.pyopencl import _cl
from treadle.pyopencl._caches import first_arg_dependent_memoize

_queue: contextvars.ContextVar[Any] = contextvars.ContextVar("queue", default=None)


def _identity(platform: Any) -> tuple[str, str, str]:
    return platform.name, platform.vendor, platform.version


def _find_platform(*identity: str) -> Any:
    for platform in _cl.get_platforms():
        if _identity(platform) == identity:
            return platform
    there = ", ".join(repr(platform.name) for platform in _cl.get_platforms())
    raise LookupError(
        f"it was made on the platform {identity[0]!r} ({identity[2]}), which is not here: "
        f"there is {there}"
    )


def _find_device(platform: Any, model: tuple[Any, ...], index: int) -> Any:
    alike = [
        device
        for device in platform.get_devices()
        if device.hashable_model_and_version_identifier == model
    ]
    if index < len(alike):
        return alike[index]
    raise LookupError(
        f"it was made on device {index} of model {model[3]!r}, of which {platform.name} has "
        f"{len(alike)} here: unpickle it where the device is"
    )


def _reduce_platform(platform: Any) -> tuple[Any, ...]:
    return _find_platform, _identity(platform)


def _reduce_device(device: Any) -> tuple[Any, ...]:
    model = device.hashable_model_and_version_identifier
    alike = [
        other
        for other in device.platform.get_devices()
        if other.hashable_model_and_version_identifier == model
    ]
    if device not in alike:
        raise TypeError(
            f"{device!r} is a part of a device, which no other process has: take its "
            "parent_device, and divide that again"
        )
    return _find_device, (device.platform, model, alike.index(device))


# --- arrays --------------------------------------------------------------------------------------


@contextlib.contextmanager
def queue_for_pickling(queue: Any) -> Iterator[None]:
    """Within this with block, arrays that this thread or task unpickles are on `queue`."""
    token = _queue.set(queue)
    try:
        yield
    finally:
        _queue.reset(token)


@first_arg_dependent_memoize
def _queue_of(device: Any) -> Any:
    return _cl.CommandQueue(_cl.Context([device]))


def restored(kind: type, device: Any, host: Any) -> Any:
    """An array of the class `kind` with the elements of `host`."""
    queue = _queue.get()
    if queue is None:
        queue = _queue_of(device)
    made = kind(queue, host.shape, host.dtype, strides=host.strides)
    made.set(host)
    return made


def register() -> None:
    """Tells how the native classes are copied and serialised."""
    copyreg.dispatch_table[_cl.Platform] = _reduce_platform
    copyreg.dispatch_table[_cl.Device] = _reduce_device
