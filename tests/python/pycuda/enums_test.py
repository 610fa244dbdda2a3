# SPDX-License-Identifier: MIT
import pickle

import pycuda.driver as cuda
import pytest


def test_members_are_named_ints():
    member = cuda.device_attribute.WARP_SIZE
    assert member == 10
    assert isinstance(member, int)
    assert str(member) == "WARP_SIZE"
    assert repr(member) == "pycuda._driver.device_attribute.WARP_SIZE"
    assert member.name == "WARP_SIZE"
    assert hash(member) == hash(10)


def test_flags_combine_to_plain_ints():
    combined = cuda.ctx_flags.SCHED_SPIN | cuda.ctx_flags.MAP_HOST
    assert combined == 9
    assert type(combined) is int


def test_names_and_values_are_tables():
    assert cuda.func_cache.names["PREFER_L1"] is cuda.func_cache.PREFER_L1
    assert cuda.func_cache.values[2] is cuda.func_cache.PREFER_L1


def test_two_names_of_one_number_are_equal_and_the_last_is_canonical():
    attribute = cuda.device_attribute
    assert attribute.MAX_SHARED_MEMORY_PER_BLOCK == attribute.SHARED_MEMORY_PER_BLOCK
    assert str(attribute.MAX_SHARED_MEMORY_PER_BLOCK) == "MAX_SHARED_MEMORY_PER_BLOCK"
    assert str(attribute(8)) == "SHARED_MEMORY_PER_BLOCK"


def test_numbers_without_a_name_are_allowed():
    unknown = cuda.compute_mode(77)
    assert unknown == 77
    assert repr(unknown) == "pycuda._driver.compute_mode(77)"


def test_members_survive_pickling():
    assert pickle.loads(pickle.dumps(cuda.limit.STACK_SIZE)) == cuda.limit.STACK_SIZE


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("device_attribute", 107),
        ("function_attribute", 11),
        ("jit_option", 11),
        ("limit", 5),
        ("array_format", 8),
        ("ctx_flags", 9),
    ],
)
def test_every_member_is_there(name, count):
    assert len(getattr(cuda, name).names) == count


def test_device_attribute_numbers_are_those_of_the_header():
    from treadle import cuda as native

    # Every name that the header has under the same spelling must have the header's number.
    known = {attribute.name.upper() for attribute in native.DeviceAttribute}
    assert len(known & set(cuda.device_attribute.names)) >= 95


def test_flag_holders_are_no_classes_to_make_objects_of():
    assert cuda.host_alloc_flags.DEVICEMAP == 2
    assert getattr(cuda.array3d_flags, "2DARRAY") == 1
    with pytest.raises(RuntimeError, match="cannot be instantiated from Python"):
        cuda.host_alloc_flags()


def test_module_numbers():
    assert (cuda.TRSA_OVERRIDE_FORMAT, cuda.TRSF_READ_AS_INTEGER) == (1, 1)
    assert (cuda.TRSF_NORMALIZED_COORDINATES, cuda.TR_DEFAULT) == (2, -1)
