// SPDX-License-Identifier: MIT
#include "treadle/process/warning.hpp"

#include <cstdio>
#include <memory>
#include <mutex>
#include <utility>

#include "process/quiet_warnings.hpp"

namespace treadle {
namespace {

struct Channel {
  std::mutex mutex;
  std::shared_ptr<const WarningHandler> handler;
};

Channel& channel() {
  // Never destroyed: destructors of static objects still warn through it.
  static Channel& instance = *new Channel;
  return instance;
}

thread_local unsigned quiet = 0;

}  // namespace

QuietWarnings::QuietWarnings() noexcept { ++quiet; }
QuietWarnings::~QuietWarnings() { --quiet; }

WarningHandler set_warning_handler(WarningHandler handler) {
  auto replacement = handler ? std::make_shared<const WarningHandler>(std::move(handler)) : nullptr;
  Channel& c = channel();
  const std::lock_guard lock(c.mutex);
  std::swap(c.handler, replacement);
  return replacement ? *replacement : WarningHandler{};
}

void warn(std::string_view text) noexcept {
  if (quiet > 0) return;
  try {
    std::shared_ptr<const WarningHandler> handler;
    {
      Channel& c = channel();
      const std::lock_guard lock(c.mutex);
      handler = c.handler;
    }
    // Called without the lock, so that a handler may warn or replace itself.
    if (handler) return (*handler)(text);
    std::fprintf(stderr, "treadle: warning: %.*s\n", static_cast<int>(text.size()), text.data());
  } catch (...) {
    // A warning must never become an error: callers are destructors.
  }
}

}  // namespace treadle
