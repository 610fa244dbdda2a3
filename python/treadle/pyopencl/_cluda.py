# SPDX-License-Identifier: MIT
"""Words of kernels that CUDA C and OpenCL C may share, as a text of mako's. With `double_support`
it allows double."""

CLUDA_PREAMBLE = """
#define KERNEL __kernel
#define GLOBAL_MEM __global
#define LOCAL_MEM __local
#define LOCAL_MEM_ARG __local
#define WITHIN_KERNEL
#define REQD_WG_SIZE(X, Y, Z) __attribute__((reqd_work_group_size(X, Y, Z)))
#define local_barrier() barrier(CLK_LOCAL_MEM_FENCE)

% for axis in range(3):
#define LID_${axis} ((ptrdiff_t) get_local_id(${axis}))
#define GID_${axis} ((ptrdiff_t) get_group_id(${axis}))
#define LDIM_${axis} ((ptrdiff_t) get_local_size(${axis}))
#define GDIM_${axis} ((ptrdiff_t) get_num_groups(${axis}))
% endfor

% if double_support:
#pragma OPENCL EXTENSION cl_khr_fp64: enable
% endif
"""
