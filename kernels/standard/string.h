// SPDX-License-Identifier: MIT
// What kernels may call is in the prelude; the rest is host code's, declared (treadle/host_types.h says why).
#pragma once

#include "treadle/standard_words.h"

extern "C" {
__TREADLE_HOST int strncmp(const char* a, const char* b, size_t size);
__TREADLE_HOST char* strcpy(char* to, const char* from);
__TREADLE_HOST char* strncpy(char* to, const char* from, size_t size);
__TREADLE_HOST char* strcat(char* to, const char* from);
__TREADLE_HOST char* strerror(int number);
}
