# SPDX-License-Identifier: MIT
"""What comparisons give, as an index: the elements that they are true of."""

import numpy as np
import pyopencl.array as cl_array
import pytest


@pytest.fixture
def put(queue):
    """put(values) is an array with these values."""
    return lambda values: cl_array.to_device(queue, np.asarray(values))


@pytest.fixture
def numbers():
    return np.arange(-6, 6).reshape(3, 4)


def test_a_comparison_selects(put, numbers):
    x = put(numbers)
    for select in (
        lambda a: a > 2,
        lambda a: a == a,
        lambda a: a != a,
        lambda a: (a > -3) & (a < 3),
        lambda a: (a > 3) | (a < -3),
        lambda a: (a > 0) ^ (a > 2),
    ):
        part = x[select(x)]
        assert type(part) is cl_array.Array
        np.testing.assert_array_equal(part.get(), numbers[select(numbers)])
    assert (x > 2).dtype == np.int8  # as PyOpenCL's


def test_logical_functions_and_bools_select(put, numbers):
    x = put(numbers)
    both = cl_array.logical_and(x > -3, cl_array.logical_not(x > 2))
    np.testing.assert_array_equal(x[both].get(), numbers[(numbers > -3) & (numbers <= 2)])
    mask = put(numbers % 3 == 0)
    np.testing.assert_array_equal(x[mask].get(), numbers[numbers % 3 == 0])
    row = x[1]
    np.testing.assert_array_equal(row[(x > -1)[1]].get(), numbers[1][numbers[1] > -1])


def test_other_arrays_of_int8_are_indices(put):
    x = put(np.arange(10, 15))
    np.testing.assert_array_equal(x[put(np.array([1, 0, 1], np.int8))].get(), [11, 10, 11])
    mask = x > 12
    mask += 1  # no longer a yes or no
    np.testing.assert_array_equal(x[mask].get(), [11, 11, 11, 12, 12])


def test_masked_elements_are_set(put, numbers):
    expected = numbers.copy()
    x = put(numbers)
    x[x > 2] = 0
    expected[expected > 2] = 0
    np.testing.assert_array_equal(x.get(), expected)
    x[put(expected < -3)] = -3
    expected[expected < -3] = -3
    np.testing.assert_array_equal(x.get(), expected)
    x.setitem(x == 0, 9, wait_for=x.events)
    expected[expected == 0] = 9
    np.testing.assert_array_equal(x.get(), expected)


def test_masks_of_other_shapes_are_refused(put, numbers):
    x = put(numbers)
    with pytest.raises(IndexError, match="3"):
        x[(x > 2)[:2]]


def test_sums_and_extremes_along_axes(put):
    values = np.random.default_rng(3).normal(size=(3, 4, 5)).astype(np.float32)
    x = put(values)
    for axis in (0, -1, (0, 2)):
        np.testing.assert_allclose(
            cl_array.sum(x, axis=axis).get(), values.sum(axis), rtol=1e-5, atol=1e-5
        )
        np.testing.assert_array_equal(cl_array.max(x, axis=axis).get(), values.max(axis))
        np.testing.assert_array_equal(cl_array.min(x, axis=axis).get(), values.min(axis))
    more = cl_array.sum(x, dtype=np.float64, initial=2, axis=1)
    assert more.dtype == np.float64
    np.testing.assert_allclose(more.get(), values.sum(1, dtype=np.float64) + 2)
    with pytest.raises(TypeError, match="slice is of all elements"):
        cl_array.sum(x, slice=slice(2), axis=1)


def test_initial_values_are_numbers(put):
    x = put(np.arange(3))
    for function in (cl_array.sum, cl_array.min, cl_array.max):
        with pytest.raises(ValueError, match="initial is a number, not a NoneType"):
            function(x, initial=None)


def test_elements_in_reverse_are_read(put, numbers):
    x = put(numbers)
    for part in (np.s_[::-1], np.s_[:, ::-1], np.s_[::-1, ::-1]):
        np.testing.assert_array_equal(x[part].get(), numbers[part])
    np.testing.assert_array_equal(x[::-1].T.get(), numbers[::-1].T)
    with pytest.raises(AssertionError, match="gaps"):
        x[:, ::-2].get()


def test_unknown_keywords_are_refused(put):
    x = put(np.arange(3))
    for call in (
        lambda: x.set(np.arange(3), nonsense=1),
        lambda: x.get(nonsense=1),
        lambda: x.get_async(nonsense=1),
    ):
        with pytest.raises(TypeError, match="nonsense"):
            call()


def test_runners_write_into_arrays_that_are_there(put, queue):
    x, y, out = put(np.arange(4.0)), put(np.ones(4)), put(np.zeros(4))
    for event, expected in (
        (lambda: cl_array.Array._axpbyz(out, 2, x, 3, y, queue=queue), [3, 5, 7, 9]),
        (lambda: cl_array.Array._axpbz(out, 2, x, 1), [1, 3, 5, 7]),
        (lambda: cl_array.Array._copy(out, y), [1, 1, 1, 1]),
        (lambda: cl_array.Array._fill(out, 7), [7, 7, 7, 7]),
    ):
        assert event() is out.events[-1]
        assert out.get().tolist() == expected


def test_masks_among_other_indices_select_and_are_set(put, numbers):
    x, mask, on_host = put(numbers), put([3, 0, 3]) > 1, np.array([True, False, True])
    np.testing.assert_array_equal(x[mask, 1].get(), numbers[on_host, 1])
    x[mask, 1:3], numbers[on_host, 1:3] = 7, 7
    np.testing.assert_array_equal(x.get(), numbers)
