# SPDX-License-Identifier: MIT
"""What functions of GPUArrays say of things that are none."""

import numpy as np
import pycuda.cumath as cumath
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from pycuda.compiler import SourceModule

import treadle

pytestmark = pytest.mark.usefixtures("context")


@pytest.mark.parametrize("thing", [None, 1.5, "x", [1.0], np.arange(3.0)], ids=repr)
def test_what_is_no_gpuarray_is_refused_by_type(thing):
    a = gpuarray.to_gpu(np.arange(3, dtype=np.float32))
    places = gpuarray.to_gpu(np.arange(3))
    for use in (
        lambda: gpuarray.empty_like(thing),
        lambda: gpuarray.take(thing, places),
        lambda: gpuarray.multi_take([thing], places),
        lambda: gpuarray.multi_take_put([a], places, thing, dest_shape=3),
        lambda: gpuarray.multi_put([thing], places, dest_shape=3),
        lambda: gpuarray.transpose(thing),
        lambda: gpuarray.reshape(thing, 3),
        lambda: gpuarray.sum(thing),
        lambda: gpuarray.any(thing),
        lambda: gpuarray.max(thing),
        lambda: gpuarray.dot(a, thing),
        lambda: gpuarray.subset_sum(places, thing),
        lambda: cumath.sin(thing),
        lambda: cumath.fmod(thing, a),
        lambda: cumath.ldexp(a, thing),
        lambda: cumath.frexp(thing),
    ):
        with pytest.raises(TypeError, match=f"a {type(thing).__name__} where a GPUArray is"):
            use()


@pytest.mark.parametrize("thing", [1.5, "x", [1.0]])
def test_copies_are_from_and_into_arrays_of_numpy(thing):
    a = gpuarray.to_gpu(np.arange(3, dtype=np.float32))
    for use in (a.set, a.set_async, a.get, lambda ary: a.get_async(ary=ary)):
        with pytest.raises(TypeError, match=f"a {type(thing).__name__} where a numpy.ndarray is"):
            use(thing)
    with pytest.raises(TypeError, match="a list where a GPUArray is expected"):
        cumath.sin(a, out=[thing])


def test_shapes_that_do_not_fit_are_refused_as_by_pycuda():
    a, b = gpuarray.zeros(3, np.float32), gpuarray.zeros(4, np.float32)
    shapes = r"Broadcasting binary operator with shapes: \(3,\), \(4,\)"
    for use in (lambda: a + b, lambda: a / b, lambda: a**b, lambda: a < b):
        with pytest.raises(NotImplementedError, match=shapes) as refused:
            use()
        assert isinstance(refused.value, treadle.ShapeError)
    for use in (lambda: a.__iadd__(b), lambda: a.__itruediv__(b)):
        with pytest.raises(AssertionError, match=shapes):
            use()
    assert not a.get().any()


@pytest.mark.parametrize("make", ["array", "event", "kernel", "number"])
def test_what_is_no_stream_is_refused_by_type(make):
    a = gpuarray.to_gpu(np.arange(3, dtype=np.float32))
    module = SourceModule("__global__ void k() {}")
    things = {"array": a, "event": drv.Event(), "kernel": module.get_function("k"), "number": 5}
    for use in (
        lambda stream: a.fill(1, stream),
        lambda stream: a.astype(np.float64, stream),
        lambda stream: a.any(stream=stream),
        lambda stream: gpuarray.sum(a, stream=stream),
        lambda stream: gpuarray.if_positive(a, a, a, stream=stream),
        lambda stream: cumath.exp(a, stream=stream),
        lambda stream: cumath.frexp(a, stream),
    ):
        with pytest.raises(TypeError, match=r"stream"):
            use(things[make])
