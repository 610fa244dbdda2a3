// SPDX-License-Identifier: MIT
// What tables of a vendor's libraries have in common.
#pragma once

#include <span>
#include <string>

namespace treadle::library {

/// A status that is no success.
struct StatusWord {
  int code;
  const char* name;  ///< as the vendor's header has it
  const char* text;  ///< what it means
  const char* hint;  ///< one thing to try
  bool is_memory = false;
};
/// Throws DeviceError, OutOfMemory if the word says so. A code that no word has is told as a
/// number.
[[noreturn]] void raise_status(int status, std::span<const StatusWord> words, const char* routine,
                               std::string detail);

/// To be called once libraries are open: exit() ends what they have before it ends our objects.
void watch_process_end();
/// Whether exit() was called since.
bool process_ends() noexcept;

}  // namespace treadle::library
