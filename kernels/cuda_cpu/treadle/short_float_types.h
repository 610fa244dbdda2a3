// SPDX-License-Identifier: MIT
// A number of 16 bits and a pair of them. Included once for each type (cuda_fp16.h, cuda_bf16.h), with these names:
//   __TREADLE_NUMBER __half           __TREADLE_PAIR      __half2           __TREADLE_OTHER  the other type of 16 bits
//   __TREADLE_RAW    __half_raw       __TREADLE_RAW_PAIR  __half2_raw
//   __TREADLE_WORD   half             __TREADLE_PAIR_WORD half2             as they stand in function names
//   __TREADLE_DOUBLED __half2half2
//   __TREADLE_CONVERTS, __TREADLE_NUMBER_OPERATORS, __TREADLE_PAIR_OPERATORS: 0 where the source switched them off

typedef struct __attribute__((aligned(2))) {
  unsigned short x;
} __TREADLE_RAW;
typedef struct __attribute__((aligned(4))) {
  unsigned short x, y;
} __TREADLE_RAW_PAIR;

struct __TREADLE_OTHER;

#define __TREADLE_MEMBER __host__ __device__ constexpr __attribute__((always_inline))
// In C++11 a constexpr member function is const.
#if __cplusplus >= 201402L
#define __TREADLE_ASSIGNMENT __TREADLE_MEMBER
#else
#define __TREADLE_ASSIGNMENT __host__ __device__ __attribute__((always_inline))
#endif
struct __attribute__((aligned(2))) __TREADLE_NUMBER {
  unsigned short __x;

  __TREADLE_NUMBER() = default;
  __TREADLE_MEMBER __TREADLE_NUMBER(const __TREADLE_RAW& raw) : __x(raw.x) {}
  __TREADLE_ASSIGNMENT __TREADLE_NUMBER& operator=(const __TREADLE_RAW& raw) {
    __x = raw.x;
    return *this;
  }
  __device__ volatile __TREADLE_NUMBER& operator=(const __TREADLE_RAW& raw) volatile {
    __x = raw.x;
    return *this;
  }
  __device__ volatile __TREADLE_NUMBER& operator=(const volatile __TREADLE_RAW& raw) volatile {
    __x = raw.x;
    return *this;
  }
  __TREADLE_MEMBER operator __TREADLE_RAW() const { return __TREADLE_RAW{__x}; }
  __device__ operator __TREADLE_RAW() const volatile { return __TREADLE_RAW{__x}; }

  __TREADLE_MEMBER float __treadle_widened() const {
    return __TREADLE_NAME(__treadle_widen_, __TREADLE_WORD, )(__x);
  }
  static __TREADLE_MEMBER __TREADLE_NUMBER __treadle_of_bits(unsigned short bits) {
    return __TREADLE_NUMBER(__TREADLE_RAW{bits});
  }
  /// x rounded to nearest, down, up or towards zero. The three start from the nearest and step back where it went the
  /// wrong way; away from zero is one bit pattern up on either side.
  static __TREADLE_MEMBER __TREADLE_NUMBER __treadle_rn(float x) {
    return __treadle_of_bits(__TREADLE_NAME(__treadle_narrow_, __TREADLE_WORD, )(x));
  }
  static __TREADLE_MEMBER __TREADLE_NUMBER __treadle_rd(float x) {
    const __TREADLE_NUMBER near = __treadle_rn(x);
    const int step = near.__x & 0x8000u ? 1 : -1;
    return near.__treadle_widened() > x
               ? __treadle_of_bits(static_cast<unsigned short>(near.__x + step))
               : near;
  }
  static __TREADLE_MEMBER __TREADLE_NUMBER __treadle_ru(float x) {
    const __TREADLE_NUMBER near = __treadle_rn(x);
    const int step = near.__x & 0x8000u ? -1 : 1;
    return near.__treadle_widened() < x
               ? __treadle_of_bits(static_cast<unsigned short>(near.__x + step))
               : near;
  }
  static __TREADLE_MEMBER __TREADLE_NUMBER __treadle_rz(float x) {
    return x < 0 ? __treadle_ru(x) : __treadle_rd(x);
  }

#if __TREADLE_CONVERTS
  explicit __device__ __TREADLE_NUMBER(const __TREADLE_OTHER other);
  __TREADLE_MEMBER operator float() const { return __treadle_widened(); }
  __TREADLE_MEMBER operator bool() const { return (__x & 0x7fffu) != 0; }

#define __TREADLE_FROM(type)                                                                   \
  __TREADLE_MEMBER __TREADLE_NUMBER(const type value)                                          \
      : __x(__treadle_rn(__treadle_sticky(value)).__x) {}                                      \
  __TREADLE_ASSIGNMENT __TREADLE_NUMBER& operator=(const type value) {                         \
    return *this = __TREADLE_NUMBER(value);                                                    \
  }
  __TREADLE_FROM(float)
  __TREADLE_FROM(double)
  __TREADLE_FROM(short)
  __TREADLE_FROM(unsigned short)
  __TREADLE_FROM(int)
  __TREADLE_FROM(unsigned int)
  __TREADLE_FROM(long)
  __TREADLE_FROM(unsigned long)
  __TREADLE_FROM(long long)
  __TREADLE_FROM(unsigned long long)
#undef __TREADLE_FROM

#define __TREADLE_TO(type) \
  __TREADLE_MEMBER operator type() const { return static_cast<type>(__treadle_widened()); }
#define __TREADLE_TO_NARROW(type) \
  __TREADLE_MEMBER operator type() const { return __treadle_saturated<type>(__treadle_widened()); }
  __TREADLE_TO_NARROW(char)
  __TREADLE_TO_NARROW(signed char)
  __TREADLE_TO_NARROW(unsigned char)
  __TREADLE_TO_NARROW(short)
  __TREADLE_TO_NARROW(unsigned short)
  __TREADLE_TO(int)
  __TREADLE_TO(unsigned int)
  __TREADLE_TO(long)
  __TREADLE_TO(unsigned long)
  __TREADLE_TO(long long)
  __TREADLE_TO(unsigned long long)
#undef __TREADLE_TO
#undef __TREADLE_TO_NARROW
#endif
};

struct __attribute__((aligned(4))) __TREADLE_PAIR {
  __TREADLE_NUMBER x, y;

  __TREADLE_PAIR() = default;
  __TREADLE_PAIR(const __TREADLE_PAIR&) = default;
  __TREADLE_PAIR& operator=(const __TREADLE_PAIR&) = default;
  __TREADLE_MEMBER __TREADLE_PAIR(const __TREADLE_NUMBER& low, const __TREADLE_NUMBER& high)
      : x(low), y(high) {}
  __TREADLE_MEMBER __TREADLE_PAIR(const __TREADLE_RAW_PAIR& raw)
      : x(__TREADLE_RAW{raw.x}), y(__TREADLE_RAW{raw.y}) {}
  __TREADLE_MEMBER operator __TREADLE_RAW_PAIR() const { return __TREADLE_RAW_PAIR{x.__x, y.__x}; }
};
#undef __TREADLE_MEMBER
#undef __TREADLE_ASSIGNMENT
