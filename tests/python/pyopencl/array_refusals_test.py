# SPDX-License-Identifier: MIT
"""What functions of arrays say of things that are no arrays and no queues."""

import numpy as np
import pyopencl as cl
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


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "maximum", "minimum", "mul_add"])
def test_functions_refuse_shapes_as_operators_do(queue, x, name):
    y = cl_array.zeros(queue, 4, np.float32)
    with pytest.raises(NotImplementedError, match=r"shapes: \(3,\), \(4,\)") as refused:
        x.mul_add(2, y, 3) if name == "mul_add" else getattr(cl_array, name)(x, y)
    assert isinstance(refused.value, treadle.ShapeError)


def test_if_positive_refuses_other_shapes(queue, x):
    y = cl_array.zeros(queue, 4, np.float32)
    for error in ValueError, NotImplementedError:
        with pytest.raises(error, match="else_ has the shape"):
            cl_array.if_positive(x, x, y)


@pytest.mark.parametrize("number", [1j, np.complex64(2), np.array(3j)], ids=repr)
def test_complex_numbers_are_no_elements_of_real_arrays(x, number):
    before = len(x.device.last_launches())
    for use in (
        lambda: x.fill(number),
        lambda: x.setitem(slice(2), number),
        lambda: cl_array.Array._fill(x, number),
    ):
        with pytest.raises(TypeError, match="complex number is no element .* float32"):
            use()
    assert len(x.device.last_launches()) == before
    np.testing.assert_array_equal(x.get(), [0, 1, 2])


@pytest.mark.parametrize("shape", [(2.9, 3), ((2.0, 3),), ("23",)], ids=repr)
def test_lengths_that_are_no_integers_are_refused(queue, shape):
    a = cl_array.zeros(queue, 6, np.float32)
    with pytest.raises(TypeError):
        a.reshape(*shape)


def test_a_queue_behind_its_with_block_is_warned_of(context):
    with cl.CommandQueue(context) as queue:
        x = cl_array.to_device(queue, np.arange(3, dtype=np.float32))
        y = x + 1
    for use in (
        lambda: x.get(),
        lambda: x.set(np.zeros(3, np.float32)),
        lambda: x + 1,
        lambda: -x,
        lambda: x.fill(2),
        lambda: cl_array.sum(x),
        lambda: cl_array.to_device(queue, np.zeros(3)),
        lambda: cl_array.zeros(queue, 3, np.float32),
    ):
        with pytest.warns(cl.CommandQueueUsedAfterExit) as warned:
            use()
        assert warned[0].filename == __file__
    other = cl.CommandQueue(context)
    np.testing.assert_array_equal(y[1:].with_queue(other).get(), [2, 3])  # without a warning
    with cl.CommandQueue(context) as unused:
        pass
    for _ in range(2):
        with pytest.warns(cl.CommandQueueUsedAfterExit):
            cl_array.zeros(unused, 3, np.float32)


def test_a_context_is_no_queue(context, queue):
    a = cl_array.to_device(queue, np.ones(3, np.float32))
    for use in (
        lambda: clmath.tanpi(a, context),
        lambda: clmath.sin(a, queue=context),
        lambda: a.astype(np.float64, context),
        lambda: cl_array.sum(a, queue=context),
    ):
        with pytest.raises(TypeError, match="a Context where a CommandQueue is expected"):
            use()
