# SPDX-License-Identifier: MIT
import pyopencl as cl
import pyopencl._constants as constants
import pytest

BIT_FIELDS = """
command_queue_properties device_affinity_domain device_atomic_capabilities
device_device_enqueue_capabilities device_exec_capabilities device_fp_config
device_svm_capabilities device_type kernel_arg_type_qualifier map_flags mem_flags
mem_migration_flags queue_properties svm_mem_flags version_bits
""".split()
PLAIN = """
addressing_mode channel_order channel_type command_execution_status command_queue_info command_type
context_info context_properties device_info device_local_mem_type device_mem_cache_type
device_partition_property device_topology_type_amd event_info filter_mode gl_context_info image_info
kernel_arg_access_qualifier kernel_arg_address_qualifier kernel_arg_info kernel_info
kernel_sub_group_info kernel_work_group_info khronos_vendor_id mem_info mem_object_type pipe_info
pipe_properties platform_info profiling_info program_binary_type program_build_info program_info
sampler_info sampler_properties status_code
""".split()

VALUES = {
    "mem_flags.READ_WRITE": 1,
    "mem_flags.COPY_HOST_PTR": 32,
    "mem_flags.HOST_NO_ACCESS": 0x200,
    "device_type.ALL": 0xFFFFFFFF,
    "device_type.GPU": 4,
    "map_flags.WRITE_INVALIDATE_REGION": 4,
    "command_queue_properties.PROFILING_ENABLE": 2,
    "command_execution_status.COMPLETE": 0,
    "profiling_info.START": 0x1282,
    "device_info.QUEUE_PROPERTIES": 0x102A,
    "device_info.QUEUE_ON_HOST_PROPERTIES": 0x102A,
    "device_info.PIPE_SUPPORT": 0x1071,
    "kernel_work_group_info.GLOBAL_WORK_SIZE": 0x11B5,
    "context_properties.PLATFORM": 0x1084,
    "mem_object_type.BUFFER": 0x10F0,
    "program_build_info.LOG": 0x1183,
    "channel_order.Rx": 0x10BA,
    "channel_order.sRGB": 0x10BF,
    "status_code.INVALID_VALUE": -30,
    "status_code.PLATFORM_NOT_FOUND_KHR": -1001,
    "status_code.MAX_SIZE_RESTRICTION_EXCEEDED": -72,
    "sampler_info.MIP_FILTER_MODE_KHR": 0x1155,
    "version_bits.PATCH_BITS": 12,
    "command_queue_info.SIZE": 0x1094,
    "command_queue_info.DEVICE_DEFAULT": 0x1095,
    "device_info.INTEGER_DOT_PRODUCT_CAPABILITIES_KHR": 0x1073,
    "device_info.COMMAND_BUFFER_CAPABILITIES_KHR": 0x12A9,
    "device_info.SEMAPHORE_TYPES_KHR": 0x204C,
    "device_info.EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR": 0x204F,
}


@pytest.mark.parametrize("name", BIT_FIELDS + PLAIN)
def test_group_is_a_plain_class_of_ints(name):
    group = getattr(cl, name)
    members = {k: v for k, v in vars(group).items() if not k.startswith("_")}
    assert members or name == "gl_context_info"
    assert all(type(value) is int for value in members.values())
    assert group._is_bitfield is (name in BIT_FIELDS)
    assert group in constants.CONSTANT_CLASSES
    assert (group in constants.BITFIELD_CONSTANT_CLASSES) is (name in BIT_FIELDS)


@pytest.mark.parametrize("group", constants.CONSTANT_CLASSES, ids=lambda group: group.__name__)
def test_whatever_a_class_lists_is_a_number(group):
    # Programs that print everything hand it to get_info().
    listed = [name for name in dir(group) if not name.startswith("__") and name != "to_string"]
    assert set(listed) >= {"_is_bitfield", *constants.members_of(group)}
    for name in listed:
        assert isinstance(getattr(group, name), int), name


@pytest.mark.parametrize("name", VALUES)
def test_value(name):
    group, _, member = name.partition(".")
    assert getattr(getattr(cl, group), member) == VALUES[name]


@pytest.mark.parametrize(
    ("group", "value", "text"),
    [
        ("device_type", 2, "CPU"),
        ("device_type", 6, "CPU | GPU"),
        ("device_type", 0xFFFFFFFF, "ALL"),
        ("mem_flags", 1 | 32, "COPY_HOST_PTR | READ_WRITE"),
        ("command_execution_status", 0, "COMPLETE"),
        ("mem_object_type", 0x10F0, "BUFFER"),
        ("mem_flags", 1 | 1 << 40, "READ_WRITE"),
        ("device_type", 4 | 1 << 20, "GPU"),
        ("status_code", -36, "INVALID_COMMAND_QUEUE"),
        ("kernel_arg_type_qualifier", 0, "NONE"),
        ("device_info", 0x102A, "QUEUE_ON_HOST_PROPERTIES"),
    ],
)
def test_to_string(group, value, text):
    assert getattr(cl, group).to_string(value) == text


def test_to_string_of_a_number_without_a_name():
    with pytest.raises(ValueError, match="mem_object_type"):
        cl.mem_object_type.to_string(77)
    assert cl.mem_object_type.to_string(77, "<%d>") == "<77>"
    assert cl.mem_flags.to_string(1 << 40, "%x") == "10000000000"


def test_program_kind_is_a_real_enumeration():
    assert [kind.name for kind in cl._cl.program_kind] == ["UNKNOWN", "SOURCE", "BINARY", "IL"]


def test_program_kind_has_what_the_constant_classes_have():
    kind = cl._cl.program_kind
    assert kind._is_bitfield is False
    assert kind.to_string(1) == kind.to_string(kind.SOURCE) == "SOURCE"
    assert kind.to_string(9, "<%d>") == "<9>"
    with pytest.raises(ValueError, match="program_kind of value 9 has no name"):
        kind.to_string(9)
    assert [one.name for one in kind] == ["UNKNOWN", "SOURCE", "BINARY", "IL"]
