// SPDX-License-Identifier: MIT
// The part of <type_traits> that says what a type is.
#pragma once

#include "treadle/standard_words.h"

extern "C++" {
namespace std {

template <class T, T constant>
struct integral_constant {
  static constexpr T value = constant;
  using value_type = T;
  using type = integral_constant;
  __TREADLE_HD constexpr operator T() const noexcept { return constant; }
  __TREADLE_HD constexpr T operator()() const noexcept { return constant; }
};
template <bool constant>
using bool_constant = integral_constant<bool, constant>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};

template <class T> struct is_const : false_type {};
template <class T> struct is_const<const T> : true_type {};
template <class T> struct is_volatile : false_type {};
template <class T> struct is_volatile<volatile T> : true_type {};
template <class T> struct is_lvalue_reference : false_type {};
template <class T> struct is_lvalue_reference<T&> : true_type {};
template <class T> struct is_rvalue_reference : false_type {};
template <class T> struct is_rvalue_reference<T&&> : true_type {};
template <class T>
struct is_reference
    : bool_constant<is_lvalue_reference<T>::value || is_rvalue_reference<T>::value> {};
template <class T> struct is_array : false_type {};
template <class T> struct is_array<T[]> : true_type {};
template <class T, size_t size> struct is_array<T[size]> : true_type {};
// Of all types, only functions and references cannot be const.
template <class T>
struct is_function : bool_constant<!is_const<const T>::value && !is_reference<T>::value> {};

/// The type without const and volatile; `remove_cv` is the same.
template <class T> struct __treadle_plain { using type = T; };
template <class T> struct __treadle_plain<const T> { using type = T; };
template <class T> struct __treadle_plain<volatile T> { using type = T; };
template <class T> struct __treadle_plain<const volatile T> { using type = T; };
#define __TREADLE_OF_PLAIN(trait, pattern) \
  template <class T> struct trait : pattern<typename __treadle_plain<T>::type> {};

template <class T> struct __treadle_is_pointer : false_type {};
template <class T> struct __treadle_is_pointer<T*> : true_type {};
template <class T> struct __treadle_is_member_pointer : false_type {};
template <class T, class C> struct __treadle_is_member_pointer<T C::*> : true_type {};
template <class T> struct __treadle_is_floating : false_type {};
template <> struct __treadle_is_floating<float> : true_type {};
template <> struct __treadle_is_floating<double> : true_type {};
template <> struct __treadle_is_floating<long double> : true_type {};
template <class T> using __treadle_is_void = is_same<T, void>;
template <class T> using __treadle_is_null = is_same<T, decltype(nullptr)>;

/// Integers, each with its partner of the other signedness.
template <class T> struct __treadle_integer : false_type {};
#define __TREADLE_INTEGER_PAIR(signed_type, unsigned_type)          \
  template <> struct __treadle_integer<signed_type> : true_type {   \
    using as_signed = signed_type;                                  \
    using as_unsigned = unsigned_type;                              \
  };                                                                \
  template <> struct __treadle_integer<unsigned_type> : true_type { \
    using as_signed = signed_type;                                  \
    using as_unsigned = unsigned_type;                              \
  };
__TREADLE_INTEGER_PAIR(signed char, unsigned char)
__TREADLE_INTEGER_PAIR(short, unsigned short)
__TREADLE_INTEGER_PAIR(int, unsigned int)
__TREADLE_INTEGER_PAIR(long, unsigned long)
__TREADLE_INTEGER_PAIR(long long, unsigned long long)
#undef __TREADLE_INTEGER_PAIR
template <> struct __treadle_integer<char> : true_type {
  using as_signed = signed char;
  using as_unsigned = unsigned char;
};
template <> struct __treadle_integer<bool> : true_type {};
template <> struct __treadle_integer<wchar_t> : true_type {};
template <> struct __treadle_integer<char16_t> : true_type {};
template <> struct __treadle_integer<char32_t> : true_type {};
#if defined(__cpp_char8_t)
template <> struct __treadle_integer<char8_t> : true_type {};
#endif

__TREADLE_OF_PLAIN(is_pointer, __treadle_is_pointer)
__TREADLE_OF_PLAIN(is_member_pointer, __treadle_is_member_pointer)
__TREADLE_OF_PLAIN(is_floating_point, __treadle_is_floating)
__TREADLE_OF_PLAIN(is_void, __treadle_is_void)
__TREADLE_OF_PLAIN(is_null_pointer, __treadle_is_null)
#undef __TREADLE_OF_PLAIN
template <class T>
struct is_integral : bool_constant<__treadle_integer<typename __treadle_plain<T>::type>::value> {};
template <class T> struct is_enum : bool_constant<__is_enum(T)> {};
template <class T> struct is_class : bool_constant<__is_class(T)> {};
template <class T> struct is_union : bool_constant<__is_union(T)> {};

template <class T>
struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <class T>
struct is_fundamental
    : bool_constant<is_arithmetic<T>::value || is_void<T>::value || is_null_pointer<T>::value> {};
template <class T> struct is_compound : bool_constant<!is_fundamental<T>::value> {};
template <class T>
struct is_scalar
    : bool_constant<is_arithmetic<T>::value || is_enum<T>::value || is_pointer<T>::value ||
                    is_member_pointer<T>::value || is_null_pointer<T>::value> {};
template <class T>
struct is_object
    : bool_constant<!is_function<T>::value && !is_reference<T>::value && !is_void<T>::value> {};

template <class T, bool = is_arithmetic<T>::value>
struct is_signed : bool_constant<(T(-1) < T(0))> {};
template <class T> struct is_signed<T, false> : false_type {};
template <class T, bool = is_arithmetic<T>::value>
struct is_unsigned : bool_constant<(T(0) < T(-1))> {};
template <class T> struct is_unsigned<T, false> : false_type {};

template <class T> struct rank : integral_constant<size_t, 0> {};
template <class T> struct rank<T[]> : integral_constant<size_t, rank<T>::value + 1> {};
template <class T, size_t size>
struct rank<T[size]> : integral_constant<size_t, rank<T>::value + 1> {};
template <class T, unsigned dimension = 0> struct extent : integral_constant<size_t, 0> {};
template <class T> struct extent<T[], 0> : integral_constant<size_t, 0> {};
template <class T, size_t size> struct extent<T[size], 0> : integral_constant<size_t, size> {};
template <class T, unsigned dimension>
struct extent<T[], dimension> : extent<T, dimension - 1> {};
template <class T, size_t size, unsigned dimension>
struct extent<T[size], dimension> : extent<T, dimension - 1> {};

}  // namespace std
}
