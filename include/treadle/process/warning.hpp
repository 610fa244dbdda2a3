// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace treadle {

/// Receives what a user should know although the work goes on: options that were ignored, a cache
/// that cannot be written, and what went wrong in destructors, which may not throw.
using WarningHandler = std::function<void(std::string_view text)>;

/// Installs `handler` for the whole process and returns the one before; an empty one restores the
/// default, which writes "treadle: warning: <text>" to stderr. Any thread; what a handler throws is
/// swallowed.
WarningHandler set_warning_handler(WarningHandler handler);

/// Hands `text` to the handler. Safe in destructors and at the end of threads.
void warn(std::string_view text) noexcept;

}  // namespace treadle
