// SPDX-License-Identifier: MIT
// Types of C++'s library that stand in the declarations of host code: strings, containers, streams, threads. The
// compiler of a kernel leaves the bodies of host functions out, so that the types have no more than construction from
// anything and the names of types in them. Device code that uses one is refused.
#pragma once

#include "treadle/standard_words.h"
//
#include <stdio.h>
#include <stdlib.h>

#include <initializer_list>
#include <utility>

extern "C++" {
namespace std {

template <class T>
class allocator;
template <class T>
struct hash;
template <class T>
struct less;
template <class T>
struct equal_to;
template <class T>
struct char_traits;
template <class T>
struct default_delete;

#define __TREADLE_CONSTRUCTION(name)   \
  template <class... Arguments>        \
  __TREADLE_HOST name(Arguments&&...); \
  name(const name&) = default;         \
  name& operator=(const name&) = default;
#define __TREADLE_TYPE(name)      \
  class name {                    \
   public:                        \
    __TREADLE_CONSTRUCTION(name)  \
  };
// Arguments from the third on are the parameters of the template.
#define __TREADLE_CONTAINER(name, element, ...)           \
  template <__VA_ARGS__>                                  \
  class name {                                            \
   public:                                                \
    using value_type = element;                           \
    using size_type = size_t;                             \
    using difference_type = ptrdiff_t;                    \
    using reference = value_type&;                        \
    using const_reference = const value_type&;            \
    using pointer = value_type*;                          \
    using const_pointer = const value_type*;              \
    using iterator = value_type*;                         \
    using const_iterator = const value_type*;             \
    __TREADLE_CONSTRUCTION(name)                          \
    __TREADLE_HOST name(initializer_list<value_type>);    \
  };
#define __TREADLE_ENTRY pair<const Key, T>
__TREADLE_CONTAINER(vector, T, class T, class Allocator = allocator<T>)
__TREADLE_CONTAINER(deque, T, class T, class Allocator = allocator<T>)
__TREADLE_CONTAINER(list, T, class T, class Allocator = allocator<T>)
__TREADLE_CONTAINER(forward_list, T, class T, class Allocator = allocator<T>)
__TREADLE_CONTAINER(set, Key, class Key, class Less = less<Key>, class Allocator = allocator<Key>)
__TREADLE_CONTAINER(multiset, Key, class Key, class Less = less<Key>, class Allocator = allocator<Key>)
__TREADLE_CONTAINER(unordered_set, Key, class Key, class Hash = hash<Key>, class Equal = equal_to<Key>)
__TREADLE_CONTAINER(map, __TREADLE_ENTRY, class Key, class T, class Less = less<Key>,
                    class Allocator = allocator<__TREADLE_ENTRY>)
__TREADLE_CONTAINER(multimap, __TREADLE_ENTRY, class Key, class T, class Less = less<Key>,
                    class Allocator = allocator<__TREADLE_ENTRY>)
__TREADLE_CONTAINER(unordered_map, __TREADLE_ENTRY, class Key, class T, class Hash = hash<Key>,
                    class Equal = equal_to<Key>)
__TREADLE_CONTAINER(queue, T, class T, class Container = deque<T>)
__TREADLE_CONTAINER(stack, T, class T, class Container = deque<T>)
__TREADLE_CONTAINER(priority_queue, T, class T, class Container = vector<T>, class Less = less<T>)
__TREADLE_CONTAINER(valarray, T, class T)
__TREADLE_CONTAINER(basic_string, C, class C, class Traits = char_traits<C>, class Allocator = allocator<C>)
__TREADLE_CONTAINER(basic_string_view, C, class C, class Traits = char_traits<C>)
#undef __TREADLE_CONTAINER
#undef __TREADLE_ENTRY
template <size_t size>
__TREADLE_TYPE(bitset)
using string = basic_string<char>;
using wstring = basic_string<wchar_t>;
using string_view = basic_string_view<char>;

template <class T, class Delete = default_delete<T>>
__TREADLE_TYPE(unique_ptr)
template <class T>
__TREADLE_TYPE(shared_ptr)
template <class T>
__TREADLE_TYPE(weak_ptr)
template <class Signature>
__TREADLE_TYPE(function)

__TREADLE_TYPE(ios_base)
using ios = ios_base;
#define __TREADLE_STREAM(name, base) \
  class name : public base {         \
   public:                           \
    __TREADLE_CONSTRUCTION(name)     \
  };
__TREADLE_STREAM(ostream, ios_base)
__TREADLE_STREAM(istream, ios_base)
__TREADLE_STREAM(iostream, ostream)
__TREADLE_STREAM(ifstream, istream)
__TREADLE_STREAM(ofstream, ostream)
__TREADLE_STREAM(fstream, iostream)
__TREADLE_STREAM(istringstream, istream)
__TREADLE_STREAM(ostringstream, ostream)
__TREADLE_STREAM(stringstream, iostream)
#undef __TREADLE_STREAM
// Programs derive their own exceptions from these.
class exception {
 public:
  __TREADLE_CONSTRUCTION(exception)
  __TREADLE_HOST virtual ~exception();
  __TREADLE_HOST virtual const char* what() const noexcept;
};
#define __TREADLE_EXCEPTION(name, base) \
  class name : public base {            \
   public:                              \
    __TREADLE_CONSTRUCTION(name)        \
  };
__TREADLE_EXCEPTION(runtime_error, exception)
__TREADLE_EXCEPTION(range_error, runtime_error)
__TREADLE_EXCEPTION(overflow_error, runtime_error)
__TREADLE_EXCEPTION(logic_error, exception)
__TREADLE_EXCEPTION(invalid_argument, logic_error)
__TREADLE_EXCEPTION(domain_error, logic_error)
__TREADLE_EXCEPTION(length_error, logic_error)
__TREADLE_EXCEPTION(out_of_range, logic_error)
#undef __TREADLE_EXCEPTION

__TREADLE_TYPE(thread)
__TREADLE_TYPE(mutex)
__TREADLE_TYPE(recursive_mutex)
__TREADLE_TYPE(condition_variable)
__TREADLE_TYPE(once_flag)
template <class Mutex>
__TREADLE_TYPE(lock_guard)
template <class Mutex>
__TREADLE_TYPE(unique_lock)
template <class T>
__TREADLE_TYPE(future)
template <class T>
__TREADLE_TYPE(promise)
template <class T>
__TREADLE_TYPE(atomic)

namespace chrono {
template <class Rep, class... Period>
__TREADLE_TYPE(duration)
template <class Clock, class... Duration>
__TREADLE_TYPE(time_point)
using nanoseconds = duration<long long, char>;
using microseconds = duration<long long, short>;
using milliseconds = duration<long long, int>;
using seconds = duration<long long>;
struct system_clock {
  using time_point = chrono::time_point<system_clock>;
  using duration = nanoseconds;
};
struct steady_clock {
  using time_point = chrono::time_point<steady_clock>;
  using duration = nanoseconds;
};
using high_resolution_clock = steady_clock;
}  // namespace chrono

__TREADLE_TYPE(random_device)
__TREADLE_TYPE(mt19937)
__TREADLE_TYPE(mt19937_64)
__TREADLE_TYPE(default_random_engine)
template <class T = int>
__TREADLE_TYPE(uniform_int_distribution)
template <class T = double>
__TREADLE_TYPE(uniform_real_distribution)
template <class T = double>
__TREADLE_TYPE(normal_distribution)
#undef __TREADLE_TYPE
#undef __TREADLE_CONSTRUCTION

}  // namespace std
}
