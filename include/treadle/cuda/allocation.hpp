// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "treadle/base/kept_memory.hpp"
#include "treadle/cuda/error.hpp"
#include "treadle/cuda/raw.hpp"

namespace treadle::cuda {

/// What `call()` returns, a CUresult of an entry point that takes memory of a device or locks the
/// host's. Where it is CUDA_ERROR_OUT_OF_MEMORY, what the pools of the process hold is given back
/// (treadle/base/kept_memory.hpp), and the call is made once more. For check().
template <class Call>
auto allocated(Call&& call) {
  return with_kept_memory(std::forward<Call>(call), [](auto status) {
    return static_cast<int>(status) == CUDA_ERROR_OUT_OF_MEMORY;
  });
}

}  // namespace treadle::cuda
