# SPDX-License-Identifier: MIT
"""What tests of kernels that launch kernels share."""

import re

import numpy as np
import pytest


def _linked(text):
    from pycuda.compiler import DynamicSourceModule

    try:
        return DynamicSourceModule(text)
    except OSError as error:  # no libcudadevrt.a
        pytest.skip(str(error))


@pytest.fixture
def build_linked():
    """build_linked(text) compiles and links kernels that launch kernels."""
    return _linked


@pytest.fixture(scope="module")
def shared_context(request):
    """A context for all tests of a file, and in it TEXTS, by the names of their kernels."""
    import pycuda.driver
    from pycuda.tools import make_default_context

    pycuda.driver.init()
    own = make_default_context()
    modules = {}
    try:
        for text in request.module.TEXTS:
            names = re.findall(r"__global__ void (\w+)", text)
            modules.update(dict.fromkeys(names, _linked(text)))
        own.pop()
        yield own, modules
        own.push()
    finally:
        modules.clear()
        own.pop()
        own.detach()


@pytest.fixture
def launch(shared_context):
    """launch(name, arguments...) runs a kernel of TEXTS, one thread if nothing else is said."""
    own, modules = shared_context
    own.push()

    def start(name, *arguments, threads=1, blocks=1, stream=None):
        kinds = {int: np.int32, float: np.float64}
        passed = [kinds.get(type(each), lambda given: given)(each) for each in arguments]
        kernel = modules[name].get_function(name)
        kernel(*passed, grid=(blocks, 1), block=(threads, 1, 1), stream=stream)

    yield start
    own.pop()
