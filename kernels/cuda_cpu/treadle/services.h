// SPDX-License-Identifier: MIT
// What kernels ask of the run-time: output, assertions, memory, the clock. Passes turn each into a call through
// the module's table of services.
#pragma once

extern "C" {
__device__ int printf(const char* format, ...) __asm__("__treadle_print")
    __attribute__((format(printf, 1, 2)));
__device__ void __treadle_assert_failed(const char* message, const char* file, unsigned line,
                                        const char* function);
__device__ void __treadle_trap();
__device__ void* malloc(size_t size) __asm__("__treadle_allocate");
__device__ void free(void* pointer) __asm__("__treadle_release");
__device__ long long __treadle_clock();
__device__ void* memcpy(void* to, const void* from, size_t size);
__device__ void* memmove(void* to, const void* from, size_t size);
__device__ void* memset(void* to, int value, size_t size);
__device__ int memcmp(const void* a, const void* b, size_t size);
__device__ size_t strlen(const char* text);
__device__ int strcmp(const char* a, const char* b);
}

#include <assert.h>

__TREADLE_FUNCTION void __assertfail(const char* message, const char* file, unsigned line,
                                     const char* function, size_t) {
  __treadle_assert_failed(message, file, line, function);
}
__TREADLE_FUNCTION void __trap() { __treadle_trap(); }
__TREADLE_FUNCTION void __brkpt() {}
__TREADLE_FUNCTION void __prof_trigger(int) {}
__TREADLE_FUNCTION long long clock64() { return __treadle_clock(); }
__TREADLE_FUNCTION clock_t clock() { return __treadle_clock(); }
__TREADLE_FUNCTION unsigned long long __globaltimer() {
  return static_cast<unsigned long long>(__treadle_clock());
}

// The device heap, also for `new`: null, not an exception, when it is exhausted.
inline __device__ void* operator new(size_t size) { return malloc(size); }
inline __device__ void* operator new[](size_t size) { return malloc(size); }
inline __device__ void operator delete(void* pointer) noexcept { free(pointer); }
inline __device__ void operator delete[](void* pointer) noexcept { free(pointer); }
inline __device__ void operator delete(void* pointer, size_t) noexcept { free(pointer); }
inline __device__ void operator delete[](void* pointer, size_t) noexcept { free(pointer); }
inline __device__ void* operator new(size_t, void* place) noexcept { return place; }
inline __device__ void* operator new[](size_t, void* place) noexcept { return place; }
inline __device__ void operator delete(void*, void*) noexcept {}
inline __device__ void operator delete[](void*, void*) noexcept {}
