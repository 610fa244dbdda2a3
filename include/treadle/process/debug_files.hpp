// SPDX-License-Identifier: MIT
// Files that debuggers and profilers read, some of them after the program has ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

namespace treadle {

/// TREADLE_CACHE_DIR, else $XDG_CACHE_HOME/treadle, else ~/.cache/treadle; absolute, and empty if
/// there is no home folder. Whether it exists is not looked at.
std::filesystem::path user_cache_folder();
/// Below XDG_CACHE_HOME that folder is called `name`, a literal, from now on; also where that
/// variable holds a relative path, which is ignored otherwise. For programs that expect the cache
/// of another library under its name.
void name_xdg_cache_folder(const char* name) noexcept;
/// The default of that folder, whatever TREADLE_CACHE_DIR says.
std::filesystem::path unnamed_cache_folder();

/// Their folder in the cache folder: a name that no other program uses, for what is in it is
/// deleted.
inline constexpr const char* debug_folder = "treadle-debug";

/// Where line tables say that sources of strings are, each in a folder of its own named by a digest
/// of it. The same on all machines, and nowhere: debuggers are told to look below `source` in
/// debug_folder.
inline constexpr std::string_view debug_source_root = "/treadle/source/";

/// A folder of such files. Thread-safe, and safe beside other processes with the same folder.
class DebugFiles {
 public:
  /// The folder need not exist; an empty one keeps nothing. At times the files that were asked for
  /// longest ago are deleted, so that all together take little more than `max_bytes`.
  DebugFiles(std::filesystem::path folder, std::uint64_t max_bytes)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}

  const std::filesystem::path& folder() const noexcept { return folder_; }

  /// The path of a file of that name, relative to the folder, with these bytes: one that is there
  /// is used as it is. Empty where it cannot be had: no folder, one that others may write to, a
  /// full disk. Blocks for the disk; throws nothing.
  std::filesystem::path keep(const std::filesystem::path& name, std::string_view bytes);

  /// Counts as a use of all files below that folder, relative to this one: what they belong to is
  /// used. Blocks for the disk.
  void use(const std::filesystem::path& below) const noexcept;

  /// What there is, of all processes.
  struct Contents {
    std::uint64_t files = 0, bytes = 0;

    void add(std::uint64_t size) { ++files, bytes += size; }
  };
  Contents contents() const;
  /// Deletes everything, also what other processes put there; returns what that was.
  Contents clear() const;

 private:
  const std::filesystem::path folder_;
  const std::uint64_t max_bytes_;
  std::atomic<unsigned> written_{0};
};

/// The process's: `debug_folder` in the cache folder, at most a quarter of TREADLE_CACHE_MAX_BYTES;
/// none where TREADLE_CACHE=0 keeps everything in memory.
DebugFiles& debug_files();

}  // namespace treadle
