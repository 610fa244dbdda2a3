# SPDX-License-Identifier: MIT
"""skcuda.cusolver: cuSOLVER's dense functions by their own names, by NVIDIA's library on a GPU, and
on the CPU device by the LAPACK of the host.

    h = cusolverDnCreate()
    lwork = cusolverDnSgetrf_bufferSize(h, m, n, a.gpudata, lda)
    cusolverDnSgetrf(h, m, n, a.gpudata, lda, work.gpudata, pivots.gpudata, info.gpudata)

Matrices lie column by column. devInfo is an int32 of the device: 0, or LAPACK's info. Of streams
and of addresses cublas says what holds here, too. Beyond scikit-cuda's there are potri, sytrf,
ormqr, gebrd and sygvd.
"""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Callable
from typing import Any

from . import _cusolver_host as _host
from ._handles import Library as _Library
from ._handles import is_on_host as _is_on_host
from ._routines import ELEMENTS as _ELEMENTS
from ._routines import ENUMERATIONS as _ENUMERATIONS
from ._routines import Routine as _Routine
from ._routines import function_of as _function_of
from ._routines import letters as _letters
from ._routines import parameters_of as _parameters_of

__all__ = ["ctypes"]  # and what is made below


class CUSOLVER_ERROR(Exception):
    """A mistake in a call of cuSOLVER."""


class CUSOLVER_STATUS_NOT_INITIALIZED(CUSOLVER_ERROR):
    """No handle of the library has this number."""


class CUSOLVER_STATUS_ALLOC_FAILED(CUSOLVER_ERROR):
    """Memory is used up."""


class CUSOLVER_STATUS_INVALID_VALUE(CUSOLVER_ERROR):
    """An argument that no function takes."""


class CUSOLVER_STATUS_ARCH_MISMATCH(CUSOLVER_ERROR):
    """The device does not have it."""


class CUSOLVER_STATUS_MAPPING_ERROR(CUSOLVER_ERROR):
    """Memory of the device was out of reach."""


class CUSOLVER_STATUS_EXECUTION_FAILED(CUSOLVER_ERROR):
    """A kernel did not run."""


class CUSOLVER_STATUS_INTERNAL_ERROR(CUSOLVER_ERROR):
    """A failure of the library."""


class CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED(CUSOLVER_ERROR):
    """The library does not do that of such matrices."""


class CUSOLVER_STATUS_NOT_SUPPORTED(CUSOLVER_ERROR):
    """The library does not do that."""


class CUSOLVER_STATUS_ZERO_PIVOT(CUSOLVER_ERROR):
    """A matrix is singular."""


class CUSOLVER_STATUS_INVALID_LICENSE(CUSOLVER_ERROR):
    """The library has no licence."""


CUSOLVER_EXCEPTIONS: dict[int, type[CUSOLVER_ERROR]] = {
    1: CUSOLVER_STATUS_NOT_INITIALIZED,
    2: CUSOLVER_STATUS_ALLOC_FAILED,
    3: CUSOLVER_STATUS_INVALID_VALUE,
    4: CUSOLVER_STATUS_ARCH_MISMATCH,
    5: CUSOLVER_STATUS_MAPPING_ERROR,
    6: CUSOLVER_STATUS_EXECUTION_FAILED,
    7: CUSOLVER_STATUS_INTERNAL_ERROR,
    8: CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
    9: CUSOLVER_STATUS_NOT_SUPPORTED,
    10: CUSOLVER_STATUS_ZERO_PIVOT,
    11: CUSOLVER_STATUS_INVALID_LICENSE,
}
_library = _Library("cuSOLVER", CUSOLVER_EXCEPTIONS, CUSOLVER_ERROR, CUSOLVER_STATUS_INVALID_VALUE)


def cusolverCheckStatus(status: int) -> None:
    """Raises the class of a status that is no success."""
    if status:
        raise CUSOLVER_EXCEPTIONS.get(status, CUSOLVER_ERROR)


def cusolverDnCreate() -> int:
    """A handle for the current context."""
    return _library.create("cusolverDnCreate")


def cusolverDnDestroy(handle: int) -> None:
    """Ends a handle."""
    _library.destroy("cusolverDnDestroy", handle)


def cusolverDnSetStream(handle: int, stream: Any) -> None:
    """Later calls are queued on the stream with this handle; None or 0: the default stream."""
    _library.set_stream("cusolverDnSetStream", handle, stream)


def cusolverDnGetStream(handle: int) -> int | None:
    """The handle of that stream; None: the default stream."""
    return _library.handle(handle).stream or None


# --- Jacobi's method -----------------------------------------------------------------------------


def _call(name: str, *arguments: Any) -> None:
    _library.check(name, _library.function(name)(*arguments))


def cusolverDnCreateSyevjInfo() -> int:
    """What syevj and heevj take as params."""
    if _is_on_host():
        number = next(_host.info_numbers)
        _host.infos[number] = _host.JacobiInfo()
        return number
    info = ctypes.c_void_p()
    _call("cusolverDnCreateSyevjInfo", ctypes.byref(info))
    return info.value or 0


def _jacobi(info: Any) -> _host.JacobiInfo | None:
    """That of the CPU device; None: the library's."""
    if not _is_on_host():
        return None
    try:
        return _host.infos[info]
    except (KeyError, TypeError):
        raise CUSOLVER_STATUS_INVALID_VALUE(
            f"info={info!r}\n  try: cusolverDnCreateSyevjInfo()"
        ) from None


def cusolverDnDestroySyevjInfo(info: int) -> None:
    """Ends it."""
    if _jacobi(info) is None:
        _call("cusolverDnDestroySyevjInfo", ctypes.c_void_p(info))
    else:
        del _host.infos[info]


def cusolverDnXsyevjSetTolerance(info: int, tolerance: float) -> None:
    """How much may be left beside the diagonal; LAPACK's on the CPU device."""
    own = _jacobi(info)
    if own is None:
        _call("cusolverDnXsyevjSetTolerance", ctypes.c_void_p(info), ctypes.c_double(tolerance))
    else:
        own.tolerance = float(tolerance)


def cusolverDnXsyevjSetMaxSweeps(info: int, max_sweeps: int) -> None:
    """How often all elements are visited at most."""
    own = _jacobi(info)
    if own is None:
        _call("cusolverDnXsyevjSetMaxSweeps", ctypes.c_void_p(info), ctypes.c_int(max_sweeps))
    else:
        own.max_sweeps = int(max_sweeps)


def cusolverDnXsyevjSetSortEig(info: int, sort_eig: int) -> None:
    """Whether values go up; on the CPU device they always do."""
    own = _jacobi(info)
    if own is None:
        _call("cusolverDnXsyevjSetSortEig", ctypes.c_void_p(info), ctypes.c_int(sort_eig))
    else:
        own.sorts = bool(sort_eig)


def _told(name: str, handle: int, info: int, box: Any) -> Any:
    own = _library.handle(handle)
    _call(name, ctypes.c_void_p(own.number), ctypes.c_void_p(info), ctypes.byref(box))
    return box.value


def cusolverDnXsyevjGetResidual(handle: int, info: int) -> float:
    """What the last call left beside the diagonal."""
    own = _jacobi(info)
    if own is not None:
        return own.residual
    return _told("cusolverDnXsyevjGetResidual", handle, info, ctypes.c_double())


def cusolverDnXsyevjGetSweeps(handle: int, info: int) -> int:
    """How often the last call has visited all elements."""
    own = _jacobi(info)
    if own is not None:
        return own.sweeps
    return _told("cusolverDnXsyevjGetSweeps", handle, info, ctypes.c_int())


# --- the table -----------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Family:
    """A line: a function, what its bufferSize takes, and what does both on the CPU device."""

    name: str  # of real types and, if it differs, of complex ones
    parameters: str
    doc: str
    host: Callable[[_Routine, dict[str, Any]], Any]
    size: str | None = None
    size_host: Callable[[_Routine, dict[str, Any]], int] = _host.size_of_none
    size_before: str | None = None  # the parameter of bufferSize behind the size


_EIGEN = "jobz uplo n a[n,n] lda w:R[n]"
_MANY = "jobz uplo n a lda w:R*"

_TABLE = (
    _Family(
        "potrf",
        "uplo n a[n,n] lda workspace[devIpiv] devIpiv:int devInfo:I[1]",
        "Cholesky's factor of a, in its place. devIpiv is the size of the workspace.",
        _host.cholesky,
        "uplo n a lda",
    ),
    _Family(
        "potrs",
        "uplo n nrhs a[n,n] lda B[n,nrhs] ldb devInfo:I[1]",
        "The solution of A x = B in B, by Cholesky's factor a.",
        _host.solve_by_cholesky,
    ),
    _Family(
        "potri",
        "uplo n a[n,n] lda workspace[lwork] lwork devInfo:I[1]",
        "The inverse, of which a is Cholesky's factor, in a's triangle.",
        _host.invert_by_cholesky,
        "uplo n a lda",
    ),
    _Family(
        "getrf",
        "m n a[m,n] lda workspace devIpiv:I devInfo:I[1]",
        "L and U in a's place, and least(m, n) pivots from 1 on; none of them if devIpiv is 0.",
        _host.factor,
        "m n a lda",
    ),
    _Family(
        "getrs",
        "trans n nrhs a[n,n] lda devIpiv:I B[n,nrhs] ldb devInfo:I[1]",
        "The solution of op(A) x = B in B, of what getrf made.",
        _host.solve,
    ),
    _Family(
        "sytrf",
        "uplo n a[n,n] lda devIpiv:I[n] workspace[lwork] lwork devInfo:I[1]",
        "L and D of a symmetric matrix in a's triangle, with pivots.",
        _host.symmetric_factor,
        "n a lda",
    ),
    _Family(
        "gesvd",
        "jobu jobvt m n a[m,n] lda s:R[least] U ldu vt ldvt work[lwork] lwork rwork:R* "
        "devInfo:I[1]",
        "Singular values s, going down, and vectors, U and V^H, as jobu and jobvt say: 'A' all, "
        "'S' the first n, 'O' in a's place, 'N' none. m >= n. rwork may be 0.",
        _host.singular_values,
        "m n",
        _host.singular_values_size,
    ),
    _Family(
        "geqrf",
        "m n a[m,n] lda tau[least] workspace[lwork] lwork devInfo:I[1]",
        "R and the reflectors of Q in a's place and in tau.",
        _host.qr,
        "m n a lda",
        _host.qr_size,
    ),
    _Family(
        "orgqr ungqr",
        "m n k a[m,n] lda tau[k] work[lwork] lwork devInfo:I[1]",
        "The first n columns of Q, of what geqrf made, in a's place.",
        _host.orthogonal,
        "m n k a lda tau",
        _host.orthogonal_size,
    ),
    _Family(
        "ormqr unmqr",
        "side trans m n k a lda tau[k] C[m,n] ldc work[lwork] lwork devInfo:I[1]",
        "C = op(Q) C, or C op(Q) for side 'r', of what geqrf made.",
        _host.multiply_by_orthogonal,
        "side trans m n k a lda tau C ldc",
    ),
    _Family(
        "gebrd",
        "m n a[m,n] lda D:R[least] E:R* TAUQ[least] TAUP[least] work[lwork] lwork devInfo:I[1]",
        "The two diagonals D and E of Q^H A P, and the reflectors of Q and P.",
        _host.bidiagonal,
        "m n",
    ),
    _Family(
        "syevd heevd",
        f"{_EIGEN} workspace[lwork] lwork devInfo:I[1]",
        "Eigenvalues w, going up, and, if jobz is 1, vectors in a's place.",
        _host.eigenvalues,
        _EIGEN,
        _host.eigenvalues_size,
    ),
    _Family(
        "sygvd hegvd",
        "itype:int jobz uplo n a[n,n] lda B[n,n] ldb w:R[n] work[lwork] lwork devInfo:I[1]",
        "The same of A x = w B x (itype 1), A B x = w x (2) or B A x = w x (3).",
        _host.general_eigenvalues,
        "itype:int jobz uplo n a lda B ldb w:R*",
        _host.eigenvalues_size,
    ),
    _Family(
        "syevj heevj",
        f"{_EIGEN} work[lwork] lwork info:I[1] params:host",
        "The same as syevd by Jacobi's method, as params say.",
        _host.eigenvalues_by_jacobi,
        f"{_EIGEN} params:host",
        _host.eigenvalues_size,
        "params",
    ),
    _Family(
        "syevjBatched heevjBatched",
        f"{_MANY} work[lwork] lwork info:I params:host batchSize",
        "The same of many matrices, one behind the other.",
        _host.eigenvalues_by_jacobi,
        f"{_MANY} params:host batchSize",
        _host.eigenvalues_size,
        "params",
    ),
)

CUSOLVER_EIG_MODE = _letters(
    ("novector", "n", "CUSOLVER_EIG_MODE_NOVECTOR"), ("vector", "v", "CUSOLVER_EIG_MODE_VECTOR")
)
_KINDS = {
    **_ENUMERATIONS,
    "jobz": CUSOLVER_EIG_MODE,
    "char": {letter: ord(letter.upper()) for letter in "AaSsOoNn"},
}


def _routines(family: _Family, letter: str) -> list[_Routine]:
    """The function of a family for a type, and its bufferSize."""
    names = family.name.split()
    name = f"cusolverDn{letter}{names[-1] if letter in 'CZ' else names[0]}"
    element = _ELEMENTS[letter]
    made = [
        _Routine(
            _library,
            name,
            element,
            _parameters_of(family.parameters),
            family.host,
            f"{family.doc} Of {element.dtype}.",
            enumerations=_KINDS,
        )
    ]
    if family.size is not None:
        made.append(
            _Routine(
                _library,
                f"{name}_bufferSize",
                element,
                _parameters_of(family.size),
                family.size_host,
                f"How many elements of work {name} needs.",
                "int",
                enumerations=_KINDS,
                result_before=family.size_before,
            )
        )
    return made


for _family in _TABLE:
    for _letter in "SDCZ":
        for _made in _routines(_family, _letter):
            globals()[_made.name] = _function_of(_made, __name__)

__all__ += [name for name in dir() if name.startswith(("cusolver", "CUSOLVER"))]


def __getattr__(name: str) -> Any:
    if name == "_libcusolver":
        return _library.library
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
