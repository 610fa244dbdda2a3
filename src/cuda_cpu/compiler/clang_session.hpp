// SPDX-License-Identifier: MIT
// One clang compiler instance, set up for device code of a dialect; used to parse sources and to
// make preludes.
#pragma once

#include <llvm/ADT/IntrusiveRefCntPtr.h>

#include <memory>
#include <string>

#include "cuda_cpu/compiler/language_options.hpp"

namespace clang {
class CompilerInstance;
class FrontendAction;
}  // namespace clang
namespace llvm::vfs {
class FileSystem;
}

namespace treadle::cuda_cpu {

/// A compiler instance whose diagnostics go, without colours, to `log`, which must outlive it.
/// `files` is all of the file system it sees. `precompiled` names a prelude inside `files`; empty:
/// the prelude is parsed.
std::unique_ptr<clang::CompilerInstance> make_clang(
    const LanguageOptions& options, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
    const std::string& precompiled, std::string& log);

/// The same without any prelude and any option but the dialect: for making the prelude itself.
std::unique_ptr<clang::CompilerInstance> make_clang_for_prelude(
    const Dialect& dialect, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
    std::string& log);

enum class SourceKind { user, system };  ///< of system sources no warnings are said

/// Runs `action` over the CUDA source at `path` of the instance's file system. False after an
/// error.
bool run_action(clang::CompilerInstance& clang, clang::FrontendAction& action,
                const std::string& path, SourceKind kind);

/// Parses with `clang`'s preprocessor and the consumer `action` made, whatever the depth of the
/// stack: clang's own ExecuteAction would move to new, small stacks once 8 MB are used.
void parse_deeply(clang::CompilerInstance& clang, clang::FrontendAction& action);

}  // namespace treadle::cuda_cpu
