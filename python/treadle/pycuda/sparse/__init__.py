# SPDX-License-Identifier: MIT
"""Sparse matrices and conjugate gradients under the names of 2009. Deprecated: treadle.sparse has
more, on every device."""

import warnings

warnings.warn(
    "pycuda.sparse is deprecated: use treadle.sparse, which has its matrices and solvers",
    DeprecationWarning,
    stacklevel=2,
)
