// SPDX-License-Identifier: MIT
// Host code's, declared (treadle/host_types.h says why).
#pragma once

#include "treadle/standard_words.h"

#include <time.h>

extern "C" {
struct timeval {
  time_t tv_sec;
  long tv_usec;
};
struct timezone {
  int tz_minuteswest, tz_dsttime;
};
}
