// SPDX-License-Identifier: MIT
// What users can look at of a compile: the source and options, and the result.
#pragma once

#include <filesystem>
#include <string>

#include "treadle/compile/cached.hpp"
#include "treadle/compile/compile.hpp"

namespace treadle::compile {

/// With TREADLE_DUMP set, writes the source and what it is compiled for into that folder, before
/// the compiler sees it. A failure is a warning, once.
void dump_source(const BinaryKey& key);

/// For Options::keep: source, options, image and log in a new folder, whose path it returns.
std::filesystem::path keep_files(const std::string& source, const Target& target,
                                 const Options& options, const CompileResult& result);

}  // namespace treadle::compile
