// SPDX-License-Identifier: MIT
#pragma once
#include "cuda_pipeline.h"
