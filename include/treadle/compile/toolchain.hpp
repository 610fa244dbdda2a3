// SPDX-License-Identifier: MIT
// Which compilers this process has, and where they were looked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace treadle::compile {

/// One more folder in which compiler libraries are looked for, before the system's: Python's
/// site-packages, which hold them in nvidia/cu13/lib and the like. Call it before the first
/// compile.
void add_library_search_dir(const std::filesystem::path& folder);

/// The CUDA version of the installed driver as cuDriverGetVersion tells it (13000 is 13.0). Without
/// it the version is taken from the driver's library if the process has loaded it, else from /proc.
/// Code of a newer major version than the driver's would not load, so such a compiler is passed
/// over.
void set_driver_version(int version);
/// 0: there is no driver, any compiler fits.
int driver_version();

class Target;  // treadle/compile/compile.hpp

/// One compiler, or why there is none.
struct CompilerStatus {
  std::string name;            ///< "NVRTC", "CPU compiler", "nvcc"
  std::filesystem::path path;  ///< empty: none was found
  std::string version;         ///< "13.0"; empty where only running it would tell
  std::string identity;        ///< the build, as it stands in cache keys
  std::vector<std::filesystem::path> header_dirs;  ///< the toolkit's headers, given to each compile
  std::vector<std::string> tried;                  ///< every place looked at, with what was there
  std::string problem, hint;  ///< why it cannot be used, and the one thing to do
};
/// All of them. Looks, loads nothing; reads the 30 MB of nvcc.
std::vector<CompilerStatus> compiler_status();
/// The compiler that a process loads for `target`, alone.
CompilerStatus compiler_status(const Target& target);

}  // namespace treadle::compile
