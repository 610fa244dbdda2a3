# SPDX-License-Identifier: MIT
"""skcuda.cuda: the names of cudart and of cudadrv."""

from .cudadrv import *  # noqa: F403
from .cudart import *  # noqa: F403
