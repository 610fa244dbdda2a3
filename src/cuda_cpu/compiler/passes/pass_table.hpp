// SPDX-License-Identifier: MIT
// The passes of the CPU compiler in the order in which they run. backend.cpp runs the table from
// top to bottom and nothing beside it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::cuda_cpu {

struct PassContext;

enum class PassKind {
  required,  ///< without it a module would be wrong, or none
  speed      ///< makes kernels faster: off under -G, and where --treadle-disable names it
};

struct Pass {
  std::string_view name;  ///< as --treadle-disable and --treadle-print-after spell it
  PassKind kind;
  std::string_view purpose;  ///< one line
  void (*run)(PassContext& context);
};

/// All passes, in order. Names are unique.
std::span<const Pass> pass_table();
/// The pass of that name; null if there is none.
const Pass* find_pass(std::string_view name);

/// What a compile's options say about single passes.
struct PassOptions {
  std::vector<std::string> disabled;
  std::vector<std::string> printed;  ///< the module goes into the log after these
};

/// Runs those of `passes` that are on. Appends to context.log the module as it is after each
/// pass that is to be printed.
void run_passes(PassContext& context, std::span<const Pass> passes);

}  // namespace treadle::cuda_cpu
