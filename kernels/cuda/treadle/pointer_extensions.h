// SPDX-License-Identifier: MIT
// nvcc computes with `void*`, in bytes, and compares pointers with 0. Where a compiler refuses that,
// these words are put into the text: `p * __treadle_bytes + 4`, `p > __treadle_null * 0`.
#pragma once

extern "C++" {

enum __treadle_bytes_type { __treadle_bytes };
enum __treadle_null_type { __treadle_null };

/// Converts to a null pointer of any type.
struct __treadle_null_pointer {
  template <class T>
  __host__ __device__ operator T*() const {
    return nullptr;
  }
};
template <class Zero>
__host__ __device__ __treadle_null_pointer operator*(__treadle_null_type, Zero) {
  return {};
}
template <class Zero>
__host__ __device__ __treadle_null_pointer operator*(Zero, __treadle_null_type) {
  return {};
}

/// The type of a pointer to bytes; only its type is asked for.
__host__ __device__ char* __treadle_as_bytes(void*);
__host__ __device__ const char* __treadle_as_bytes(const void*);

// A variable stays a variable, which can be added to.
template <class Pointer>
__host__ __device__ auto operator*(Pointer&& p, __treadle_bytes_type)
    -> decltype(__treadle_as_bytes(p))& {
  return *(decltype(__treadle_as_bytes(p))*)&p;
}
template <class Pointer>
__host__ __device__ auto operator*(__treadle_bytes_type, Pointer&& p)
    -> decltype(__treadle_as_bytes(p))& {
  return *(decltype(__treadle_as_bytes(p))*)&p;
}
}
