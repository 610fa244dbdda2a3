// SPDX-License-Identifier: MIT
// Functions of the user's that platforms call on threads of their own.
#pragma once

#include <exception>
#include <string>

#include "treadle/process/warning.hpp"

namespace treadle::opencl {

/// Calls `function`. Nothing may be thrown through a platform's frames: an exception becomes a
/// warning that names `what`.
template <class Function, class... Arguments>
void call_safely(const char* what, Function& function, Arguments&&... arguments) noexcept {
  try {
    function(std::forward<Arguments>(arguments)...);
  } catch (const std::exception& error) {
    warn(std::string(what) + " threw: " + error.what());
  } catch (...) {
    warn(std::string(what) + " threw something that is no exception");
  }
}

}  // namespace treadle::opencl
