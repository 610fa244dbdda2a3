// SPDX-License-Identifier: MIT
// The spellings of OpenCL C; treadle/dialect.h says what they mean.
#ifndef TREADLE_DIALECT_OPENCL_H
#define TREADLE_DIALECT_OPENCL_H

#if defined(cl_khr_fp64) && __OPENCL_C_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define TREADLE_KERNEL __kernel void
#define TREADLE_GROUP_SIZE(x, y, z) __attribute__((reqd_work_group_size(x, y, z)))
#define TREADLE_GROUP_OF(count) __attribute__((reqd_work_group_size(count, 1, 1)))
#define TREADLE_GROUPS_OF(count, groups) TREADLE_GROUP_OF(count)
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

// What a device lacks is a name that nobody declares, so that the compiler says it.
#if defined(cl_khr_int64_base_atomics) && defined(cl_khr_int64_extended_atomics)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define TREADLE_HAS_INT64_ATOMICS 1
#define treadle_atomic_add_int64(pointer, value) atom_add(pointer, value)
#define treadle_atomic_sub_int64(pointer, value) atom_sub(pointer, value)
#define treadle_atomic_min_int64(pointer, value) atom_min(pointer, value)
#define treadle_atomic_max_int64(pointer, value) atom_max(pointer, value)
#define treadle_atomic_and_int64(pointer, value) atom_and(pointer, value)
#define treadle_atomic_or_int64(pointer, value) atom_or(pointer, value)
#define treadle_atomic_xor_int64(pointer, value) atom_xor(pointer, value)
#define treadle_atomic_exchange_int64(pointer, value) atom_xchg(pointer, value)
#define treadle_atomic_compare_exchange_int64(pointer, expected, desired) \
  atom_cmpxchg(pointer, expected, desired)
#else
#define TREADLE_HAS_INT64_ATOMICS 0
#define treadle_atomic_add_int64(pointer, value) this_device_has_no_atomics_of_64_bits
#define treadle_atomic_sub_int64(pointer, value) this_device_has_no_atomics_of_64_bits
#define treadle_atomic_min_int64(pointer, value) this_device_has_no_atomics_of_64_bits
#define treadle_atomic_max_int64(pointer, value) this_device_has_no_atomics_of_64_bits
#define treadle_atomic_and_int64(pointer, value) this_device_has_no_atomics_of_64_bits
#define treadle_atomic_or_int64(pointer, value) this_device_has_no_atomics_of_64_bits
#define treadle_atomic_xor_int64(pointer, value) this_device_has_no_atomics_of_64_bits
#define treadle_atomic_exchange_int64(pointer, value) this_device_has_no_atomics_of_64_bits
#define treadle_atomic_compare_exchange_int64(pointer, expected, desired) \
  this_device_has_no_atomics_of_64_bits
#endif

#define treadle_load_uint64(pointer) (*(volatile __global ulong *)(pointer))
#define treadle_store_uint64(pointer, value) (*(volatile __global ulong *)(pointer) = (value))
#define treadle_load_uint(pointer) (*(volatile __global uint *)(pointer))
#define treadle_store_uint(pointer, value) (*(volatile __global uint *)(pointer) = (value))

// The language has no such operations before 3.0: the bits are exchanged until nobody was faster.
#define TREADLE_DEFINE_ATOMIC_BY_EXCHANGE(name, space, number, bits, exchange, updated)      \
  static inline number name(volatile space number *pointer, number value)                    \
  {                                                                                          \
    volatile space bits *place = (volatile space bits *)pointer;                             \
    bits seen = *place, expected;                                                            \
    do {                                                                                     \
      expected = seen;                                                                       \
      const number old = as_##number(expected);                                              \
      seen = exchange(place, expected, as_##bits((number)(updated)));                        \
    } while (seen != expected);                                                              \
    return as_##number(seen);                                                                \
  }
#define TREADLE_DEFINE_ATOMIC_OF_FLOAT(name, local_name, updated)                            \
  TREADLE_DEFINE_ATOMIC_BY_EXCHANGE(name, __global, float, uint, atomic_cmpxchg, updated)    \
  TREADLE_DEFINE_ATOMIC_BY_EXCHANGE(local_name, __local, float, uint, atomic_cmpxchg, updated)
TREADLE_DEFINE_ATOMIC_OF_FLOAT(treadle_atomic_add_float, treadle_atomic_add_float_local,
                               old + value)
TREADLE_DEFINE_ATOMIC_OF_FLOAT(treadle_atomic_min_float, treadle_atomic_min_float_local,
                               fmin(old, value))
TREADLE_DEFINE_ATOMIC_OF_FLOAT(treadle_atomic_max_float, treadle_atomic_max_float_local,
                               fmax(old, value))
#if defined(cl_khr_fp64) && TREADLE_HAS_INT64_ATOMICS
#define TREADLE_HAS_DOUBLE_ATOMICS 1
#define TREADLE_DEFINE_ATOMIC_OF_DOUBLE(name, local_name, updated)                           \
  TREADLE_DEFINE_ATOMIC_BY_EXCHANGE(name, __global, double, ulong, atom_cmpxchg, updated)    \
  TREADLE_DEFINE_ATOMIC_BY_EXCHANGE(local_name, __local, double, ulong, atom_cmpxchg, updated)
TREADLE_DEFINE_ATOMIC_OF_DOUBLE(treadle_atomic_add_double, treadle_atomic_add_double_local,
                                old + value)
TREADLE_DEFINE_ATOMIC_OF_DOUBLE(treadle_atomic_min_double, treadle_atomic_min_double_local,
                                fmin(old, value))
TREADLE_DEFINE_ATOMIC_OF_DOUBLE(treadle_atomic_max_double, treadle_atomic_max_double_local,
                                fmax(old, value))
#undef TREADLE_DEFINE_ATOMIC_OF_DOUBLE
#else
#define TREADLE_HAS_DOUBLE_ATOMICS 0
#define treadle_atomic_add_double(pointer, value) this_device_has_no_atomics_of_double
#define treadle_atomic_min_double(pointer, value) this_device_has_no_atomics_of_double
#define treadle_atomic_max_double(pointer, value) this_device_has_no_atomics_of_double
#define treadle_atomic_add_double_local(pointer, value) this_device_has_no_atomics_of_double
#define treadle_atomic_min_double_local(pointer, value) this_device_has_no_atomics_of_double
#define treadle_atomic_max_double_local(pointer, value) this_device_has_no_atomics_of_double
#endif
#undef TREADLE_DEFINE_ATOMIC_OF_FLOAT
#undef TREADLE_DEFINE_ATOMIC_BY_EXCHANGE

// By the standard's extensions, by Intel's, or by NVIDIA's assembler: its OpenCL has warps without
// a word for them.
#if defined(cl_khr_subgroups) || defined(__opencl_c_subgroups) || defined(cl_intel_subgroups)
#if defined(cl_khr_subgroup_shuffle)
#define TREADLE_HAS_SUB_GROUPS 1
#define treadle_sub_group_shuffle(x, lane) sub_group_shuffle(x, (uint)(lane))
#elif defined(cl_intel_subgroups)
#define TREADLE_HAS_SUB_GROUPS 1
#define treadle_sub_group_shuffle(x, lane) intel_sub_group_shuffle(x, (uint)(lane))
#else
#define TREADLE_HAS_SUB_GROUPS 0
#endif
#elif defined(__NV_CL_C_VERSION)
#define TREADLE_HAS_SUB_GROUPS 1
#else
#define TREADLE_HAS_SUB_GROUPS 0
#endif
#if !TREADLE_HAS_SUB_GROUPS
#define treadle_sub_group_size() this_device_has_no_sub_groups
#define treadle_sub_group_lane() this_device_has_no_sub_groups
#define treadle_sub_group_shuffle(x, lane) this_device_has_no_sub_groups
#define treadle_sub_group_any(predicate) this_device_has_no_sub_groups
#define treadle_sub_group_all(predicate) this_device_has_no_sub_groups
#define treadle_sub_group_ballot(predicate) this_device_has_no_sub_groups
#define treadle_sub_group_barrier() this_device_has_no_sub_groups
#elif defined(treadle_sub_group_shuffle)
#if defined(cl_khr_subgroups)
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#define treadle_sub_group_size() ((uint)get_max_sub_group_size())
#define treadle_sub_group_lane() ((uint)get_sub_group_local_id())
#define treadle_sub_group_any(predicate) sub_group_any((predicate) != 0)
#define treadle_sub_group_all(predicate) sub_group_all((predicate) != 0)
// Of bits that nobody else has the sum is the union.
#define treadle_sub_group_ballot(predicate) \
  sub_group_reduce_add((ulong)((predicate) != 0) << get_sub_group_local_id())
#define treadle_sub_group_barrier() sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#else
#define treadle_sub_group_size() 32u
TREADLE_FUNCTION uint treadle_sub_group_lane(void)
{
  uint lane;
  __asm__ volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
static inline uint shuffle_bits_of_warp(uint bits, uint lane)
{
  uint result;
  __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;"
               : "=r"(result)
               : "r"(bits), "r"(lane));
  return result;
}
static inline uint ballot_bits_of_warp(uint predicate)
{
  uint result;
  __asm__ volatile(
      "{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
      : "=r"(result)
      : "r"(predicate));
  return result;
}
#define treadle_sub_group_shuffle(x, lane) \
  __builtin_astype(shuffle_bits_of_warp(__builtin_astype(x, uint), lane), __typeof__(x))
#define treadle_sub_group_any(predicate) (ballot_bits_of_warp((predicate) != 0) != 0)
#define treadle_sub_group_all(predicate) (ballot_bits_of_warp((predicate) == 0) == 0)
#define treadle_sub_group_ballot(predicate) ((ulong)ballot_bits_of_warp((predicate) != 0))
#define treadle_sub_group_barrier() __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#endif
// Beyond the last lane, or before the first, each keeps its own.
#define treadle_sub_group_shuffle_xor(x, mask) \
  treadle_sub_group_shuffle(x, treadle_sub_group_lane() ^ (uint)(mask))
#define treadle_sub_group_shuffle_down(x, delta)                                                 \
  treadle_sub_group_shuffle(x, treadle_sub_group_lane() + (uint)(delta) <                        \
                                       treadle_sub_group_size()                                  \
                                   ? treadle_sub_group_lane() + (uint)(delta)                    \
                                   : treadle_sub_group_lane())
#define treadle_sub_group_shuffle_up(x, delta)                                                   \
  treadle_sub_group_shuffle(x, treadle_sub_group_lane() < (uint)(delta)                          \
                                   ? treadle_sub_group_lane()                                    \
                                   : treadle_sub_group_lane() - (uint)(delta))

// The length of an array of the launch's comes as an argument.
#define TREADLE_LAUNCH_LOCAL_PARAMETER(type, name) , __local type *name
#define TREADLE_LAUNCH_LOCAL(type, name) (void)name

#define treadle_make_float2(x, y) ((float2)(x, y))
#define treadle_make_float3(x, y, z) ((float3)(x, y, z))
#define treadle_make_float4(x, y, z, w) ((float4)(x, y, z, w))
#define treadle_make_double2(x, y) ((double2)(x, y))
#define treadle_make_double3(x, y, z) ((double3)(x, y, z))
#define treadle_make_double4(x, y, z, w) ((double4)(x, y, z, w))
#define treadle_make_int2(x, y) ((int2)(x, y))
#define treadle_make_int3(x, y, z) ((int3)(x, y, z))
#define treadle_make_int4(x, y, z, w) ((int4)(x, y, z, w))
#define treadle_make_uint2(x, y) ((uint2)(x, y))
#define treadle_make_uint3(x, y, z) ((uint3)(x, y, z))
#define treadle_make_uint4(x, y, z, w) ((uint4)(x, y, z, w))
#define treadle_make_vector(type) (type)
#define treadle_load3(pointer, index) vload3(index, pointer)
#define treadle_store3(pointer, index, vector) vstore3(vector, index, pointer)

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

#define TREADLE_ON_PROCESSOR (defined(__x86_64__) || defined(__aarch64__))
#ifdef __clang__
#define TREADLE_VECTOR_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define TREADLE_VECTOR_LOOP
#endif
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
