// SPDX-License-Identifier: MIT
// Loads and stores with a cache hint, which a processor's caches do not need.
#pragma once

#define __TREADLE_LOAD(name)                    \
  template <class T>                            \
  __TREADLE_FUNCTION T name(const T* address) { \
    return *address;                            \
  }
__TREADLE_LOAD(__ldg)
__TREADLE_LOAD(__ldca)
__TREADLE_LOAD(__ldcg)
__TREADLE_LOAD(__ldcs)
__TREADLE_LOAD(__ldlu)
#undef __TREADLE_LOAD
/// Not from a cache: memory is read each time.
template <class T>
__TREADLE_FUNCTION T __ldcv(const T* address) {
  T value;
  __builtin_memcpy(&value, const_cast<const T*>(address), sizeof(T));
  __sync_synchronize();
  return value;
}

#define __TREADLE_STORE(name)                                                         \
  template <class T>                                                                  \
  __TREADLE_FUNCTION void name(T* address, typename __treadle_plain<T>::type value) { \
    *address = value;                                                                 \
  }
/// Excludes a parameter from the deduction of T, which the address decides.
template <class T>
struct __treadle_plain {
  typedef T type;
};
__TREADLE_STORE(__stcg)
__TREADLE_STORE(__stcs)
__TREADLE_STORE(__stwb)
__TREADLE_STORE(__stwt)
#undef __TREADLE_STORE

// Which memory an address is in. Constant variables lie in global memory here.
extern "C" {
__device__ void* __treadle_shared_memory();
__device__ unsigned __treadle_shared_size();
__device__ void* __treadle_local_memory();
__device__ unsigned long long __treadle_local_size();
__device__ void* __treadle_stack();
}
__TREADLE_FUNCTION bool __treadle_lies_in(const void* address, const void* start, size_t size) {
  return reinterpret_cast<size_t>(address) - reinterpret_cast<size_t>(start) < size;
}
__TREADLE_FUNCTION unsigned __isShared(const void* address) {
  return __treadle_lies_in(address, __treadle_shared_memory(), __treadle_shared_size());
}
/// Arrays that live across a barrier have a place of their own; the others are on the worker's
/// stack.
__TREADLE_FUNCTION unsigned __isLocal(const void* address) {
  const size_t reach = 4u << 20;
  const char* stack = static_cast<const char*>(__treadle_stack());
  return __treadle_lies_in(address, __treadle_local_memory(), __treadle_local_size()) ||
         __treadle_lies_in(address, stack - reach, reach);
}
__TREADLE_FUNCTION unsigned __isGlobal(const void* address) {
  return !__isShared(address) && !__isLocal(address);
}
__TREADLE_FUNCTION unsigned __isConstant(const void*) { return 0; }
__TREADLE_FUNCTION unsigned __isGridConstant(const void*) { return 0; }
__TREADLE_FUNCTION unsigned __isCtaShared(const void* address) { return __isShared(address); }

/// An address in shared memory counts from its start, and so fits in 32 bits.
__TREADLE_FUNCTION size_t __cvta_generic_to_shared(const void* address) {
  return reinterpret_cast<size_t>(address) - reinterpret_cast<size_t>(__treadle_shared_memory());
}
__TREADLE_FUNCTION void* __cvta_shared_to_generic(size_t address) {
  return static_cast<char*>(__treadle_shared_memory()) + address;
}
#define __TREADLE_SAME_ADDRESS(space)                                        \
  __TREADLE_FUNCTION size_t __cvta_generic_to_##space(const void* address) { \
    return reinterpret_cast<size_t>(address);                                \
  }                                                                          \
  __TREADLE_FUNCTION void* __cvta_##space##_to_generic(size_t address) {     \
    return reinterpret_cast<void*>(address);                                 \
  }
__TREADLE_SAME_ADDRESS(global)
__TREADLE_SAME_ADDRESS(constant)
__TREADLE_SAME_ADDRESS(local)
__TREADLE_SAME_ADDRESS(grid_constant)
#undef __TREADLE_SAME_ADDRESS
