# SPDX-License-Identifier: MIT
"""Functions of pyopencl.array that give one number of many: arrays of no axes, on the device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import treadle.numpy as _numpy
from treadle import _face_array
from treadle._core import array as _native
from treadle._core.array import Array as NativeArray
from treadle.pyopencl._array_class import Array
from treadle.pyopencl._array_creation import require_array
from treadle.pyopencl._array_functions import computed


def _at(x: Array, places: Array) -> NativeArray:
    """The elements at a list of indices, stored in memory, because reductions do not gather."""
    chosen = _numpy.take(x, places)
    _native.evaluate(chosen)
    return chosen


def _chosen(a: Array, slice_: Any) -> Array:
    """All elements, or a slice of the elements in their order in memory."""
    if require_array(a) is a and slice_ is None:
        return a
    return a.reshape(-1, order="F" if a.flags.f_contiguous else "C")[slice_]


class _Nothing:
    """The default of `initial`, for which None is no number either."""

    def __repr__(self) -> str:
        return "<no initial value>"


_NOTHING: Any = _Nothing()


def _initial(initial: Any) -> Any:
    """The initial number; None if there is none."""
    if initial is _NOTHING:
        return None
    if not np.isscalar(initial):
        raise ValueError(
            f"initial is a number, not a {type(initial).__name__}: leave it out for none"
        )
    return initial


def _sum_dtype(dtype: np.dtype) -> np.dtype:
    is_short = dtype.kind in "iu" and dtype.itemsize < np.dtype(np.int32).itemsize
    return np.dtype(f"{dtype.kind}8") if is_short else _face_array.sum_dtype(dtype)


# over 6 parameters because they are those of PyOpenCL's, and NumPy's axis
def sum(  # noqa: A001 - NumPy's name
    a: Array,
    dtype: Any = None,
    queue: Any = None,
    slice: Any = None,  # noqa: A002
    initial: Any = _NOTHING,
    *,
    axis: Any = None,
) -> Array:
    """The sum of all elements, of a slice, or along an axis or some; made in `dtype`, to which
    `initial` is added. None: the array's, or NumPy's of integers with 8 or 16 bits, which soon wrap
    in PyOpenCL (so does the count of a comparison's elements)."""
    first = _initial(initial)
    dtype = _sum_dtype(require_array(a).dtype) if dtype is None else np.dtype(dtype)
    if axis is None:
        return computed(
            lambda x: _face_array.total(x, dtype, first), _chosen(a, slice), queue=queue
        )
    if slice is not None:
        raise TypeError(
            f"sum() of a slice, along axis {axis!r}: a slice is of all elements; sum a[slice]"
        )

    def along(x: NativeArray) -> NativeArray:
        made = _numpy.sum(x, axis, dtype)
        return made if first is None else _face_array.cast(_native.apply("add", made, first), dtype)

    return computed(along, a, queue=queue)


def _truth(name: str, of_none: int) -> Callable[..., Any]:
    def function(a: Array, queue: Any = None, wait_for: Any = None) -> Any:
        if require_array(a).size == 0:
            return np.int8(of_none)
        reduce = getattr(_numpy, name)
        return computed(
            lambda x: NativeArray.astype(reduce(x), np.int8), a, queue=queue, wait_for=wait_for
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Whether {name} elements are true: 1 or 0, as int8."
    return function


any = _truth("any", 0)  # noqa: A001
all = _truth("all", 1)  # noqa: A001


def _products(a: Array, b: Array, dtype: Any, conjugates: bool) -> tuple[Any, Any]:
    if require_array(a).size != require_array(b).size:
        raise ValueError(f"a dot product of {a.size} and {b.size} elements")
    narrow = np.result_type(a.dtype, b.dtype)
    dtype = _face_array.sum_dtype(narrow) if dtype is None else np.dtype(dtype)
    wide = np.result_type(narrow, dtype)

    def sum_of_products(x: NativeArray, y: NativeArray) -> NativeArray:
        if conjugates and x.dtype.kind == "c":
            x = _native.apply("conjugate", x)
        if x.shape != y.shape:
            x, y = (NativeArray.reshape(operand, (operand.size,)) for operand in (x, y))
        if wide != narrow:  # before a product overflows `narrow`
            x, y = _face_array.cast(x, wide), _face_array.cast(y, wide)
        return _face_array.total(_native.apply("multiply", x, y), dtype)

    return dtype, sum_of_products


# over 6 parameters because they are those of PyOpenCL's
def dot(
    a: Array,
    b: Array,
    dtype: Any = None,
    queue: Any = None,
    slice: Any = None,  # noqa: A002
) -> Array:
    """The sum of products, in `dtype` (None: the common one)."""
    a, b = _chosen(a, slice), _chosen(b, slice)
    return computed(_products(a, b, dtype, False)[1], a, b, queue=queue)


# over 6 parameters because they are those of PyOpenCL's
def vdot(
    a: Array,
    b: Array,
    dtype: Any = None,
    queue: Any = None,
    slice: Any = None,  # noqa: A002
) -> Array:
    """dot() with the first array conjugated."""
    a, b = _chosen(a, slice), _chosen(b, slice)
    return computed(_products(a, b, dtype, True)[1], a, b, queue=queue)


# over 6 parameters because they are those of PyOpenCL's
def subset_dot(
    subset: Array,
    a: Array,
    b: Array,
    dtype: Any = None,
    queue: Any = None,
    slice: Any = None,  # noqa: A002
) -> Array:
    """The same of the elements at a list of indices."""
    product = _products(a, b, dtype, False)[1]
    return computed(
        lambda i, x, y: product(_at(x, i), _at(y, i)),
        *(_chosen(subset, slice), a, b),
        queue=queue,
    )


def _extremum(name: str, combine: str) -> Callable[..., Any]:
    def function(a: Any, queue: Any = None, initial: Any = _NOTHING, *, axis: Any = None) -> Any:
        first = _initial(initial)
        if not isinstance(a, Array):
            if not np.isscalar(a):
                raise TypeError(f"{name}() of a {type(a).__name__}: pass an array or a number")
            return a
        if a.size == 0 and axis is None:
            if first is None:
                raise ValueError(f"{name}() of no elements, without initial")
            with a._work(queue=queue):
                made = a._wrap(_native.full((), first, a.dtype, a._place.device))
            return made if queue is None else made._on(queue)
        reduce = getattr(_numpy, name)

        def compute(x: NativeArray) -> NativeArray:
            found = reduce(x, axis)
            if first is None:
                return found
            return NativeArray.astype(_native.apply(combine, found, a.dtype.type(first)), a.dtype)

        return computed(compute, a, queue=queue)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The {name}imum of all elements or along an axis, and of `initial`; nan if one is."
    )
    return function


min = _extremum("min", "minimum")  # noqa: A001
max = _extremum("max", "maximum")  # noqa: A001


def _subset_extremum(name: str) -> Callable[..., Any]:
    def function(
        subset: Array,
        a: Array,
        queue: Any = None,
        slice: Any = None,  # noqa: A002
    ) -> Array:
        reduce = getattr(_numpy, f"nan{name}" if require_array(a).dtype.kind == "f" else name)
        return computed(lambda i, x: reduce(_at(x, i)), _chosen(subset, slice), a, queue=queue)

    function.__name__ = function.__qualname__ = f"subset_{name}"
    function.__doc__ = f"The {name}imum of the elements at a list of indices, without nans."
    return function


subset_min = _subset_extremum("min")
subset_max = _subset_extremum("max")


Array._any_of, Array._all_of = staticmethod(any), staticmethod(all)
