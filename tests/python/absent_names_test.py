# SPDX-License-Identifier: MIT
"""What the originals have and this release does not says so, however it is asked for."""

import importlib

import pytest

import treadle.compat  # noqa: F401 - the tests import pycuda and pyopencl

NAMES = [
    ("pycuda.curandom", "md5_code", "treadle.random"),
    ("pycuda.curandom", "gen_template", "treadle.random"),
    ("pycuda.curandom", "random_source", "treadle.random"),
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


@pytest.mark.parametrize("face", ["pycuda", "pyopencl"])
def test_templates_without_mako_say_how_to_get_it(face, run_python):
    program = f"import sys, treadle.compat; sys.modules['mako'] = None; import {face}._mymako"
    done = run_python("-c", program)
    assert done.returncode != 0
    assert "ImportError: templates of kernels need mako: python -m pip install mako" in done.stderr
