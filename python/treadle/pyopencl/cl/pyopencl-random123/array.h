// SPDX-License-Identifier: MIT
// Counters, keys and results of the generators: numbers v[0], v[1], ...
#pragma once

#include <pyopencl-random123/openclfeatures.h>

struct r123array1x32 {
  uint v[1];
};
struct r123array2x32 {
  uint v[2];
};
struct r123array4x32 {
  uint v[4];
};
struct r123array1x64 {
  ulong v[1];
};
struct r123array2x64 {
  ulong v[2];
};
struct r123array4x64 {
  ulong v[4];
};
