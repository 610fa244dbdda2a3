// SPDX-License-Identifier: MIT
// What a compile read of the machine's own headers: it belongs into the key of whoever caches the
// result, and only the compiler knows it.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace clang {
class CompilerInstance;
}  // namespace clang

namespace treadle::cuda_cpu {

struct HostFiles {
  std::set<std::string> read;    ///< files below host_header_dirs()
  std::set<std::string> absent;  ///< one that appears would be read in place of one of them
};

/// Notes into `files` what the preprocessor of `clang` will include or ask for. `user_dirs` are
/// searched before the machine's. `files` must outlive the compile.
void note_host_files(clang::CompilerInstance& clang, const std::vector<std::string>& user_dirs,
                     HostFiles& files);

}  // namespace treadle::cuda_cpu
