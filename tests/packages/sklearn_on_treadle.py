# SPDX-License-Identifier: MIT
"""A plugin of pytest: scikit-learn's tests of array namespaces, with treadle.numpy as the only."""

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")

import sklearn.utils._array_api


def combinations(include_numpy_namespaces=True):
    yield "treadle.numpy", None, "float64"
    yield "treadle.numpy", None, "float32"


def namespaces(include_numpy_namespaces=True):
    yield "treadle.numpy"


sklearn.utils._array_api.yield_namespace_device_dtype_combinations = combinations
sklearn.utils._array_api.yield_namespaces = namespaces
