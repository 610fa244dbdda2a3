// SPDX-License-Identifier: MIT
// Host code's, declared (treadle/host_types.h says why).
#pragma once

extern "C" {
typedef int pid_t;
typedef long off_t;
typedef unsigned mode_t;
}
