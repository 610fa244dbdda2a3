# SPDX-License-Identifier: MIT
"""What the faces' ElementwiseKernels have in common: arguments described for the generator of their
text, and looked at before a launch."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

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
