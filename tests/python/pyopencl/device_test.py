# SPDX-License-Identifier: MIT
"""Platforms, devices, contexts and queues: what they tell, and who is equal to whom."""

import gc
import weakref

import numpy as np
import pyopencl as cl
import pyopencl._cl as native
import pyopencl.array
import pytest


@pytest.fixture
def platform(device):
    return device.platform


def test_platform(platform):
    assert any(p == platform for p in cl.get_platforms())
    assert isinstance(platform.name, str)
    assert isinstance(platform.vendor, str)
    assert "\0" not in platform.version
    assert platform.version.startswith("OpenCL ")
    major, minor = platform._get_cl_version()
    assert (major, minor) >= (1, 1)
    assert platform.get_info(cl.platform_info.NAME) == platform.name
    assert repr(platform).startswith(f"<pyopencl.Platform '{platform.name}' at 0x")
    assert platform.get_devices() == platform.get_devices(cl.device_type.ALL)
    assert platform.get_devices(device_type=cl.device_type.CUSTOM) == []
    cl.unload_platform_compiler(platform)


STRINGS = "name vendor driver_version profile version extensions opencl_c_version".split()
NUMBERS = """
type vendor_id max_compute_units max_work_group_size max_work_item_dimensions global_mem_size
local_mem_size max_mem_alloc_size address_bits available compiler_available endian_little
image_support queue_properties queue_on_host_properties max_clock_frequency mem_base_addr_align
profiling_timer_resolution reference_count single_fp_config host_unified_memory
""".split()


@pytest.mark.parametrize("name", STRINGS)
def test_strings(name, device):
    assert type(getattr(device, name)) is str
    assert getattr(device, name) == device.get_info(getattr(cl.device_info, name.upper()))


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_and_truth_values_are_ints(name, device):
    assert type(getattr(device, name)) is int


def test_lists(device):
    sizes = device.max_work_item_sizes
    assert len(sizes) == device.max_work_item_dimensions
    assert all(type(size) is int for size in sizes)
    assert isinstance(device.partition_properties, list)
    assert device.parent_device is None


@pytest.mark.parametrize("group", ["platform", "device", "context", "command_queue", "program"])
def test_every_parameter_can_be_asked(group, device, context, queue, build):
    subject = {
        "platform": device.platform,
        "device": device,
        "context": context,
        "command_queue": queue,
        "program": build("__kernel void a() {}"),
    }[group]
    answered = 0
    for name, code in vars(getattr(cl, f"{group}_info")).items():
        if name.startswith("_"):
            continue
        for ask in (lambda n=name: getattr(subject, n.lower()), lambda c=code: subject.get_info(c)):
            try:
                ask()
                answered += 1
            except cl.Error as error:
                assert error.code != 0
    assert answered >= 6


def test_versions_with_names(device):
    try:
        versions = device.extensions_with_version
    except cl.LogicError:
        pytest.skip("the device is older than OpenCL 3.0")
    assert all(type(v.name) is str and type(v.version) is int for v in versions)


def test_device(device):
    assert repr(device).startswith(f"<pyopencl.Device '{device.name.strip()}' on '")
    assert device._get_cl_version() >= (1, 1)
    assert device.platform is device.platform
    identity = device.hashable_model_and_version_identifier
    assert identity == ("v1", device.vendor, device.vendor_id, device.name, device.version)
    with pytest.warns(DeprecationWarning):
        assert device.persistent_unique_id == identity


def test_sub_devices(device):
    properties = [cl.device_partition_property.EQUALLY, 1]
    if cl.device_partition_property.EQUALLY not in device.partition_properties:
        pytest.skip("the device has no parts")
    parts = device.create_sub_devices(properties)
    assert len(parts) == device.max_compute_units
    assert parts[0].parent_device == device
    assert parts[0].max_compute_units == 1


def test_arrays_on_parts_of_a_device(device):
    properties = [cl.device_partition_property.EQUALLY, 1]
    if cl.device_partition_property.EQUALLY not in device.partition_properties:
        pytest.skip("the device has no parts")
    parts = device.create_sub_devices(properties)
    for context in cl.Context(parts), cl.Context(parts[:1]):
        for part in context.devices:
            x = cl.array.arange(cl.CommandQueue(context, part), 10, dtype=np.float32)
            np.testing.assert_array_equal((2 * x + 1).get(), 2 * np.arange(10) + 1)
            assert cl.array.sum(x).get() == 45


def test_timers(device):
    try:
        device_time, host_time = device.device_and_host_timer()
    except cl.Error:
        pytest.skip("the device has no timers")
    assert device.host_timer() >= host_time > 0
    assert device_time > 0


def test_small_structures():
    version = cl.NameVersion(5, "cl_khr_x")
    assert (version.version, version.name) == (5, "cl_khr_x")
    version.version, version.name = 7, "y" * 80
    assert (version.version, version.name) == (7, "y" * 63)
    assert cl.NameVersion().version == 0
    topology = cl.DeviceTopologyAmd(3, device=4, function=5)
    assert (topology.bus, topology.device, topology.function) == (3, 4, 5)
    topology.bus = 9
    assert topology.bus == 9
    for instance in (version, topology):
        assert not hasattr(instance, "__dict__")


def test_contexts(device, context):
    platform = cl.context_properties.PLATFORM
    for made in (cl.Context([device]), cl.Context(dev_type=device.type)):
        assert device in made.devices
        assert made.num_devices == len(made.devices)
        assert made != context
        assert made.properties == []
    for made in (
        cl.Context(devices=(device,), properties=[(platform, device.platform)]),
        cl.Context(properties=[(platform, device.platform)], dev_type=cl.device_type.ALL),
        cl.Context(None, [(platform, device.platform)]),
    ):
        assert device in made.devices
        assert made.properties == [(platform, device.platform)]
    assert context.reference_count >= 1
    assert context._get_cl_version() == device.platform._get_cl_version()
    assert repr(context).startswith("<pyopencl.Context at 0x")
    assert repr(device) in repr(context)


def test_contexts_can_be_referred_to_weakly():
    context = cl.create_some_context(interactive=False)
    gone = weakref.ref(context)
    context.itself = context
    del context
    gc.collect()
    assert gone() is None


def test_queue(context, device):
    queue = cl.CommandQueue(context, device)
    assert queue.context is queue.context
    assert queue.context == context
    assert queue.device is queue.device
    assert queue.device == device
    assert queue.device.platform is queue.device.platform
    assert queue.properties == 0
    assert queue._get_cl_version() == device._get_cl_version()
    queue.flush()
    queue.finish()


@pytest.mark.parametrize("properties", [0, 2, None, cl.command_queue_properties.PROFILING_ENABLE])
def test_queue_properties(context, properties):
    queue = cl.CommandQueue(context, properties=properties)
    assert queue.properties == (properties or 0)


def test_queue_properties_as_a_list(context, device):
    if device.platform._get_cl_version() < (2, 0):
        pytest.skip("needs OpenCL 2.0")
    properties = [cl.queue_properties.PROPERTIES, cl.command_queue_properties.PROFILING_ENABLE]
    queue = cl.CommandQueue(context, device, properties)
    assert queue.properties == cl.command_queue_properties.PROFILING_ENABLE


def test_a_queue_behind_its_block_warns_and_works(context):
    with cl.CommandQueue(context) as queue:
        inside = queue
    assert inside is queue
    with pytest.warns(cl.CommandQueueUsedAfterExit):
        queue.flush()
    with pytest.warns(cl.CommandQueueUsedAfterExit):
        cl.enqueue_marker(queue).wait()
    queue.finish()  # silently
    assert queue.context == context
    other = cl.CommandQueue.from_int_ptr(queue.int_ptr)
    other.flush()  # another wrapper of the same queue is not affected


def _objects(context, queue, build):
    yield context.devices[0].platform, cl.Platform
    yield context.devices[0], cl.Device
    yield context, cl.Context
    yield queue, cl.CommandQueue
    yield cl.enqueue_marker(queue), cl.Event
    yield cl.Buffer(context, 1, 16), cl.Buffer
    program = build("__kernel void a() {}")
    yield program, cl.Program
    yield program._get_prg(), native._Program
    yield program.a, cl.Kernel


def test_handles(context, queue, build):
    for cl_object, kind in _objects(context, queue, build):
        assert type(cl_object.int_ptr) is int
        same = kind.from_int_ptr(cl_object.int_ptr)
        assert type(same) is kind
        assert same == cl_object
        assert not (same != cl_object)
        assert hash(same) == hash(cl_object)
        assert cl_object != None  # noqa: E711 - the comparison itself is tested
        assert cl_object != 5
        assert not (cl_object == "text")


def test_kinds_of_handles_are_never_equal(context, queue, build):
    objects = [o for o, _ in _objects(context, queue, build) if type(o) is not cl.Program]
    for i, first in enumerate(objects):
        for second in objects[i + 1 :]:
            assert first != second


def test_attributes_of_a_program_are_its_own(context, queue, build):
    for cl_object, kind in _objects(context, queue, build):
        if kind is cl.Event:
            with pytest.raises(AttributeError):
                cl_object.note = 1
        else:
            cl_object.note = 1
            assert cl_object.note == 1
