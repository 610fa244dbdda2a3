# SPDX-License-Identifier: MIT
"""What cuBLAS has and CBLAS lacks, on memory of the host: by LAPACK, or by NumPy on views of it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._host_library import (
    address,
    cblas,
    factor_without_pivots,
    fortran,
    function,
    integer,
    integer_dtype,
    lapack,
    triangle_letter,
    worked,
)
from ._routines import Routine, lengths_of, matrix, require_leading, require_range, vector

_Values = dict[str, Any]


def _vector(routine: Routine, values: _Values, name: str, length: int) -> np.ndarray:
    return vector(values[name], routine.element.dtype, length, values[f"inc{name}"])


def _matrix(routine: Routine, values: _Values, name: str) -> np.ndarray:
    """The matrix of a parameter, in the extents that its line says."""
    parameter = next(p for p in routine.parameters if p.name == name)
    lengths = lengths_of(parameter, values)
    leading = values[f"ld{name.lower()}"]
    return matrix(values[name], routine.element.dtype, lengths[0], lengths[-1], leading)


def _turned(x: np.ndarray, operation: int) -> np.ndarray:
    return (x, x.T, x.conj().T)[operation]


# --- level 1 -------------------------------------------------------------------------------------


def least_magnitude(routine: Routine, values: _Values) -> int:
    """amin: the reference CBLAS lacks it."""
    x = _vector(routine, values, "x", values["n"])
    return int(np.argmin(abs(x.real) + abs(x.imag))) if x.size else -1


def rotation(routine: Routine, values: _Values) -> tuple[Any, ...]:
    """rotg, of which only Fortran's is in every library."""
    element = routine.element
    a, b, s = (element.box(values.get(name, 0j)) for name in "abs")
    c = element.real.box(0)
    fortran(f"{element.letter.lower()}rotg_", a, b, c, s)
    return element.unbox(a), element.real.unbox(c), element.unbox(s)


def rotate(routine: Routine, values: _Values) -> None:
    """rot; LAPACK has that of complex numbers by a complex sine."""
    x, y = (_vector(routine, values, name, values["n"]) for name in "xy")
    c, s = (routine.element.dtype.type(values[name]) for name in "cs")
    x[:], y[:] = c * x + s * y, c * y - np.conj(s) * x


def modified_rotation(routine: Routine, values: _Values) -> np.ndarray:
    """rotmg: five numbers of the host."""
    element, made = routine.element, np.zeros(5, routine.element.dtype)
    fortran(
        f"{element.letter.lower()}rotmg_",
        *(element.box(values[name]) for name in ("d1", "d2", "x1", "y1")),
        made,
    )
    return made


# --- levels 2 and 3 ------------------------------------------------------------------------------


def symmetric_product(routine: Routine, values: _Values) -> None:
    """symv of complex matrices."""
    element, v = routine.element, values
    if v["n"] == 0:
        return
    arguments = (triangle_letter(v), v["n"], element.box(v["alpha"]), address(v["A"]), v["lda"])
    x = (address(v["x"]), v["incx"], element.box(v["beta"]), address(v["y"]), v["incy"])
    fortran(f"{element.letter.lower()}symv_", *arguments, *x)


def symmetric_update(routine: Routine, values: _Values) -> None:
    """syr and syr2 of complex matrices."""
    a, n = _matrix(routine, values, "A"), values["n"]
    x = _vector(routine, values, "x", n)
    alpha = routine.element.dtype.type(values["alpha"])
    if "y" in values:
        y = _vector(routine, values, "y", n)
        change = alpha * (np.outer(x, y) + np.outer(y, x))
    else:
        change = alpha * np.outer(x, x)
    triangle = np.triu_indices(n) if values["uplo"] else np.tril_indices(n)
    a[triangle] += change[triangle]


def triangular_product(routine: Routine, values: _Values) -> None:
    """trmm, whose result is in a matrix of its own: CBLAS has it in place."""
    b, c, element = _matrix(routine, values, "B"), _matrix(routine, values, "C"), routine.element
    if values["C"] != values["B"]:
        c[:] = b
    box, int_ = element.box(values["alpha"]), integer()
    numbers = 102, 141 + values["side"], 122 - values["uplo"], 111 + values["trans"]
    function(f"cblas_{element.letter.lower()}trmm")(
        *(ctypes.c_int(number) for number in (*numbers, 131 + values["diag"])),
        *(int_(values[name]) for name in "mn"),
        ctypes.byref(box) if element.is_complex else box,
        ctypes.c_void_p(values["A"]),
        int_(values["lda"]),
        ctypes.c_void_p(values["C"]),
        int_(values["ldc"]),
    )


def sum_of_matrices(routine: Routine, values: _Values) -> None:
    """geam: what has the factor 0 is not read."""
    total: Any = 0
    for name, factor, operation in (("A", "alpha", "transa"), ("B", "beta", "transb")):
        number = routine.element.dtype.type(values[factor])
        if number != 0:
            total = total + number * _turned(_matrix(routine, values, name), values[operation])
    _matrix(routine, values, "C")[:] = total


def diagonal_product(routine: Routine, values: _Values) -> None:
    """dgmm."""
    v = values
    x = _vector(routine, v, "x", v["n"] if v["side"] else v["m"])
    _matrix(routine, v, "C")[:] = _matrix(routine, v, "A") * (x if v["side"] else x[:, None])


# --- many matrices -------------------------------------------------------------------------------


def _batches(routine: Routine, values: _Values) -> Iterator[_Values]:
    """The arguments for each matrix, with its addresses."""
    count = values["batchCount" if "batchCount" in values else "batchSize"]
    named = {}
    for parameter in routine.parameters:
        if parameter.kind != "P" or not count:
            continue
        name = parameter.name
        distance = "lda_inv" if name == "Ainv" else f"ld{name[0].lower()}"
        lengths, leading = lengths_of(parameter, values), values[distance]
        require_leading(distance, leading, lengths[0], routine.library)
        size = (lengths[-1] - 1) * leading + lengths[0] if min(lengths) > 0 else 0
        named[name] = vector(values[name], np.uintp, count)
        for one in named[name]:
            size_bytes = size * routine.element.dtype.itemsize
            require_range(f"a matrix of {name}", int(one), size_bytes, routine.library)
    for i in range(count):
        yield {**values, **{name: int(addresses[i]) for name, addresses in named.items()}}


def each(single: Callable[[Routine, _Values], None]) -> Callable[[Routine, _Values], None]:
    """A function of many matrices by that of one, whose name lacks an ending."""

    def run(routine: Routine, values: _Values) -> None:
        one = routine.alone()
        for own in _batches(routine, values):
            single(one, own)

    return run


def each_at_distance(routine: Routine, values: _Values) -> None:
    """gemmStridedBatched."""
    one, itemsize = routine.alone(), routine.element.dtype.itemsize
    for i in range(values["batchCount"]):
        moved = {name: values[name] + i * values[f"stride{name}"] * itemsize for name in "ABC"}
        cblas(one, {**values, **moved})


def _numbers_of(first: int, count: int, i: int) -> np.ndarray:
    """The i-th `count` int32 numbers of an array of the device."""
    return vector(first + 4 * count * i, np.int32, count)


def factor(routine: Routine, values: _Values) -> None:
    """getrfBatched."""
    v, n = values, values["n"]
    infos = vector(v["info"], np.int32, v["batchSize"])
    for i, own in enumerate(_batches(routine, v)):
        a = matrix(own["A"], routine.element.dtype, n, n, v["lda"])
        if not v["P"]:
            infos[i] = factor_without_pivots(a)
            continue
        pivots = np.empty(n, integer_dtype())
        infos[i] = lapack(routine.element, "getrf", n, n, a, v["lda"], pivots) if n else 0
        _numbers_of(v["P"], n, i)[:] = pivots


def _pivots(first: int, n: int, i: int) -> np.ndarray:
    if not first:
        return np.arange(1, n + 1, dtype=integer_dtype())
    return _numbers_of(first, n, i).astype(integer_dtype())


def invert(routine: Routine, values: _Values) -> None:
    """getriBatched."""
    v, n = values, values["n"]
    infos = vector(v["info"], np.int32, v["batchSize"])
    for i, own in enumerate(_batches(routine, v)):
        infos[i] = 0
        if n == 0:
            continue
        c = matrix(own["C"], routine.element.dtype, n, n, v["ldc"])
        c[:] = matrix(own["A"], routine.element.dtype, n, n, v["lda"])
        infos[i] = worked(routine.element, "getri", n, c, v["ldc"], _pivots(v["P"], n, i))


def factor_and_invert(routine: Routine, values: _Values) -> None:
    """matinvBatched."""
    v, n = values, values["n"]
    if n > 32:
        raise routine.library.invalid_value(f"n={n}: matrices have up to 32 rows\n  try: getrf")
    infos = vector(v["info"], np.int32, v["batchSize"])
    for i, own in enumerate(_batches(routine, v)):
        infos[i] = 0
        if n == 0:
            continue
        made = matrix(own["Ainv"], routine.element.dtype, n, n, v["lda_inv"])
        made[:] = matrix(own["A"], routine.element.dtype, n, n, v["lda"])
        pivots = np.empty(n, integer_dtype())
        infos[i] = lapack(routine.element, "getrf", n, n, made, v["lda_inv"], pivots)
        if infos[i] == 0:
            worked(routine.element, "getri", n, made, v["lda_inv"], pivots)


def solve(routine: Routine, values: _Values) -> None:
    """getrsBatched."""
    v, n = values, values["n"]
    for i, own in enumerate(_batches(routine, v)):
        if n and v["nrhs"]:
            lapack(
                routine.element,
                "getrs",
                (b"N", b"T", b"C")[v["trans"]],
                n,
                v["nrhs"],
                address(own["Aarray"]),
                v["lda"],
                _pivots(v["devIpiv"], n, i),
                address(own["Barray"]),
                v["ldb"],
            )
    _write_host_info(v["info"])


def least_squares(routine: Routine, values: _Values) -> None:
    """gelsBatched."""
    v, m, n = values, values["m"], values["n"]
    if v["trans"] or m < n:
        raise routine.library.error(15, f"gels of trans='n' and m >= n; m={m}, n={n}")
    infos = vector(v["devInfoArray"], np.int32, v["batchSize"] if v["devInfoArray"] else 0)
    for i, own in enumerate(_batches(routine, v)):
        info = 0
        if n and v["nrhs"]:
            a, c = address(own["Aarray"]), address(own["Carray"])
            info = worked(routine.element, "gels", b"N", m, n, v["nrhs"], a, v["lda"], c, v["ldc"])
        if infos.size:
            infos[i] = info
    _write_host_info(v["info"])


def _write_host_info(address: int) -> None:
    if address:
        ctypes.c_int.from_address(address).value = 0


# Families for which the function of CBLAS's name is not all: whether of real and of complex types.
SPECIAL: dict[str, tuple[Callable[[Routine, _Values], Any], str]] = {
    "amin": (least_magnitude, "SDCZ"),
    "rotg": (rotation, "SDCZ"),
    "rot": (rotate, "CZ"),
    "rotmg": (modified_rotation, "SD"),
    "symv": (symmetric_product, "CZ"),
    "syr": (symmetric_update, "CZ"),
    "syr2": (symmetric_update, "CZ"),
    "trmm": (triangular_product, "SDCZ"),
    "geam": (sum_of_matrices, "SDCZ"),
    "dgmm": (diagonal_product, "SDCZ"),
    "gemmBatched": (each(cblas), "SDCZ"),
    "gemmStridedBatched": (each_at_distance, "SDCZ"),
    "trsmBatched": (each(cblas), "SDCZ"),
    "getrfBatched": (factor, "SDCZ"),
    "getriBatched": (invert, "SDCZ"),
    "matinvBatched": (factor_and_invert, "SDCZ"),
    "getrsBatched": (solve, "SDCZ"),
    "gelsBatched": (least_squares, "SDCZ"),
}


def host_of(family: str, letter: str) -> Callable[[Routine, _Values], Any]:
    """What does a family's work on the CPU device for a type of elements."""
    special, those = SPECIAL.get(family, (cblas, ""))
    return special if letter in those else cblas
