// SPDX-License-Identifier: MIT
// Coverage: clang counts where threads come, and says which pieces of the text each counter is for.
// What it says is made into lines and branches here, as the user counts them: #line is followed.
#pragma once

#include <string>

namespace clang {
class CompilerInstance;
class CoverageSourceInfo;
class SourceManager;
}  // namespace clang
namespace llvm {
class Module;
}

namespace treadle::cuda_cpu {

/// Before the code generator is made: has it count.
void count_places(clang::CompilerInstance& clang);
/// What the code generator wants to know of the text; null if it does not count.
clang::CoverageSourceInfo* coverage_source_info(clang::CompilerInstance& clang);

/// Makes one list of counters of those that clang has for each function, and a map of the text from
/// clang's, and notes both as `!treadle.coverage`. What is in our headers is not counted.
/// `own_root` is where headers lie that users know by the rest of the name.
void take_coverage(llvm::Module& module, const clang::SourceManager& sources,
                   const std::string& own_root);

}  // namespace treadle::cuda_cpu
