// SPDX-License-Identifier: MIT
// atomicAdd and its family. The __sync builtins become atomicrmw and cmpxchg instructions on any
// address space; the __atomic ones would become calls into a library that is not there.
#pragma once

#define __TREADLE_ATOMIC(name, builtin, type) \
  __TREADLE_FUNCTION type name(type* address, type value) { return builtin(address, value); }
#define __TREADLE_ATOMICS_OF_INTEGER(type)                                        \
  __TREADLE_ATOMIC(atomicAdd, __sync_fetch_and_add, type)                         \
  __TREADLE_ATOMIC(atomicSub, __sync_fetch_and_sub, type)                         \
  __TREADLE_ATOMIC(atomicAnd, __sync_fetch_and_and, type)                         \
  __TREADLE_ATOMIC(atomicOr, __sync_fetch_and_or, type)                           \
  __TREADLE_ATOMIC(atomicXor, __sync_fetch_and_xor, type)                         \
  __TREADLE_ATOMIC(atomicExch, __sync_swap, type)                                 \
  __TREADLE_FUNCTION type atomicCAS(type* address, type expected, type desired) { \
    return __sync_val_compare_and_swap(address, expected, desired);               \
  }

__TREADLE_ATOMICS_OF_INTEGER(int)
__TREADLE_ATOMICS_OF_INTEGER(unsigned int)
__TREADLE_ATOMICS_OF_INTEGER(long)
__TREADLE_ATOMICS_OF_INTEGER(unsigned long)
__TREADLE_ATOMICS_OF_INTEGER(long long)
__TREADLE_ATOMICS_OF_INTEGER(unsigned long long)
#undef __TREADLE_ATOMICS_OF_INTEGER

__TREADLE_ATOMIC(atomicMin, __sync_fetch_and_min, int)
__TREADLE_ATOMIC(atomicMax, __sync_fetch_and_max, int)
__TREADLE_ATOMIC(atomicMin, __sync_fetch_and_umin, unsigned int)
__TREADLE_ATOMIC(atomicMax, __sync_fetch_and_umax, unsigned int)
#undef __TREADLE_ATOMIC

__TREADLE_FUNCTION unsigned short atomicCAS(unsigned short* address, unsigned short expected,
                                            unsigned short desired) {
  return __sync_val_compare_and_swap(address, expected, desired);
}

// Everything else is a loop around compare-and-swap: `bits` is the integer type as wide as `type`,
// `old` the value found, and `next` the expression that replaces it.
#define __TREADLE_ATOMIC_LOOP(name, type, bits, next)                                       \
  __TREADLE_FUNCTION type name(type* address, type value) {                                 \
    bits seen = *reinterpret_cast<volatile bits*>(address);                                 \
    for (;;) {                                                                              \
      type old;                                                                             \
      __builtin_memcpy(&old, &seen, sizeof(old));                                           \
      const type wanted = (next);                                                           \
      bits wanted_bits;                                                                     \
      __builtin_memcpy(&wanted_bits, &wanted, sizeof(wanted));                              \
      const bits found =                                                                    \
          __sync_val_compare_and_swap(reinterpret_cast<bits*>(address), seen, wanted_bits); \
      if (found == seen) return old;                                                        \
      seen = found;                                                                         \
    }                                                                                       \
  }

__TREADLE_ATOMIC_LOOP(atomicMin, long, long, value < old ? value : old)
__TREADLE_ATOMIC_LOOP(atomicMax, long, long, value > old ? value : old)
__TREADLE_ATOMIC_LOOP(atomicMin, unsigned long, unsigned long, value < old ? value : old)
__TREADLE_ATOMIC_LOOP(atomicMax, unsigned long, unsigned long, value > old ? value : old)
__TREADLE_ATOMIC_LOOP(atomicMin, long long, long long, value < old ? value : old)
__TREADLE_ATOMIC_LOOP(atomicMax, long long, long long, value > old ? value : old)
__TREADLE_ATOMIC_LOOP(atomicMin, unsigned long long, unsigned long long, value < old ? value : old)
__TREADLE_ATOMIC_LOOP(atomicMax, unsigned long long, unsigned long long, value > old ? value : old)
__TREADLE_ATOMIC_LOOP(atomicInc, unsigned int, unsigned int, old >= value ? 0u : old + 1u)
__TREADLE_ATOMIC_LOOP(atomicDec, unsigned int, unsigned int,
                      old == 0u || old > value ? value : old - 1u)
__TREADLE_ATOMIC_LOOP(atomicAdd, float, unsigned int, old + value)
__TREADLE_ATOMIC_LOOP(atomicAdd, double, unsigned long, old + value)
__TREADLE_ATOMIC_LOOP(atomicExch, float, unsigned int, value)
__TREADLE_ATOMIC_LOOP(atomicExch, double, unsigned long, value)
// __TREADLE_ATOMIC_LOOP stays defined: cuda_fp16.h adds its own type.

/// The elements of a vector, each by itself: CUDA promises no more.
__TREADLE_FUNCTION float2 atomicAdd(float2* address, float2 value) {
  return float2{atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
__TREADLE_FUNCTION float4 atomicAdd(float4* address, float4 value) {
  return float4{atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y),
                atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w)};
}

// Types of 16 bytes, aligned to as much.
template <bool, class T>
struct __treadle_if {};
template <class T>
struct __treadle_if<true, T> {
  typedef T type;
};
typedef unsigned _BitInt(128) __treadle_word128;

template <class T>
__TREADLE_FUNCTION typename __treadle_if<sizeof(T) == 16, T>::type atomicCAS(T* address, T expected,
                                                                             T desired) {
  __treadle_word128 seen, wanted;
  __builtin_memcpy(&seen, &expected, 16);
  __builtin_memcpy(&wanted, &desired, 16);
  seen = __sync_val_compare_and_swap(reinterpret_cast<__treadle_word128*>(address), seen, wanted);
  T result;
  __builtin_memcpy(&result, &seen, 16);
  return result;
}
template <class T>
__TREADLE_FUNCTION typename __treadle_if<sizeof(T) == 16, T>::type atomicExch(T* address, T value) {
  __treadle_word128* words = reinterpret_cast<__treadle_word128*>(address);
  __treadle_word128 wanted, seen = *words;
  __builtin_memcpy(&wanted, &value, 16);
  for (;;) {
    const __treadle_word128 found = __sync_val_compare_and_swap(words, seen, wanted);
    if (found == seen) break;
    seen = found;
  }
  T result;
  __builtin_memcpy(&result, &seen, 16);
  return result;
}

// All memory is coherent here: every scope is the same operation.
#define __TREADLE_ATOMIC_SCOPES(name)                       \
  template <class T, class U>                               \
  __TREADLE_FUNCTION T name##_block(T* address, U value) {  \
    return name(address, static_cast<T>(value));            \
  }                                                         \
  template <class T, class U>                               \
  __TREADLE_FUNCTION T name##_system(T* address, U value) { \
    return name(address, static_cast<T>(value));            \
  }

__TREADLE_ATOMIC_SCOPES(atomicAdd)
__TREADLE_ATOMIC_SCOPES(atomicSub)
__TREADLE_ATOMIC_SCOPES(atomicMin)
__TREADLE_ATOMIC_SCOPES(atomicMax)
__TREADLE_ATOMIC_SCOPES(atomicInc)
__TREADLE_ATOMIC_SCOPES(atomicDec)
__TREADLE_ATOMIC_SCOPES(atomicExch)
__TREADLE_ATOMIC_SCOPES(atomicAnd)
__TREADLE_ATOMIC_SCOPES(atomicOr)
__TREADLE_ATOMIC_SCOPES(atomicXor)
#undef __TREADLE_ATOMIC_SCOPES

template <class T, class U, class V>
__TREADLE_FUNCTION T atomicCAS_block(T* address, U expected, V desired) {
  return atomicCAS(address, static_cast<T>(expected), static_cast<T>(desired));
}
template <class T, class U, class V>
__TREADLE_FUNCTION T atomicCAS_system(T* address, U expected, V desired) {
  return atomicCAS(address, static_cast<T>(expected), static_cast<T>(desired));
}
