# SPDX-License-Identifier: MIT
"""Kernels as objects: what they tell, and how they are compared."""

import gc
import weakref

import numpy as np
import pyopencl as cl
import pytest

SOURCE = """
__kernel void first(__global const float *numbers, int count) {}
__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void second(__global float *x) { *x = 1; }
"""


@pytest.fixture
def program(build):
    return build(SOURCE, options=["-cl-kernel-arg-info"])


def test_information(program, context):
    kernel = cl.Kernel(program, "first")
    assert kernel.function_name == "first"
    assert kernel.num_args == 2
    assert kernel.reference_count >= 1
    assert kernel.context == context
    assert kernel.program == program
    assert isinstance(kernel.program, cl.Program)
    assert kernel.get_info(cl.kernel_info.NUM_ARGS) == 2
    assert isinstance(kernel.attributes, str)
    with pytest.raises(cl.LogicError):
        kernel.get_info(0x7777)
    assert "first" in repr(kernel)


def test_work_group_information(program, device):
    info = cl.kernel_work_group_info
    kernel = cl.Kernel(program, "second")
    assert kernel.get_work_group_info(info.COMPILE_WORK_GROUP_SIZE, device) == [4, 1, 1]
    assert kernel.get_work_group_info(info.WORK_GROUP_SIZE, device) >= 4
    assert kernel.get_work_group_info(info.PREFERRED_WORK_GROUP_SIZE_MULTIPLE, device) >= 1
    assert kernel.get_work_group_info(info.LOCAL_MEM_SIZE, device) >= 0


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NAME", "numbers"),
        ("TYPE_NAME", "float*"),
        ("ADDRESS_QUALIFIER", cl.kernel_arg_address_qualifier.GLOBAL),
        ("ACCESS_QUALIFIER", cl.kernel_arg_access_qualifier.NONE),
        ("TYPE_QUALIFIER", cl.kernel_arg_type_qualifier.CONST),
    ],
)
def test_argument_information(name, expected, program):
    kernel = cl.Kernel(program, "first")
    assert kernel.get_arg_info(0, getattr(cl.kernel_arg_info, name)) == expected
    with pytest.raises(cl.LogicError):
        kernel.get_arg_info(2, getattr(cl.kernel_arg_info, name))


def test_identity(program):
    kernel, other = cl.Kernel(program, "first"), cl.Kernel(program, "first")
    same = cl.Kernel.from_int_ptr(kernel.int_ptr)
    assert type(same) is cl.Kernel
    assert same == kernel
    assert hash(same) == hash(kernel)
    assert kernel != other
    assert kernel != None  # noqa: E711 - the comparison itself is tested
    assert kernel != 3


def test_attributes_of_a_program_are_its_own(program):
    kernel = program.first
    kernel.note = {"mine": kernel}  # a cycle that the collector must see
    assert kernel.note["mine"] is kernel
    gone = weakref.ref(kernel)
    del kernel
    gc.collect()
    assert gone() is None


def test_source_is_kept(program):
    assert cl.Kernel(program, "first")._source == SOURCE
    assert program.first._source == SOURCE


def test_clone_keeps_arguments_and_their_types(build, queue, upload, download):
    kernel = build("__kernel void add(__global int *x, int n) { x[get_global_id(0)] += n; }").add
    kernel.set_scalar_arg_dtypes([None, np.int32])
    try:
        copy = kernel.clone()
    except cl.Error as error:
        pytest.skip(f"the platform copies no kernels: {error}")
    x = upload(np.zeros(4, np.int32))
    copy(queue, (4,), None, x, 3)
    assert list(download(x, np.zeros(4, np.int32))) == [3] * 4


class Counted(cl.Kernel):
    """A user's kernel, made of more than a program and a name."""

    def __init__(self, prg, name, factor):
        super().__init__(prg, name)
        self.factor, self.calls = factor, 0

    def __call__(self, queue, *args, **keywords):
        self.calls += 1
        return super().__call__(queue, *args, np.int32(self.factor), **keywords)


def test_kernels_may_be_subclassed(build, queue, upload, download):
    program = build("__kernel void add(__global int *x, int n) { x[get_global_id(0)] += n; }")
    kernel = Counted(program, "add", 5)
    x = upload(np.zeros(4, np.int32))
    kernel(queue, (4,), None, x)
    kernel.set_args(x, np.int32(1))
    cl.enqueue_nd_range_kernel(queue, kernel, (4,), None)
    assert list(download(x, np.zeros(4, np.int32))) == [6] * 4
    assert (kernel.calls, kernel.function_name, kernel == kernel) == (1, "add", True)
    gone = weakref.ref(kernel)
    del kernel
    gc.collect()
    assert gone() is None


def test_a_subclass_without_its_kernel_says_so(queue):
    class Empty(cl.Kernel):
        def __init__(self):
            pass

    kernel = Empty()
    for use in (repr, hash, lambda k: k(queue, (1,), None), lambda k: k.num_args):
        with pytest.raises(cl.LogicError, match="never made"):
            use(kernel)
    assert kernel != cl.Kernel
    with pytest.raises(TypeError):
        cl.Kernel()


def test_a_kernel_is_made_of_a_program_and_a_name(program):
    with pytest.raises(TypeError):
        cl.Kernel(program)
    with pytest.raises(Exception):  # noqa: B017 - no Program: PyOpenCL's is a cast error, too
        cl.Kernel("program", "first")
    assert cl.Kernel(program._get_prg(), "first").function_name == "first"
