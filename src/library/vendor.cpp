// SPDX-License-Identifier: MIT
#include "library/vendor.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "treadle/base/error.hpp"

namespace treadle::library {
namespace {

std::atomic<bool> has_ended = false;

}  // namespace

void raise_status(int status, std::span<const StatusWord> words, const char* routine,
                  std::string detail) {
  const auto word = std::ranges::find(words, status, &StatusWord::code);
  if (word == words.end())
    throw DeviceError({status, "status " + std::to_string(status), routine,
                       "status " + std::to_string(status), std::move(detail)});
  DeviceFailure failure{status, word->name, routine,
                        std::string(word->text) + " (" + word->name + ")", std::move(detail)};
  if (word->is_memory) throw OutOfMemory(std::move(failure), word->hint);
  throw DeviceError(std::move(failure), word->hint);
}

std::string version_text(int (*get_property)(int which, int* value)) {
  std::string text;
  for (int which = 0; which < 3; ++which) {
    int part = 0;
    if (get_property(which, &part) != 0) return {};
    if (which > 0) text += '.';
    text += std::to_string(part);
  }
  return text;
}

// Handlers run in the reverse order: this one before those of libraries that were opened earlier.
void watch_process_end() {
  std::atexit([] { has_ended = true; });
}
bool process_ends() noexcept { return has_ended; }

}  // namespace treadle::library
