// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

namespace treadle {

/// A file of events that is whole after each write: its end is written over by the next events.
/// Several processes may add to one.
class TraceFile {
 public:
  enum class Start { replace, join };
  /// Makes the file, or finds one to be joined; a relative path is one from here. Throws
  /// InvalidArgument if what is there is no trace, FileError if it cannot be written.
  TraceFile(const std::filesystem::path& path, Start start);

  /// Adds events: objects of JSON with ",\n" between them. A file that somebody deleted or emptied
  /// is left so: that trace is not wanted any more. Throws FileError.
  void append(std::string_view events) const;

  /// Absolute.
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace treadle
