// SPDX-License-Identifier: MIT
// The compilers that are libraries: NVIDIA's libnvrtc, and libtreadle_clang, which has the same
// entry points.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compile/compiler.hpp"
#include "compile/nvrtc_search.hpp"
#include "compile/nvrtc_table.hpp"

namespace treadle::compile {

class NvrtcCompiler : public Compiler {
 public:
  /// NVIDIA's. Nothing is opened before load().
  NvrtcCompiler(NvrtcLibrary library, std::vector<std::filesystem::path> toolkit_dirs);
  /// Ours: its device headers are inside the library.
  explicit NvrtcCompiler(std::filesystem::path cpu_compiler);

  Reader reader() const override { return reader_; }
  std::string title() const override;
  std::string identity(const CompilerOptions& options) override;
  void load() override;
  const std::vector<std::filesystem::path>& toolkit_dirs() const override { return toolkit_dirs_; }
  bool embeds(std::string_view header_name) const override;
  CompileOutcome compile(const CompileJob& job) override;

 private:
  struct Attempt {
    bool succeeded = false;
    CompileOutcome outcome;  ///< of a failure only the log
  };
  Attempt attempt(const CompileJob& job, const std::string& text,
                  const std::vector<std::string>& given) const;
  std::vector<std::string> arguments(const CompileJob& job) const;

  const Reader reader_;
  const NvrtcLibrary library_;
  const std::vector<std::filesystem::path> toolkit_dirs_;
  std::mutex mutex_;
  std::string identity_;                     ///< guarded by mutex_
  std::shared_ptr<const NvrtcTable> table_;  ///< guarded by mutex_ until load() has returned
};

/// The headers that libnvrtc is given in memory (kernels/nvrtc), and what is included before the
/// source.
inline constexpr const char* prelude_name = "treadle/prelude.h";

}  // namespace treadle::compile
