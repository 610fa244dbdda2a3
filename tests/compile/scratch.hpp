// SPDX-License-Identifier: MIT
// What the tests of this room share: a folder that goes away, files in it, a compiler if there is
// one.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "treadle/compile/toolchain.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::compile {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "treadle-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

 private:
  std::filesystem::path path_;
};

inline std::string file_bytes(const std::filesystem::path& path) {
  std::ostringstream all;  // as a whole: byte by byte takes a sanitized build a minute
  all << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(all).str();
}

inline void overwrite(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Names of the files of a folder that end with `suffix`, sorted.
inline std::vector<std::string> names_with(const std::filesystem::path& folder,
                                           const std::string& suffix) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().native().ends_with(suffix)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

/// Collects the warnings of its lifetime instead of printing them.
class CaughtWarnings {
 public:
  CaughtWarnings()
      : before_(set_warning_handler([this](std::string_view text) { texts.emplace_back(text); })) {}
  CaughtWarnings(const CaughtWarnings&) = delete;
  CaughtWarnings& operator=(const CaughtWarnings&) = delete;
  ~CaughtWarnings() { set_warning_handler(before_); }
  std::vector<std::string> texts;

 private:
  WarningHandler before_;
};

inline std::filesystem::path source_folder() {
  const char* folder = std::getenv("TREADLE_SOURCE_DIR");
  return folder != nullptr ? folder : "";
}

/// Whether libnvrtc is on this machine, in the project's virtual environment or in a toolkit.
inline bool has_nvrtc() {
  static const bool found = [] {
    std::error_code failure;
    for (std::filesystem::directory_iterator i(source_folder() / ".venv/lib", failure), end;
         !failure && i != end; i.increment(failure))
      add_library_search_dir(i->path() / "site-packages");
    return !compiler_status()[0].path.empty();
  }();
  return found;
}

#define TREADLE_NEEDS_NVRTC() \
  if (!has_nvrtc()) GTEST_SKIP() << "no libnvrtc on this machine: pip install nvidia-cuda-nvrtc"

#define TREADLE_NEEDS_CPU_COMPILER() \
  if (compiler_status()[1].path.empty()) GTEST_SKIP() << "no libtreadle_clang in this build"

}  // namespace treadle::compile
