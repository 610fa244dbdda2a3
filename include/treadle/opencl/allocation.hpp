// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "treadle/base/kept_memory.hpp"

namespace treadle::opencl {

/// Whether a status means that memory of host or device is exhausted, and not a launch refused for
/// other reasons: raise() then throws OutOfMemory.
bool is_out_of_memory(int code, std::string_view call) noexcept;

/// What `call()` returns, a status of an entry point that may take memory: platforms allocate when
/// memory is made or when it is first used. Where it means that memory is exhausted, what the pools
/// of the process hold is given back (treadle/base/kept_memory.hpp), and the call is made once
/// more. `name` is the entry point's. For check().
template <class Call>
int allocated(const char* name, Call&& call) {
  return with_kept_memory([&] { return static_cast<int>(call()); },
                          [&](int status) { return is_out_of_memory(status, name); });
}

}  // namespace treadle::opencl
