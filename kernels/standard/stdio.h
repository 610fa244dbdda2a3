// SPDX-License-Identifier: MIT
// What kernels may call is in the prelude; the rest is host code's, declared (treadle/host_types.h says why).
#pragma once

#include "treadle/standard_words.h"

extern "C" {
typedef struct __treadle_file FILE;
// Functions for both sides report errors there.
#define stdin static_cast<FILE*>(nullptr)
#define stdout static_cast<FILE*>(nullptr)
#define stderr static_cast<FILE*>(nullptr)
#define EOF (-1)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
__TREADLE_HOST FILE* fopen(const char* path, const char* mode);
__TREADLE_HOST int fclose(FILE* file);
__TREADLE_HOST int fflush(FILE* file);
__TREADLE_HOST size_t fread(void* to, size_t size, size_t count, FILE* file);
__TREADLE_HOST size_t fwrite(const void* from, size_t size, size_t count, FILE* file);
__TREADLE_HOST char* fgets(char* to, int size, FILE* file);
__TREADLE_HOST int fputs(const char* text, FILE* file);
__TREADLE_HOST int puts(const char* text);
__TREADLE_HOST void perror(const char* text);
__TREADLE_HOST int fprintf(FILE* file, const char* format, ...);
__TREADLE_HOST int sprintf(char* to, const char* format, ...);
__TREADLE_HOST int snprintf(char* to, size_t size, const char* format, ...);
}
