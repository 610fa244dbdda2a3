# SPDX-License-Identifier: MIT
"""cuSOLVER's functions by LAPACK, on memory of the host. LAPACK's work is its own: what a program
allocates as bufferSize says stays unused."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np

from ._host_library import (
    address,
    factor_without_pivots,
    integer_dtype,
    lapack,
    triangle_letter,
    work_size,
    worked,
)
from ._routines import Routine, matrix, require_leading, require_range, vector

_Values = dict[str, Any]
_NOTHING = np.zeros(1, np.complex128)  # for questions about sizes, which read no element


def _tell(values: _Values, info: int, i: int = 0) -> None:
    name = "devInfo" if "devInfo" in values else "info"
    vector(values[name] + 4 * i, np.int32, 1)[0] = info


def _write_pivots(values: _Values, pivots: np.ndarray) -> None:
    vector(values["devIpiv"], np.int32, len(pivots))[:] = pivots


def _a(routine: Routine, values: _Values) -> np.ndarray:
    return matrix(values["a"], routine.element.dtype, values["m"], values["n"], values["lda"])


# --- factors and solutions -----------------------------------------------------------------------


def size_of_none(routine: Routine, values: _Values) -> int:
    """What a function that needs no work says."""
    return max(1, values.get("m", 1), values["n"])


def cholesky(routine: Routine, values: _Values) -> None:
    """potrf."""
    v = values
    _tell(
        v,
        lapack(routine.element, "potrf", triangle_letter(v), v["n"], address(v["a"]), v["lda"]),
    )


def solve_by_cholesky(routine: Routine, values: _Values) -> None:
    """potrs."""
    v = values
    a, b = (address(v["a"]), v["lda"]), (address(v["B"]), v["ldb"])
    _tell(v, lapack(routine.element, "potrs", triangle_letter(v), v["n"], v["nrhs"], *a, *b))


def invert_by_cholesky(routine: Routine, values: _Values) -> None:
    """potri."""
    v = values
    _tell(
        v,
        lapack(routine.element, "potri", triangle_letter(v), v["n"], address(v["a"]), v["lda"]),
    )


def factor(routine: Routine, values: _Values) -> None:
    """getrf; without pivots where there is no room for them."""
    v = values
    if not v["devIpiv"]:
        _tell(v, factor_without_pivots(_a(routine, v)))
        return
    pivots = np.empty(min(v["m"], v["n"]), integer_dtype())
    _tell(v, lapack(routine.element, "getrf", v["m"], v["n"], address(v["a"]), v["lda"], pivots))
    _write_pivots(v, pivots)


def solve(routine: Routine, values: _Values) -> None:
    """getrs."""
    v, n = values, values["n"]
    pivots = np.arange(1, n + 1, dtype=integer_dtype())
    if v["devIpiv"]:
        pivots[:] = vector(v["devIpiv"], np.int32, n)
    a, b = (address(v["a"]), v["lda"]), (address(v["B"]), v["ldb"])
    letter = (b"N", b"T", b"C")[v["trans"]]
    _tell(v, lapack(routine.element, "getrs", letter, n, v["nrhs"], *a, pivots, *b))


def symmetric_factor(routine: Routine, values: _Values) -> None:
    """sytrf."""
    v = values
    pivots = np.empty(v["n"], integer_dtype())
    a = address(v["a"]), v["lda"]
    _tell(v, worked(routine.element, "sytrf", triangle_letter(v), v["n"], *a, pivots))
    _write_pivots(v, pivots)


# --- orthogonal factors --------------------------------------------------------------------------


def _name(routine: Routine, name: str) -> str:
    """LAPACK has other names for complex matrices."""
    return name.replace("or", "un", 1) if routine.element.is_complex else name


def qr(routine: Routine, values: _Values) -> None:
    """geqrf."""
    v = values
    a = address(v["a"]), v["lda"]
    _tell(v, worked(routine.element, "geqrf", v["m"], v["n"], *a, address(v["tau"])))


def qr_size(routine: Routine, values: _Values) -> int:
    """geqrf_bufferSize."""
    v = values
    return work_size(routine.element, "geqrf", v["m"], v["n"], _NOTHING, max(1, v["m"]), _NOTHING)


def _require_reflectors(routine: Routine, values: _Values) -> None:
    m, n, k = (values[name] for name in "mnk")
    if not k <= n <= m:
        raise routine.library.invalid_value(f"m={m}, n={n}, k={k}: m >= n >= k")


def orthogonal(routine: Routine, values: _Values) -> None:
    """orgqr and ungqr."""
    _require_reflectors(routine, values)
    v = values
    a = address(v["a"]), v["lda"], address(v["tau"])
    _tell(v, worked(routine.element, _name(routine, "orgqr"), v["m"], v["n"], v["k"], *a))


def orthogonal_size(routine: Routine, values: _Values) -> int:
    """orgqr_bufferSize and ungqr_bufferSize."""
    _require_reflectors(routine, values)
    v = values
    return work_size(
        routine.element,
        _name(routine, "orgqr"),
        *(v[name] for name in "mnk"),
        *(_NOTHING, max(1, v["m"]), _NOTHING),
    )


def _turning(routine: Routine, values: _Values) -> tuple[bytes, bytes]:
    """The letters of ormqr: real factors are turned, complex ones turned with conjugates."""
    if routine.element.is_complex and values["trans"] == 1:
        raise routine.library.invalid_value("trans='t': of complex factors it is 'n' or 'c'")
    letter = b"C" if routine.element.is_complex else b"T"
    return b"R" if values["side"] else b"L", letter if values["trans"] else b"N"


def multiply_by_orthogonal(routine: Routine, values: _Values) -> None:
    """ormqr and unmqr."""
    v = values
    numbers = (v[name] for name in "mnk")
    a, c = (address(v["a"]), v["lda"], address(v["tau"])), (address(v["C"]), v["ldc"])
    letters = _turning(routine, v)
    _tell(v, worked(routine.element, _name(routine, "ormqr"), *letters, *numbers, *a, *c))


def bidiagonal(routine: Routine, values: _Values) -> None:
    """gebrd."""
    v = values
    parts = (address(v[name]) for name in ("D", "E", "TAUQ", "TAUP"))
    a = address(v["a"]), v["lda"]
    _tell(v, worked(routine.element, "gebrd", v["m"], v["n"], *a, *parts))


# --- singular values and eigenvalues -------------------------------------------------------------


def singular_values_size(routine: Routine, values: _Values) -> int:
    """gesvd_bufferSize."""
    _require_tall(routine, values)
    m, n = max(1, values["m"]), max(1, values["n"])
    x = _NOTHING
    after = (x,) if routine.element.is_complex else ()
    return work_size(routine.element, "gesvd", b"A", b"A", m, n, x, m, x, x, m, x, n, after=after)


def _require_tall(routine: Routine, values: _Values) -> None:
    if values["m"] < values["n"]:
        raise routine.library.invalid_value(
            f"m={values['m']}, n={values['n']}: gesvd is of matrices with m >= n"
        )


def singular_values(routine: Routine, values: _Values) -> None:
    """gesvd."""
    _require_tall(routine, values)
    v, m, n, element = values, values["m"], values["n"], routine.element
    jobs = chr(v["jobu"]), chr(v["jobvt"])
    if jobs == ("O", "O"):
        raise routine.library.invalid_value("jobu='O', jobvt='O': one of them is")
    itemsize = element.dtype.itemsize
    for name, job, rows, columns in (
        ("U", jobs[0], m, m if jobs[0] == "A" else n),
        ("vt", jobs[1], n, n),
    ):
        if job in "AS":
            leading = v[f"ld{name.lower()}"]
            require_leading(f"ld{name.lower()}", leading, rows, routine.library)
            size = (columns - 1) * leading + rows if columns else 0
            require_range(name, v[name], size * itemsize, routine.library)
    rest = (np.empty(5 * max(n, 1), element.real.dtype),) if element.is_complex else ()
    info = worked(
        element,
        "gesvd",
        *(job.encode() for job in jobs),
        *(m, n, address(v["a"]), v["lda"], address(v["s"])),
        *(address(v["U"]), max(1, v["ldu"]), address(v["vt"]), max(1, v["ldvt"])),
        after=rest,
    )
    _tell(v, info)


def _by_divide_and_conquer(routine: Routine, name: str, *arguments: Any) -> int:
    """A function with up to three arrays of work, of which it tells the sizes."""
    element = routine.element
    dtypes = [element.dtype, integer_dtype()]
    if element.is_complex:
        dtypes.insert(1, element.real.dtype)
    works = [np.zeros(1, dtype) for dtype in dtypes]
    lapack(element, name, *arguments, *itertools.chain(*((work, -1) for work in works)))
    works = [np.empty(max(1, int(work[0].real)), work.dtype) for work in works]
    return lapack(element, name, *arguments, *itertools.chain(*((w, w.size) for w in works)))


def _eigen(routine: Routine, values: _Values, a: int, w: int) -> int:
    job = b"V" if values["jobz"] else b"N"
    name = "heevd" if routine.element.is_complex else "syevd"
    own = address(a), values["lda"], address(w)
    return _by_divide_and_conquer(routine, name, job, triangle_letter(values), values["n"], *own)


def eigenvalues_size(routine: Routine, values: _Values) -> int:
    """A size that LAPACK is glad of, though it has its own."""
    return max(1, 2 * values["n"] ** 2 + 6 * values["n"] + 1)


def eigenvalues(routine: Routine, values: _Values) -> None:
    """syevd and heevd."""
    _tell(values, _eigen(routine, values, values["a"], values["w"]))


def general_eigenvalues(routine: Routine, values: _Values) -> None:
    """sygvd and hegvd."""
    v = values
    if v["itype"] not in (1, 2, 3):
        raise routine.library.invalid_value(f"itype={v['itype']}: it is 1, 2 or 3")
    name = "hegvd" if routine.element.is_complex else "sygvd"
    letters = b"V" if v["jobz"] else b"N", triangle_letter(v)
    places = address(v["a"]), v["lda"], address(v["B"]), v["ldb"], address(v["w"])
    _tell(v, _by_divide_and_conquer(routine, name, v["itype"], *letters, v["n"], *places))


# --- Jacobi's method -----------------------------------------------------------------------------


@dataclasses.dataclass
class JacobiInfo:
    """What a program asks of Jacobi's method, and how it went. Here LAPACK's method does it, whose
    values are sorted, in one sweep."""

    tolerance: float = 0.0
    max_sweeps: int = 100
    sorts: bool = True
    residual: float = 0.0
    sweeps: int = 0


infos: dict[int, JacobiInfo] = {}
info_numbers = itertools.count(1)


def eigenvalues_by_jacobi(routine: Routine, values: _Values) -> None:
    """syevj, heevj and those of many matrices, which lie one behind the other."""
    v, n, element = values, values["n"], routine.element
    count = v.get("batchSize", 1)
    own = infos.get(v["params"])
    if own is None:
        raise routine.library.invalid_value(
            f"params={v['params']!r}\n  try: cusolverDnCreateSyevjInfo()"
        )
    own.residual, own.sweeps = 0.0, 1
    step_a, step_w = v["lda"] * n * element.dtype.itemsize, n * element.real.dtype.itemsize
    require_leading("lda", v["lda"], n, routine.library)
    last_column = max(0, v["lda"] - n) * element.dtype.itemsize
    require_range("a", v["a"], max(0, step_a * count - last_column), routine.library)
    require_range("w", v["w"], step_w * count, routine.library)
    require_range("info", v["info"], 4 * count, routine.library)
    for i in range(count):
        a, w = v["a"] + i * step_a, v["w"] + i * step_w
        x = matrix(a, element.dtype, n, n, v["lda"])
        kept = x.copy() if v["jobz"] else x
        _tell(v, _eigen(routine, v, a, w), i)
        if v["jobz"]:
            own.residual += _residual(kept, x, vector(w, element.real.dtype, n), v["uplo"])


def _residual(a: np.ndarray, vectors: np.ndarray, w: np.ndarray, is_upper: int) -> float:
    """What is left beside the diagonal: the norm of V^H A V - diag(w)."""
    part = np.triu(a, 1) if is_upper else np.tril(a, -1)
    full = part + part.conj().T + np.diag(np.diag(a).real)
    return float(np.linalg.norm(vectors.conj().T @ full @ vectors - np.diag(w)))
