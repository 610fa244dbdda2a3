// SPDX-License-Identifier: MIT
// A number of 8 bits or fewer and vectors of them. Read once for each type (cuda_fp8.h, cuda_fp6.h,
// cuda_fp4.h), under these names:
//   __TREADLE_SMALL __nv_fp8_e4m3   __TREADLE_SMALL2 __nv_fp8x2_e4m3   __TREADLE_SMALL4 __nv_fp8x4_e4m3
//   __TREADLE_KIND __NV_E4M3        __TREADLE_STORAGE, ..2, ..4: what they are stored in
//   __TREADLE_WIDTH                 bits from one element of a vector to the next
//   __TREADLE_NARROW(float)         the code of the nearest number, saturating
//   __TREADLE_WIDEN, __TREADLE_TO_HALF, __TREADLE_TO_INTEGER(type, code)   back, exactly
// To integers numbers go towards zero and saturate.

struct __TREADLE_SMALL {
  __TREADLE_STORAGE __x;
  __TREADLE_SMALL() = default;
  __device__ explicit __TREADLE_SMALL(const __half f)
      : __x(__TREADLE_NARROW(__treadle_widen_half(static_cast<__half_raw>(f).x))) {}
  __device__ explicit __TREADLE_SMALL(const __nv_bfloat16 f)
      : __x(__TREADLE_NARROW(__treadle_widen_bfloat16(static_cast<__nv_bfloat16_raw>(f).x))) {}
#define __TREADLE_FROM(type)                            \
  __device__ explicit __TREADLE_SMALL(const type value) \
      : __x(__TREADLE_NARROW(__treadle_sticky(value))) {}
  __TREADLE_FROM(double)
  __TREADLE_FROM(float)
  __TREADLE_FROM(unsigned short)
  __TREADLE_FROM(unsigned int)
  __TREADLE_FROM(unsigned long)
  __TREADLE_FROM(unsigned long long)
  __TREADLE_FROM(short)
  __TREADLE_FROM(int)
  __TREADLE_FROM(long)
  __TREADLE_FROM(long long)
#undef __TREADLE_FROM

  __device__ explicit operator __half() const { return __half(__half_raw{__TREADLE_TO_HALF(__x)}); }
  __device__ explicit operator float() const { return __TREADLE_WIDEN(__x); }
  __device__ explicit operator __nv_bfloat16() const {
    return __float2bfloat16(static_cast<float>(*this));
  }
  __device__ explicit operator double() const { return static_cast<float>(*this); }
  __device__ explicit operator bool() const { return static_cast<float>(*this) != 0; }
#define __TREADLE_TO(type) \
  __device__ explicit operator type() const { return __TREADLE_TO_INTEGER(type, __x); }
#define __TREADLE_TO_NARROW(type)                                \
  __device__ explicit operator type() const {                    \
    return __treadle_saturated<type>(static_cast<float>(*this)); \
  }
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
};

struct __attribute__((aligned(sizeof(__TREADLE_STORAGE2)))) __TREADLE_SMALL2 {
  __TREADLE_STORAGE2 __x;
  __TREADLE_SMALL2() = default;
  __device__ explicit __TREADLE_SMALL2(const __half2 f)
      : __x(joined(__TREADLE_SMALL(f.x), __TREADLE_SMALL(f.y))) {}
  __device__ explicit __TREADLE_SMALL2(const __nv_bfloat162 f)
      : __x(joined(__TREADLE_SMALL(f.x), __TREADLE_SMALL(f.y))) {}
  __device__ explicit __TREADLE_SMALL2(const float2 f)
      : __x(joined(__TREADLE_SMALL(f.x), __TREADLE_SMALL(f.y))) {}
  __device__ explicit __TREADLE_SMALL2(const double2 f)
      : __x(joined(__TREADLE_SMALL(f.x), __TREADLE_SMALL(f.y))) {}
  __device__ explicit operator __half2() const {
    return __half2(static_cast<__half>(part(0)), static_cast<__half>(part(1)));
  }
  __device__ explicit operator float2() const {
    return make_float2(static_cast<float>(part(0)), static_cast<float>(part(1)));
  }

 private:
  static __device__ __TREADLE_STORAGE2 joined(__TREADLE_SMALL low, __TREADLE_SMALL high) {
    return static_cast<__TREADLE_STORAGE2>(low.__x | high.__x << __TREADLE_WIDTH);
  }
  __device__ __TREADLE_SMALL part(int i) const {
    __TREADLE_SMALL one;
    one.__x = static_cast<__TREADLE_STORAGE>(__x >> i * __TREADLE_WIDTH & ((1u << __TREADLE_WIDTH) - 1u));
    return one;
  }
};

struct __attribute__((aligned(sizeof(__TREADLE_STORAGE4)))) __TREADLE_SMALL4 {
  __TREADLE_STORAGE4 __x;
  __TREADLE_SMALL4() = default;
  __device__ explicit __TREADLE_SMALL4(const __half2 low, const __half2 high)
      : __x(joined(__TREADLE_SMALL2(low), __TREADLE_SMALL2(high))) {}
  __device__ explicit __TREADLE_SMALL4(const __nv_bfloat162 low, const __nv_bfloat162 high)
      : __x(joined(__TREADLE_SMALL2(low), __TREADLE_SMALL2(high))) {}
  __device__ explicit __TREADLE_SMALL4(const float4 f)
      : __x(joined(__TREADLE_SMALL2(make_float2(f.x, f.y)),
                   __TREADLE_SMALL2(make_float2(f.z, f.w)))) {}
  __device__ explicit __TREADLE_SMALL4(const double4 f)
      : __x(joined(__TREADLE_SMALL2(make_double2(f.x, f.y)),
                   __TREADLE_SMALL2(make_double2(f.z, f.w)))) {}
  __device__ explicit operator float4() const {
    __TREADLE_SMALL2 low, high;
    low.__x = static_cast<__TREADLE_STORAGE2>(__x);
    high.__x = static_cast<__TREADLE_STORAGE2>(__x >> 2 * __TREADLE_WIDTH);
    const float2 a = static_cast<float2>(low), b = static_cast<float2>(high);
    return make_float4(a.x, a.y, b.x, b.y);
  }

 private:
  static __device__ __TREADLE_STORAGE4 joined(__TREADLE_SMALL2 low, __TREADLE_SMALL2 high) {
    return static_cast<__TREADLE_STORAGE4>(low.__x | static_cast<__TREADLE_STORAGE4>(high.__x)
                                                         << 2 * __TREADLE_WIDTH);
  }
};
#undef __TREADLE_SMALL
#undef __TREADLE_SMALL2
#undef __TREADLE_SMALL4
#undef __TREADLE_KIND
