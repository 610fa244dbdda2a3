// SPDX-License-Identifier: MIT
#include "native/terminal_bar.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

namespace treadle::bindings {
namespace {

constexpr double seconds_before_bar = 0.5;

std::atomic<bool> progress_is_shown{true};

}  // namespace

std::string progress_text(const compile::VariantProgress& progress, unsigned columns) {
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, "%zu of %zu, %.1f s", progress.done, progress.total,
                progress.seconds);
  const std::string begin = "compiling  [", end = std::string("]  ") + numbers;
  constexpr std::size_t narrowest = 4;
  const std::size_t used = begin.size() + end.size();
  if (columns < used + narrowest) return std::string("compiling  ") + numbers;
  const std::size_t room = columns - used;
  const std::size_t filled =
      progress.total == 0 ? room : room * std::min(progress.done, progress.total) / progress.total;
  std::string bar(filled, '=');
  if (filled < room) bar += '>';
  bar.resize(room, ' ');
  return begin + bar + end;
}

void show_progress(bool shown) noexcept { progress_is_shown = shown; }
bool shows_progress() noexcept { return progress_is_shown; }

TerminalBar::TerminalBar() : is_wanted_(shows_progress() && isatty(STDERR_FILENO) == 1) {}

TerminalBar::~TerminalBar() {
  if (is_drawn_) std::fputs("\r\033[K", stderr);
}

void TerminalBar::show(const compile::VariantProgress& progress) {
  if (!is_wanted_ || progress.seconds < seconds_before_bar) return;
  is_drawn_ = true;
  std::fprintf(stderr, "\r\033[K%s", progress_text(progress).c_str());
  std::fflush(stderr);
}

}  // namespace treadle::bindings
