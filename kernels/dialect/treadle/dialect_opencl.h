// SPDX-License-Identifier: MIT
// The spellings of OpenCL C; treadle/dialect.h says what they mean.
#ifndef TREADLE_DIALECT_OPENCL_H
#define TREADLE_DIALECT_OPENCL_H

#if defined(cl_khr_fp64) && __OPENCL_C_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define TREADLE_KERNEL __kernel void
#define TREADLE_GROUP_SIZE(x, y, z) __attribute__((reqd_work_group_size(x, y, z)))
#define TREADLE_FUNCTION static inline
#define TREADLE_ALWAYS_INLINE __attribute__((always_inline))
#define TREADLE_GLOBAL __global
#define TREADLE_LOCAL __local
#define TREADLE_LOCAL_POINTER __local
#define TREADLE_CONSTANT __constant
#define TREADLE_CONSTANT_POINTER __constant
#define TREADLE_RESTRICT restrict

#define treadle_global_id(dimension) ((ulong)get_global_id(dimension))
#define treadle_local_id(dimension) ((uint)get_local_id(dimension))
#define treadle_group_id(dimension) ((uint)get_group_id(dimension))
// NVIDIA's get_global_size() has 32 bits of it; where they are too few, groups are all of one size.
#define treadle_global_size(dimension)                                       \
  (((ulong)get_num_groups(dimension) * get_local_size(dimension)) >> 32 == 0 \
       ? (ulong)get_global_size(dimension)                                   \
       : (ulong)get_num_groups(dimension) * get_local_size(dimension))
#define treadle_local_size(dimension) ((uint)get_local_size(dimension))
#define treadle_group_count(dimension) ((uint)get_num_groups(dimension))

#define treadle_barrier() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define treadle_fence() mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#define treadle_atomic_add(pointer, value) atomic_add(pointer, value)
#define treadle_atomic_sub(pointer, value) atomic_sub(pointer, value)
#define treadle_atomic_min(pointer, value) atomic_min(pointer, value)
#define treadle_atomic_max(pointer, value) atomic_max(pointer, value)
#define treadle_atomic_and(pointer, value) atomic_and(pointer, value)
#define treadle_atomic_or(pointer, value) atomic_or(pointer, value)
#define treadle_atomic_xor(pointer, value) atomic_xor(pointer, value)
#define treadle_atomic_exchange(pointer, value) atomic_xchg(pointer, value)
#define treadle_atomic_compare_exchange(pointer, expected, desired) \
  atomic_cmpxchg(pointer, expected, desired)

// The language has no such operation before 3.0: the bits are exchanged until nobody was faster.
static inline float treadle_atomic_add_float(volatile __global float *pointer, float value)
{
  volatile __global uint *bits = (volatile __global uint *)pointer;
  uint seen = *bits, expected;
  do {
    expected = seen;
    seen = atomic_cmpxchg(bits, expected, as_uint(as_float(expected) + value));
  } while (seen != expected);
  return as_float(seen);
}

#define treadle_make_float2(x, y) ((float2)(x, y))
#define treadle_make_float4(x, y, z, w) ((float4)(x, y, z, w))
#define treadle_make_double2(x, y) ((double2)(x, y))
#define treadle_make_double4(x, y, z, w) ((double4)(x, y, z, w))
#define treadle_make_int2(x, y) ((int2)(x, y))
#define treadle_make_int4(x, y, z, w) ((int4)(x, y, z, w))
#define treadle_make_uint2(x, y) ((uint2)(x, y))
#define treadle_make_uint4(x, y, z, w) ((uint4)(x, y, z, w))
#define treadle_make_vector(type) (type)

#define treadle_clamp(x, low, high) clamp(x, low, high)
#define treadle_mix(a, b, t) mix(a, b, t)
#define treadle_mad(a, b, c) mad(a, b, c)
#define treadle_popcount(u) ((int)popcount((uint)(u)))
#define treadle_leading_zeros(u) ((int)clz((uint)(u)))
#define treadle_as_uint(x) as_uint((float)(x))
#define treadle_as_int(x) as_int((float)(x))
#define treadle_as_float(u) as_float((uint)(u))
#define treadle_as_uint64(x) as_ulong((double)(x))
#define treadle_as_double(u) as_double((ulong)(u))

#define TREADLE_INFINITY INFINITY
#define TREADLE_NAN NAN
#define treadle_int64_literal(number) number##L
#define treadle_uint64_literal(number) number##UL

// Without cl_khr_fp16 a half can be pointed at, no more.
TREADLE_FUNCTION float treadle_half_to_float(unsigned short bits)
{
  return vload_half(0, (const half *)&bits);
}
TREADLE_FUNCTION unsigned short treadle_float_to_half(float number)
{
  unsigned short bits;
  vstore_half_rte(number, 0, (half *)&bits);
  return bits;
}
// By the bits of a float: there and back by vstore_half and vload_half goes through memory, and in
// PoCL through branches that take a second to compile.
TREADLE_FUNCTION float treadle_round_half(float number)
{
  unsigned int size = as_uint(number) & 0x7fffffff;
  // To the nearest of 10 bits behind the first, ties to even; what reaches 2^16 is infinite.
  unsigned int rounded = (size + 0xfff + (size >> 13 & 1)) & 0xffffe000;
  rounded = rounded < 0x47800000 ? rounded : 0x7f800000;
  // Below 2^-14 the last bit is 2^-24, as that of a float between 0.5 and 1.
  if (size < 0x38800000) rounded = as_uint(as_float(size) + 0.5f - 0.5f);
  return copysign(as_float(size > 0x7f800000 ? size : rounded), number);
}

typedef long treadle_int64;
typedef ulong treadle_uint64;

#endif
