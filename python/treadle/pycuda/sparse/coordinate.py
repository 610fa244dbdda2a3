# SPDX-License-Identifier: MIT
"""Products with matrices of SciPy's COO format."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.pycuda import _gpuarray_memory as _memory
from treadle.pycuda import gpuarray
from treadle.sparse import csr_array


class CoordinateSpMV:
    """A matrix of SciPy's on the device, in compressed rows: entries of one place are added."""

    def __init__(self, mat: Any, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self.shape = mat.shape
        with _memory.current_device():
            self._matrix = csr_array(mat.tocsr(), dtype=self.dtype)

    def __call__(self, x: Any, y: Any = None) -> Any:
        """The product; with y it is added to y, which is returned."""
        made = self._matrix @ x
        if y is None:
            return gpuarray.GPUArray._adopt(x, made)
        y += gpuarray.GPUArray._adopt(x, made)
        return y
