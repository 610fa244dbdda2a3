// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "treadle/process/kept_memory.hpp"

namespace treadle::cuda {

/// Whether a status, a CUresult, means that memory of the device or page-locked memory is
/// exhausted.
bool is_out_of_memory(int status) noexcept;

/// What `call()` returns, a CUresult of an entry point that takes memory of a device or locks the
/// host's. Where it says so, what the pools of the process hold is given back
/// (treadle/process/kept_memory.hpp), and the call is made once more. For check().
template <class Call>
auto allocated(Call&& call) {
  return with_kept_memory(std::forward<Call>(call),
                          [](auto status) { return is_out_of_memory(static_cast<int>(status)); });
}

}  // namespace treadle::cuda
