// SPDX-License-Identifier: MIT
// nvcc computes with `void*`, in bytes, and compares pointers with 0. Where a compiler refuses that,
// these words are put into the text: `p * __treadle_bytes + 4`, `p > __treadle_null * 0`. In a macro
// or a template the same words meet other types, too, and change nothing for them.
#pragma once

extern "C++" {

enum __treadle_bytes_type { __treadle_bytes };
enum __treadle_null_type { __treadle_null };

/// The zero that something is compared with: a null pointer, if that is a pointer.
struct __treadle_null_pointer {};
template <class Zero>
__host__ __device__ constexpr __treadle_null_pointer operator*(__treadle_null_type, Zero) {
  return {};
}
template <class Zero>
__host__ __device__ constexpr __treadle_null_pointer operator*(Zero, __treadle_null_type) {
  return {};
}
#define __TREADLE_COMPARE(sign)                                                         \
  template <class T>                                                                    \
  __host__ __device__ constexpr bool operator sign(T value, __treadle_null_pointer) {   \
    return value sign(T) 0;                                                             \
  }                                                                                     \
  template <class T>                                                                    \
  __host__ __device__ constexpr bool operator sign(__treadle_null_pointer, T value) {   \
    return (T)0 sign value;                                                             \
  }
__TREADLE_COMPARE(<)
__TREADLE_COMPARE(>)
__TREADLE_COMPARE(<=)
__TREADLE_COMPARE(>=)
#undef __TREADLE_COMPARE

/// What `sum * __treadle_bytes` is, by the type with which Sum&& is declared: the pointer to void
/// as one to bytes, a variable that can be added to; anything else as it was.
template <class Sum>
struct __treadle_summand {
  typedef Sum&& type;
};
#define __TREADLE_BYTES(cv, cv_of_pointer)                    \
  template <>                                                 \
  struct __treadle_summand<cv void* cv_of_pointer> {          \
    typedef cv char* cv_of_pointer& type;                     \
  };                                                          \
  template <>                                                 \
  struct __treadle_summand<cv void* cv_of_pointer&> {         \
    typedef cv char* cv_of_pointer& type;                     \
  };
__TREADLE_BYTES(, )
__TREADLE_BYTES(const, )
__TREADLE_BYTES(volatile, )
__TREADLE_BYTES(, const)
__TREADLE_BYTES(const, const)
__TREADLE_BYTES(volatile, const)
#undef __TREADLE_BYTES

template <class Sum>
__host__ __device__ constexpr typename __treadle_summand<Sum>::type operator*(
    Sum&& sum, __treadle_bytes_type) {
  return (typename __treadle_summand<Sum>::type)sum;
}
}
