// SPDX-License-Identifier: MIT
// CUDA C++ as a build: which compiler, what its result depends on, how it is run.
#pragma once

#include <string>

#include "compile/build.hpp"
#include "treadle/compile/compile.hpp"

namespace treadle::compile {

/// Throws what compile_cuda() throws for options and targets; LibraryNotFound if there is no
/// compiler.
CompileRequest cuda_build(const std::string& source, const Target& target, const Options& options);

}  // namespace treadle::compile
