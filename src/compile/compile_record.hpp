// SPDX-License-Identifier: MIT
// What users can look at of a compile: the source and options, and the result.
#pragma once

#include <filesystem>
#include <string>

#include "process/nvtx.hpp"
#include "process/trace_recorder.hpp"
#include "treadle/compile/cached.hpp"
#include "treadle/compile/compile.hpp"

namespace treadle::compile {

/// With TREADLE_DUMP set, writes the source and what it is compiled for into that folder, before
/// the compiler sees it. A failure is a warning, once.
void dump_source(const BinaryKey& key);

/// For Options::keep: source, options, image and log in a new folder, whose path it returns.
std::filesystem::path keep_files(const std::string& source, const Target& target,
                                 const Options& options, const CompileResult& result);

/// One compile in the trace and for profilers, from its making to its end; nothing where neither
/// listens.
class CompileSpan {
 public:
  /// What is referred to must live as long.
  CompileSpan(const std::string& source, const std::string& source_name, std::string target);
  ~CompileSpan();
  CompileSpan(const CompileSpan&) = delete;
  CompileSpan& operator=(const CompileSpan&) = delete;
  /// How it ended, if it did not fail.
  CompileResult done(CompileResult result);

 private:
  NvtxRange range_;
  TraceSpan span_;
  const std::string& source_;
  const std::string& source_name_;
  std::string target_, entry_, origin_ = "failed";
};

}  // namespace treadle::compile
