// SPDX-License-Identifier: MIT
// Running another program, and a folder to run it in. Only nvcc needs either.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace treadle::compile {

struct ProcessResult {
  int exit_status = 0;  ///< 128 + the signal's number for a program that a signal ended
  std::string output;   ///< stdout and stderr as they came
};

/// Runs `arguments[0]`, found on PATH, in `folder`, and waits. Throws LibraryNotFound if it cannot
/// be started.
ProcessResult run_process(const std::vector<std::string>& arguments,
                          const std::filesystem::path& folder);

/// The program as PATH finds it; empty if it does not.
std::filesystem::path find_program(const std::string& name);

/// A new private folder, deleted with all it holds by the destructor unless keep() was called.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const noexcept { return path_; }
  void keep() noexcept { keep_ = true; }

 private:
  std::filesystem::path path_;
  bool keep_ = false;
};

/// Whole files. Both throw FileError.
std::string read_text_file(const std::filesystem::path& path);
void write_text_file(const std::filesystem::path& path, std::string_view text);

}  // namespace treadle::compile
