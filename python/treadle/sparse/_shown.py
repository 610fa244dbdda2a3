# SPDX-License-Identifier: MIT
"""Arrays that a sparse matrix is made of, which a program may change once it has seen them."""

from __future__ import annotations

from typing import Any

from treadle._core import NotSupported as _NotSupported
from treadle._core.array import Array
from treadle._core.sparse import writes as _writes
from treadle.numpy import asarray as _array
from treadle.numpy import may_share_memory as _may_share_memory


def applied_apart(function: Any, data: Array) -> Array:
    """function(data), copied where that is data itself or a view of them."""
    made: Array = function(data)
    return made.copy() if _may_share_memory(made, data) else made


class Shown:
    """A matrix of C++, and its arrays once the program has them. From then on the matrix is looked
    after: where it is made of an array that was written to, or of another one, it is made anew
    before it is used. Until then it may share its arrays with other matrices.

    Writes are those of the library; A.data = A.data tells of others.
    """

    # Arrays whose elements are not read where they lie, or are checked: indices, and what is stored
    # in another form.
    _watched: tuple[str, ...] = ()
    # Whether the matrix of C++ reads the arrays themselves.
    _is_direct = True
    _kept: Any
    _shown: dict[str, Array] | None = None
    _noted: dict[str, int]
    _assigned: set[str]

    # What formats say.

    def _parts_of(self, matrix: Any) -> dict[str, Array]:
        """The arrays by their names."""
        return {"data": matrix.data}

    def _made_of(self, changed: set[str], parts: Any) -> Any:
        """The matrix of C++ made of the arrays, in their order, in the place of self._kept."""
        raise _NotSupported(f"a {type(self).__name__} of other arrays")

    def _owned(self, matrix: Any) -> Any:
        """A matrix whose arrays no other one has."""
        return matrix

    def _apart(self, csr: Any) -> Any:
        """What was made of this matrix, without arrays that the program has."""
        return csr

    # What it is.

    @property
    def _matrix(self) -> Any:
        if self._shown is not None:
            self._look()
        return self._kept

    @_matrix.setter
    def _matrix(self, made: Any) -> None:
        self._kept, self._shown = made, None

    @property
    def _kept_size(self) -> Any:
        return self._kept.row_count, self._kept.column_count

    def _show(self, parts: dict[str, Array] | None = None) -> None:
        """Lets the program have the arrays, or those that the matrix was made of."""
        self._shown = self._parts_of(self._kept) if parts is None else parts
        self._noted, self._assigned = self._writes(), set()

    def _writes(self) -> dict[str, int]:
        shown = self._shown or {}
        return {name: _writes(shown[name]) for name in self._watched}

    def _handed(self) -> dict[str, Array]:
        if self._shown is None:
            self._kept = self._owned(self._kept)
            self._show()
        return self._shown or {}

    def _read(self) -> dict[str, Array]:
        """The arrays, which the program does not get."""
        self._look()
        return self._parts_of(self._kept) if self._shown is None else self._shown

    def _share(self, other: Any) -> None:
        """Becomes another name of a matrix, until one of them gets another array."""
        other._look()
        parts = dict(other._handed())
        self._kept = other._kept
        self._show(parts)

    def _look(self) -> None:
        if self._shown is None:
            return
        now = self._writes()
        changed = self._assigned | {name for name in now if now[name] != self._noted[name]}
        if changed:
            self._kept = self._made_of(changed, self._shown)
            self._show(None if self._is_direct else self._shown)


def part(name: str, text: str) -> Any:
    """The property of such an array."""

    def get(self: Any) -> Array:
        return self._handed()[name]

    def assign(self: Any, value: Any) -> None:
        parts = self._handed()
        if value is parts[name]:
            if name in self._watched:  # written to by code that the library does not see, perhaps
                self._assigned.add(name)
            return
        with parts[name].device:
            parts[name] = _array(value)
        self._assigned.add(name)

    return property(get, assign, doc=text)
