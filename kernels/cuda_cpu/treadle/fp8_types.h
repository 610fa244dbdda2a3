// SPDX-License-Identifier: MIT
// A number of 8 bits and vectors of them. Read once for each of the two types (cuda_fp8.h), under
// these names:
//   __TREADLE_FP8 __nv_fp8_e4m3   __TREADLE_FP8X2 __nv_fp8x2_e4m3   __TREADLE_FP8X4 __nv_fp8x4_e4m3
//   __TREADLE_KIND __NV_E4M3
// Constructors saturate; conversions back are exact, to integers towards zero and saturating.

struct __TREADLE_FP8 {
  __nv_fp8_storage_t __x;
  __TREADLE_FP8() = default;
  __device__ explicit __TREADLE_FP8(const __half f)
      : __x(__nv_cvt_halfraw_to_fp8(static_cast<__half_raw>(f), __NV_SATFINITE, __TREADLE_KIND)) {}
  __device__ explicit __TREADLE_FP8(const __nv_bfloat16 f)
      : __x(__nv_cvt_bfloat16raw_to_fp8(static_cast<__nv_bfloat16_raw>(f), __NV_SATFINITE,
                                        __TREADLE_KIND)) {}
#define __TREADLE_FROM(type)                          \
  __device__ explicit __TREADLE_FP8(const type value) \
      : __x(__treadle_narrow_fp8(__treadle_sticky(value), __NV_SATFINITE, __TREADLE_KIND)) {}
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

  __device__ explicit operator __half() const {
    return __half(__nv_cvt_fp8_to_halfraw(__x, __TREADLE_KIND));
  }
  __device__ explicit operator float() const { return __treadle_widen_fp8(__x, __TREADLE_KIND); }
  __device__ explicit operator __nv_bfloat16() const {
    return __float2bfloat16(static_cast<float>(*this));
  }
  __device__ explicit operator double() const { return static_cast<float>(*this); }
  __device__ explicit operator bool() const { return (__x & 0x7fu) != 0; }
#define __TREADLE_TO(type)                                      \
  __device__ explicit operator type() const {                   \
    return __treadle_integer_of_fp8<type>(__x, __TREADLE_KIND); \
  }
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

struct __attribute__((aligned(2))) __TREADLE_FP8X2 {
  __nv_fp8x2_storage_t __x;
  __TREADLE_FP8X2() = default;
  __device__ explicit __TREADLE_FP8X2(const __half2 f)
      : __x(__nv_cvt_halfraw2_to_fp8x2(static_cast<__half2_raw>(f), __NV_SATFINITE,
                                       __TREADLE_KIND)) {}
  __device__ explicit __TREADLE_FP8X2(const __nv_bfloat162 f)
      : __x(__nv_cvt_bfloat16raw2_to_fp8x2(static_cast<__nv_bfloat162_raw>(f), __NV_SATFINITE,
                                           __TREADLE_KIND)) {}
  __device__ explicit __TREADLE_FP8X2(const float2 f)
      : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, __TREADLE_KIND)) {}
  __device__ explicit __TREADLE_FP8X2(const double2 f)
      : __x(__nv_cvt_double2_to_fp8x2(f, __NV_SATFINITE, __TREADLE_KIND)) {}
  __device__ explicit operator __half2() const {
    return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, __TREADLE_KIND));
  }
  __device__ explicit operator float2() const {
    const __half2_raw wide = __nv_cvt_fp8x2_to_halfraw2(__x, __TREADLE_KIND);
    return make_float2(__treadle_widen_half(wide.x), __treadle_widen_half(wide.y));
  }
};

struct __attribute__((aligned(4))) __TREADLE_FP8X4 {
  __nv_fp8x4_storage_t __x;
  __TREADLE_FP8X4() = default;
  __device__ explicit __TREADLE_FP8X4(const __half2 low, const __half2 high)
      : __x(joined(__TREADLE_FP8X2(low), __TREADLE_FP8X2(high))) {}
  __device__ explicit __TREADLE_FP8X4(const __nv_bfloat162 low, const __nv_bfloat162 high)
      : __x(joined(__TREADLE_FP8X2(low), __TREADLE_FP8X2(high))) {}
  __device__ explicit __TREADLE_FP8X4(const float4 f)
      : __x(joined(__TREADLE_FP8X2(make_float2(f.x, f.y)),
                   __TREADLE_FP8X2(make_float2(f.z, f.w)))) {}
  __device__ explicit __TREADLE_FP8X4(const double4 f)
      : __x(joined(__TREADLE_FP8X2(make_double2(f.x, f.y)),
                   __TREADLE_FP8X2(make_double2(f.z, f.w)))) {}
  __device__ explicit operator float4() const {
    __TREADLE_FP8X2 low, high;
    low.__x = static_cast<__nv_fp8x2_storage_t>(__x & 0xffffu);
    high.__x = static_cast<__nv_fp8x2_storage_t>(__x >> 16);
    const float2 a = static_cast<float2>(low), b = static_cast<float2>(high);
    return make_float4(a.x, a.y, b.x, b.y);
  }

 private:
  static __device__ __nv_fp8x4_storage_t joined(__TREADLE_FP8X2 low, __TREADLE_FP8X2 high) {
    return low.__x | static_cast<__nv_fp8x4_storage_t>(high.__x) << 16;
  }
};
#undef __TREADLE_FP8
#undef __TREADLE_FP8X2
#undef __TREADLE_FP8X4
#undef __TREADLE_KIND
