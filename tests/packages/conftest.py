# SPDX-License-Identifier: MIT
"""What the programs of tools/run_packages.py share: they run in folders where a package is."""

import numpy as np
import pytest


@pytest.fixture
def queue():
    import pyopencl as cl

    return cl.CommandQueue(cl.create_some_context(interactive=False))


@pytest.fixture
def rng():
    return np.random.default_rng(7)
