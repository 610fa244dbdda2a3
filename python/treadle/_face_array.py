# SPDX-License-Identifier: MIT
"""What the array classes of both faces share: a subclass of treadle.Array whose operators give the
face's own class, in the dtypes that its users know.

Nothing is computed here. Operators are the native ones, which know the faces' rules; here is what
they leave to Python: results in memory of a program's allocator, or of its own class.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from treadle._core import ShapeError
from treadle._core import array as _array
from treadle._core import rules as _rules
from treadle._core.array import Array
from treadle._core.device import Device


class _Assignable:
    """An attribute that native arrays compute, and that classes of programs may set of their own
    arrays: what is set is what they read again, and changes nothing else."""

    def __init__(self, name: str) -> None:
        self._get = getattr(Array, name).__get__

    def __get__(self, array: Any, owner: Any = None) -> Any:
        return self if array is None else self._get(array)


class FaceArray(_array.FaceArray):
    """A face says what is below; `FaceArray.__init__(self, array)` makes it share an array."""

    nbytes: Any = _Assignable("nbytes")
    policy: ClassVar[str]  # of dtypes, as treadle._core.rules knows it: "pycuda", "pyopencl"

    # The originals have no __iter__: programs tell an array from a collection by Iterable.
    __iter__: ClassVar[Any] = None

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if cls.__iter__ is None:  # else it is a program's own
            _array.iterate_by_index(cls)

    def _is_plain(self) -> bool:
        """Whether results wait like the native ones: they need no constructor of a subclass, and
        no memory of an allocator that native arrays do not know as their pool."""
        return True

    def _scope(self) -> contextlib.AbstractContextManager[Any]:
        """For a with block: native operations go where this array's do."""
        return contextlib.nullcontext()

    def _adopt(self, result: Array) -> FaceArray:
        """The face's array that shares `result`, with what it inherits from this one."""
        raise TypeError(f"{type(self).__name__} does not say how it shares an array")

    def _allocate(self, shape: Sequence[int], dtype: Any, strides: Sequence[int]) -> FaceArray:
        """A new one, by this one's allocator and class."""
        raise TypeError(f"{type(self).__name__} does not say how it is made")

    def _wrap(self, result: Array) -> Any:
        """The result of an operation of which this is the first array."""
        pool = _array.pool(self)
        if self._is_plain() and (pool is None or _array.pool(result) is pool):
            return self._adopt(result)
        made = self._allocate(result.shape, result.dtype, result.strides)
        Array.__setitem__(made, ..., result)
        return made

    def _wrap_recorded(self, result: Array) -> Any:
        """The same of an operator's, which has this array's pool already."""
        return self._adopt(result) if self._is_plain() else self._wrap(result)

    def _operate(self, name: str, *operands: Any) -> Any:
        """An operator on one or two operands, of which this is one."""
        _require_fits(*operands)
        result = _array.operate(name, *operands)
        if result is NotImplemented:
            return result
        if len(operands) == 1:
            return self._wrap_recorded(result)
        x, y = operands
        other = y if x is self else x
        if name in COMPARISONS:
            theirs = _dtype_beside_arrays(other)
            result = cast(result, result_dtype(self.policy, name, self.dtype, theirs))
        return (self if self.ndim else first_array(self, other))._wrap_recorded(result)

    def _update(self, name: str, other: Any) -> Any:
        """The same in place, in the array's own dtype, whatever another array's is. A number that
        does not fit is refused, as by NumPy."""
        _require_fits(self, other)
        self._is_mask = False
        fits = True
        if isinstance(other, Array):
            fits = _rules.can_cast(other.dtype, self.dtype, "same_kind")
            fits = fits and (name != "divide" or self.dtype.kind in "fc")
        if not fits:
            assign(self, _array.apply(name, self, other))
        elif not _array.update(name, self, other):
            return NotImplemented
        return self

    def _apply(self, name: str, *operands: Any, out: Any = None) -> Any:
        """An operation by NumPy's name."""
        if out is not None:
            assign(out, _array.apply(name, *operands))
            return out
        return self._wrap(_array.apply(name, *operands))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's functions, which operators of NumPy's numbers and arrays call, too."""
        result = Array.__array_ufunc__(self, ufunc, method, *inputs, **options)
        name = ufunc.__name__
        if name in COMPARISONS and method == "__call__" and not options:
            dtypes = (_dtype_beside_arrays(operand) for operand in inputs)
            return as_mask(self._wrap(cast(result, result_dtype(self.policy, name, *dtypes))))
        return self._wrap_all(result)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        with self._scope():
            result = Array.__array_function__(self, function, types, arguments, options)
            return self._wrap_all(result)

    def _wrap_all(self, result: Any) -> Any:
        if isinstance(result, tuple | list):
            return type(result)(self._wrap_all(one) for one in result)
        if isinstance(result, Array) and not isinstance(result, FaceArray):
            return self._wrap(result)
        return result


def _require_fits(*operands: Any) -> None:
    """Raises ValueError where a layout that was set does not fit an operand's memory."""
    for operand in operands:
        if isinstance(operand, FaceArray) and operand._misfit is not None:
            raise ValueError(operand._misfit)


def _dtype_beside_arrays(operand: Any) -> Any:
    """None for numbers, whose dtype does not matter."""
    return operand.dtype if isinstance(operand, Array | np.ndarray) else None


def assign(target: Array, value: Any) -> None:
    """Every element becomes that of `value`, which is broadcast and cast to any dtype."""
    Array.__setitem__(target, ..., value)


def assign_zero(target: Array) -> None:
    """Every byte of the elements becomes 0, whatever the dtype."""
    is_number = target.dtype.kind not in "SUV"  # of which 0 is no element, or another
    assign(target if is_number else _as_bytes(target), 0)


def _as_bytes(array: Any) -> Array:
    """The elements' bytes, in one axis where there are no gaps."""
    size = array.dtype.itemsize
    if array.flags.forc:
        return _array.viewed(array, np.uint8, (array.size * size,), (1,))
    return _array.viewed(array, np.uint8, (*array.shape, size), (*array.strides, 1))


def as_mask(array: Any) -> Any:
    """The array, which selects elements as an index from now on."""
    array._is_mask = True
    return array


def is_mask(index: Any) -> bool:
    """Whether it is an array on a device that says of each element whether it is meant."""
    return isinstance(index, Array) and (
        index.dtype.kind == "b" or getattr(index, "_is_mask", False)
    )


def as_bools(index: Any) -> Any:
    """A mask as the native arrays know one; other indices as they are."""
    return Array.astype(index, np.bool_) if is_mask(index) else index


def mask_on_host(mask: Array) -> np.ndarray:
    """The same on the host, which has to know how many elements are selected: it waits."""
    return Array.get(mask).astype(np.bool_)


def with_masks_on_host(index: Any) -> Any:
    """A mask, and masks among several indices, on the host; other indices as they are."""
    if isinstance(index, tuple):
        return tuple(with_masks_on_host(part) for part in index)
    return mask_on_host(index) if is_mask(index) else index


def first_array(*operands: Any) -> Any:
    """Whose class, allocator and place a result has: that of the first array that is no number."""
    arrays = [operand for operand in operands if isinstance(operand, FaceArray)]
    if not operands:
        raise ValueError("there are no arrays: pass one or more")
    if not arrays:
        kinds = ", ".join(type(operand).__name__ for operand in operands)
        raise TypeError(f"one of the operands must be an array on the device, not {kinds}")
    return next((array for array in arrays if array.ndim), arrays[0])


@functools.lru_cache(maxsize=1024)
def result_dtype(policy: str, name: str, a: Any, b: Any) -> np.dtype:
    """The dtype that a face gives the result of an operation on two dtypes; an array meets numbers,
    whose dtype does not matter, as int."""
    return _rules._face_dtype(policy, name, 0 if a is None else a, 0 if b is None else b)


def cast(array: Array, dtype: Any) -> Array:
    """A native array of another dtype; nothing, if it has it."""
    return array if array.dtype == dtype else Array.astype(array, dtype)


def sum_dtype(dtype: Any) -> np.dtype:
    """What sums of a dtype are made in unless another is given: bool is counted, as NumPy does."""
    return np.dtype(np.int64) if np.dtype(dtype).kind == "b" else np.dtype(dtype)


def total(array: Array, dtype: Any, initial: Any = None) -> Array:
    """The sum of all elements in a dtype; in bool, whether one is true."""
    return _array.reduce("sum", array, dtype=dtype, initial=initial)


def in_one_kernel(compute: Callable[[], Any], *operands: Any) -> Any:
    """What `compute()` gives of the operands. Where other code knows their memory, each operation
    would run when it is written; here they are one kernel, which runs before this returns."""
    if not any(isinstance(x, Array) and _array.runs_at_once(x) for x in operands):
        return compute()
    with _array.fusing():
        result = compute()
    if isinstance(result, Array):
        _array.evaluate(result)
    return result


def on_stream(device: Device, stream: Any) -> contextlib.AbstractContextManager[Any]:
    """For a with block: work on the device goes to this stream of the user's, if there is one."""
    if isinstance(stream, int):  # a driver takes any number for a handle, and dies of most
        raise TypeError(f"stream is {stream}, wanted: a Stream or None")
    return contextlib.nullcontext() if stream is None else device.adopt_stream(stream)


def stacked_backwards(arrays: Sequence[Array], axis: int) -> Array:
    """numpy.stack() with the elements in Fortran's order in memory."""
    ndim = arrays[0].ndim
    parts = [Array.transpose(array) if ndim else array for array in arrays]
    return Array.transpose(_array.stack(parts, ndim - axis % (ndim + 1)))


# --- memory --------------------------------------------------------------------------------------


def require_host(ary: Any) -> Any:
    """The array of the host. Raises TypeError for anything else."""
    if not isinstance(ary, np.ndarray | np.generic):
        raise TypeError(f"a {type(ary).__name__} where a numpy.ndarray is expected")
    return ary


def memory_axes(strides: Sequence[int]) -> list[int]:
    """The axes from the outermost in memory to the innermost; in C's order on ties."""
    return sorted(range(len(strides)), key=lambda axis: -abs(strides[axis]))


def empty_host(array: Array, allocate: Callable[..., np.ndarray] = np.empty) -> np.ndarray:
    """An array of the host that has the shape, the dtype and the axes' order of this one."""
    axes = memory_axes(array.strides)
    return allocate([array.shape[axis] for axis in axes], array.dtype).transpose(np.argsort(axes))


def read(array: Array, host: np.ndarray, wait: bool = True) -> None:
    """Fills an array of the host, of the same shape and dtype."""
    axes = memory_axes(host.strides)
    if host.transpose(axes).flags.c_contiguous:
        _array.copy_out(Array.transpose(array, axes) if axes else array, host.transpose(axes), wait)
    else:
        dense = np.empty(host.shape, host.dtype)
        _array.copy_out(array, dense)
        host[...] = dense


def write(array: Array, host: np.ndarray, wait: bool = True) -> None:
    """Copies an array of the host, of the same shape and dtype, in."""
    if _array.stored(array, host, wait):
        return
    axes = memory_axes(array.strides)
    values = np.ascontiguousarray(host.transpose(axes))
    target = Array.transpose(array, axes) if axes else array
    # NumPy makes one axis of none.
    _array.copy_in(target, values.reshape(target.shape), wait)


def adopted(
    owner: Any,
    array: tuple[Device, int, int],
    layout: tuple[Any, Any, Any],
    is_unshared: bool = False,
) -> Array:
    """An array in a user's memory, which is kept: (device, handle, offset in bytes) says where,
    (dtype, shape, strides) how the elements lie. Expressions on it wait if it is unshared: nobody
    else knows the memory."""
    device, handle, offset = array
    dtype, shape, strides = layout
    steps = [(length - 1) * stride for length, stride in zip(shape, strides, strict=True) if length]
    low = sum(step for step in steps if step < 0)
    high = sum(step for step in steps if step > 0) + np.dtype(dtype).itemsize
    size = 0 if 0 in shape else high - low
    buffer = _array.adopt(device, handle, size, owner, offset + low)
    return _array.over(buffer, dtype, shape, strides, -low, is_unshared)


# --- operators -----------------------------------------------------------------------------------


class OperandShapeError(ShapeError, NotImplementedError, AssertionError):
    """Operands whose shapes do not broadcast: a ShapeError as everywhere, and what PyCUDA and
    PyOpenCL raise, NotImplementedError of operators and AssertionError in place."""

    def __init__(self, left: Any, right: Any, refused: ShapeError) -> None:
        shapes = f"{np.shape(left)}, {np.shape(right)}"
        super().__init__(f"Broadcasting binary operator with shapes: {shapes}: {refused}")


def _method(native: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(native)
    def method(self: FaceArray, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        with self._scope():
            if out is not None:
                return native(self, *args, out=out, **kwargs)
            return self._wrap(in_one_kernel(lambda: native(self, *args, **kwargs), self, *args))

    return method


# Of NumPy, beyond those that the faces had.
_METHODS = (
    "sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax", "any", "all", "dot"
)  # fmt: skip
COMPARISONS = frozenset(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"))

for _name in _METHODS:
    setattr(FaceArray, _name, _method(getattr(Array, _name)))
