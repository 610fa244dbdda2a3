// SPDX-License-Identifier: MIT
// One compile past the memory cache: options read, headers followed, key made, disk asked, compiler
// run, published.
#pragma once

#include <memory>
#include <string>

#include "compile/compiled.hpp"
#include "treadle/compile/program.hpp"

namespace treadle::compile {

/// Never null. Throws what compile_cuda() throws.
std::shared_ptr<const Compiled> build_program(const std::string& source, const Target& target,
                                              const Options& options);

}  // namespace treadle::compile
