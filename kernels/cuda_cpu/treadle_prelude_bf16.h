// SPDX-License-Identifier: MIT
// The prelude of texts that include <cuda_bf16.h>, which includes <cuda_fp16.h>.
#pragma once
#include "treadle_prelude_fp16.h"
//
#include <cuda_bf16.h>
