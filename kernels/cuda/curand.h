// SPDX-License-Identifier: MIT
// The host interface has nothing for kernels; programs that include it mean this.
#pragma once

#include "curand_kernel.h"
