# SPDX-License-Identifier: MIT
"""The class of pycuda.gpuarray."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import treadle.numpy as tnp
from treadle._contiguity import ArrayFlags, get_common_dtype
from treadle._core import array as _array
from treadle._core.array import Array
from treadle._face_array import (
    FaceArray,
    OperandShapeError,
    as_bools,
    assign,
    cast,
    empty_host,
    on_stream,
    read,
    require_host,
    with_masks_on_host,
    write,
)
from treadle._required import required
from treadle.pycuda import _gpuarray_memory as _memory
from treadle.pycuda import _native as cuda
from treadle.pycuda._gpuarray_layout import LaidOut
from treadle.pycuda._gpuarray_places import is_basic, require_integers, resolved_shape
from treadle.pycuda._host_arrays import pagelocked_empty
from treadle.pycuda._splay import Splay, splay
from treadle.pycuda._textures import BITS_AS_INTEGERS, dtype_to_array_format


class GPUArray(LaidOut):
    """An array on the device of the current context. `allocator` is called for its memory, and for
    that of results; the default is the device's pool, when memory is needed."""

    policy = "pycuda"
    __array_priority__ = 100

    # over 6 parameters because they are PyCUDA's
    def __init__(
        self,
        shape: Any,
        dtype: Any,
        allocator: Callable[[int], Any] | None = cuda.mem_alloc,
        base: Any = None,
        gpudata: Any = None,
        strides: Sequence[int] | None = None,
        order: str = "C",
    ) -> None:
        shape, dtype = _memory.shape_of(shape), np.dtype(dtype)
        if strides is None:
            strides = _memory.strides_of(shape, dtype.itemsize, order)
        else:
            strides = tuple(operator.index(stride) for stride in strides)
        address = 0 if gpudata is None else operator.index(gpudata)
        if address != 0:
            own = _memory.at_address((gpudata, base), address, dtype, shape, strides)
        elif gpudata is not None or _memory.is_default(allocator):
            # The program passes null here and sets `gpudata` later.
            own = _memory.empty(_memory.current_device(), dtype, shape, strides)
            gpudata = None
        else:
            own, gpudata = _memory.allocated(allocator, dtype, shape, strides)
        super().__init__(own)
        self._data = gpudata
        if base is not None:
            self.base = base
        if not _memory.is_default(allocator):
            self.allocator = allocator

    # --- what FaceArray asks ---------------------------------------------------------------------

    def _is_plain(self) -> bool:
        if self._misfit is not None:
            self._require_fit()
        return self._allocator is None and type(self) is GPUArray

    def _adopt(self, result: Array) -> GPUArray:
        made = GPUArray.__new__(GPUArray)
        FaceArray.__init__(made, result)
        return made

    def _allocate(self, shape: Sequence[int], dtype: Any, strides: Sequence[int]) -> GPUArray:
        if tuple(shape) == self.shape and type(self) is not GPUArray:
            return self._new_like_me(dtype)
        return GPUArray(shape, dtype, self.allocator, strides=strides)

    def _new_like_me(self, dtype: Any = None, order: str = "C") -> GPUArray:
        """An array of undefined elements in this shape. The same dtype keeps the order."""
        dtype = self.dtype if dtype is None else np.dtype(dtype)
        strides = _memory.strides_like(self, dtype, "K" if dtype == self.dtype else order)
        return self.__class__(self.shape, dtype, allocator=self.allocator, strides=strides)

    def _view(self, result: Array, base: Any = None) -> GPUArray:
        """A view of the same memory."""
        view = self._adopt(result)
        view.base = self if base is None else base
        view._allocator = self._allocator
        if self._is_mask and view.dtype == self.dtype:
            view._is_mask = True
        return view

    def _run(self, stream: cuda.Stream | None, compute: Callable[[], Any]) -> Any:
        """Returns compute(). With a stream, queues the work on it now."""
        if stream is None:
            return compute()
        with on_stream(self.device, stream):
            result = compute()
            _array.evaluate(result)
        return result

    def _give(
        self, result: Array, allocator: Callable[[int], Any] | None = None, out: Any = None
    ) -> GPUArray:
        """Puts a native result into `out`, or into an allocator's memory, or wraps it as an
        operator does."""
        if out is not None:
            return _filled(out, result)
        if allocator is None:
            return self._wrap(result)
        return _filled(GPUArray(result.shape, result.dtype, allocator), result)

    # --- attributes ------------------------------------------------------------------------------

    @property
    def allocator(self) -> Callable[[int], Any]:
        """Where memory of results comes from."""
        if self._allocator is not None:
            return self._allocator
        return _array.pool(self) or cuda.mem_alloc

    @allocator.setter
    def allocator(self, allocator: Callable[[int], Any] | None) -> None:
        pool = allocator if _memory.is_pool(allocator) else None
        is_default = pool is not None or _memory.is_default(allocator)
        self._allocator = None if is_default else allocator
        if _array.pool(self) != pool:
            _array.set_pool(self, pool)

    @property
    def flags(self) -> ArrayFlags:
        """c_contiguous, f_contiguous, and forc: one of them."""
        self._require_fit()
        return ArrayFlags(self)

    @property
    def _splay(self) -> Splay:
        return splay(self.size)

    @property
    def _grid(self) -> tuple[int, int]:
        return self._splay[0]

    @property
    def _block(self) -> tuple[int, int, int]:
        return self._splay[1]

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "strides": self.strides,
            "data": (self.ptr if self.size else 0, False),
            "typestr": self.dtype.str,
            "stream": None,
            "version": 3,
        }

    __hash__ = None  # type: ignore[assignment]

    # --- to and from the host --------------------------------------------------------------------

    def set(  # type: ignore[override]
        self, ary: Any, async_: bool = False, stream: cuda.Stream | None = None
    ) -> None:
        """Copies an array of the host or of the device in, of the same size and dtype."""
        self._require_fit()
        if not isinstance(ary, Array):
            require_host(ary)
        if ary.size != self.size:
            raise ValueError(f"an array of {ary.size} elements is copied into {self.size}")
        if ary.dtype != self.dtype:
            raise ValueError(f"an array of {ary.dtype} is copied into one of {self.dtype}")
        if ary.shape != self.shape:
            warnings.warn(
                f"setting an array of shape {self.shape} from one of shape {ary.shape}",
                stacklevel=2,
            )
            ary = ary.reshape(self.shape)
        memcpy_discontig(self, ary, async_, stream)

    def set_async(self, ary: Any, stream: cuda.Stream | None = None) -> None:
        """The same without waiting; an array of the host is kept until it was copied."""
        self.set(ary, async_=True, stream=stream)

    def get(  # type: ignore[override]
        self,
        ary: np.ndarray | None = None,
        pagelocked: bool = False,
        async_: bool = False,
        stream: cuda.Stream | None = None,
    ) -> np.ndarray:
        """The elements on the host: in `ary`, or in a new array with the axes in the same order."""
        self._require_fit()
        if ary is None and not pagelocked:  # drivers fill pageable memory before returning
            async_ = False
            with on_stream(self.device, stream):
                host = _array.fetched(self)
            if host is not None:
                return host
        if ary is None:
            target = empty_host(self, pagelocked_empty if pagelocked else np.empty)
        else:
            target = self._checked(ary)
        memcpy_discontig(target, self, async_, stream)
        return target if ary is None else ary

    def _checked(self, ary: np.ndarray) -> np.ndarray:
        if require_host(ary).size != self.size:
            raise ValueError(f"{self.size} elements are copied into an array of {ary.size}")
        if ary.dtype != self.dtype:
            raise TypeError(f"an array of {self.dtype} is copied into one of {ary.dtype}")
        if ary.shape == self.shape:
            return ary
        warnings.warn(
            f"getting an array of shape {self.shape} into one of shape {ary.shape} is deprecated",
            DeprecationWarning,
            stacklevel=3,
        )
        view = ary.view()
        view.shape = self.shape
        return view

    def get_async(
        self, stream: cuda.Stream | None = None, ary: np.ndarray | None = None
    ) -> np.ndarray:
        """The same without waiting where `ary` is page-locked. A new array is not, and the driver
        has filled what is not when it returns: get(pagelocked=True, async_=True) does not wait."""
        return self.get(ary, async_=True, stream=stream)

    def copy(self, order: str = "K") -> GPUArray:
        """A new array without gaps, with the axes in the same order, or in NumPy's `order`."""
        if self._is_plain():
            return self._adopt(Array.copy(self, order))
        strides = _memory.strides_like(self, self.dtype, order)
        return _filled(self._allocate(self.shape, self.dtype, strides), self)

    def __reduce__(self) -> tuple[Any, ...]:
        return from_host, (self.get(),)

    def __copy__(self) -> GPUArray:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> GPUArray:
        return self.copy()

    def __str__(self) -> str:
        return str(self.get())

    def __repr__(self) -> str:
        return repr(self.get())

    # --- arithmetic ------------------------------------------------------------------------------

    # over 6 parameters because they are PyCUDA's
    def mul_add(
        self,
        selffac: Any,
        other: GPUArray,
        otherfac: Any,
        add_timer: Callable[[int, Callable[[], float]], Any] | None = None,
        stream: cuda.Stream | None = None,
        out: GPUArray | None = None,
    ) -> GPUArray:
        """selffac * self + otherfac * other, in the dtype that the arrays have in common."""
        if out is None:
            dtype = get_common_dtype(self, other, True)
            return self._timed(
                add_timer,
                stream,
                lambda: self._wrap(cast(_combined(self, selffac, other, otherfac), dtype)),
            )
        return self._axpbyz(selffac, other, otherfac, out, add_timer, stream)

    def _timed(
        self, add_timer: Any, stream: cuda.Stream | None, compute: Callable[[], GPUArray]
    ) -> GPUArray:
        if add_timer is None:
            return self._run(stream, compute)
        start, end = cuda.Event(), cuda.Event()
        start.record(stream)
        result = self._run(stream, compute)
        _array.evaluate(result)
        end.record(stream)

        def seconds() -> float:
            end.synchronize()
            return end.time_since(start) * 1e-3

        add_timer(3 * self.size, seconds)
        return result

    # over 6 parameters because they are PyCUDA's
    def _axpbyz(
        self,
        selffac: Any,
        other: GPUArray,
        otherfac: Any,
        out: GPUArray,
        add_timer: Any = None,
        stream: cuda.Stream | None = None,
    ) -> GPUArray:
        return self._timed(
            add_timer,
            stream,
            lambda: _filled(out, _combined(self, selffac, other, otherfac)),
        )

    def _axpbz(
        self, selffac: Any, other: Any, out: GPUArray, stream: cuda.Stream | None = None
    ) -> GPUArray:
        return self._run(stream, lambda: _filled(out, _scaled(self, selffac) + other))

    def _elwise_multiply(
        self, other: Any, out: GPUArray, stream: cuda.Stream | None = None
    ) -> GPUArray:
        return self._run(stream, lambda: _filled(out, self * other))

    def _div(self, other: Any, out: GPUArray, stream: cuda.Stream | None = None) -> GPUArray:
        return self._run(stream, lambda: _filled(out, self / other))

    def _rdiv_scalar(
        self, other: Any, out: GPUArray, stream: cuda.Stream | None = None
    ) -> GPUArray:
        return self._run(stream, lambda: _filled(out, other / self))

    def _pow(self, other: Any, new: bool) -> GPUArray:
        if new:
            return self**other
        self **= other
        return self

    # --- functions of one array ------------------------------------------------------------------

    def fill(  # type: ignore[override]
        self, value: Any, stream: cuda.Stream | None = None
    ) -> GPUArray:
        """Makes every element this value. Returns the array."""
        self._require_fit()
        return self._run(stream, lambda: _filled(self, value))

    def astype(  # type: ignore[override]
        self, dtype: Any, stream: cuda.Stream | None = None
    ) -> GPUArray:
        """The elements in another dtype, as a new array."""
        return self._run(stream, lambda: self._wrap(Array.astype(self, dtype)))

    def reverse(self, stream: cuda.Stream | None = None) -> GPUArray:
        """A new array with the elements from the last to the first."""
        backwards = (slice(None, None, -1),) * self.ndim
        return self._run(
            stream, lambda: self._wrap(Array.copy(Array.__getitem__(self, backwards), "K"))
        )

    def any(  # type: ignore[override]
        self, stream: cuda.Stream | None = None, allocator: Callable[[int], Any] | None = None
    ) -> GPUArray:
        """Whether an element is not 0, as an array of no axes."""
        return self._run(stream, lambda: self._give(tnp.any(self), allocator))

    def all(  # type: ignore[override]
        self, stream: cuda.Stream | None = None, allocator: Callable[[int], Any] | None = None
    ) -> GPUArray:
        """Whether no element is 0, as an array of no axes."""
        return self._run(stream, lambda: self._give(tnp.all(self), allocator))

    @property  # type: ignore[misc]
    def real(self) -> GPUArray:  # type: ignore[override]
        """The real parts as a new array; of real elements the array itself."""
        return self._apply("real", self) if self.dtype.kind == "c" else self

    @property  # type: ignore[misc]
    def imag(self) -> GPUArray:  # type: ignore[override]
        """The imaginary parts as a new array."""
        return self._apply("imag", self)

    def conj(self, out: GPUArray | None = None) -> GPUArray:
        """The complex conjugate; of real elements the array itself."""
        if self.dtype.kind != "c":
            return self if out is None else _filled(out, self)
        return self._apply("conjugate", self, out=out)

    conjugate = conj

    # --- views -----------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> GPUArray:
        """A view; of indices in arrays or of a mask a new array. How many elements a mask on the
        device selects the host has to know: it waits for the mask."""
        if is_basic(index):
            return self._view(Array.__getitem__(self, index))
        index = with_masks_on_host(index)
        require_integers(index)
        return self._wrap(Array.__getitem__(self, index))

    def __setitem__(self, index: Any, value: Any) -> None:
        require_integers(index)
        index = with_masks_on_host(index) if isinstance(index, tuple) else as_bools(index)
        Array.__setitem__(self, index, value)

    def reshape(self, *shape: Any, order: str = "C") -> GPUArray:
        """The same elements, in C's or in Fortran's order, under another shape, of which one length
        may be -1. The array itself, a view, or where strides cannot say it, a copy: of an array
        without gaps the result is contiguous in that order."""
        lengths = resolved_shape(shape, self.size)
        flags = self.flags
        contiguous = {"C": flags.c_contiguous, "F": flags.f_contiguous}
        if order not in contiguous:
            raise ValueError(f"invalid order: {order!r}; it is 'C' or 'F'")
        if lengths == self.shape and contiguous[order]:
            return self
        result = Array.reshape(self, lengths, order=order)
        if contiguous[order]:
            return self._view(result)
        made = self._wrap(result)
        # For NumPy the same shape is no change, and the array keeps its order in memory.
        is_left_so = flags.forc and not getattr(made.flags, f"{order.lower()}_contiguous")
        return made.copy(order) if is_left_so else made

    def ravel(self) -> GPUArray:  # type: ignore[override]
        """One axis."""
        return self.reshape(self.size)

    def view(self, dtype: Any = None) -> GPUArray:
        """The same bytes as another dtype; along the innermost axis there are as many more."""
        dtype = self.dtype if dtype is None else np.dtype(dtype)
        if dtype == self.dtype:
            return self._view(self)
        if not self.ndim:
            raise ValueError("the dtype of an array of no axes cannot be changed")
        if dtype.itemsize == self.dtype.itemsize:
            return self._view(_array.viewed(self, dtype, self.shape, self.strides))
        shape, strides = list(self.shape), list(self.strides)
        axis = min(range(self.ndim), key=lambda k: abs(strides[k]))
        length, left = divmod(shape[axis] * self.dtype.itemsize, dtype.itemsize)
        if left or (strides[axis] != self.dtype.itemsize and shape[axis] > 1):
            raise ValueError(
                f"new type not compatible with array: {shape[axis]} elements of {self.dtype} "
                f"along axis {axis} are no whole number of {dtype}"
            )
        shape[axis], strides[axis] = length, dtype.itemsize
        return self._view(_array.viewed(self, dtype, shape, strides))

    def squeeze(self) -> GPUArray:  # type: ignore[override]
        """A view without axes of length 1."""
        return self._view(Array.squeeze(self))

    def transpose(self, axes: Sequence[int] | None = None) -> GPUArray:  # type: ignore[override]
        """A view with the axes in another order; in reverse by default."""
        if axes is None:
            axes = range(self.ndim)[::-1]
        elif len(axes) != self.ndim:
            raise ValueError(f"axes don't match array: {tuple(axes)} of {self.ndim} axes")
        base = self if self.base is None else self.base
        # For no axes nothing changes; the native function would reverse all axes.
        result = Array.transpose(self, list(axes)) if self.ndim else self
        return self._view(result, base)

    @property
    def T(self) -> GPUArray:
        """A view with the axes in reverse."""
        return self.transpose()

    def bind_to_texref(self, texref: Any, allow_offset: bool = False) -> int:
        """Textures of the reference read this array, from the element on that is returned: other
        than 0 only where `allow_offset` says so. The format is the reference's."""
        if not self.flags.forc:
            raise cuda.LogicError("bind_to_texref: the array is not contiguous")
        size_bytes = self.size * self.dtype.itemsize
        required(texref, "texref", "a TextureReference", "set_address")
        offset = texref.set_address(self.gpudata, size_bytes, allow_offset)
        return offset // self.dtype.itemsize

    def bind_to_texref_ext(
        self,
        texref: Any,
        channels: int = 1,
        allow_double_hack: bool = False,
        allow_complex_hack: bool = False,
        allow_offset: bool = False,
    ) -> int:
        """The same, with the format of this array: elements of `channels` numbers. Doubles and
        complex numbers are read as integers, by fp_tex1Dfetch in the kernel, where that is
        allowed."""
        allowed = allow_double_hack if self.dtype.kind == "f" else allow_complex_hack
        if allowed and self.dtype in BITS_AS_INTEGERS:
            if channels != 1:
                raise ValueError(f"elements of {self.dtype} have one channel, not {channels}")
            format_, channels = BITS_AS_INTEGERS[self.dtype]
        else:
            format_ = dtype_to_array_format(self.dtype)
        offset = self.bind_to_texref(texref, allow_offset)
        texref.set_format(format_, channels)
        if channels > 1 or self.dtype.kind != "f":
            texref.set_flags(texref.get_flags() | cuda.TRSF_READ_AS_INTEGER)
        return offset


GPUArray.__module__ = "pycuda.gpuarray"
_array.register_face(GPUArray, GPUArray.policy, OperandShapeError)


def require_gpuarray(value: Any) -> GPUArray:
    """The value, if it is a GPUArray. Raises TypeError."""
    if not isinstance(value, GPUArray):
        raise TypeError(
            f"a {type(value).__name__} where a GPUArray is expected: gpuarray.to_gpu() makes one"
        )
    return value


def _filled(target: GPUArray, value: Any) -> GPUArray:
    assign(target, value)
    return target


def _scaled(array: GPUArray, factor: Any) -> Array:
    """Converts NumPy's numbers to Python's, which do not decide the dtype of the result."""
    if isinstance(factor, np.generic):
        factor = factor.item()
    return _array.apply("multiply", array, factor)


def _combined(x: GPUArray, a: Any, y: GPUArray, b: Any) -> Array:
    return _scaled(x, a) + _scaled(y, b)


def memcpy_discontig(
    dst: Any, src: Any, async_: bool = False, stream: cuda.Stream | None = None
) -> None:
    """Copies between arrays of the host and the device, of the same shape and dtype and in any
    order of axes."""
    if src.shape != dst.shape or src.dtype != dst.dtype:
        raise ValueError(
            f"an array of shape {src.shape} and {src.dtype} is copied into one of shape "
            f"{dst.shape} and {dst.dtype}"
        )
    if not isinstance(dst, GPUArray) and not isinstance(src, GPUArray):
        dst[...] = src
        return
    device = (dst if isinstance(dst, GPUArray) else src).device
    with on_stream(device, stream):
        if not isinstance(dst, GPUArray):
            read(src, dst, not async_)
        elif not isinstance(src, GPUArray):
            write(dst, src, not async_)
        else:
            assign(dst, src)


def from_host(
    ary: Any,
    allocator: Callable[[int], Any] | None = None,
    async_: bool = False,
    stream: cuda.Stream | None = None,
) -> GPUArray:
    """A copy of an array of the host, with the axes in the same order."""
    ary = np.asarray(ary)
    pool = allocator if _memory.is_pool(allocator) else None
    if stream is None and (pool is not None or _memory.is_default(allocator)):
        own = _array.sent(ary, _memory.current_device(), pool, not async_)
        if own is not None:
            sent = GPUArray.__new__(GPUArray)
            FaceArray.__init__(sent, own)
            return sent
    made = GPUArray(ary.shape, ary.dtype, allocator, strides=_memory.compact_strides(ary))
    memcpy_discontig(made, ary, async_, stream)
    return made
