// SPDX-License-Identifier: MIT
#pragma once
#include <cuda_fp6.h>
