// SPDX-License-Identifier: MIT
// The spellings of CUDA C; treadle/dialect.h says what they mean.
#ifndef TREADLE_DIALECT_CUDA_H
#define TREADLE_DIALECT_CUDA_H

// Programs may stand in an extern "C" as a whole; overloads and templates may not.
extern "C++" {

#define TREADLE_KERNEL extern "C" __global__ void
#define TREADLE_GROUP_SIZE(x, y, z) __launch_bounds__((x) * (y) * (z))
#define TREADLE_GROUP_OF(count) __launch_bounds__(count)
#define TREADLE_GROUPS_OF(count, groups) __launch_bounds__(count, groups)
#define TREADLE_FUNCTION static __device__ inline
#define TREADLE_ALWAYS_INLINE __attribute__((always_inline))
#define TREADLE_GLOBAL
#define TREADLE_LOCAL __shared__
#define TREADLE_LOCAL_POINTER
#define TREADLE_CONSTANT __constant__ const
#define TREADLE_CONSTANT_POINTER const
#define TREADLE_RESTRICT __restrict__

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef long long treadle_int64;
typedef unsigned long long treadle_uint64;

#define TREADLE_OF_DIMENSION(type, name, x_, y_, z_)                       \
  TREADLE_FUNCTION type name(int dimension)                                \
  {                                                                        \
    return dimension == 0 ? (x_) : dimension == 1 ? (y_) : (z_);           \
  }
TREADLE_OF_DIMENSION(uint, treadle_local_id, threadIdx.x, threadIdx.y, threadIdx.z)
TREADLE_OF_DIMENSION(uint, treadle_group_id, blockIdx.x, blockIdx.y, blockIdx.z)
TREADLE_OF_DIMENSION(uint, treadle_local_size, blockDim.x, blockDim.y, blockDim.z)
TREADLE_OF_DIMENSION(uint, treadle_group_count, gridDim.x, gridDim.y, gridDim.z)
// The product of two 32-bit numbers needs 64.
#define TREADLE_WIDE(number) ((treadle_uint64)(number))
TREADLE_OF_DIMENSION(treadle_uint64, treadle_global_id,
                     TREADLE_WIDE(blockIdx.x) * blockDim.x + threadIdx.x,
                     TREADLE_WIDE(blockIdx.y) * blockDim.y + threadIdx.y,
                     TREADLE_WIDE(blockIdx.z) * blockDim.z + threadIdx.z)
TREADLE_OF_DIMENSION(treadle_uint64, treadle_global_size, TREADLE_WIDE(gridDim.x) * blockDim.x,
                     TREADLE_WIDE(gridDim.y) * blockDim.y, TREADLE_WIDE(gridDim.z) * blockDim.z)
#undef TREADLE_WIDE
#undef TREADLE_OF_DIMENSION

#define treadle_barrier() __syncthreads()
#define treadle_fence() __threadfence()

#define treadle_atomic_add(pointer, value) atomicAdd(pointer, value)
#define treadle_atomic_sub(pointer, value) atomicSub(pointer, value)
#define treadle_atomic_min(pointer, value) atomicMin(pointer, value)
#define treadle_atomic_max(pointer, value) atomicMax(pointer, value)
#define treadle_atomic_and(pointer, value) atomicAnd(pointer, value)
#define treadle_atomic_or(pointer, value) atomicOr(pointer, value)
#define treadle_atomic_xor(pointer, value) atomicXor(pointer, value)
#define treadle_atomic_exchange(pointer, value) atomicExch(pointer, value)
#define treadle_atomic_compare_exchange(pointer, expected, desired) \
  atomicCAS(pointer, expected, desired)

#define TREADLE_HAS_INT64_ATOMICS 1
// The two's complement makes them one operation; an order has two.
#define TREADLE_DEFINE_ATOMIC(name, function)                                                 \
  TREADLE_FUNCTION treadle_int64 name(treadle_int64 *pointer, treadle_int64 value)            \
  {                                                                                           \
    return (treadle_int64)function((treadle_uint64 *)pointer, (treadle_uint64)value);         \
  }                                                                                           \
  TREADLE_FUNCTION treadle_uint64 name(treadle_uint64 *pointer, treadle_uint64 value)         \
  {                                                                                           \
    return function(pointer, value);                                                          \
  }
#define TREADLE_DEFINE_ATOMIC_OF_ORDER(name, function)                                        \
  TREADLE_FUNCTION treadle_int64 name(treadle_int64 *pointer, treadle_int64 value)            \
  {                                                                                           \
    return function(pointer, value);                                                          \
  }                                                                                           \
  TREADLE_FUNCTION treadle_uint64 name(treadle_uint64 *pointer, treadle_uint64 value)         \
  {                                                                                           \
    return function(pointer, value);                                                          \
  }
#define TREADLE_DEFINE_SUB(pointer, value) atomicAdd(pointer, 0 - (value))
TREADLE_DEFINE_ATOMIC(treadle_atomic_add_int64, atomicAdd)
TREADLE_DEFINE_ATOMIC(treadle_atomic_sub_int64, TREADLE_DEFINE_SUB)
TREADLE_DEFINE_ATOMIC(treadle_atomic_and_int64, atomicAnd)
TREADLE_DEFINE_ATOMIC(treadle_atomic_or_int64, atomicOr)
TREADLE_DEFINE_ATOMIC(treadle_atomic_xor_int64, atomicXor)
TREADLE_DEFINE_ATOMIC(treadle_atomic_exchange_int64, atomicExch)
TREADLE_DEFINE_ATOMIC_OF_ORDER(treadle_atomic_min_int64, atomicMin)
TREADLE_DEFINE_ATOMIC_OF_ORDER(treadle_atomic_max_int64, atomicMax)
TREADLE_FUNCTION treadle_int64 treadle_atomic_compare_exchange_int64(treadle_int64 *pointer,
                                                                     treadle_int64 expected,
                                                                     treadle_int64 desired)
{
  return (treadle_int64)atomicCAS((treadle_uint64 *)pointer, (treadle_uint64)expected,
                                  (treadle_uint64)desired);
}
TREADLE_FUNCTION treadle_uint64 treadle_atomic_compare_exchange_int64(treadle_uint64 *pointer,
                                                                      treadle_uint64 expected,
                                                                      treadle_uint64 desired)
{
  return atomicCAS(pointer, expected, desired);
}
#define treadle_load_uint64(pointer) (*(volatile unsigned long long *)(pointer))
#define treadle_store_uint64(pointer, value) (*(volatile unsigned long long *)(pointer) = (value))
#define treadle_load_uint(pointer) (*(volatile unsigned int *)(pointer))
#define treadle_store_uint(pointer, value) (*(volatile unsigned int *)(pointer) = (value))

// Where there is no instruction the bits are exchanged until nobody was faster.
#define TREADLE_HAS_DOUBLE_ATOMICS 1
#define TREADLE_DEFINE_ATOMIC_BY_EXCHANGE(name, number, bits, bits_of, number_of, updated)    \
  TREADLE_FUNCTION number name(number *pointer, number value)                                 \
  {                                                                                           \
    bits seen = *(volatile bits *)pointer, expected;                                          \
    do {                                                                                      \
      expected = seen;                                                                        \
      const number old = number_of(expected);                                                 \
      seen = atomicCAS((bits *)pointer, expected, bits_of(updated));                          \
    } while (seen != expected);                                                               \
    return number_of(seen);                                                                   \
  }
#define TREADLE_DEFINE_ATOMICS_BY_EXCHANGE(min_name, max_name, number, bits, bits_of, number_of) \
  TREADLE_DEFINE_ATOMIC_BY_EXCHANGE(min_name, number, bits, bits_of, number_of, fmin(old, value)) \
  TREADLE_DEFINE_ATOMIC_BY_EXCHANGE(max_name, number, bits, bits_of, number_of, fmax(old, value))
#define treadle_atomic_add_float(pointer, value) atomicAdd((float *)(pointer), (float)(value))
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
TREADLE_DEFINE_ATOMIC_BY_EXCHANGE(treadle_atomic_add_double, double, treadle_uint64,
                                  (treadle_uint64)__double_as_longlong, __longlong_as_double,
                                  old + value)
#else
#define treadle_atomic_add_double(pointer, value) atomicAdd((double *)(pointer), (double)(value))
#endif
TREADLE_DEFINE_ATOMICS_BY_EXCHANGE(treadle_atomic_min_float, treadle_atomic_max_float, float, uint,
                                   __float_as_uint, __uint_as_float)
TREADLE_DEFINE_ATOMICS_BY_EXCHANGE(treadle_atomic_min_double, treadle_atomic_max_double, double,
                                   treadle_uint64, (treadle_uint64)__double_as_longlong,
                                   __longlong_as_double)
#undef TREADLE_DEFINE_ATOMIC
#undef TREADLE_DEFINE_SUB
#undef TREADLE_DEFINE_ATOMIC_OF_ORDER
#undef TREADLE_DEFINE_ATOMIC_BY_EXCHANGE
#undef TREADLE_DEFINE_ATOMICS_BY_EXCHANGE
#define treadle_atomic_add_float_local(pointer, value) treadle_atomic_add_float(pointer, value)
#define treadle_atomic_min_float_local(pointer, value) treadle_atomic_min_float(pointer, value)
#define treadle_atomic_max_float_local(pointer, value) treadle_atomic_max_float(pointer, value)
#define treadle_atomic_add_double_local(pointer, value) treadle_atomic_add_double(pointer, value)
#define treadle_atomic_min_double_local(pointer, value) treadle_atomic_min_double(pointer, value)
#define treadle_atomic_max_double_local(pointer, value) treadle_atomic_max_double(pointer, value)

// Warps. Threads that have returned need not come.
#define TREADLE_HAS_SUB_GROUPS 1
#define treadle_sub_group_size() ((uint)warpSize)
TREADLE_FUNCTION uint treadle_sub_group_lane()
{
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
#define treadle_sub_group_shuffle(x, lane) __shfl_sync(0xffffffffu, x, (int)(lane))
#define treadle_sub_group_shuffle_xor(x, mask) __shfl_xor_sync(0xffffffffu, x, (int)(mask))
#define treadle_sub_group_shuffle_down(x, delta) __shfl_down_sync(0xffffffffu, x, (uint)(delta))
#define treadle_sub_group_shuffle_up(x, delta) __shfl_up_sync(0xffffffffu, x, (uint)(delta))
#define treadle_sub_group_any(predicate) __any_sync(0xffffffffu, predicate)
#define treadle_sub_group_all(predicate) __all_sync(0xffffffffu, predicate)
#define treadle_sub_group_ballot(predicate) ((treadle_uint64)__ballot_sync(0xffffffffu, predicate))
#define treadle_sub_group_barrier() __syncwarp()

// The length of an array of the launch's comes beside the arguments.
#define TREADLE_LAUNCH_LOCAL_PARAMETER(type, name)
#define TREADLE_LAUNCH_LOCAL(type, name)                          \
  extern __shared__ __align__(16) unsigned char name##_of_launch[]; \
  type *const name = (type *)name##_of_launch

#define treadle_make_float2(x, y) make_float2(x, y)
#define treadle_make_float3(x, y, z) make_float3(x, y, z)
#define treadle_make_float4(x, y, z, w) make_float4(x, y, z, w)
#define treadle_make_double2(x, y) make_double2(x, y)
#define treadle_make_double3(x, y, z) make_double3(x, y, z)
#define treadle_make_double4(x, y, z, w) make_double4(x, y, z, w)
#define treadle_make_int2(x, y) make_int2(x, y)
#define treadle_make_int3(x, y, z) make_int3(x, y, z)
#define treadle_make_int4(x, y, z, w) make_int4(x, y, z, w)
#define treadle_make_uint2(x, y) make_uint2(x, y)
#define treadle_make_uint3(x, y, z) make_uint3(x, y, z)
#define treadle_make_uint4(x, y, z, w) make_uint4(x, y, z, w)
#define treadle_make_vector(type) make_##type

// Three numbers side by side, as vload3 and vstore3 of OpenCL C have it.
#define TREADLE_DEFINE_THREE(type)                                                            \
  TREADLE_FUNCTION type##3 treadle_load3(const type *pointer, treadle_uint64 index)           \
  {                                                                                           \
    pointer += 3 * index;                                                                     \
    return make_##type##3(pointer[0], pointer[1], pointer[2]);                                \
  }                                                                                           \
  TREADLE_FUNCTION void treadle_store3(type *pointer, treadle_uint64 index, type##3 vector)   \
  {                                                                                           \
    pointer += 3 * index;                                                                     \
    pointer[0] = vector.x;                                                                    \
    pointer[1] = vector.y;                                                                    \
    pointer[2] = vector.z;                                                                    \
  }
TREADLE_DEFINE_THREE(float)
TREADLE_DEFINE_THREE(double)
TREADLE_DEFINE_THREE(int)
TREADLE_DEFINE_THREE(uint)
#undef TREADLE_DEFINE_THREE

// CUDA's vectors come without arithmetic. Programs that bring their own define
// TREADLE_NO_VECTOR_OPERATORS first.
#ifndef TREADLE_NO_VECTOR_OPERATORS
#define TREADLE_OPERATOR(vector, scalar, op, with_vector, with_scalar)                      \
  static __device__ inline vector operator op(vector a, vector b) { return with_vector; }   \
  static __device__ inline vector operator op(vector a, scalar b) { return with_scalar; }   \
  static __device__ inline vector &operator op##=(vector &a, vector b) { return a = a op b; }
#define TREADLE_OPERATOR2(scalar, op)                                                       \
  TREADLE_OPERATOR(scalar##2, scalar, op, make_##scalar##2(a.x op b.x, a.y op b.y),         \
                   make_##scalar##2(a.x op b, a.y op b))
#define TREADLE_OPERATOR3(scalar, op)                                                       \
  TREADLE_OPERATOR(scalar##3, scalar, op,                                                   \
                   make_##scalar##3(a.x op b.x, a.y op b.y, a.z op b.z),                    \
                   make_##scalar##3(a.x op b, a.y op b, a.z op b))
#define TREADLE_OPERATOR4(scalar, op)                                                       \
  TREADLE_OPERATOR(scalar##4, scalar, op,                                                   \
                   make_##scalar##4(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w),        \
                   make_##scalar##4(a.x op b, a.y op b, a.z op b, a.w op b))
#define TREADLE_OPERATORS23(scalar)                                                         \
  TREADLE_OPERATOR2(scalar, +) TREADLE_OPERATOR2(scalar, -) TREADLE_OPERATOR2(scalar, *)    \
  TREADLE_OPERATOR2(scalar, /) TREADLE_OPERATOR3(scalar, +) TREADLE_OPERATOR3(scalar, -)    \
  TREADLE_OPERATOR3(scalar, *) TREADLE_OPERATOR3(scalar, /)
#define TREADLE_OPERATORS(scalar)                                                           \
  TREADLE_OPERATORS23(scalar) TREADLE_OPERATOR4(scalar, +) TREADLE_OPERATOR4(scalar, -)    \
  TREADLE_OPERATOR4(scalar, *) TREADLE_OPERATOR4(scalar, /)
TREADLE_OPERATORS(float)
// CUDA 13 calls double4 deprecated, for its alignment, and warns of each program that a header names
// it in. Programs that calculate with it define TREADLE_DOUBLE4_OPERATORS first.
#if defined(__CUDACC_RTC__) && __CUDACC_VER_MAJOR__ >= 13 && !defined(TREADLE_DOUBLE4_OPERATORS)
TREADLE_OPERATORS23(double)
#else
TREADLE_OPERATORS(double)
#endif
TREADLE_OPERATORS(int)
TREADLE_OPERATORS(uint)
#undef TREADLE_OPERATOR
#undef TREADLE_OPERATOR2
#undef TREADLE_OPERATOR3
#undef TREADLE_OPERATOR4
#undef TREADLE_OPERATORS23
#undef TREADLE_OPERATORS
#endif

template <class T>
static __device__ inline T treadle_clamp(T x, T low, T high)
{
  return x < low ? low : high < x ? high : x;
}
template <class T>
static __device__ inline T treadle_mix(T a, T b, T t)
{
  return a + (b - a) * t;
}
template <class T>
static __device__ inline T treadle_mad(T a, T b, T c)
{
  return a * b + c;
}
#define treadle_popcount(u) __popc(u)
#define treadle_leading_zeros(u) __clz((int)(u))
#define treadle_as_uint(x) __float_as_uint(x)
#define treadle_as_int(x) __float_as_int(x)
#define treadle_as_float(u) __uint_as_float(u)
#define treadle_as_uint64(x) ((unsigned long long)__double_as_longlong(x))
#define treadle_as_double(u) __longlong_as_double((long long)(u))

#define TREADLE_ON_PROCESSOR defined(__TREADLE_CPU__)
#ifdef __clang__
#define TREADLE_VECTOR_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define TREADLE_VECTOR_LOOP
#endif
#define TREADLE_INFINITY __int_as_float(0x7f800000)
#define TREADLE_NAN __int_as_float(0x7fc00000)
#define treadle_int64_literal(number) number##LL
#define treadle_uint64_literal(number) number##ULL

TREADLE_FUNCTION float treadle_half_to_float(unsigned short bits)
{
  float number;
  asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(bits));
  return number;
}
TREADLE_FUNCTION unsigned short treadle_float_to_half(float number)
{
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(number));
  return bits;
}
TREADLE_FUNCTION float treadle_round_half(float number)
{
  return treadle_half_to_float(treadle_float_to_half(number));
}

}  // extern "C++"

#endif
