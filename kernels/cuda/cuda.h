// SPDX-License-Identifier: MIT
// What this header declares is part of the prelude.
#pragma once

#ifndef CUDA_VERSION
#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)
#endif
