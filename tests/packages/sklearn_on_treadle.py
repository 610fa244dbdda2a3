# SPDX-License-Identifier: MIT
"""A plugin of pytest: scikit-learn's tests of array namespaces, with treadle.numpy as the only, and
beside NumPy where arrays of two are mixed."""

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")

import known_failures
import sklearn.utils._array_api
from sklearn.utils._array_api import NamespaceAndDevice

KNOWN = {
    f"test_label_binarize_array_api_compliance[treadle.numpy-None-{dtype}-y{k}-": (
        "expects namespaces other than NumPy to refuse arrays of text, which treadle.numpy keeps"
    )
    for dtype in ("float64", "float32")
    for k in (0, 1)
}
OURS = NamespaceAndDevice("treadle.numpy", None)
NUMPY = NamespaceAndDevice("numpy", None)


def combinations(include_numpy_namespaces=True):
    yield "treadle.numpy", None, "float64"
    yield "treadle.numpy", None, "float32"


def namespaces(include_numpy_namespaces=True):
    yield "treadle.numpy"


def mixed_inputs():
    yield OURS, NUMPY, "treadle.numpy to numpy"
    yield NUMPY, OURS, "numpy to treadle.numpy"


sklearn.utils._array_api.yield_namespace_device_dtype_combinations = combinations
sklearn.utils._array_api.yield_namespaces = namespaces
sklearn.utils._array_api.yield_mixed_namespace_input_permutations = mixed_inputs


def pytest_collection_modifyitems(items):
    known_failures.expect(items, KNOWN)
