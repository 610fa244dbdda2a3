// SPDX-License-Identifier: MIT
// How far compile_variants() is, on a terminal.
#pragma once

#include <string>

#include "treadle/compile/variants.hpp"

namespace treadle::bindings {

/// A bar of text for a line of so many columns: "compiling  [=====>    ]  12 of 24, 3.1 s".
std::string progress_text(const compile::VariantProgress& progress, unsigned columns = 78);

/// Whether there are bars, as there are at first; for all threads.
void show_progress(bool shown) noexcept;
/// Whether there are.
bool shows_progress() noexcept;

/// A line of standard error that is drawn again and again from half a second on, where that is a
/// terminal, and taken away at the end.
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
