# SPDX-License-Identifier: MIT
"""Region splitting against an interpreter: random kernels with barriers, always the same ones."""

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest

_spec = importlib.util.spec_from_file_location(
    "random_kernels", Path(__file__).with_name("random_kernels.py")
)
random_kernels = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(random_kernels)

# For a longer search: TREADLE_RANDOM_KERNELS=FIRST:LAST.
_first, _, _last = os.environ.get("TREADLE_RANDOM_KERNELS", "0:6").partition(":")


@pytest.mark.parametrize("seed", range(int(_first), int(_last)))
def test_random_kernel_runs_as_interpreted(device, seed):
    program = random_kernels.Program(seed)
    text, n, blocks = program.text(), seed % 7, 2
    out = np.zeros(blocks * program.threads, np.uint32)
    device.compile(text).kernel()(out, np.uint32(n), block=program.block, grid=(blocks,))
    expected = np.array(program.expected(n, blocks), np.uint32)
    assert (out == expected).all(), f"n = {n}\n{text}"
