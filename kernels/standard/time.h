// SPDX-License-Identifier: MIT
// What kernels may call is in the prelude; the rest is host code's, declared (treadle/host_types.h says why).
#pragma once

#include "treadle/standard_words.h"

extern "C" {
typedef long time_t;
struct tm {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
};
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
typedef int clockid_t;
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCKS_PER_SEC 1000000l
__TREADLE_HOST time_t time(time_t* into);
}
