// SPDX-License-Identifier: MIT
// Host code's, declared (treadle/host_types.h says why).
#pragma once

#include "treadle/standard_words.h"

extern "C" {
struct option {
  const char* name;
  int has_arg;
  int* flag;
  int val;
};
#define no_argument 0
#define required_argument 1
#define optional_argument 2
}
