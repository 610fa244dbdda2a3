# SPDX-License-Identifier: MIT
"""Pickles, copies and weak references of the face's objects."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest


def test_devices_and_platforms_are_found_again(context):
    device = context.devices[0]
    assert pickle.loads(pickle.dumps(device)) == device
    assert pickle.loads(pickle.dumps(device.platform)) == device.platform
    assert copy.deepcopy({"device": device})["device"] == device


def test_a_part_of_a_device_is_not_pickled(context):
    try:
        parts = context.devices[0].create_sub_devices([cl.device_partition_property.EQUALLY, 1])
    except cl.Error:
        pytest.skip("the device has no parts")
    with pytest.raises(TypeError, match="parent_device"):
        pickle.dumps(parts[0])


def test_a_device_of_another_machine_is_named(context):
    text = pickle.dumps(context.devices[0], protocol=0)
    name = context.devices[0].platform.name
    elsewhere = text.replace(name.encode(), b"Elsewhere")
    assert elsewhere != text
    with pytest.raises(LookupError, match="'Elsewhere'.*which is not here"):
        pickle.loads(elsewhere)


def test_arrays_come_back_as_arrays_of_the_face(queue):
    for host in (
        np.arange(12.0).reshape(3, 4),
        np.asfortranarray(np.arange(12, dtype=np.int8).reshape(3, 4)),
        np.zeros((0, 3), np.float32),
        np.array([(1, 2.5)], np.dtype([("a", np.int32), ("b", np.float32)])),
    ):
        array = cl_array.to_device(queue, host)
        made = pickle.loads(pickle.dumps(array))
        assert type(made) is cl_array.Array
        assert made.queue is not None
        assert not host.size or made.strides == array.strides
        np.testing.assert_array_equal(made.get(), host)
    view = cl_array.to_device(queue, np.arange(10))[::3]
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(view)).get(), np.arange(10)[::3])


def test_arrays_come_back_on_a_queue_that_is_named(queue):
    text = pickle.dumps(cl_array.to_device(queue, np.arange(4)))
    with cl_array.queue_for_pickling(queue):
        made = pickle.loads(text)
    assert made.queue is queue
    assert (made + cl_array.to_device(queue, np.arange(4))).get().tolist() == [0, 2, 4, 6]
    assert pickle.loads(text).queue is pickle.loads(text).queue is not queue


def test_copies_are_on_the_same_queue(queue):
    array = cl_array.to_device(queue, np.arange(6).reshape(2, 3))
    for made in (copy.copy(array), copy.deepcopy(array), copy.copy(array[:, ::2])):
        assert made.queue is queue
        assert type(made) is cl_array.Array
    by_columns = cl_array.to_device(queue, np.asfortranarray(np.arange(6).reshape(2, 3)))
    for made in (copy.copy(by_columns), copy.deepcopy(by_columns)):
        assert made.strides == by_columns.strides
        assert made.get().tolist() == [[0, 1, 2], [3, 4, 5]]
    made = copy.copy(array)
    array.fill(0)
    assert made.get().tolist() == [[0, 1, 2], [3, 4, 5]]


def test_objects_are_referred_to_weakly(context, queue):
    program = cl.Program(context, "__kernel void k(void) {}").build()
    flags = cl.mem_flags.READ_WRITE
    made = [
        cl.CommandQueue(context),
        cl.Buffer(context, flags, 4),
        cl.Sampler(context, False, cl.addressing_mode.CLAMP, cl.filter_mode.NEAREST),
        cl.enqueue_marker(queue),
        cl.UserEvent(context),
        context.devices[0],
        program,
        program._get_prg(),
        cl.Kernel(program, "k"),
    ]
    references = [weakref.ref(one) for one in made]
    assert all(reference() is one for reference, one in zip(references, made, strict=True))
    del made, program
    gc.collect()
    assert [reference() for reference in references] == [None] * len(references)
