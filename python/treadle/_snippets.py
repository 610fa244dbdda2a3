# SPDX-License-Identifier: MIT
"""What the faces' ElementwiseKernels have in common: arguments described for the generator of their
text, and looked at before a launch."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from treadle._core import Language
from treadle._core.codegen import ElementwiseText, ParameterKind, generate_elementwise


@dataclasses.dataclass(frozen=True)
class Snippet:
    """A user's text, and what stands around it."""

    operation: str
    name: str
    preamble: str = ""
    loop_prep: str = ""
    after_loop: str = ""

    def generate(
        self,
        parameters: Sequence[tuple[ParameterKind, str, str, str, int]],
        language: Language,
        has_range: bool,
        index_type: str = "long",
        is_wide: bool | None = None,
        is_apart: bool = False,
    ) -> ElementwiseText:
        """The program; is_wide=None: for launches of any number of groups of any size; is_apart: of
        vectors that share no memory."""
        parts = dataclasses.asdict(self)
        return generate_elementwise(
            parameters,
            parts.pop("operation"),
            language,
            has_range=has_range,
            index_type=index_type,
            is_wide=is_wide,
            is_apart=is_apart,
            **parts,
        )


def parameter(
    kind: ParameterKind, name: str, ctype: str, dtype: np.dtype
) -> tuple[ParameterKind, str, str, str, int]:
    """A parameter as the generator takes it. What it needs of a structure is name and size."""
    return kind, name, ctype, "" if dtype.kind == "V" else dtype.name, dtype.itemsize


# How generators call the variables of their loops, beside `n`.
_NAMES_OF_LOOPS = ("i", "tid", "total_threads", "cta_start")


def uses_element(
    described: tuple[ParameterKind, str, str, str, int], text: str, language: Language
) -> bool:
    """Whether an expression or statement surely uses the element `i` of this pointer, whatever `i`
    is. What other arguments are called is no matter."""
    name = described[1]
    if name in _NAMES_OF_LOOPS:
        return False
    # A loop over a range has no n of its own.
    made = Snippet(text, "uses").generate([described], language, has_range=name == "n")
    return made.uses_every_element[0]


def neutral_text(value: Any, dtype: np.dtype, complex_maker: str) -> str:
    """What a user gives as the neutral element, as a C expression. Texts are taken as they are, and
    so is how Python writes a finite number. `complex_maker` is called with the parts of a complex
    number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, bool | int | float | complex | np.generic):
        return str(value)
    if isinstance(value, bool | np.bool_):
        value = int(value)
    if dtype.kind == "c" or isinstance(value, complex | np.complexfloating):
        return f"{complex_maker}({_real_text(value.real)}, {_real_text(value.imag)})"
    return _real_text(value)


def _real_text(value: Any) -> str:
    if isinstance(value, float | np.floating) and not np.isfinite(value):
        return "NAN" if np.isnan(value) else "INFINITY" if value > 0 else "(-INFINITY)"
    return str(value)


# Kinds that may stand for each other where the size is the same.
_ALIKE = {"i": "i", "u": "i", "b": "i"}


def _may_point_to(declared: np.dtype, given: np.dtype) -> bool:
    """Whether elements of one dtype may be meant by a pointer to another: structures may be spelled
    in many ways, complex numbers are pairs, 16 bits are how languages without half have it, and
    unsigned integers are how programs see the bits of a float, and bytes those of anything."""
    if "V" in (declared.kind, given.kind) or declared == given:
        return True
    if given.kind == "c":
        return declared.kind == "f" and 2 * declared.itemsize == given.itemsize
    if declared.itemsize != given.itemsize:
        return declared.itemsize == 1 and declared.kind in "iu"
    return (
        _ALIKE.get(declared.kind, declared.kind) == _ALIKE.get(given.kind, given.kind)
        or (declared.kind == "u" and given.kind == "f")
        or given == np.float16
    )


def check_vectors(
    kernel: str,
    vectors: Sequence[tuple[int, Any, Any]],
    uses_every_element: Sequence[bool],
    indices: range,
    counted: Collection[int] = (),
) -> None:
    """Refuses arrays that the kernel would read wrongly or beyond their ends.

    `kernel` is what errors call it; `vectors` has the position, declaration and array of each;
    `indices` are those that the kernel runs for, at least one; `counted` are the positions of
    arrays of whose elements the kernel makes one for one.
    """
    low, high = min(indices[0], indices[-1]), max(indices[0], indices[-1])
    orders = 0  # a bit for C's, and one for Fortran's
    for position, argument, array in vectors:
        dtype = getattr(array, "dtype", argument.dtype)
        is_alike = dtype is argument.dtype or (
            _may_point_to(argument.dtype, dtype)
            and (position not in counted or dtype.itemsize == argument.dtype.itemsize)
        )
        if not is_alike:
            raise TypeError(
                f"{_named(kernel, position, argument)} is declared to point to {argument.dtype}, "
                f"and the array is of {dtype}: convert it with astype(), or take its bits with "
                "view()"
            )
        if not uses_every_element[position]:
            continue
        size = getattr(array, "size", high + 1)
        of = ""
        if dtype.itemsize != argument.dtype.itemsize:
            size = size * dtype.itemsize // argument.dtype.itemsize
            of = f" of {argument.dtype.itemsize} bytes"
        if low < 0 or size <= high:
            raise ValueError(
                f"{_named(kernel, position, argument)} has {size} elements{of}; the kernel uses "
                f"{argument.name}[{high if size <= high else low}]"
            )
        flags = array.flags
        if size > 1 and flags.c_contiguous != flags.f_contiguous:
            orders |= 1 if flags.c_contiguous else 2
    if orders == 3:
        raise ValueError(
            f"arguments of {kernel} are in C order and in Fortran order: their "
            "elements at one place in memory do not belong together"
        )


def _named(kernel: str, position: int, argument: Any) -> str:
    return f"argument {position} ({argument.name}) of {kernel}"


def resolved_range(
    range_: slice | None, slice_: slice | None, size: int
) -> tuple[int, int, int] | None:
    """start, stop and step of a call's `range=` or `slice=`; None: it has neither."""
    if range_ is not None:
        if slice_ is not None:
            raise TypeError("may not specify both range and slice keyword arguments")
        if range_.stop is None:
            raise TypeError("the range needs a stop")
        step = 1 if range_.step is None else int(range_.step)
        if step == 0:
            raise ValueError("the range's step is 0")
        return 0 if range_.start is None else int(range_.start), int(range_.stop), step
    return None if slice_ is None else slice_.indices(size)
