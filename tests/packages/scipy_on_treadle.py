# SPDX-License-Identifier: MIT
"""A plugin of pytest: SciPy's own tests of array namespaces, with treadle.numpy as the only one."""

import os

import pytest

os.environ.setdefault("SCIPY_ARRAY_API", "1")

import scipy.conftest

import treadle.numpy as tnp

param = pytest.param(tnp, id="treadle", marks=pytest.mark.array_api_backends)
scipy.conftest.xp_known_backends.add("treadle")
# What SciPy computes in C takes NumPy's arrays only; its tests know by this that ours are not.
scipy.conftest.xp_skip_cpu_only_backends.add("treadle")
object.__setattr__(scipy.conftest.xp._fixture_function_marker, "params", (param,))
