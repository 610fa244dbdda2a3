// SPDX-License-Identifier: MIT
#pragma once
#include <cuda_fp4.h>
