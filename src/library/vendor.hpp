// SPDX-License-Identifier: MIT
// What tables of a vendor's libraries have in common.
#pragma once

#include <cstdint>
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

/// "13.1.0", as a library's function tells it; empty where it does not.
std::string version_text(int (*get_property)(int which, int* value));

/// A stream or a place on the device, as C takes it.
inline void* pointer_of(std::uint64_t value) { return reinterpret_cast<void*>(value); }

/// To be called once libraries are open: exit() ends what they have before it ends our objects.
void watch_process_end();
/// Whether exit() was called since.
bool process_ends() noexcept;

}  // namespace treadle::library
