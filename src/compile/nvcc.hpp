// SPDX-License-Identifier: MIT
// NVIDIA's compiler driver as a program of its own: for sources that need a host compiler's
// headers, and for callers who ask for it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "compile/compiler.hpp"

namespace treadle::compile {

class NvccCompiler : public Compiler {
 public:
  /// `nvcc` is a path or a name on PATH. Throws LibraryNotFound.
  explicit NvccCompiler(const std::string& nvcc);

  Reader reader() const override { return Reader::nvcc; }
  std::string title() const override { return nvcc_.string(); }
  /// Of nvcc, the programs beside it and the host compiler's driver; found without running any.
  std::string identity(const CompilerOptions& options) override;
  void load() override {}
  const std::vector<std::filesystem::path>& toolkit_dirs() const override { return toolkit_dirs_; }
  bool embeds(std::string_view) const override { return false; }
  Dependencies dependencies() const override { return Dependencies::told; }
  CompileOutcome compile(const CompileJob& job) override;

  const std::filesystem::path& path() const noexcept { return nvcc_; }

 private:
  std::vector<std::string> arguments(const CompileJob& job) const;

  std::filesystem::path nvcc_;
  std::vector<std::filesystem::path> toolkit_dirs_;
};

/// The files a make rule names behind its colon, as compilers write it: "kernel.cubin : a.h
/// \<newline> b\ c.h".
std::vector<std::string> files_of_make_rule(std::string_view rule);

}  // namespace treadle::compile
