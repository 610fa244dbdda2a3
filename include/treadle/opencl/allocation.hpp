// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <utility>

#include "treadle/opencl/error.hpp"
#include "treadle/process/kept_memory.hpp"

namespace treadle::opencl {

/// Whether a status means that memory of host or device is exhausted, and not a launch refused for
/// other reasons: raise() then throws OutOfMemory.
bool is_out_of_memory(int code, std::string_view call) noexcept;

/// What `call()` returns, a status of an entry point that may take memory: platforms allocate when
/// memory is made or when it is first used. Where it means that memory is exhausted, what the pools
/// of the process hold is given back (treadle/process/kept_memory.hpp), and the call is made once
/// more. `name` is the entry point's.
template <class Call>
int allocated(const char* name, Call&& call) {
  return with_kept_memory([&] { return static_cast<int>(call()); },
                          [&](int status) { return is_out_of_memory(status, name); });
}

/// The same; throws as check() (treadle/opencl/error.hpp) if it fails then, too. The optional
/// `describe()` says what was attempted on which object.
template <class Call, class... Describe>
void check_allocated(const Table& table, const char* name, Call&& call, Describe&&... describe) {
  check(table, allocated(name, std::forward<Call>(call)), name,
        std::forward<Describe>(describe)...);
}

}  // namespace treadle::opencl
