# SPDX-License-Identifier: MIT
"""What NumPy and Python ask of arrays, by the names that treadle.numpy has for it.

treadle.Array's methods call these: __array_ufunc__, __array_function__, __array_namespace__,
pickling and printing.
"""

from __future__ import annotations

import html
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as _numpy

import treadle.numpy as _ours
from treadle._core import InvalidArgument
from treadle._core import array as _array
from treadle._core.array import Array

from ._files import require_file
from ._linear_algebra import PRODUCTS
from ._ufunc_methods import REDUCTIONS

API_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


def namespace(api_version: str | None) -> ModuleType:
    if api_version is not None and api_version not in API_VERSIONS:
        raise InvalidArgument(
            f"version {api_version!r} of the array API; there is {', '.join(API_VERSIONS)}"
        )
    return _ours


def choose(x: Array, choices: Any, out: Any, mode: Any) -> Any:
    return _ours.choose(x, choices, out, mode)


def tofile(x: Array, file: Any, sep: str, format: str) -> None:
    x.get().tofile(require_file("tofile", file, "flush"), sep, format)


def _places(key: Any, x: Array) -> Array:
    """Where the elements are that an index of x.flat names: an axis for each of the index's."""
    if isinstance(key, tuple) and len(key) == 1:
        (key,) = key
    if isinstance(key, slice):
        part = range(x.size)[key]
        return _ours.arange(part.start, part.stop, part.step, device=x.device)
    if key is Ellipsis or isinstance(key, Array):
        return _ours.arange(x.size, device=x.device)[key]
    if isinstance(key, int) and not isinstance(key, bool):
        key = _numpy.int64(key)  # that NumPy names the index and the size if they do not fit
    places = _numpy.arange(x.size).flat[key]
    return _ours.asarray(places, _numpy.int64, device=x.device)


class flat:  # noqa: N801 - a method of arrays
    """The elements of an array in C's order, as a row."""

    def __init__(self, x: Array) -> None:
        self.base = x

    def __len__(self) -> int:
        return self.base.size

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice | Array):
            return self.base.ravel()[key]
        return self.base.ravel()[_places(key, self.base)]

    def __setitem__(self, key: Any, values: Any) -> None:
        """Values are cast, and start again where they are fewer; a place alone takes a scalar."""
        places = _places(key, self.base)
        kind = values.dtype if isinstance(values, Array) else self.base.dtype
        if places.ndim == 0 and isinstance(values, list | tuple) and self.base.dtype == bool:
            values = bool(values)
        if places.ndim == 0 and isinstance(values, _numpy.integer):
            values = int(values)  # which is refused where the dtype has no room for it
        if places.ndim == 0 and _numpy.ndim(values):
            raise InvalidArgument(
                f"an array of shape {_numpy.shape(values)} for one element of x.flat, which takes "
                f"a scalar; try x.flat[{key!r}:] for elements from there on"
            )
        given = _ours.asarray(values, kind, device=self.base.device)
        if places.size and given.size:
            self.base.put(places, given.ravel().astype(self.base.dtype, copy=False))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.base.get().flat)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> _numpy.ndarray:
        return _numpy.asarray(self.base.get().ravel(), dtype)

    def copy(self) -> Array:
        """A new array with one axis."""
        return self.base.ravel().copy()


# ---- NumPy's functions


def _named(name: str, asked: str) -> Callable[..., Any]:
    if name not in _ours.__all__:
        raise TypeError(f"{asked} is not in treadle.numpy; NumPy's takes x.get()")
    function: Callable[..., Any] = getattr(_ours, name)
    return function


def call_function(
    function: Callable[..., Any], arguments: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """__array_function__: `function` is NumPy's."""
    module, name = function.__module__ or "numpy", function.__name__
    asked = f"{module}.{name}()"
    for part in (_ours.linalg, _ours.fft):
        if module == part.__name__.replace("treadle.", "", 1) and name in part.__all__:
            return getattr(part, name)(*arguments, **options)
    return _named(name if module == "numpy" else asked, asked)(*arguments, **options)


def call_ufunc(
    ufunc: _numpy.ufunc, method: str, inputs: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """__array_ufunc__."""
    name = ufunc.__name__
    given = {key: value for key, value in options.items() if value is not None}
    outs = given.pop("out", (None,))
    for one in outs:
        if one is not None and not isinstance(one, Array):
            raise TypeError(
                f"out= of numpy.{name} is a {type(one).__name__}, where the operands are arrays of "
                "a device: pass a treadle.Array, or operands as x.get()"
            )
    out = outs if len(outs) > 1 else outs[0]
    if method == "__call__":
        return _call(name, inputs, out, given)
    if method == "outer":
        x, y = inputs
        ones = (1,) * _numpy.ndim(y)
        return _call(name, (_ours.reshape(x, (*_numpy.shape(x), *ones)), y), out, given)
    if method == "reduce" and name in REDUCTIONS:
        x, *axes = inputs
        axis = axes[0] if axes else options.get("axis", 0)
        given.pop("axis", None)
        function = _named(REDUCTIONS[name], f"numpy.{name}.reduce()")
        return function(x, axis=axis, **given | ({} if out is None else {"out": out}))
    raise TypeError(f"numpy.{name}.{method}() is not in treadle.numpy; NumPy's takes x.get()")


def _call(name: str, inputs: Sequence[Any], out: Any, options: dict[str, Any]) -> Any:
    function = _named(name, f"numpy.{name}()")
    if name in PRODUCTS:  # they have options of their own
        return function(*inputs, **options | ({} if out is None else {"out": out}))
    options.pop("order", None)
    options.pop("subok", None)
    if options.get("casting", "same_kind") != "same_kind":
        return function(*inputs, **options | ({} if out is None else {"out": out}))
    options.pop("casting", None)
    where, dtype = options.pop("where", True), options.pop("dtype", None)
    if options:
        raise TypeError(f"numpy.{name}() of arrays of a device takes no {', '.join(options)}")
    if dtype is not None:
        inputs = [_ours.asarray(x, dtype=dtype) for x in inputs]
    if where is True or out is None:  # what `where` leaves out is undefined
        return function(*inputs) if out is None else function(*inputs, out=out)
    return _array.apply("where", where, function(*inputs), out, out=out)


# ---- Python's


def restored(values: _numpy.ndarray) -> Array:
    """An array again, of what __reduce__ gave."""
    return _ours.array(values)


def contains(x: Array, value: Any) -> bool:
    found: Any = x == value
    return bool(found.any() if isinstance(found, Array) else found)


def _seen_ends(x: Array) -> _numpy.ndarray:
    """What NumPy prints of a large array; what stands for the rest is not looked at."""
    edge = _numpy.get_printoptions()["edgeitems"]
    ends = [
        [slice(None)] if n <= 2 * edge + 1 else [slice(0, edge), slice(-edge, None)]
        for n in x.shape
    ]
    host = _numpy.zeros([min(n, 2 * edge + 1) for n in x.shape], x.dtype)
    _array.evaluate(x)
    for corner in itertools.product(*ends):
        host[corner] = x[corner].get()
    return host


def _printed(x: Array, text: Callable[[_numpy.ndarray], str]) -> str:
    if x.size <= _numpy.get_printoptions()["threshold"]:
        return text(x.get())
    with _numpy.printoptions(threshold=0):
        host = _seen_ends(x)
        body, is_told, rest = text(host).rpartition(f"shape={host.shape}")
    if not is_told:
        return rest
    # The end is a line of its own where it would make the last one too long.
    body, end = body.rstrip(), f"shape={x.shape}{rest}"
    last_line = body[body.rfind("\n") + 1 :]
    is_long = len(last_line) + 1 + len(end) > _numpy.get_printoptions()["linewidth"]
    return body + ("\n" + " " * len("array(") if is_long else " ") + end


def text_of(x: Array) -> str:
    return _printed(x, _numpy.array_repr)


def short_text_of(x: Array) -> str:
    return _printed(x, _numpy.array_str)


def html_of(x: Array) -> str:
    caption = f"shape {x.shape}, {x.dtype}, on {x.device.id}"
    return f"<pre>{html.escape(short_text_of(x))}</pre><small>{html.escape(caption)}</small>"


def formatted(x: Array, specification: str) -> str:
    if x.ndim == 0:
        return format(x.item(), specification)
    if specification:
        raise TypeError(
            f"the format {specification!r} of an array of shape {x.shape}: elements have one each"
        )
    return short_text_of(x)
