// SPDX-License-Identifier: MIT
// The part of <type_traits> that makes types from others.
#pragma once

#include "treadle/type_categories.h"

extern "C++" {
namespace std {

template <class T>
struct type_identity {
  using type = T;
};
template <bool condition, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  using type = T;
};
template <bool condition, class T, class F>
struct conditional {
  using type = T;
};
template <class T, class F>
struct conditional<false, T, F> {
  using type = F;
};
// Through a class: where an alias drops its parameters, older compilers look at them no more.
template <class...>
struct __treadle_void {
  using type = void;
};
template <class... Types>
using void_t = typename __treadle_void<Types...>::type;

template <class T> struct remove_cv : __treadle_plain<T> {};
template <class T> struct remove_const : type_identity<T> {};
template <class T> struct remove_const<const T> : type_identity<T> {};
template <class T> struct remove_volatile : type_identity<T> {};
template <class T> struct remove_volatile<volatile T> : type_identity<T> {};
template <class T> struct remove_reference : type_identity<T> {};
template <class T> struct remove_reference<T&> : type_identity<T> {};
template <class T> struct remove_reference<T&&> : type_identity<T> {};
template <class T> struct remove_pointer : type_identity<T> {};
template <class T> struct remove_pointer<T*> : type_identity<T> {};
template <class T> struct remove_pointer<T* const> : type_identity<T> {};
template <class T> struct remove_pointer<T* volatile> : type_identity<T> {};
template <class T> struct remove_pointer<T* const volatile> : type_identity<T> {};
template <class T> struct remove_extent : type_identity<T> {};
template <class T> struct remove_extent<T[]> : type_identity<T> {};
template <class T, size_t size> struct remove_extent<T[size]> : type_identity<T> {};
template <class T> struct remove_all_extents : type_identity<T> {};
template <class T> struct remove_all_extents<T[]> : remove_all_extents<T> {};
template <class T, size_t size> struct remove_all_extents<T[size]> : remove_all_extents<T> {};
template <class T> struct remove_cvref : remove_cv<typename remove_reference<T>::type> {};

template <class T> struct add_const : type_identity<const T> {};
template <class T> struct add_volatile : type_identity<volatile T> {};
template <class T> struct add_cv : type_identity<const volatile T> {};
template <class T> struct add_pointer : type_identity<typename remove_reference<T>::type*> {};
// void has no reference: it stays what it is.
template <class T, bool = is_void<T>::value>
struct add_lvalue_reference : type_identity<T&> {};
template <class T> struct add_lvalue_reference<T, true> : type_identity<T> {};
template <class T, bool = is_void<T>::value>
struct add_rvalue_reference : type_identity<T&&> {};
template <class T> struct add_rvalue_reference<T, true> : type_identity<T> {};

template <class T>
struct make_signed : type_identity<typename __treadle_integer<T>::as_signed> {};
template <class T>
struct make_unsigned : type_identity<typename __treadle_integer<T>::as_unsigned> {};
template <class T>
struct underlying_type : type_identity<__underlying_type(T)> {};

template <class T, class Plain = typename remove_reference<T>::type, bool = is_array<Plain>::value,
          bool = is_function<Plain>::value>
struct decay : remove_cv<Plain> {};
template <class T, class Plain>
struct decay<T, Plain, true, false> : type_identity<typename remove_extent<Plain>::type*> {};
template <class T, class Plain>
struct decay<T, Plain, false, true> : type_identity<Plain*> {};

template <class T>
__TREADLE_HD typename add_rvalue_reference<T>::type declval() noexcept;

template <class... Types>
struct common_type {};
template <class T>
struct common_type<T> : decay<T> {};
template <class A, class B>
struct common_type<A, B> : decay<decltype(false ? std::declval<A>() : std::declval<B>())> {};
template <class A, class B, class... Rest>
struct common_type<A, B, Rest...> : common_type<typename common_type<A, B>::type, Rest...> {};

template <size_t size, size_t alignment = 16>
struct aligned_storage {
  struct type {
    alignas(alignment) unsigned char bytes[size];
  };
};

}  // namespace std
}
