# SPDX-License-Identifier: MIT
"""skcuda.misc: set-up, new arrays, and NumPy's functions on arrays of the PyCUDA face.

Results are arrays in the order of memory of the first argument, queued on the current stream.
Where scikit-cuda's last release is at fault, these do what its documentation promises: cumsum()
leaves its argument, argmax() counts ties from the front, var() is NumPy's. Errors are treadle's,
which are ValueErrors where scikit-cuda raised those.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import treadle.numpy as tnp
import treadle.pycuda.driver as drv
from treadle._core import DTypeError, InvalidArgument, NotSupported, ShapeError
from treadle._core.array import Array
from treadle._face_array import on_stream
from treadle.pycuda import gpuarray
from treadle.pycuda._context_caches import ContextCache
from treadle.pycuda.gpuarray import GPUArray

from . import cublas, cusolver

_has_cula = _has_magma = False
_has_cusolver = True  # what linalg calls it for is treadle's
_global_cublas_allocator: Any = drv.mem_alloc

num_types = [np.dtype(name).type for name in np.typecodes["All"] if name not in "OSUVmM"]
num_nbytes = {np.dtype(type_): np.dtype(type_).itemsize for type_ in num_types}


def isdoubletype(x: Any) -> bool:
    """Whether a dtype is float64 or complex128."""
    return np.dtype(x) in (np.dtype("f8"), np.dtype("c16"))


def iscomplextype(x: Any) -> bool:
    """Whether a dtype is complex64 or complex128."""
    return np.dtype(x).kind == "c"


def iceil(x: float) -> int:
    """The least integer from x on."""
    return math.ceil(x)


# --- set-up --------------------------------------------------------------------------------------


# What makes one, what ends it, and those that live.
_CREATES: dict[str, tuple[Callable[[], int], Callable[[int], None], Mapping[int, Any]]] = {
    "_global_cublas_handle": (
        cublas.cublasCreate,
        cublas.cublasDestroy,
        cublas._library.handles,
    ),
    "_global_cusolver_handle": (
        cusolver.cusolverDnCreate,
        cusolver.cusolverDnDestroy,
        cusolver._library.handles,
    ),
}
_handles: dict[Any, Any] = ContextCache()


def __getattr__(name: str) -> Any:
    """The handles for programs that call cuBLAS and cuSOLVER themselves: made when first asked for,
    one in each context; None without a context."""
    if name not in _CREATES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    context = drv.Context.get_current()
    if context is None:
        return None
    own = _handles.setdefault(context, {})
    create, _, handles = _CREATES[name]
    if own.get(name) not in handles:  # made never, or destroyed by the program
        own[name] = create()
    return own[name]


def init(allocator: Any = drv.mem_alloc) -> None:
    """Remembers the allocator of results; libraries start when a program asks for their handles.
    May be called again."""
    global _global_cublas_allocator
    if _global_cublas_allocator is drv.mem_alloc:
        _global_cublas_allocator = allocator


def shutdown() -> None:
    """Destroys the global handles of the current context. May be called again."""
    for name, handle in _handles.pop(drv.Context.get_current(), {}).items():
        _, destroy, handles = _CREATES[name]
        if handle in handles:  # the program may have destroyed it
            destroy(handle)


def init_device(n: int = 0) -> Any:
    """The n-th device."""
    drv.init()
    return drv.Device(n)


def init_context(dev: Any) -> Any:
    """A context on the device, current now."""
    return dev.make_context()


def done_context(ctx: Any) -> None:
    """Takes the context from the stack."""
    ctx.pop()
    ctx.detach()


def get_compute_capability(dev: Any) -> float:
    """8.6 of (8, 6)."""
    return float("{}.{}".format(*dev.compute_capability()))


def get_current_device() -> Any:
    """The device of the current context."""
    return drv.Context.get_device()


def get_dev_attrs(dev: Any) -> list[Any]:
    """The most work-items of a block, the block's and the grid's largest extents."""
    get, names = dev.get_attribute, drv.device_attribute
    return [
        get(names.MAX_THREADS_PER_BLOCK),
        tuple(get(getattr(names, f"MAX_BLOCK_DIM_{axis}")) for axis in "XYZ"),
        tuple(get(getattr(names, f"MAX_GRID_DIM_{axis}")) for axis in "XYZ"),
    ]


def select_block_grid_sizes(
    dev: Any, data_shape: Any, threads_per_block: int | None = None
) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """A block along x and a grid in x and y with a work-item for each element, which is number
    (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x."""
    most, blocks, grids = get_dev_attrs(dev)
    threads = most if threads_per_block is None else int(threads_per_block)
    if not 0 < threads <= builtins.min(most, blocks[0]):
        raise InvalidArgument(f"threads_per_block={threads}: a block has 1 to {most}")
    shape = (data_shape,) if np.isscalar(data_shape) else data_shape
    count = math.ceil(math.prod(shape) / threads)
    rows = math.ceil(count / grids[0])
    if rows > grids[1]:
        raise InvalidArgument(f"data_shape={data_shape!r}: too many elements for one grid")
    return (threads, 1, 1), (math.ceil(count / builtins.max(rows, 1)), builtins.max(rows, 1), 1)


# --- arrays --------------------------------------------------------------------------------------


def zeros(shape: Any, dtype: Any, order: str = "C", allocator: Any = drv.mem_alloc) -> Any:
    """A new array of zeros."""
    return _full(shape, dtype, order, allocator, 0)


def ones(shape: Any, dtype: Any, order: str = "C", allocator: Any = drv.mem_alloc) -> Any:
    """A new array of ones."""
    return _full(shape, dtype, order, allocator, 1)


def inf(shape: Any, dtype: Any, order: str = "C", allocator: Any = drv.mem_alloc) -> Any:
    """A new array of infinities. Raises OverflowError for integers."""
    if np.dtype(dtype).kind in "biu":
        raise OverflowError(f"inf of {np.dtype(dtype)}: integers have no infinity")
    return _full(shape, dtype, order, allocator, np.inf)


def _full(shape: Any, dtype: Any, order: str, allocator: Any, value: Any) -> Any:
    made = GPUArray(shape, dtype, allocator=allocator, order=order)
    made.fill(value)
    return made


def zeros_like(a: Any) -> Any:
    """Zeros in a's shape, dtype and order of memory."""
    return gpuarray.zeros_like(a)


def ones_like(a: Any) -> Any:
    """Ones likewise."""
    return gpuarray.ones_like(a)


def ordered(x: Any, result: Any, order: str | None = None) -> Any:
    """The result as an array of x's class, in the order of memory of x, or in `order`."""
    if order is None:
        order = "F" if x.flags.f_contiguous and not x.flags.c_contiguous else "C"
    return x._wrap(tnp.asarray(result, order=order))


def _new(made: Any) -> Any:
    """A native array as one of the PyCUDA face."""
    return gpuarray.empty((), made.dtype)._wrap(made)


def maxabs(x_gpu: Any) -> Any:
    """The largest magnitude, as an array without axes."""
    return ordered(x_gpu, tnp.max(tnp.abs(tnp.asarray(x_gpu))))


def cumsum(x_gpu: Any) -> Any:
    """The running sums of all elements, in x's dtype."""
    return ordered(x_gpu, tnp.cumsum(x_gpu, dtype=x_gpu.dtype))


def diff(x_gpu: Any) -> Any:
    """The differences of neighbours of an array of one axis."""
    if x_gpu.ndim != 1:
        raise ShapeError(f"diff: x_gpu of shape {x_gpu.shape}; it has one axis")
    return ordered(x_gpu, tnp.diff(x_gpu))


def _indices(ind: Any) -> Any:
    if not isinstance(ind, np.ndarray | Array) or ind.ndim != 1 or ind.dtype.kind not in "iu":
        raise AssertionError("ind is an array of one axis of integers")
    return ind


def get_by_index(src_gpu: Any, ind: Any) -> Any:
    """The elements with these numbers, counted in memory."""
    flat = tnp.ravel(src_gpu)
    return ordered(src_gpu, tnp.take(flat, tnp.asarray(_indices(ind), device=src_gpu.device)))


def set_by_index(dest_gpu: Any, ind: Any, src_gpu: Any, ind_which: str = "dest") -> None:
    """dest[ind] = src, or, with ind_which="src", dest = src[ind]."""
    _indices(ind)
    assert dest_gpu.dtype == src_gpu.dtype, "dest_gpu and src_gpu have one dtype"
    places = tnp.asarray(ind, device=dest_gpu.device)
    if ind_which == "dest":
        assert len(ind) == src_gpu.size, "there is an element of src_gpu for each index"
        if len(ind):
            Array.__setitem__(dest_gpu, places, src_gpu)
    elif ind_which == "src":
        assert len(ind) == dest_gpu.size, "there is an index for each element of dest_gpu"
        if len(ind):
            Array.__setitem__(dest_gpu, ..., tnp.take(tnp.ravel(src_gpu), places))
    else:
        raise InvalidArgument(f"ind_which={ind_which!r}: it is 'dest' or 'src'")


def set_realloc(x_gpu: Any, data: Any) -> None:
    """Copies data of the host into x_gpu, which gets new memory where shape or dtype differ."""
    if (x_gpu.shape, x_gpu.dtype) == (data.shape, data.dtype):
        x_gpu.set(data)
        return
    new = gpuarray.to_gpu(data)
    for name in ("shape", "strides", "dtype", "size", "gpudata"):
        setattr(x_gpu, name, getattr(new, name))


# --- operators -----------------------------------------------------------------------------------


def _quotient(x: Any, y: Any) -> Any:
    is_whole = np.result_type(x.dtype, y.dtype).kind in "iu"
    return tnp.floor_divide(x, y) if is_whole else tnp.divide(x, y)


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": tnp.add,
    "-": tnp.subtract,
    "/": _quotient,
    "*": tnp.multiply,
    "%": tnp.remainder,
}


def binaryop_2d(c_op: str, py_op: Any, commutative: bool, x_gpu: Any, y_gpu: Any) -> Any:
    """x op y of equal shapes, of a matrix and a row or column, or of an array and one element."""
    if x_gpu.flags.c_contiguous != y_gpu.flags.c_contiguous and x_gpu.ndim == y_gpu.ndim == 2:
        raise InvalidArgument("x_gpu and y_gpu lie in different orders of memory")
    operator = _OPERATORS[c_op]
    shapes = x_gpu.shape, y_gpu.shape
    if shapes[0] != shapes[1] and 1 not in (x_gpu.size, y_gpu.size):
        if x_gpu.ndim < 2 and commutative:
            x_gpu, y_gpu = y_gpu, x_gpu
        m, n = (*x_gpu.shape, 0, 0)[:2]
        if x_gpu.ndim != 2 or y_gpu.shape not in ((n,), (1, n), (m, 1)):
            raise TypeError(f"arrays of shapes {shapes[0]} and {shapes[1]}: pass a matrix first")
    wide = x_gpu if x_gpu.size >= y_gpu.size else y_gpu
    return ordered(wide, operator(tnp.asarray(x_gpu), tnp.asarray(y_gpu)))


def add(x_gpu: Any, y_gpu: Any) -> Any:
    """The sums, as binaryop_2d() pairs elements."""
    return binaryop_2d("+", None, True, x_gpu, y_gpu)


def subtract(x_gpu: Any, y_gpu: Any) -> Any:
    """The differences."""
    return binaryop_2d("-", None, False, x_gpu, y_gpu)


def multiply(x_gpu: Any, y_gpu: Any) -> Any:
    """The products."""
    return binaryop_2d("*", None, True, x_gpu, y_gpu)


def divide(x_gpu: Any, y_gpu: Any) -> Any:
    """The quotients; of integers whole ones."""
    return binaryop_2d("/", None, False, x_gpu, y_gpu)


# over 6 parameters because they are scikit-cuda's
def binaryop_matvec(
    binary_op: str,
    x_gpu: Any,
    a_gpu: Any,
    axis: int | None = None,
    out: Any = None,
    stream: Any = None,
) -> Any:
    """Each row (axis 1) or column (axis 0) of the matrix x_gpu op the vector a_gpu; the axis whose
    length fits, the last one first, without one. "%" is of integers."""
    if binary_op not in _OPERATORS:
        raise InvalidArgument(f"binary_op={binary_op!r}: it is one of + - / * %")
    if binary_op == "%" and x_gpu.dtype.kind not in "iu":
        raise DTypeError(f"remainders of {x_gpu.dtype}: they are of integers")
    if x_gpu.ndim != 2:
        raise ShapeError(f"x_gpu of shape {x_gpu.shape}: it is a matrix")
    m, n = x_gpu.shape
    if axis is None:
        fits = {1: a_gpu.shape in ((n,), (1, n)), 0: a_gpu.shape == (m, 1)}
        axis = next((one for one in (1, 0) if fits[one]), None)
    elif -2 <= axis <= 1:
        axis %= 2
        axis = axis if a_gpu.size == x_gpu.shape[axis] else None
    else:
        raise InvalidArgument(f"axis={axis}: a matrix has axes 0 and 1")
    if axis is None:
        raise ShapeError(f"a vector of shape {a_gpu.shape} beside a matrix of shape {x_gpu.shape}")
    vector = tnp.reshape(a_gpu, (1, n) if axis == 1 else (m, 1))
    with on_stream(x_gpu.device, stream):
        made = _OPERATORS[binary_op](tnp.asarray(x_gpu), vector)
        if out is None:
            return ordered(x_gpu, made)
        assert out.dtype == made.dtype and out.shape == made.shape, "out is like x_gpu"
        Array.__setitem__(out, ..., made)
    return out


def add_matvec(
    x_gpu: Any, a_gpu: Any, axis: Any = None, out: Any = None, stream: Any = None
) -> Any:
    """The vector added to each row or column."""
    return binaryop_matvec("+", x_gpu, a_gpu, axis, out, stream)


def div_matvec(
    x_gpu: Any, a_gpu: Any, axis: Any = None, out: Any = None, stream: Any = None
) -> Any:
    """Each row or column divided by the vector."""
    return binaryop_matvec("/", x_gpu, a_gpu, axis, out, stream)


def mult_matvec(
    x_gpu: Any, a_gpu: Any, axis: Any = None, out: Any = None, stream: Any = None
) -> Any:
    """Each row or column times the vector."""
    return binaryop_matvec("*", x_gpu, a_gpu, axis, out, stream)


# --- reductions ----------------------------------------------------------------------------------


def _folded(x_gpu: Any, made: Any, out: Any) -> Any:
    if out is None:
        return ordered(x_gpu, made, "C")
    Array.__setitem__(out, ..., tnp.reshape(made, out.shape))
    return out


def sum(x_gpu: Any, axis: int | None = None, out: Any = None, keepdims: bool = False) -> Any:
    """The sum of all elements, an array without axes, or along an axis; in x's dtype."""
    return _folded(x_gpu, tnp.sum(x_gpu, axis=axis, dtype=x_gpu.dtype, keepdims=keepdims), out)


def mean(x_gpu: Any, axis: int | None = None, out: Any = None, keepdims: bool = False) -> Any:
    """The mean likewise."""
    return _folded(x_gpu, tnp.mean(x_gpu, axis=axis, keepdims=keepdims), out)


def _correction(ddof: Any) -> int:
    assert int(ddof) == ddof, "ddof is a whole number"
    return int(ddof)


# over 6 parameters because they are scikit-cuda's
def var(
    x_gpu: Any, ddof: int = 0, axis: Any = None, stream: Any = None, keepdims: bool = False
) -> Any:
    """The variance, NumPy's; ddof comes before the axis here."""
    with on_stream(x_gpu.device, stream):
        made = tnp.var(x_gpu, axis=axis, ddof=_correction(ddof), keepdims=keepdims)
        return ordered(x_gpu, made, "C")


def std(
    x_gpu: Any, ddof: int = 0, axis: Any = None, stream: Any = None, keepdims: bool = False
) -> Any:
    """The standard deviation likewise."""
    with on_stream(x_gpu.device, stream):
        made = tnp.std(x_gpu, axis=axis, ddof=_correction(ddof), keepdims=keepdims)
        return ordered(x_gpu, made, "C")


def _extremum(function: Any, a_gpu: Any, axis: int | None, keepdims: bool) -> Any:
    if a_gpu.dtype.kind == "c":
        raise DTypeError(f"the extrema of {a_gpu.dtype}: complex numbers have no order")
    if axis is None or a_gpu.ndim <= 1:
        return ordered(a_gpu, function(a_gpu, keepdims=True), "C")
    return ordered(a_gpu, function(a_gpu, axis=axis, keepdims=keepdims), "C")


def max(a_gpu: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The largest element that is not NaN: along an axis, or of all, with all axes of length 1."""
    return _extremum(tnp.nanmax, a_gpu, axis, keepdims)


def min(a_gpu: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The least likewise."""
    return _extremum(tnp.nanmin, a_gpu, axis, keepdims)


def _place(function: Any, a_gpu: Any, axis: int | None, keepdims: bool) -> Any:
    if axis is None:
        raise NotSupported("argmax and argmin are along an axis: pass axis=0 of a.ravel()")
    if a_gpu.dtype.kind == "c":
        raise DTypeError(f"the extrema of {a_gpu.dtype}: complex numbers have no order")
    found = function(a_gpu, axis=axis, keepdims=keepdims)
    return ordered(a_gpu, tnp.astype(found, np.uint32), "C")


def argmax(a_gpu: Any, axis: int | None, keepdims: bool = False) -> Any:
    """Where the largest element along an axis is first: uint32."""
    return _place(tnp.argmax, a_gpu, axis, keepdims)


def argmin(a_gpu: Any, axis: int | None, keepdims: bool = False) -> Any:
    """Where the least one is."""
    return _place(tnp.argmin, a_gpu, axis, keepdims)
