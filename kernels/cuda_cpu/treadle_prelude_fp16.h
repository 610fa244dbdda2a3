// SPDX-License-Identifier: MIT
// The prelude of texts that include <cuda_fp16.h>: parsed once, at build time.
#pragma once
#include "treadle_prelude.h"
//
#include <cuda_fp16.h>
