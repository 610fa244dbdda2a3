// SPDX-License-Identifier: MIT
// __nv_atomic_load() and its family, which name an order and a scope. Every operation is sequentially consistent and
// visible to all threads, so each order and scope means no less; a relaxed load or store is a plain one.
#pragma once

enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

// A value as the integer of its size, on which the instructions work.
template <decltype(sizeof(0))> struct __treadle_atomic_word;
template <> struct __treadle_atomic_word<1> { typedef unsigned char type; };
template <> struct __treadle_atomic_word<2> { typedef unsigned short type; };
template <> struct __treadle_atomic_word<4> { typedef unsigned int type; };
template <> struct __treadle_atomic_word<8> { typedef unsigned long long type; };
template <> struct __treadle_atomic_word<16> { typedef __treadle_word128 type; };
/// T itself; as a parameter it takes what converts to it.
template <class T> struct __treadle_same { typedef T type; };

/// Says that an instruction has an order, which each has; only TREADLE_CHECK=race looks at it.
__TREADLE_FUNCTION void __treadle_say_order(int order) {
  if (order != __NV_ATOMIC_RELAXED) __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#define __TREADLE_ATOMIC_BUILTIN(result) \
  template <class T>                     \
  __TREADLE_FUNCTION result
#define __TREADLE_VALUE typename __treadle_same<T>::type
#define __TREADLE_WORD typename __treadle_atomic_word<sizeof(T)>::type
#define __TREADLE_ORDER int order, int = __NV_THREAD_SCOPE_SYSTEM

__TREADLE_FUNCTION void __nv_atomic_thread_fence(__TREADLE_ORDER) {
  if (order != __NV_ATOMIC_RELAXED) __sync_synchronize();
}

__TREADLE_ATOMIC_BUILTIN(void) __nv_atomic_load(const T* place, T* result, __TREADLE_ORDER) {
  __TREADLE_WORD word = *reinterpret_cast<const volatile __TREADLE_WORD*>(place);
  __nv_atomic_thread_fence(order);
  __builtin_memcpy(result, &word, sizeof(T));
}
__TREADLE_ATOMIC_BUILTIN(T) __nv_atomic_load_n(const T* place, __TREADLE_ORDER) {
  T result;
  __nv_atomic_load(place, &result, order);
  return result;
}

__TREADLE_ATOMIC_BUILTIN(void) __nv_atomic_store(T* place, __TREADLE_VALUE* value, __TREADLE_ORDER) {
  __TREADLE_WORD word;
  __builtin_memcpy(&word, value, sizeof(T));
  __nv_atomic_thread_fence(order);
  *reinterpret_cast<volatile __TREADLE_WORD*>(place) = word;
  __nv_atomic_thread_fence(order);
}
__TREADLE_ATOMIC_BUILTIN(void) __nv_atomic_store_n(T* place, __TREADLE_VALUE value, __TREADLE_ORDER) {
  __nv_atomic_store(place, &value, order);
}

// over 6 parameters because CUDA's has them.
__TREADLE_ATOMIC_BUILTIN(bool)
__nv_atomic_compare_exchange(T* place, __TREADLE_VALUE* expected, __TREADLE_VALUE* desired, bool, int success, int,
                             int = __NV_THREAD_SCOPE_SYSTEM) {
  __TREADLE_WORD seen, wanted;
  __treadle_say_order(success);
  __builtin_memcpy(&seen, expected, sizeof(T));
  __builtin_memcpy(&wanted, desired, sizeof(T));
  const __TREADLE_WORD found =
      __sync_val_compare_and_swap(reinterpret_cast<__TREADLE_WORD*>(place), seen, wanted);
  if (found == seen) return true;
  __builtin_memcpy(expected, &found, sizeof(T));
  return false;
}
// over 6 parameters because CUDA's has them.
__TREADLE_ATOMIC_BUILTIN(bool)
__nv_atomic_compare_exchange_n(T* place, __TREADLE_VALUE* expected, __TREADLE_VALUE desired, bool weak, int success,
                               int failure, int = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange(place, expected, &desired, weak, success, failure);
}

__TREADLE_ATOMIC_BUILTIN(void)
__nv_atomic_exchange(T* place, __TREADLE_VALUE* value, __TREADLE_VALUE* result, __TREADLE_ORDER) {
  T seen, wanted = *value;
  __nv_atomic_load(place, &seen, __NV_ATOMIC_RELAXED);
  while (!__nv_atomic_compare_exchange(place, &seen, &wanted, true, order, order)) {
  }
  *result = seen;
}
__TREADLE_ATOMIC_BUILTIN(T) __nv_atomic_exchange_n(T* place, __TREADLE_VALUE value, __TREADLE_ORDER) {
  __nv_atomic_exchange(place, &value, &value, order);
  return value;
}

#define __TREADLE_ATOMIC_FETCH(operation, function)                                                   \
  __TREADLE_ATOMIC_BUILTIN(T)                                                                         \
  __nv_atomic_fetch_##operation(T* place, __TREADLE_VALUE value, __TREADLE_ORDER) {                   \
    __treadle_say_order(order);                                                                       \
    return function(place, value);                                                                    \
  }                                                                                                   \
  __TREADLE_ATOMIC_BUILTIN(void)                                                                      \
  __nv_atomic_##operation(T* place, __TREADLE_VALUE value, __TREADLE_ORDER) {                         \
    __nv_atomic_fetch_##operation(place, value, order);                                               \
  }
__TREADLE_ATOMIC_FETCH(add, atomicAdd)
__TREADLE_ATOMIC_FETCH(and, atomicAnd)
__TREADLE_ATOMIC_FETCH(or, atomicOr)
__TREADLE_ATOMIC_FETCH(xor, atomicXor)
__TREADLE_ATOMIC_FETCH(min, atomicMin)
__TREADLE_ATOMIC_FETCH(max, atomicMax)
#undef __TREADLE_ATOMIC_FETCH

// Of real numbers too, which atomicSub() does not take.
__TREADLE_ATOMIC_BUILTIN(T)
__nv_atomic_fetch_sub(T* place, __TREADLE_VALUE value, __TREADLE_ORDER) {
  __treadle_say_order(order);
  return atomicAdd(place, static_cast<T>(-value));
}
__TREADLE_ATOMIC_BUILTIN(void)
__nv_atomic_sub(T* place, __TREADLE_VALUE value, __TREADLE_ORDER) {
  __nv_atomic_fetch_sub(place, value, order);
}

#undef __TREADLE_ATOMIC_BUILTIN
#undef __TREADLE_VALUE
#undef __TREADLE_WORD
#undef __TREADLE_ORDER
