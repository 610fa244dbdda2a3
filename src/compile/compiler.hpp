// SPDX-License-Identifier: MIT
// The interface of a compiler: what the cache must know of it, and how a compile is run.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compile/options.hpp"
#include "treadle/base/module_image.hpp"
#include "treadle/compile/compile.hpp"

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

/// How the headers of a source become known.
enum class Dependencies {
  followed,  ///< by following includes before the compile
  told       ///< they are in CompileOutcome::dependencies
};

/// One compiler of this machine, shared by all threads of the process and never destroyed before
/// its end. Lock: no caller holds one, so each function may take its own, and a compile must not
/// keep another thread's look-up waiting. Order: identity(), toolkit_dirs() and embeds() are asked
/// before and after load(); compile() after it, by any number of threads at once.
class Compiler {
 public:
  virtual ~Compiler() = default;

  /// Whose spelling options are translated to; the same for the object's whole life.
  virtual Reader reader() const = 0;
  /// "NVRTC 13.0", for messages. The version may be known only after load().
  virtual std::string title() const = 0;
  /// Changes whenever the same job could give another result. Loads nothing and runs nothing that
  /// takes long; after load(), which another thread may do meanwhile, it describes what was loaded.
  virtual std::string identity(const CompilerOptions& options) = 0;
  /// Opens the compiler, so that identity() is the one of what will run. The first call may take
  /// long and others wait for it; later ones do nothing. What it opens stays open until the process
  /// ends. Throws LibraryNotFound, and tries again when called again.
  virtual void load() = 0;
  /// Folders of the toolkit's own headers, searched after the caller's. The list lives and stays
  /// the same as long as the compiler.
  virtual const std::vector<std::filesystem::path>& toolkit_dirs() const = 0;
  /// Whether a header of that name is given to the compiler in memory. Reads what never changes.
  virtual bool embeds(std::string_view header_name) const = 0;
  /// How its headers become known; the same for the object's whole life.
  virtual Dependencies dependencies() const { return Dependencies::followed; }
  /// Blocking; several threads may be in it at once, a compiler that cannot do that queues them
  /// itself. Keeps nothing of `job`; the outcome is the caller's. Throws CompileError, which leaves
  /// the compiler usable for the next job.
  virtual CompileOutcome compile(const CompileJob& job) = 0;
};

/// The compiler for a target, one object for each per process. Throws LibraryNotFound,
/// InvalidArgument.
std::shared_ptr<Compiler> choose_compiler(const Target& target, const Options& options);

/// Throws the CompileError of a refused source: what failed, the log, what was given.
[[noreturn]] void throw_compile_error(const CompileJob& job, const std::string& title,
                                      const std::string& log);

}  // namespace treadle::compile
