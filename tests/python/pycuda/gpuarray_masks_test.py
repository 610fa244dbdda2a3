# SPDX-License-Identifier: MIT
"""pycuda.gpuarray: what comparisons give, as an index, and other arrays as indices."""

import numpy as np
import pycuda.gpuarray as gpuarray
import pytest

pytestmark = pytest.mark.usefixtures("context")

NUMBERS = np.arange(-6, 6).reshape(3, 4)


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_a_comparison_selects(dtype):
    numbers = NUMBERS.astype(dtype)
    a = gpuarray.to_gpu(numbers)
    for select in (lambda x: x > 2, lambda x: x != x, lambda x: x <= x, lambda x: 1 < x):
        part = a[select(a)]
        assert type(part) is gpuarray.GPUArray
        np.testing.assert_array_equal(part.get(), numbers[select(numbers)])
    assert (a > 2).dtype == dtype  # as PyCUDA's
    np.testing.assert_array_equal(a[1][(a > -1)[1]].get(), numbers[1][numbers[1] > -1])
    both = gpuarray.logical_and(a > -3, a < 3)
    np.testing.assert_array_equal(a[both].get(), numbers[(numbers > -3) & (numbers < 3)])


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_masked_elements_are_set(dtype):
    expected = NUMBERS.astype(dtype)
    a = gpuarray.to_gpu(expected)
    a[a > 2] = 0
    expected[expected > 2] = 0
    a[np.equal(a, 0)] = 9
    expected[expected == 0] = 9
    np.testing.assert_array_equal(a.get(), expected)


def test_other_arrays_of_integers_are_indices():
    a = gpuarray.to_gpu(np.arange(10, 15))
    assert a[gpuarray.to_gpu(np.array([1, 0, 1]))].get().tolist() == [11, 10, 11]
    assert a[[4, 0]].get().tolist() == [14, 10]
    mask = a > 12
    mask += 1  # no longer a yes or no
    assert a[mask].get().tolist() == [11, 11, 11, 12, 12]


def test_an_index_of_other_numbers_says_what_is_possible():
    a = gpuarray.to_gpu(np.arange(5, dtype=np.float32))
    said = r"array of float32: it is to be of integers, or a mask.*x\.astype\(bool\)"
    for use in (
        lambda: a[a * 2],
        lambda: a[(a > 2) * (a < 4)],
        lambda: a.__setitem__(a * 2, 0),
    ):
        with pytest.raises(IndexError, match=said):
            use()
    product = (a > 2) * (a < 4)
    assert a[product.astype(bool)].get().tolist() == [3]


def test_masks_of_other_shapes_are_refused():
    a = gpuarray.to_gpu(NUMBERS)
    with pytest.raises(IndexError, match="mask of shape"):
        a[(a > 2)[:2]]


def test_masks_among_other_indices_select(context):
    host = np.array([[10, 20, 30], [40, 50, 60]])
    x, mask = gpuarray.to_gpu(host), gpuarray.to_gpu(np.array([3, 0])) > 1
    on_host = np.array([True, False])
    np.testing.assert_array_equal(x[mask, 1].get(), host[on_host, 1])
    np.testing.assert_array_equal(x[(mask,)].get(), host[(on_host,)])
    x[mask, :], host[on_host, :] = 7, 7
    x[mask, 1], host[on_host, 1] = 8, 8
    np.testing.assert_array_equal(x.get(), host)
