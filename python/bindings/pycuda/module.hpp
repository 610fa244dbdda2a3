// SPDX-License-Identifier: MIT
// Modules under PyCUDA's rules, and arguments for the driver's compiler and linker.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pycuda/classes.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::bindings::face {

struct Module {
  cuda::Module module;
  std::string source = {};  ///< the source, if known
};

using JitOptions = std::vector<std::pair<cuda::JitOption, unsigned>>;
/// Reads an iterable of (jit_option, number). Throws TypeError or OverflowError naming `options`.
JitOptions jit_options(nb::handle options);
/// Calls message_handler(success, info, error), if there is a handler.
void report(nb::handle message_handler, bool success, const cuda::JitLog& log);

}  // namespace treadle::bindings::face
