# SPDX-License-Identifier: MIT
"""pyopencl.bitonic_sort; lengths, dtypes and schedules are tested in C++."""

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest
from pyopencl.bitonic_sort import BitonicSort


@pytest.fixture
def sorter(context):
    return BitonicSort(context)


@pytest.fixture
def keys():
    return np.random.default_rng(5).permutation(64).astype(np.int32).reshape(8, 8)


def test_lines_along_each_axis_are_sorted_in_place(queue, sorter, keys):
    for axis in (0, 1, -1):
        x = cl_array.to_device(queue, keys)
        result, event = sorter(x, axis=axis)
        assert result is x and isinstance(event, cl.Event) and event in x.events
        np.testing.assert_array_equal(x.get(), np.sort(keys, axis))


def test_indices_go_along(queue, sorter, keys):
    flat = keys.ravel()
    x = cl_array.to_device(queue, flat)
    places = cl_array.arange(queue, 64, dtype=np.int32)
    sorter(x, idx=places)[1].wait()
    np.testing.assert_array_equal(places.get(), np.argsort(flat))


def test_parts_of_arrays_are_sorted(queue, sorter, keys):
    x = cl_array.to_device(queue, keys.ravel())
    sorter(x[16:32], queue=queue, wait_for=[cl.enqueue_marker(queue)])
    expected = keys.ravel().copy()
    expected[16:32].sort()
    np.testing.assert_array_equal(x.get(), expected)


def test_queues_out_of_order_sort_in_order(context, sorter):
    queue = cl.CommandQueue(
        context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    )
    for seed in range(5):
        keys = np.random.default_rng(seed).permutation(2**15).astype(np.int32)
        x = cl_array.to_device(queue, keys)
        places = cl_array.to_device(queue, np.arange(2**15, dtype=np.int32))
        sorter(x, idx=places)
        np.testing.assert_array_equal(x.get(), np.arange(2**15))
        np.testing.assert_array_equal(places.get(), np.argsort(keys))


def test_nothing_and_one_element_are_in_order(queue, sorter):
    for shape in (0, 1, (3, 1)):
        x = cl_array.zeros(queue, shape, np.int32)
        sorter(x, axis=-1)[1].wait()


def test_what_cannot_be_sorted_is_refused(queue, sorter):
    def array(*args):
        return cl_array.zeros(queue, *args)

    with pytest.raises(ValueError, match="power of two"):
        sorter(array(6, np.int32))
    with pytest.raises(ValueError, match="shape"):
        sorter(array(4, np.int32), idx=array(8, np.int32))
    with pytest.raises(TypeError, match="complex64"):
        sorter(array(4, np.complex64))
    with pytest.raises(IndexError, match="axis 1"):
        sorter(array(4, np.int32), axis=1)
    with pytest.raises(TypeError, match="list"):
        sorter([3, 1])
    with pytest.raises(TypeError, match="list"):
        sorter(array(4, np.int32), idx=[0, 1, 2, 3])


def test_there_are_no_templates():
    with pytest.raises(ImportError, match="bitonic_sort_templates"):
        import pyopencl.bitonic_sort_templates  # noqa: F401


def test_arrays_of_another_context_are_refused(queue, context, keys):
    x = cl_array.to_device(queue, keys)
    elsewhere = BitonicSort(cl.Context(context.devices))
    with pytest.raises(ValueError, match="arr is an array of .*make one for the array's context"):
        elsewhere(x)
    np.testing.assert_array_equal(x.get(), keys)
