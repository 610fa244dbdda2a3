// SPDX-License-Identifier: MIT
// Modules under PyCUDA's rules, and what making one by the driver's compiler or linker takes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pycuda/classes.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::bindings::face {

struct Module {
  cuda::Module module;
  std::string source = {};  ///< what it was compiled from, where that is known
};

using JitOptions = std::vector<std::pair<cuda::JitOption, unsigned>>;
/// From an iterable of (jit_option, number). Throws TypeError or OverflowError naming `options`.
JitOptions jit_options(nb::handle options);
/// message_handler(success, info, error), where there is one.
void report(nb::handle message_handler, bool success, const cuda::JitLog& log);

}  // namespace treadle::bindings::face
