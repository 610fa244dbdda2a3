// SPDX-License-Identifier: MIT
// What other tuners have measured, as lines that a Store takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "treadle/tune/store.hpp"

namespace treadle::tune {

/// Under which names attempts of another tuner are kept; what is missing is the file's.
struct ForeignNames {
  std::string kernel = {};  ///< of kernel_key(): attempts are then for that kernel's choices
  std::optional<ProblemSignature> problem = {};  ///< none: x, y and z of the file's problem size
  /// None: a device of the file's name, of which nothing else is known.
  std::optional<Environment> environment = {};
};

/// Lines for Store::import_lines() from a file's text, which is
/// - wisdom of a store, that stays as it is,
/// - a cache of Kernel Tuner, also one that a run has not closed, or
/// - wisdom of Kernel Launcher.
/// Times of those are in ms. Throws InvalidArgument for a text that is none of them.
std::string foreign_wisdom(std::string_view text, const ForeignNames& names = {});

}  // namespace treadle::tune
