# SPDX-License-Identifier: MIT
"""What functions of arrays say of things that are no arrays and no queues."""

import numpy as np
import pyopencl.array as cl_array
import pyopencl.clmath as clmath
import pytest

import treadle

THINGS = [None, 1.5, "x", [1.0]]


@pytest.fixture
def x(queue):
    return cl_array.to_device(queue, np.arange(3, dtype=np.float32))


@pytest.mark.parametrize("thing", [*THINGS, np.arange(3.0)], ids=repr)
def test_what_is_no_array_is_refused_by_type(queue, x, thing):
    places = cl_array.to_device(queue, np.arange(3))
    for use in (
        lambda: cl_array.empty_like(thing),
        lambda: cl_array.zeros_like(thing),
        lambda: cl_array.as_strided(thing),
        lambda: cl_array.take(x, thing),
        lambda: cl_array.multi_put([x], thing, dest_shape=3),
        lambda: cl_array.diff(thing),
        lambda: cl_array.transpose(thing),
        lambda: cl_array.reshape(thing, 3),
        lambda: cl_array.sum(thing),
        lambda: cl_array.dot(x, thing),
        lambda: cl_array.vdot(thing, x),
        lambda: cl_array.subset_dot(places, x, thing),
        lambda: cl_array.subset_min(places, thing),
        lambda: clmath.sin(thing),
        lambda: clmath.frexp(thing),
    ):
        with pytest.raises(TypeError, match=f"is wanted, not a {type(thing).__name__}: to_device"):
            use()


@pytest.mark.parametrize("thing", THINGS[1:])
def test_what_is_no_queue_is_refused_by_type(x, thing):
    for use in (
        lambda: x.get(queue=thing),
        lambda: x.reverse(queue=thing),
        lambda: cl_array.maximum(x, x, queue=thing),
        lambda: cl_array.concatenate([x, x], queue=thing),
        lambda: clmath.sin(x, queue=thing),
    ):
        with pytest.raises(TypeError, match=f"a {type(thing).__name__} where a CommandQueue is"):
            use()


@pytest.mark.parametrize("thing", THINGS)
def test_what_is_no_array_of_the_host_is_refused_by_type(queue, x, thing):
    with pytest.raises(TypeError, match=f"a {type(thing).__name__} where a numpy.ndarray is"):
        x.set(thing)
    with pytest.raises(TypeError, match=f"a {type(thing).__name__}: it takes a numpy.ndarray"):
        cl_array.to_device(queue, thing)
    if thing is not None:
        with pytest.raises(TypeError, match=f"a {type(thing).__name__} where a numpy.ndarray is"):
            x.get(ary=thing)


def test_shapes_that_do_not_fit_are_refused_as_by_pyopencl(queue, x):
    y = cl_array.zeros(queue, 4, np.float32)
    shapes = r"Broadcasting binary operator with shapes: \(3,\), \(4,\)"
    for use in (lambda: x + y, lambda: x / y, lambda: x**y, lambda: x < y):
        with pytest.raises(NotImplementedError, match=shapes) as refused:
            use()
        assert isinstance(refused.value, treadle.ShapeError)
    for use in (lambda: x.__iadd__(y), lambda: x.__imul__(y)):
        with pytest.raises(AssertionError, match=shapes):
            use()
    with pytest.raises(NotImplementedError, match=r"shapes: \(2,\), \(3,\)"):
        np.zeros(2, np.float32) + x
    np.testing.assert_array_equal(x.get(), [0, 1, 2])
