// SPDX-License-Identifier: MIT
// The spellings of CUDA C; treadle/dialect.h says what they mean.
#ifndef TREADLE_DIALECT_CUDA_H
#define TREADLE_DIALECT_CUDA_H

// Programs may stand in an extern "C" as a whole; overloads and templates may not.
extern "C++" {

#define TREADLE_KERNEL extern "C" __global__ void
#define TREADLE_GROUP_SIZE(x, y, z) __launch_bounds__((x) * (y) * (z))
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
#define treadle_atomic_add_float(pointer, value) atomicAdd((float *)(pointer), (float)(value))

#define treadle_make_float2(x, y) make_float2(x, y)
#define treadle_make_float4(x, y, z, w) make_float4(x, y, z, w)
#define treadle_make_double2(x, y) make_double2(x, y)
#define treadle_make_double4(x, y, z, w) make_double4(x, y, z, w)
#define treadle_make_int2(x, y) make_int2(x, y)
#define treadle_make_int4(x, y, z, w) make_int4(x, y, z, w)
#define treadle_make_uint2(x, y) make_uint2(x, y)
#define treadle_make_uint4(x, y, z, w) make_uint4(x, y, z, w)
#define treadle_make_vector(type) make_##type

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
#define TREADLE_OPERATOR4(scalar, op)                                                       \
  TREADLE_OPERATOR(scalar##4, scalar, op,                                                   \
                   make_##scalar##4(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w),        \
                   make_##scalar##4(a.x op b, a.y op b, a.z op b, a.w op b))
#define TREADLE_OPERATORS(scalar)                                                           \
  TREADLE_OPERATOR2(scalar, +) TREADLE_OPERATOR2(scalar, -) TREADLE_OPERATOR2(scalar, *)    \
  TREADLE_OPERATOR2(scalar, /) TREADLE_OPERATOR4(scalar, +) TREADLE_OPERATOR4(scalar, -)    \
  TREADLE_OPERATOR4(scalar, *) TREADLE_OPERATOR4(scalar, /)
TREADLE_OPERATORS(float)
// CUDA 13 calls double4 deprecated, for its alignment, and warns of each program that a header names
// it in. Programs that calculate with it define TREADLE_DOUBLE4_OPERATORS first.
#if defined(__CUDACC_RTC__) && __CUDACC_VER_MAJOR__ >= 13 && !defined(TREADLE_DOUBLE4_OPERATORS)
TREADLE_OPERATOR2(double, +)
TREADLE_OPERATOR2(double, -)
TREADLE_OPERATOR2(double, *)
TREADLE_OPERATOR2(double, /)
#else
TREADLE_OPERATORS(double)
#endif
TREADLE_OPERATORS(int)
TREADLE_OPERATORS(uint)
#undef TREADLE_OPERATOR
#undef TREADLE_OPERATOR2
#undef TREADLE_OPERATOR4
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
