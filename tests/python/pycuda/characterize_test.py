# SPDX-License-Identifier: MIT
"""pycuda.characterize: what device and compiler are like."""

import numpy as np
import pycuda.characterize as characterize
import pycuda.driver as cuda
import pytest
from pycuda.tools import clear_context_caches


def test_platforms_are_of_64_bits():
    assert characterize.platform_bits() == 64


def test_devices_have_a_stack_and_double(context):
    assert characterize.has_stack() is True
    assert characterize.has_double_support() is True


SIZES = {"char": 1, "float": 4, "double": 8, "void *": 8, "float4": 16, "long long": 8}


@pytest.mark.parametrize("name", SIZES)
def test_sizes_are_the_devices(context, name):
    size = characterize.sizeof(name)
    assert size == SIZES[name] and type(size) is int
    clear_context_caches()


def test_a_preamble_declares_types(context):
    text = "struct mixed { char tag; double weight; short count; };"
    assert characterize.sizeof("mixed", text) == np.dtype("i1, f8, i2", align=True).itemsize
    assert characterize.sizeof("pair<int>", "template <class T> struct pair { T a, b; };") == 8
    clear_context_caches()


def test_an_unknown_type_is_a_compile_error(context):
    with pytest.raises(cuda.CompileError, match="no_such_type"):
        characterize.sizeof("no_such_type")


def test_a_context_is_needed():
    cuda.init()
    for ask in (characterize.has_stack, characterize.has_double_support):
        with pytest.raises(cuda.LogicError):
            ask()
