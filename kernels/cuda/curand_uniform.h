// SPDX-License-Identifier: MIT
// A part of NVIDIA's curand_kernel.h under its own name; ours is one whole.
#pragma once

#include "curand_kernel.h"
