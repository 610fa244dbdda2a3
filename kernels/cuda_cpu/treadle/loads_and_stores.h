// SPDX-License-Identifier: MIT
// Loads and stores with a cache hint, which a processor's caches do not need.
#pragma once

#define __TREADLE_LOAD(name)                            \
  template <class T>                                    \
  __TREADLE_FUNCTION T name(const T* address) {         \
    return *address;                                    \
  }
__TREADLE_LOAD(__ldg)
__TREADLE_LOAD(__ldca)
__TREADLE_LOAD(__ldcg)
__TREADLE_LOAD(__ldcs)
__TREADLE_LOAD(__ldlu)
#undef __TREADLE_LOAD
/// Not from a cache: read anew each time.
template <class T>
__TREADLE_FUNCTION T __ldcv(const T* address) {
  T value;
  __builtin_memcpy(&value, const_cast<const T*>(address), sizeof(T));
  __sync_synchronize();
  return value;
}

#define __TREADLE_STORE(name)                                   \
  template <class T>                                            \
  __TREADLE_FUNCTION void name(T* address, T value) {           \
    *address = value;                                           \
  }
__TREADLE_STORE(__stcg)
__TREADLE_STORE(__stcs)
__TREADLE_STORE(__stwb)
__TREADLE_STORE(__stwt)
#undef __TREADLE_STORE

__TREADLE_FUNCTION unsigned __isGlobal(const void*) { return 1; }
__TREADLE_FUNCTION size_t __cvta_generic_to_global(const void* address) {
  return reinterpret_cast<size_t>(address);
}
