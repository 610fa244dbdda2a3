// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/clang_session.hpp"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Parse/ParseAST.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "cuda_cpu/compiler/device_headers.hpp"
#include "cuda_cpu/compiler/kernel_launches.hpp"
#include "cuda_cpu/compiler/kernel_target.hpp"

namespace treadle::cuda_cpu {
namespace {

/// Diagnostics as text, into a string that somebody else owns.
struct LogStream {
  explicit LogStream(std::string& log) : stream(log) {}
  llvm::raw_string_ostream stream;
};
class LogPrinter : private LogStream, public clang::TextDiagnosticPrinter {
 public:
  LogPrinter(std::string& log, clang::DiagnosticOptions* options)
      : LogStream(log), clang::TextDiagnosticPrinter(stream, options) {}
};

const char* standard_name(Standard standard) {
  switch (standard) {
    case Standard::cxx11:
      return "-std=c++11";
    case Standard::cxx14:
      return "-std=c++14";
    case Standard::cxx17:
      return "-std=c++17";
    case Standard::cxx20:
      return "-std=c++20";
  }
  return "-std=c++17";
}

/// What every compile shares. The source's own options come after it.
std::vector<std::string> dialect_arguments(const Dialect& dialect) {
  std::vector<std::string> arguments = {
      "-triple", "spirv64", "-aux-triple", "x86_64-pc-linux-gnu", "-fcuda-is-device", "-x", "cuda",
      "-fgnuc-version=4.2.1", "-fdeclspec", "-nostdsysteminc", "-nobuiltininc",
      "-disable-llvm-passes", "-fpch-instantiate-templates",
      // A user's own `constexpr` function may call device functions; NVRTC takes that, so do we.
      "-Wno-invalid-constexpr",
      // `static no test(...);` is how templates ask what a type can do.
      "-fcuda-allow-variadic-functions",
      // Numbers that do not fit an integer have an answer on a GPU, constants too (gpu_arithmetic).
      "-fno-strict-float-cast-overflow",
      // nvcc takes `char c = {0xff}`, with a warning, and `register int i`.
      "-Wno-error=c++11-narrowing", "-Wno-register",
      // `#pragma unroll (4)` and `(float)i / RAND_MAX` are common; NVIDIA's compilers say nothing.
      "-Wno-cuda-compat", "-Wno-implicit-const-int-float-conversion",
      // The stack is ours and large; clang counts from a bottom it does not know.
      "-Wno-stack-exhausted", "-fbracket-depth", "100000", "-ferror-limit", "100"};
  arguments.emplace_back(standard_name(dialect.standard));
  arguments.emplace_back(dialect.optimized ? "-O2" : "-O0");
  arguments.emplace_back(dialect.fp_contract ? "-ffp-contract=fast" : "-ffp-contract=off");
  arguments.emplace_back(dialect.fp_contract ? "-D__TREADLE_FMAD=1" : "-D__TREADLE_FMAD=0");
  if (dialect.fast_math) {
    // NVRTC's --use_fast_math flushes denormals and relaxes division, square roots and library
    // functions. NaNs and infinities keep their meaning there, so clang's -ffast-math would go too
    // far.
    arguments.insert(arguments.end(),
                     {"-freciprocal-math", "-fapprox-func", "-D__USE_FAST_MATH__=1",
                      "-D__CUDA_FTZ=1", "-D__CUDA_PREC_DIV=0", "-D__CUDA_PREC_SQRT=0"});
  }
  return arguments;
}

/// A toolkit's or a wheel's folder: its headers are for NVIDIA's compilers, and programs name it
/// for their sake. What we have of the same names is read in their place.
bool holds_cudas_own_headers(const std::filesystem::path& folder) {
  std::error_code failed;
  return std::filesystem::exists(folder / "cuda_runtime_api.h", failed) ||
         std::filesystem::exists(folder / "nv/target", failed);
}

void append_options(std::vector<std::string>& arguments, const LanguageOptions& options) {
  bool asserts_off = false;
  if (options.has_launches) arguments.push_back(std::string("-D") + launches_macro);
  for (const std::string& macro : options.macros) {
    arguments.push_back("-" + macro);
    if (macro.starts_with("DNDEBUG")) asserts_off = true;
  }
  for (const std::string& dir : options.include_dirs)
    arguments.insert(arguments.end(), {holds_cudas_own_headers(dir) ? "-idirafter" : "-I", dir});
  // The prelude was read without the user's macros, so assert() has to be defined once more.
  if (asserts_off) arguments.insert(arguments.end(), {"-include", "assert.h"});
  if (options.relocatable) arguments.insert(arguments.end(), {"-include", "treadle/launches.h"});
  for (const std::string& file : options.forced_includes) {
    arguments.insert(arguments.end(), {"-include", file});
  }
  if (!options.warnings) arguments.emplace_back("-w");
  if (options.warnings_as_errors) arguments.emplace_back("-Werror");
  arguments.insert(
      arguments.end(),
      {"-debug-info-kind=line-tables-only", "-dwarf-version=5",
       // Without it, only functions with others inside would be known by their own names.
       "-fdebug-info-for-profiling", "-fdebug-compilation-dir=" + options.source_folder});
}

std::unique_ptr<clang::CompilerInstance> instantiate(
    const std::vector<std::string>& arguments,
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files, std::string& log) {
  auto compiler = std::make_unique<clang::CompilerInstance>();
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> style = new clang::DiagnosticOptions();
  style->ShowPresumedLoc = true;  // the line that #line gives, which is the user's own
  compiler->createDiagnostics(new LogPrinter(log, style.get()), /*ShouldOwnClient=*/true);
  std::vector<const char*> pointers;
  pointers.reserve(arguments.size());
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  if (!clang::CompilerInvocation::CreateFromArgs(compiler->getInvocation(), pointers,
                                                 compiler->getDiagnostics())) {
    return nullptr;
  }
  // createDiagnostics came before the options were known: say them to the engine that is in use.
  clang::ProcessWarningOptions(compiler->getDiagnostics(), compiler->getDiagnosticOpts(),
                               /*ReportDiags=*/false);
  compiler->createFileManager(std::move(files));
  compiler->createSourceManager(compiler->getFileManager());
  return compiler;
}

}  // namespace

std::unique_ptr<clang::CompilerInstance> make_clang(
    const LanguageOptions& options, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
    const std::string& precompiled, std::string& log) {
  std::vector<std::string> arguments = dialect_arguments(options.dialect);
  if (precompiled.empty()) {
    arguments.insert(arguments.end(), {"-include", prelude_name});
  } else {
    arguments.insert(arguments.end(), {"-include-pch", precompiled});
  }
  append_options(arguments, options);
  arguments.insert(arguments.end(), {"-internal-isystem", device_header_root});
  return instantiate(arguments, std::move(files), log);
}

std::unique_ptr<clang::CompilerInstance> make_clang_for_prelude(
    const Dialect& dialect, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
    std::string& log) {
  std::vector<std::string> arguments = dialect_arguments(dialect);
  arguments.insert(arguments.end(), {"-internal-isystem", device_header_root});
  return instantiate(arguments, std::move(files), log);
}

bool run_action(clang::CompilerInstance& clang, clang::FrontendAction& action,
                const std::string& path, SourceKind kind) {
  if (!clang.createTarget()) return false;
  clang.setTarget(with_ptx_assembly(clang.getTargetPtr()).get());
  const clang::FrontendInputFile input(path, clang::InputKind(clang::Language::CUDA),
                                       kind == SourceKind::system);
  if (!action.BeginSourceFile(clang, input)) return false;
  if (llvm::Error error = action.Execute()) llvm::consumeError(std::move(error));
  action.EndSourceFile();
  return !clang.getDiagnostics().hasErrorOccurred();
}

void parse_deeply(clang::CompilerInstance& clang, clang::FrontendAction& action) {
  if (!clang.hasPreprocessor()) return;
  if (!clang.hasSema()) clang.createSema(action.getTranslationUnitKind(), nullptr);
  clang::ParseAST(clang.getSema());
}

}  // namespace treadle::cuda_cpu
