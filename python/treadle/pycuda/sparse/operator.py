# SPDX-License-Identifier: MIT
"""What the solver multiplies by."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np


class OperatorBase(abc.ABC):
    """A square matrix, of which only the product with a vector is known: a subclass has shape and
    __call__(operand)."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)

    @property
    @abc.abstractmethod
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""

    @abc.abstractmethod
    def __call__(self, operand: Any) -> Any:
        """The product with a vector."""


class IdentityOperator(OperatorBase):
    """Leaves n elements as they are."""

    def __init__(self, dtype: Any, n: int) -> None:
        super().__init__(dtype)
        self.n = n

    @property
    def shape(self) -> tuple[int, int]:
        """(n, n)."""
        return self.n, self.n

    def __call__(self, operand: Any) -> Any:
        return operand


class DiagonalPreconditioner(OperatorBase):
    """Multiplies by `diagonal`, an array on the device: the inverse of the matrix's, say."""

    def __init__(self, diagonal: Any) -> None:
        super().__init__(diagonal.dtype)
        self.diagonal = diagonal

    @property
    def shape(self) -> tuple[int, int]:
        """As many rows and columns as the diagonal has elements."""
        return self.diagonal.shape[0], self.diagonal.shape[0]

    def __call__(self, operand: Any) -> Any:
        return self.diagonal * operand
