// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "treadle/base/error.hpp"

namespace treadle {

/// The message of the error that a call raises; empty if it raises none.
template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.message();
  }
  return {};
}

}  // namespace treadle
