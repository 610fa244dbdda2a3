# SPDX-License-Identifier: MIT
"""Products with matrices whose rows are put into packets that fit into shared memory."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from treadle.pycuda import _gpuarray_memory as _memory
from treadle.pycuda import gpuarray
from treadle.pycuda.compiler import SourceModule
from treadle.pycuda.sparse.operator import OperatorBase
from treadle.pycuda.sparse.pkt_build import Packets
from treadle.pycuda.tools import dtype_to_ctype
from treadle.sparse import csr_array

# A block computes a packet: it stages the packet's part of x, and one thread adds up each row, so
# that no atomics are needed.
_KERNEL = """
#include <pycuda-complex.hpp>
__global__ void packets_by_vector(const %(item)s *x, %(item)s *y, const unsigned *words,
    const %(item)s *values, const int *starts, int rows_per_packet, int rows, int is_added)
{
    extern __shared__ %(word)s memory[];
    %(item)s *part = (%(item)s *)memory, *sums = part + rows_per_packet;
    const int first = blockIdx.x * rows_per_packet;
    const int count = min(rows_per_packet, rows - first);
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        part[i] = x[first + i];
        sums[i] = is_added ? y[first + i] : %(item)s(0);
    }
    __syncthreads();
    for (int at = starts[blockIdx.x] + threadIdx.x; at < starts[blockIdx.x + 1]; at += blockDim.x) {
        const unsigned word = words[at];
        if (word != 0xffffffffu) sums[word >> 16] += values[at] * part[word & 0xffffu];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) y[first + i] = sums[i];
}
"""


class PacketedSpMV(OperatorBase):
    """A square matrix of SciPy's, in an order in which rows that refer to each other are near:
    permute() puts vectors into it before a solution, and unpermute() back behind it.

    The order is that of Cuthill and McKee in reverse, for which PyMetis is not needed. Neighbouring
    rows are a packet, whose vectors lie in shared memory during a product; entries that name other
    packets are multiplied in compressed rows.
    """

    def __init__(self, mat: Any, is_symmetric: bool, dtype: Any) -> None:
        super().__init__(dtype)
        rows, columns = mat.shape
        if rows != columns:
            raise ValueError(f"PacketedSpMV of {rows} x {columns}; pass a square matrix")
        self._shape = (rows, columns)
        csr = import_module("scipy.sparse").csr_array(mat).astype(self.dtype)
        csr.sum_duplicates()
        graph = import_module("scipy.sparse.csgraph")
        order = np.arange(rows)
        if rows > 0 and csr.nnz > 0:
            order = graph.reverse_cuthill_mckee(csr.astype(bool), symmetric_mode=is_symmetric)
        self._packets = Packets(csr[order][:, order], self.dtype)
        place = np.empty(rows, np.int32)
        place[order] = np.arange(rows, dtype=np.int32)
        with _memory.current_device():
            self._remainder = csr_array(self._packets.remainder)
        self._order = gpuarray.to_gpu(order.astype(np.int32))
        self._place = gpuarray.to_gpu(place)
        self._arrays = [gpuarray.to_gpu(x) for x in self._packets.arrays]
        item = dtype_to_ctype(self.dtype)
        words = {"item": item, "word": "double" if self.dtype.char in "dD" else "float"}
        self._kernel = SourceModule(_KERNEL % words).get_function("packets_by_vector")

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
        packets, is_added = self._packets, y is not None
        if y is None:
            y = gpuarray.empty(x.shape, self.dtype)
        if packets.count > 0:
            self._kernel(
                *(x.astype(self.dtype), y, *self._arrays),
                *map(np.int32, (packets.rows_each, self._shape[0], is_added)),
                block=(packets.threads, 1, 1),
                grid=(packets.count, 1),
                shared=2 * packets.rows_each * self.dtype.itemsize,
            )
        if self._remainder.nnz > 0:
            y += gpuarray.GPUArray._adopt(x, self._remainder @ x)
        return y
