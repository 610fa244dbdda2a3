# SPDX-License-Identifier: MIT
"""What the originals have and this release does not says so, however it is asked for."""

import importlib

import pytest

import treadle.compat  # noqa: F401 - the tests import pycuda and pyopencl

NAMES = [
    ("pycuda", "sparse", "sparse matrices"),
    ("pycuda", "scan", "scans"),
    ("pycuda.curandom", "XORWOWRandomNumberGenerator", "Philox4_32_10"),
    ("pyopencl", "algorithm", "scans"),
    ("pyopencl.array", "cumsum", "scans"),
]


@pytest.mark.parametrize(("module", "name", "why"), NAMES)
def test_absent_names_say_that_this_release_lacks_them(module, name, why):
    text = f"{module}.{name} is not part of this release of Treadle .*{why}"
    with pytest.raises(ImportError, match=text):
        exec(f"from {module} import {name}")
    found = importlib.import_module(module)
    with pytest.raises(AttributeError, match=text):
        getattr(found, name)
    assert not hasattr(found, name)


@pytest.mark.parametrize("module", sorted({module for module, _, _ in NAMES}))
def test_names_that_nobody_has_are_plainly_absent(module):
    with pytest.raises(ImportError, match="cannot import name 'no_such_name'"):
        exec(f"from {module} import no_such_name")
