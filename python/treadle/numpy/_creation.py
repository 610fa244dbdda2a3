# SPDX-License-Identifier: MIT
"""New arrays.

`device` is a treadle.Device or its id, by default the current device. `order` is that of the
elements in memory: "C", "F", or "K" and "A" for Fortran's where an array that is given has it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from operator import index
from typing import Any

import numpy as _numpy
from numpy import float64, int64

from treadle._core import DTypeError, InvalidArgument
from treadle._core import array as _array
from treadle._core.array import Array
from treadle._core.device import Device
from treadle._core.rules import result_type

__all__ = [
    "arange",
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "asnumpy",
    "copy",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "frombuffer",
    "fromfunction",
    "full",
    "full_like",
    "geomspace",
    "identity",
    "linspace",
    "logspace",
    "ones",
    "ones_like",
    "tri",
    "zeros",
    "zeros_like",
]


def order_of(x: Array, order: str) -> str:
    """C or F, where K and A stand for that of x."""
    if order in ("C", "F"):
        return order
    if order not in ("K", "A"):
        raise InvalidArgument(f"order={order!r}: elements are in order 'C', 'F', 'A' or 'K'")
    return "F" if _array.is_contiguous(x, "F") and not _array.is_contiguous(x, "C") else "C"


def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str = "K",
    ndmin: int = 0,
    device: Device | str | None = None,
) -> Array:
    """A new array of values of the host, or a copy of an array."""
    made = asarray(object, dtype, order, device=device, copy=copy)
    return made.reshape((1,) * (ndmin - made.ndim) + made.shape) if made.ndim < ndmin else made


def asarray(
    a: Any,
    dtype: Any = None,
    order: str | None = None,
    *,
    device: Device | str | None = None,
    copy: bool | None = None,
) -> Array:
    """The values as an array: what is one already, and has dtype, order and device, is returned
    itself. Arrays of other libraries on a device are seen where they are; values of the host are
    copied. With copy=True they always are, with copy=False ValueError says where they must be."""
    found = a if isinstance(a, Array) else None
    if found is None and not isinstance(a, (_numpy.ndarray, _numpy.generic, list, tuple)):
        found = _array.foreign(a)
    if found is None:
        if copy is False:
            raise InvalidArgument(
                "values of the host reach a device by a copy, which copy=False forbids"
            )
        layout: Any = order or "K"
        host = _numpy.asarray(a, dtype, layout)
        return _array.array(host, None, device)
    return _as_asked(found, dtype, order, device, copy)


def asarray_chkfinite(a: Any, dtype: Any = None, order: str | None = None) -> Array:
    """asarray() that refuses NaN and infinities. Waits for the elements."""
    x = asarray(a, dtype, order)
    if x.dtype.kind in "fc" and not bool(_array.reduce("all", _array.apply("isfinite", x))):
        raise InvalidArgument("asarray_chkfinite: an element is infinite or NaN; wanted: numbers")
    return x


def asarrays(values: Iterable[Any], dtype: Any = None) -> list[Array]:
    """Several as arrays that go together: those of the host on the device of the first Array."""
    values = list(values)
    place = next((x.device for x in values if isinstance(x, Array)), None)
    return [asarray(x, dtype, device=None if isinstance(x, Array) else place) for x in values]


def of_lists(values: Iterable[Any]) -> list[Any]:
    """The same with arrays for lists and tuples, on the device of the first Array. What else there
    is stays: numbers take their dtype from the rest."""
    values = list(values)
    place = next((x.device for x in values if isinstance(x, Array)), None)
    return [asarray(x, device=place) if isinstance(x, list | tuple) else x for x in values]


def on_host(x: Any) -> Any:
    """An array's elements as NumPy's array, for which it waits; what is no array as it is."""
    return x.get() if isinstance(x, Array) else x


def require_target(name: str, x: Any) -> Array:
    """What a function changes in place."""
    if not isinstance(x, Array):
        raise DTypeError(f"{name}() into a {type(x).__name__}: it changes an Array")
    return x


def written(result: Array, out: Array | None) -> Array:
    """The result, in `out` if there is one, cast as `same_kind` allows."""
    if out is None:
        return result
    _array.write_into(out, result)
    return out


def spread(result: Array, out: Array | None) -> Array:
    """The same of a function on elements: the result is broadcast to the shape of `out`."""
    if out is None:
        return result
    _array.write_into(out, result, broadcasts=True)
    return out


def _as_asked(
    x: Array, dtype: Any, order: str | None, device: Device | str | None, copy: bool | None
) -> Array:
    made = x if device is None else x.to_device(device)
    if dtype is not None and made.dtype != _numpy.dtype(dtype):
        made = made.astype(dtype)
    wanted = None if order in (None, "K", "A") else order
    if wanted is not None and not _array.is_contiguous(made, wanted):
        made = made.copy(wanted)
    if copy is False and made is not x:
        raise InvalidArgument(
            f"{x.dtype} on {x.device.id} as asked for takes a copy: copy=False forbids it"
        )
    return made.copy(order or "K") if copy and made is x else made


def asanyarray(
    a: Any, dtype: Any = None, order: str | None = None, *, device: Device | str | None = None
) -> Array:
    """The same as asarray()."""
    return asarray(a, dtype, order, device=device)


def ascontiguousarray(a: Any, dtype: Any = None, *, device: Device | str | None = None) -> Array:
    """As asarray(), in C's order without gaps, and with one axis at least."""
    made = asarray(a, dtype, "C", device=device)
    return made if made.ndim else made.reshape(1)


def asfortranarray(a: Any, dtype: Any = None, *, device: Device | str | None = None) -> Array:
    """As asarray(), in Fortran's order without gaps, and with one axis at least."""
    made = asarray(a, dtype, "F", device=device)
    return made if made.ndim else made.reshape(1)


def copy(a: Any, order: str = "K") -> Array:
    """The same elements in memory of their own."""
    return asarray(a, order=order, copy=True)


def from_dlpack(
    x: Any, /, *, device: Device | str | None = None, copy: bool | None = None
) -> Array:
    """An array of another library in its own memory, by DLPack. Memory of the host is copied;
    BufferError where copy=False forbids it."""
    if not hasattr(x, "__dlpack_device__"):
        raise DTypeError(
            f"from_dlpack() of a {type(x).__name__}, which has no __dlpack__(): asarray() takes "
            "values of the host"
        )
    made = _array.from_dlpack(x, device, copy)
    return made if device is None else made.to_device(device)


def frombuffer(
    buffer: Any,
    dtype: Any = float64,
    count: int = -1,
    offset: int = 0,
    *,
    device: Device | str | None = None,
) -> Array:
    """A copy of what an object with Python's buffer interface holds."""
    return _array.array(_numpy.frombuffer(buffer, dtype, count, offset), None, device)


def fromfunction(
    function: Callable[..., Any],
    shape: Any,
    *,
    dtype: Any = float64,
    device: Device | str | None = None,
    **options: Any,
) -> Any:
    """function(i, j, ...) of arrays of the indices, one for each axis."""
    rank = len(shape)
    lines = [
        arange(n, dtype=dtype, device=device).reshape(
            (1,) * axis + (-1,) + (1,) * (rank - axis - 1)
        )
        for axis, n in enumerate(shape)
    ]
    return function(*(line + zeros(shape, dtype, device=device) for line in lines), **options)


def asnumpy(x: Any, order: str = "K") -> _numpy.ndarray:
    """The elements on the host. Blocking."""
    host: Any = order
    return _numpy.asarray(on_host(x), order=host)


def empty(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Device | str | None = None
) -> Array:
    """Undefined elements."""
    return _array.empty(shape, float64 if dtype is None else dtype, device, order)


def full(
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Device | str | None = None,
) -> Array:
    """Every element the same number; the dtype is the number's, unless it is given."""
    place = device
    if isinstance(fill_value, Array):
        kind = fill_value.dtype if dtype is None else dtype
        if device is None:
            place = fill_value.device
    else:
        host = _numpy.asarray(fill_value)
        if dtype is not None:  # as NumPy casts it
            host = _numpy.empty(host.shape, dtype)
            try:
                _numpy.copyto(host, fill_value, casting="unsafe")
            except RuntimeError as error:  # of times that have no room
                raise DTypeError(f"full: {error}") from error
        fill_value, kind = host, host.dtype
        if host.ndim == 0:
            return _array.full(shape, host[()], kind, place, order)
    made = _array.empty(shape, kind, place, order)
    made[...] = fill_value
    return made


def zeros(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Device | str | None = None
) -> Array:
    """Every element 0."""
    return _array.zeros(shape, float64 if dtype is None else dtype, device, order)


def ones(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Device | str | None = None
) -> Array:
    """Every element 1."""
    return _array.full(shape, 1, float64 if dtype is None else dtype, device, order)


def empty_like(
    prototype: Array,
    /,
    dtype: Any = None,
    order: str = "K",
    *,
    shape: Any = None,
    device: Device | str | None = None,
) -> Array:
    """Undefined elements, in the shape of another and on its device."""
    prototype = asarray(prototype)
    return _array.empty(
        prototype.shape if shape is None else shape,
        prototype.dtype if dtype is None else dtype,
        prototype.device if device is None else device,
        order_of(prototype, order),
    )


def full_like(
    a: Array,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    *,
    shape: Any = None,
    device: Device | str | None = None,
) -> Array:
    """Every element the same number, in the shape of another and on its device."""
    a = asarray(a)
    return full(
        a.shape if shape is None else shape,
        fill_value,
        a.dtype if dtype is None else dtype,
        order_of(a, order),
        device=a.device if device is None else device,
    )


def zeros_like(
    a: Array,
    dtype: Any = None,
    order: str = "K",
    *,
    shape: Any = None,
    device: Device | str | None = None,
) -> Array:
    """Every element 0, in the shape of another and on its device."""
    a = asarray(a)
    return zeros(
        a.shape if shape is None else shape,
        a.dtype if dtype is None else dtype,
        order_of(a, order),
        device=a.device if device is None else device,
    )


def ones_like(
    a: Array,
    dtype: Any = None,
    order: str = "K",
    *,
    shape: Any = None,
    device: Device | str | None = None,
) -> Array:
    """Every element 1, in the shape of another and on its device."""
    return full_like(a, 1, dtype, order, shape=shape, device=device)


def arange(
    start: Any,
    stop: Any = None,
    step: Any = 1,
    dtype: Any = None,
    *,
    device: Device | str | None = None,
) -> Array:
    """start, start + step, ... before stop; from 0 on where only one number is given."""
    if stop is None:
        start, stop = 0, start
    kind = dtype
    if dtype is None:  # int64 at least, and every number by itself, as NumPy has it
        kinds = [getattr(x, "dtype", None) or _numpy.asarray(x).dtype for x in (start, stop, step)]
        kind = result_type(int64, *kinds)
    start, stop, step = (x.item() if isinstance(x, Array) else x for x in (start, stop, step))
    if any(_counts_itself(x) for x in (start, stop, step)):
        return _arange_by_numbers(start, stop, step, kind, device)
    return _array.arange(start, stop, step, kind, device)


def _counts_itself(number: Any) -> bool:
    """Whether NumPy's answer depends on the arithmetic of the number's own class: it rounds, or has
    more than 64 bits."""
    if isinstance(number, int):
        return not -(2**63) <= number < 2**64
    return isinstance(number, _numpy.floating)


def _arange_by_numbers(start: Any, stop: Any, step: Any, dtype: Any, device: Any) -> Array:
    with _numpy.errstate(all="ignore"):
        second = start + step
        count = (stop - start) / step if step else math.nan
    if isinstance(count, complex) or not math.isfinite(count):
        raise InvalidArgument(f"arange from {start} to {stop} by {step}: how many are these?")
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        count = -((start - stop) // step)
    return _array.progression(start, second, max(0, math.ceil(count)), dtype, device)


# over 6 parameters because NumPy's has them
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Device | str | None = None,
) -> Any:
    """`num` numbers from start to stop, which is the last one unless `endpoint` is false. Between
    arrays they are along a new axis. With `retstep` a pair of them and of their distance."""
    num, (start, stop) = index(num), of_lists((start, stop))
    kinds = [getattr(end, "dtype", end) for end in (start, stop)]
    kind = _numpy.dtype(result_type(*kinds, 1.0) if dtype is None else dtype)
    if _are_numbers(start, stop):
        is_complex = any(isinstance(x, complex | _numpy.complexfloating) for x in (start, stop))
        between = _array.complex_linspace if is_complex else _array.linspace
        made = between(start, stop, num, bool(endpoint), kind, device)
    else:
        start, stop = asarrays((start, stop))
        if device is not None:
            start, stop = (end.to_device(device) for end in (start, stop))
        made = _array.linspace_between(start, stop, num, bool(endpoint))
        made = (_array.apply("floor", made) if kind.kind in "iu" else made).astype(kind)
        made = _array.moveaxis(made, [0], [axis])
    if not retstep:
        return made
    steps = num - 1 if endpoint else num
    return made, (stop * 1.0 - start * 1.0) / steps if steps > 0 else float64(_numpy.nan)


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(x, int | float | complex | _numpy.generic) for x in values)


# over 6 parameters because NumPy's has them
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Device | str | None = None,
) -> Array:
    """`base` to the power of numbers from start to stop, as linspace() has them; arrays of the
    three broadcast."""
    if _are_numbers(start, stop, base) and not isinstance(start, complex):
        made = _array.logspace(start, stop, num, bool(endpoint), base, device)
        made = _array.moveaxis(made, [0], [axis])
    else:
        start, stop, base = of_lists([start, stop, base])
        if getattr(base, "ndim", 0):
            start, stop, base = _array.broadcast_arrays(asarrays((start, stop, base)))
            base = _array.expand_dims(base, [axis])
        powers = linspace(start, stop, num, endpoint, axis=axis, device=device)
        made = _array.apply("power", base, powers)
    return made if dtype is None else made.astype(dtype)


def geomspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    *,
    device: Device | str | None = None,
) -> Array:
    """`num` numbers from start to stop, each a constant factor from the one before."""
    made = _array.geomspace(start, stop, num, bool(endpoint), device)
    return made if dtype is None else made.astype(dtype)


def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Device | str | None = None,
) -> Array:
    """Ones on a diagonal, k to the right of the main one; zeros elsewhere."""
    kind = float64 if dtype is None else dtype
    made = _array.eye(N, N if M is None else M, k, kind, device)
    return made if order == "C" else made.copy(order)


def identity(n: int, dtype: Any = None, *, device: Device | str | None = None) -> Array:
    """eye(n)."""
    return eye(n, dtype=dtype, device=device)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = float) -> Array:  # noqa: N803
    """Ones at and below a diagonal, zeros above."""
    return _array.tri(N, N if M is None else M, k, dtype)
