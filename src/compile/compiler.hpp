// SPDX-License-Identifier: MIT
// A compiler, whichever it is: what the cache must know of it, and how it is asked.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compile/options.hpp"
#include "treadle/base/module_image.hpp"
#include "treadle/compile/program.hpp"

namespace treadle::compile {

/// One compile, in the toolchain's own terms.
struct CompileJob {
  std::string text;    ///< the source with its #line and extern "C" (source_text.hpp)
  std::string source;  ///< as the caller gave it, for CompileError
  std::string source_name;
  std::vector<std::string> given_options;  ///< as the caller gave them, for CompileError
  CompilerOptions options;
  std::vector<std::string> names;
  std::vector<std::string> shadowed;  ///< embedded headers to leave out
  Output output = Output::cubin;
};

struct CompileOutcome {
  ModuleImage image;
  std::string log;
  /// Files the compiler says it read, where it says so; for others the includes are followed
  /// beforehand.
  std::vector<std::string> dependencies;
};

class Compiler {
 public:
  virtual ~Compiler() = default;

  virtual Reader reader() const = 0;
  /// "NVRTC 13.0", for messages.
  virtual std::string title() const = 0;
  /// Changes whenever the same job could give another result. Needs no loading of the compiler.
  virtual std::string identity(const CompilerOptions& options) = 0;
  /// Opens the compiler, so that identity() is the one of what will run. Throws LibraryNotFound.
  virtual void load() = 0;
  /// Folders of the toolkit's own headers, searched after the caller's.
  virtual const std::vector<std::filesystem::path>& toolkit_dirs() const = 0;
  /// A header that the compiler is given in memory.
  virtual bool embeds(std::string_view header_name) const = 0;
  /// CompileOutcome::dependencies will be filled.
  virtual bool reports_dependencies() const { return false; }
  /// Blocking, any thread. Throws CompileError.
  virtual CompileOutcome compile(const CompileJob& job) = 0;
};

/// The compiler for a target, one object for each per process. Throws LibraryNotFound,
/// InvalidArgument.
std::shared_ptr<Compiler> choose_compiler(const Target& target, const Options& options);

/// Throws the CompileError of a refused source: what failed, the log, what was given.
[[noreturn]] void throw_compile_error(const CompileJob& job, const std::string& title,
                                      const std::string& log);

}  // namespace treadle::compile
