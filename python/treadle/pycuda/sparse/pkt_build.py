# SPDX-License-Identifier: MIT
"""How rows and entries of a matrix are put into packets."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from treadle._core import NotSupported

SHARED_BYTES = 48 * 1024
"""What a block of any GPU has without asking; less a little for parameters."""
NO_ENTRY = np.uint32(0xFFFFFFFF)
"""A word that fills up the entries of a thread."""


class Packets:
    """Packets of neighbouring rows of a square csr_array. Entries between rows of one packet are
    words, row << 16 | column, and values, in the order in which threads read them: the k-th of
    all threads side by side. Rows are dealt to threads by their lengths, forth and back. The
    other entries are `remainder`."""

    def __init__(self, csr: Any, dtype: np.dtype, threads: int = 128) -> None:
        rows = csr.shape[0]
        self.threads = threads
        self.rows_each = min((SHARED_BYTES - 100) // (2 * dtype.itemsize), max(rows, 1))
        self.count = -(-rows // self.rows_each)
        coo = csr.tocoo()
        packet = coo.row // self.rows_each
        is_inside = packet == coo.col // self.rows_each
        self.remainder = type(coo)(
            (coo.data[~is_inside], (coo.row[~is_inside], coo.col[~is_inside])), shape=csr.shape
        ).tocsr()
        row, column, packet = coo.row[is_inside], coo.col[is_inside], packet[is_inside]
        thread = self._thread_of_rows(np.bincount(row, minlength=rows))[row]
        # Entries of a thread one behind the other; which of them each is.
        lane = packet.astype(np.int64) * threads + thread
        order = np.lexsort((column, row, lane))
        lengths = np.bincount(lane, minlength=self.count * threads)
        begins = np.concatenate([[0], np.cumsum(lengths)])[:-1]
        turn = np.empty(row.size, np.int64)
        turn[order] = np.arange(row.size) - begins[lane[order]]
        turns = lengths.reshape(self.count, threads).max(axis=1) if self.count else lengths
        starts = np.concatenate([[0], np.cumsum(turns * threads)])
        if starts[-1] >= 2**31:
            raise NotSupported(f"packets of {starts[-1]} entries; pass fewer than 2**31")
        place = starts[packet] + turn * threads + thread
        words = np.full(starts[-1], NO_ENTRY, np.uint32)
        values = np.zeros(starts[-1], dtype)
        base = packet * self.rows_each
        words[place] = ((row - base).astype(np.uint32) << 16) | (column - base).astype(np.uint32)
        values[place] = coo.data[is_inside]
        self.arrays = (words, values, starts.astype(np.int32))

    def _thread_of_rows(self, lengths: np.ndarray) -> np.ndarray:
        """The longest rows of a packet to all threads, the next ones back, and so on."""
        rows = np.arange(lengths.size)
        order = np.lexsort((-lengths, rows // self.rows_each))
        rank = rows % self.rows_each  # packets lie one behind the other in the order, too
        turn, lane = np.divmod(rank, self.threads)
        thread = np.empty(lengths.size, np.int64)
        thread[order] = np.where(turn % 2 == 0, lane, self.threads - 1 - lane)
        return thread


def build_pkt_data_structure(*arguments: Any, **keywords: Any) -> NoReturn:
    """Raises NotSupported: the original's arrays are not those of Packets, which PacketedSpMV
    makes."""
    raise NotSupported("build_pkt_data_structure(): make a PacketedSpMV, which builds its packets")
