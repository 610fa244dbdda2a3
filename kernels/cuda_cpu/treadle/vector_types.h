// SPDX-License-Identifier: MIT
// char1 ... double4, their make_ functions, and dim3. Vectors of 2 and 4 are aligned to their size, 16 bytes at most.
#pragma once

#define __TREADLE_VECTOR_TYPES(name, scalar, align2, align4)                                         \
  struct name##1 {                                                                                   \
    scalar x;                                                                                        \
  };                                                                                                 \
  struct __attribute__((aligned(align2))) name##2 {                                                  \
    scalar x, y;                                                                                     \
  };                                                                                                 \
  struct name##3 {                                                                                   \
    scalar x, y, z;                                                                                  \
  };                                                                                                 \
  struct __attribute__((aligned(align4))) name##4 {                                                  \
    scalar x, y, z, w;                                                                               \
  };                                                                                                 \
  __TREADLE_CONSTEXPR name##1 make_##name##1(scalar x) { return name##1{x}; }                        \
  __TREADLE_CONSTEXPR name##2 make_##name##2(scalar x, scalar y) { return name##2{x, y}; }           \
  __TREADLE_CONSTEXPR name##3 make_##name##3(scalar x, scalar y, scalar z) {                         \
    return name##3{x, y, z};                                                                         \
  }                                                                                                  \
  __TREADLE_CONSTEXPR name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) {               \
    return name##4{x, y, z, w};                                                                      \
  }

__TREADLE_VECTOR_TYPES(char, signed char, 2, 4)
__TREADLE_VECTOR_TYPES(uchar, unsigned char, 2, 4)
__TREADLE_VECTOR_TYPES(short, short, 4, 8)
__TREADLE_VECTOR_TYPES(ushort, unsigned short, 4, 8)
__TREADLE_VECTOR_TYPES(int, int, 8, 16)
__TREADLE_VECTOR_TYPES(uint, unsigned int, 8, 16)
__TREADLE_VECTOR_TYPES(long, long, 16, 16)
__TREADLE_VECTOR_TYPES(ulong, unsigned long, 16, 16)
__TREADLE_VECTOR_TYPES(longlong, long long, 16, 16)
__TREADLE_VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
__TREADLE_VECTOR_TYPES(float, float, 8, 16)
__TREADLE_VECTOR_TYPES(double, double, 16, 16)
#undef __TREADLE_VECTOR_TYPES

// CUDA 13 names the two alignments that vectors of four 64-bit numbers may have; the plain name is that of 16.
#define __TREADLE_FOUR_OF_64(name, scalar, align)                                          \
  struct __attribute__((aligned(align))) name##4_##align##a {                              \
    scalar x, y, z, w;                                                                     \
  };                                                                                       \
  __TREADLE_CONSTEXPR name##4_##align##a make_##name##4_##align##a(scalar x, scalar y, scalar z, scalar w) { \
    return name##4_##align##a{x, y, z, w};                                                 \
  }
#define __TREADLE_BOTH_FOURS(name, scalar)  \
  __TREADLE_FOUR_OF_64(name, scalar, 16)    \
  __TREADLE_FOUR_OF_64(name, scalar, 32)
__TREADLE_BOTH_FOURS(long, long)
__TREADLE_BOTH_FOURS(ulong, unsigned long)
__TREADLE_BOTH_FOURS(longlong, long long)
__TREADLE_BOTH_FOURS(ulonglong, unsigned long long)
__TREADLE_BOTH_FOURS(double, double)
#undef __TREADLE_BOTH_FOURS
#undef __TREADLE_FOUR_OF_64

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
