// SPDX-License-Identifier: MIT
// Host code's, declared (treadle/host_types.h says why).
#pragma once

#include "treadle/standard_words.h"

extern "C" __TREADLE_HOST int* __errno_location();
#define errno (*__errno_location())
#define ENOENT 2
#define ENOMEM 12
#define EEXIST 17
#define EINVAL 22
#define ERANGE 34
