// SPDX-License-Identifier: MIT
// Host code's: of its declarations only the types are needed (treadle/host_types.h says why).
#pragma once

#include <sys/types.h>
