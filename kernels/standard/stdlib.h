// SPDX-License-Identifier: MIT
// What kernels may call is in the prelude; the rest is host code's, declared (treadle/host_types.h says why).
#pragma once

#include "treadle/standard_words.h"

extern "C" {
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#ifndef RAND_MAX
#define RAND_MAX 2147483647
#endif
__TREADLE_HOST void exit(int status) __attribute__((noreturn));
__TREADLE_HOST void abort() __attribute__((noreturn));
__TREADLE_HOST int rand();
__TREADLE_HOST void srand(unsigned seed);
__TREADLE_HOST void* calloc(size_t count, size_t size);
__TREADLE_HOST void* realloc(void* pointer, size_t size);
__TREADLE_HOST int atoi(const char* text);
__TREADLE_HOST double atof(const char* text);
__TREADLE_HOST char* getenv(const char* name);
}
