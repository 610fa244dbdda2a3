// SPDX-License-Identifier: MIT
// Shows the progress of compile_variants() on a terminal.
#pragma once

#include <string>

#include "treadle/compile/variants.hpp"

namespace treadle::bindings {

/// The bar as text for a line of `columns`: "compiling  [=====>    ]  12 of 24, 3.1 s".
std::string progress_text(const compile::VariantProgress& progress, unsigned columns = 78);

/// Turns bars on or off for all threads. They are on at first.
void show_progress(bool shown) noexcept;
/// Whether bars are on.
bool shows_progress() noexcept;

/// A line on standard error, if that is a terminal. It appears after half a second, is redrawn, and
/// is removed at the end.
class TerminalBar {
 public:
  TerminalBar();
  ~TerminalBar();
  TerminalBar(const TerminalBar&) = delete;
  TerminalBar& operator=(const TerminalBar&) = delete;
  void show(const compile::VariantProgress& progress);

 private:
  bool is_wanted_, is_drawn_ = false;
};

}  // namespace treadle::bindings
