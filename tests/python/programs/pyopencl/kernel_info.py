# SPDX-License-Identifier: MIT
"""What kernels say about themselves and their arguments."""

import pyopencl as cl

ctx = cl.create_some_context(interactive=False)
dev = ctx.devices[0]
prg = cl.Program(
    ctx,
    """
__kernel __attribute__((reqd_work_group_size(8, 4, 1)))
void blend(__global const float *src, __global float *restrict dst, __local float4 *tmp,
           __constant int *table, const uint n)
{
    dst[get_global_id(0)] = src[get_global_id(0)] + table[0] + n;
}
__kernel void other(float x, __global float *y) { *y = x; }
""",
).build(options=["-cl-kernel-arg-info"])

knl = prg.blend
assert knl.function_name == "blend" and knl.num_args == 5
assert knl.context == ctx and knl.program == prg
assert knl.get_info(cl.kernel_info.FUNCTION_NAME) == "blend"
info = cl.kernel_work_group_info
print("work group:", knl.get_work_group_info(info.WORK_GROUP_SIZE, dev))
print("multiple:", knl.get_work_group_info(info.PREFERRED_WORK_GROUP_SIZE_MULTIPLE, dev))
print("local:", knl.get_work_group_info(info.LOCAL_MEM_SIZE, dev))
print("private:", knl.get_work_group_info(info.PRIVATE_MEM_SIZE, dev))
assert list(knl.get_work_group_info(info.COMPILE_WORK_GROUP_SIZE, dev)) == [8, 4, 1]

arg = cl.kernel_arg_info
for i in range(knl.num_args):
    space = cl.kernel_arg_address_qualifier.to_string(knl.get_arg_info(i, arg.ADDRESS_QUALIFIER))
    access = cl.kernel_arg_access_qualifier.to_string(knl.get_arg_info(i, arg.ACCESS_QUALIFIER))
    kind = knl.get_arg_info(i, arg.TYPE_NAME)
    name = knl.get_arg_info(i, arg.NAME)
    print(f"{i}: {space.lower()} {kind} {name} ({access})")
assert knl.get_arg_info(0, arg.NAME) == "src"
assert knl.get_arg_info(4, arg.TYPE_NAME) == "uint"
assert knl.get_arg_info(2, arg.ADDRESS_QUALIFIER) == cl.kernel_arg_address_qualifier.LOCAL

print(prg.kernel_names, prg.num_kernels, knl.reference_count)
assert sorted(k.function_name for k in prg.all_kernels()) == ["blend", "other"]
try:
    prg.no_such_kernel  # noqa: B018
except AttributeError as error:
    print("no such kernel:", error)
try:
    cl.Kernel(prg, "no_such_kernel")
except cl.LogicError as error:
    assert error.code == cl.status_code.INVALID_KERNEL_NAME
assert not hasattr(prg, "missing")
again = cl.Kernel(prg, "blend")
assert again != knl and again == cl.Kernel.from_int_ptr(again.int_ptr)
