# SPDX-License-Identifier: MIT
"""Products with matrices whose rows are put into an order of their own."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from treadle.pycuda import _gpuarray_memory as _memory
from treadle.pycuda import gpuarray
from treadle.pycuda.sparse.operator import OperatorBase
from treadle.sparse import csr_array


class PacketedSpMV(OperatorBase):
    """A square matrix of SciPy's, in an order in which rows that refer to each other are near:
    permute() puts vectors into it before a solution, and unpermute() back behind it.

    The order is that of Cuthill and McKee in reverse, and products are those of compressed rows:
    PyMetis is not needed.
    """

    def __init__(self, mat: Any, is_symmetric: bool, dtype: Any) -> None:
        super().__init__(dtype)
        rows, columns = mat.shape
        if rows != columns:
            raise ValueError(f"PacketedSpMV of {rows} x {columns}; pass a square matrix")
        self._shape = (rows, columns)
        csr = import_module("scipy.sparse").csr_array(mat).astype(self.dtype)
        graph = import_module("scipy.sparse.csgraph")
        order = np.arange(rows)
        if rows > 0 and csr.nnz > 0:
            order = graph.reverse_cuthill_mckee(csr.astype(bool), symmetric_mode=is_symmetric)
        place = np.empty(rows, np.int32)
        place[order] = np.arange(rows, dtype=np.int32)
        coo = csr.tocoo()
        with _memory.current_device():
            entries = (coo.data, (place[coo.row], place[coo.col]))
            self._matrix = csr_array(entries, shape=mat.shape)
        self._order = gpuarray.to_gpu(order.astype(np.int32))
        self._place = gpuarray.to_gpu(place)

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return self._shape

    def permute(self, x: Any) -> Any:
        """A vector in the order of the product."""
        return gpuarray.take(x, self._order)

    def unpermute(self, x: Any) -> Any:
        """A vector in the order of the matrix."""
        return gpuarray.take(x, self._place)

    def __call__(self, x: Any, y: Any = None) -> Any:
        """The product of a permuted vector, permuted; with y it is added to y, and y returned."""
        made = gpuarray.GPUArray._adopt(x, self._matrix @ x)
        if y is None:
            return made
        y += made
        return y
