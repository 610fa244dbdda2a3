// SPDX-License-Identifier: MIT
// The part of <type_traits> that says what can be done with a type.
#pragma once

#include "treadle/type_transformations.h"

extern "C++" {
namespace std {

template <class...> struct conjunction : true_type {};
template <class T> struct conjunction<T> : T {};
template <class T, class... Rest>
struct conjunction<T, Rest...> : conditional<bool(T::value), conjunction<Rest...>, T>::type {};
template <class...> struct disjunction : false_type {};
template <class T> struct disjunction<T> : T {};
template <class T, class... Rest>
struct disjunction<T, Rest...> : conditional<bool(T::value), T, disjunction<Rest...>>::type {};
template <class T> struct negation : bool_constant<!bool(T::value)> {};

#define __TREADLE_COMPILER_KNOWS(trait, builtin) \
  template <class T> struct trait : bool_constant<builtin(T)> {};
__TREADLE_COMPILER_KNOWS(is_empty, __is_empty)
__TREADLE_COMPILER_KNOWS(is_final, __is_final)
__TREADLE_COMPILER_KNOWS(is_abstract, __is_abstract)
__TREADLE_COMPILER_KNOWS(is_polymorphic, __is_polymorphic)
__TREADLE_COMPILER_KNOWS(is_trivial, __is_trivial)
__TREADLE_COMPILER_KNOWS(is_trivially_copyable, __is_trivially_copyable)
__TREADLE_COMPILER_KNOWS(is_standard_layout, __is_standard_layout)
__TREADLE_COMPILER_KNOWS(has_virtual_destructor, __has_virtual_destructor)
#undef __TREADLE_COMPILER_KNOWS
template <class T>
struct is_pod : bool_constant<__is_trivial(T) && __is_standard_layout(T)> {};
template <class T> struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class Base, class T> struct is_base_of : bool_constant<__is_base_of(Base, T)> {};
template <class From, class To>
struct is_convertible : bool_constant<__is_convertible_to(From, To)> {};

template <class T, class... Arguments>
struct is_constructible : bool_constant<__is_constructible(T, Arguments...)> {};
template <class T, class... Arguments>
struct is_nothrow_constructible : bool_constant<__is_nothrow_constructible(T, Arguments...)> {};
template <class T, class... Arguments>
struct is_trivially_constructible : bool_constant<__is_trivially_constructible(T, Arguments...)> {};
template <class T, class U> struct is_assignable : bool_constant<__is_assignable(T, U)> {};

template <class T, class = void> struct is_destructible : is_reference<T> {};
template <class T>
struct is_destructible<T, decltype(std::declval<T&>().~T())> : true_type {};
template <class T>
struct is_trivially_destructible
    : bool_constant<is_destructible<T>::value && __has_trivial_destructor(T)> {};

template <class T>
struct __treadle_copied : add_lvalue_reference<typename add_const<T>::type> {};
#define __TREADLE_WAYS_TO_CONSTRUCT(prefix)                                                      \
  template <class T> struct prefix##_default_constructible : prefix##_constructible<T> {};       \
  template <class T>                                                                             \
  struct prefix##_copy_constructible                                                             \
      : prefix##_constructible<T, typename __treadle_copied<T>::type> {};                        \
  template <class T>                                                                             \
  struct prefix##_move_constructible                                                             \
      : prefix##_constructible<T, typename add_rvalue_reference<T>::type> {};
__TREADLE_WAYS_TO_CONSTRUCT(is)
__TREADLE_WAYS_TO_CONSTRUCT(is_nothrow)
__TREADLE_WAYS_TO_CONSTRUCT(is_trivially)
#undef __TREADLE_WAYS_TO_CONSTRUCT
template <class T>
struct is_copy_assignable
    : is_assignable<typename add_lvalue_reference<T>::type, typename __treadle_copied<T>::type> {};
template <class T>
struct is_move_assignable : is_assignable<typename add_lvalue_reference<T>::type,
                                          typename add_rvalue_reference<T>::type> {};

/// What a function object gives for arguments; pointers to members are not looked at.
template <class, class Function, class... Arguments>
struct __treadle_call : false_type {};
template <class Function, class... Arguments>
struct __treadle_call<void_t<decltype(std::declval<Function>()(std::declval<Arguments>()...))>, Function,
                      Arguments...> : true_type {
  using type = decltype(std::declval<Function>()(std::declval<Arguments>()...));
};
template <bool called, class R, class Call>
struct __treadle_call_gives : false_type {};
template <class R, class Call>
struct __treadle_call_gives<true, R, Call>
    : bool_constant<is_void<R>::value || is_convertible<typename Call::type, R>::value> {};
template <class Function, class... Arguments>
struct is_invocable : bool_constant<__treadle_call<void, Function, Arguments...>::value> {};
template <class R, class Function, class... Arguments>
struct is_invocable_r : __treadle_call_gives<is_invocable<Function, Arguments...>::value, R,
                                             __treadle_call<void, Function, Arguments...>> {};
template <class Function, class... Arguments>
struct invoke_result : __treadle_call<void, Function, Arguments...> {};
template <class>
struct result_of;
template <class Function, class... Arguments>
struct result_of<Function(Arguments...)> : invoke_result<Function, Arguments...> {};

#if __cplusplus >= 202002L
__TREADLE_HD constexpr bool is_constant_evaluated() noexcept {
  return __builtin_is_constant_evaluated();
}
#endif

}  // namespace std
}
