// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace treadle {

/// Where a search for a library ended, and everything it looked at on the way.
struct LibrarySearch {
  std::optional<std::filesystem::path> path;  ///< none: it was not found
  std::vector<std::string> tried;             ///< each place with what was found there, in order
};

/// Finds one of Treadle's own libraries, for example "libtreadle_cpu.so": in
/// settings().library_dir, if that is set; else next to the binary that holds this code, in lib/ or
/// ../lib/treadle/ relative to it, where the loader searches for the program (LD_LIBRARY_PATH,
/// RUNPATH), and last, for builds that were not installed, in the build folder.
LibrarySearch find_own_library(const std::string& file_name);

/// A shared library opened with RTLD_NOW | RTLD_LOCAL. Closed by the destructor unless
/// keep_loaded() was called.
class SharedLibrary {
 public:
  /// Opens the first of `candidates` that loads: paths, or bare names for the loader's own search.
  /// Throws LibraryNotFound(name, each candidate with the loader's answer, hint).
  SharedLibrary(const std::string& name, std::span<const std::string> candidates,
                const std::string& hint);
  SharedLibrary(SharedLibrary&& other) noexcept;
  SharedLibrary& operator=(SharedLibrary&&) = delete;
  ~SharedLibrary();

  /// The address of an exported symbol; null if there is none.
  void* symbol(const char* name) const noexcept;
  /// The file that was opened, as the loader resolved it.
  const std::filesystem::path& path() const noexcept { return path_; }
  /// For libraries that start threads or hand out pointers that outlive this object.
  void keep_loaded() noexcept { owned_ = false; }

 private:
  void* handle_ = nullptr;
  bool owned_ = true;
  std::filesystem::path path_;
};

/// Opens one of Treadle's own libraries. Throws LibraryNotFound with every place that was tried.
SharedLibrary open_own_library(const std::string& file_name);

}  // namespace treadle
