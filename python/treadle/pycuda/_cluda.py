# SPDX-License-Identifier: MIT
"""Words of kernels that CUDA C and OpenCL C may share: pyopencl._cluda has the other half."""

CLUDA_PREAMBLE = """
#define KERNEL extern "C" __global__
#define GLOBAL_MEM
#define LOCAL_MEM __shared__
#define LOCAL_MEM_ARG
#define WITHIN_KERNEL __device__
#define REQD_WG_SIZE(X, Y, Z) __launch_bounds__((X) * (Y) * (Z), 1)
#define local_barrier() __syncthreads()

#define LID_0 ((ptrdiff_t) threadIdx.x)
#define LID_1 ((ptrdiff_t) threadIdx.y)
#define LID_2 ((ptrdiff_t) threadIdx.z)
#define GID_0 ((ptrdiff_t) blockIdx.x)
#define GID_1 ((ptrdiff_t) blockIdx.y)
#define GID_2 ((ptrdiff_t) blockIdx.z)
#define LDIM_0 ((ptrdiff_t) blockDim.x)
#define LDIM_1 ((ptrdiff_t) blockDim.y)
#define LDIM_2 ((ptrdiff_t) blockDim.z)
#define GDIM_0 ((ptrdiff_t) gridDim.x)
#define GDIM_1 ((ptrdiff_t) gridDim.y)
#define GDIM_2 ((ptrdiff_t) gridDim.z)
"""
