// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace treadle {

/// Receives what went wrong where nothing may be thrown: in destructors and at the end of threads.
using CleanupWarningHandler = std::function<void(std::string_view text)>;

/// Installs `handler` for the whole process and returns the one before; an empty one restores the
/// default, which writes "treadle: warning: <text>" to stderr. Any thread; what a handler throws is
/// swallowed.
CleanupWarningHandler set_cleanup_warning_handler(CleanupWarningHandler handler);

/// Hands `text` to the handler.
void cleanup_warning(std::string_view text) noexcept;

}  // namespace treadle
