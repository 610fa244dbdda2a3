// SPDX-License-Identifier: MIT
// Everything a source includes, directly and through other headers: the contents that belong into
// its key, and what must be looked at to know that nothing changed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/digest.hpp"

namespace treadle::compile {

/// What stat says of a file. Equal stamps mean equal contents if the file had been left alone for a
/// while when the stamp was taken: `trusted`. Otherwise a write within the clock's resolution could
/// have gone unseen.
struct FileStamp {
  std::uint64_t device = 0, inode = 0, size = 0, modified_ns = 0, changed_ns = 0;
  bool trusted = false;
  bool same_file(const FileStamp& other) const noexcept {
    return device == other.device && inode == other.inode && size == other.size &&
           modified_ns == other.modified_ns && changed_ns == other.changed_ns;
  }
};
/// Nothing if `path` leads to no ordinary file.
std::optional<FileStamp> stamp_of(const std::string& path);

struct IncludedFile {
  std::string path;
  Digest digest;
  FileStamp stamp;
};

struct IncludeClosure {
  std::vector<IncludedFile> files;  ///< in the order of their first use
  std::vector<std::string>
      absent;  ///< looked for and not found: one that appears changes what is included
  std::vector<std::string> present;  ///< only their existence was asked for
  std::vector<std::string>
      shadowed;          ///< embedded headers that a file in the user's folders replaces
  Digest structure;      ///< which name led to which file, and every answer to __has_include
  std::string obstacle;  ///< why the closure cannot be known; empty if it is known
  bool names_its_file = false, names_the_time = false;

  bool nothing_to_check() const noexcept {
    return files.empty() && absent.empty() && present.empty();
  }
};

struct IncludeSearch {
  std::vector<std::filesystem::path> user_dirs;     ///< absolute, in search order
  std::vector<std::filesystem::path> toolkit_dirs;  ///< searched after them
  std::vector<std::string> pre_includes;
  std::function<bool(std::string_view)>
      is_embedded;  ///< names that the compiler is given in memory
  /// Every folder's file of a name counts, not the first one's alone: for compilers whose order is
  /// not known.
  bool any_order = false;
};

/// Follows the includes of `source`, which itself stands in no folder.
IncludeClosure follow_includes(std::string_view source, const IncludeSearch& search);

/// Adds a file that a compiler says it read; false if it cannot be read.
bool add_dependency(IncludeClosure& closure, const std::string& path);

/// What came of looking at the files again.
enum class Freshness {
  unchanged,
  restamped,  ///< other times, same contents
  changed
};
/// New stamps of files, by their place in IncludeClosure::files.
using Restamps = std::vector<std::pair<std::size_t, FileStamp>>;
Freshness check_closure(const IncludeClosure& closure, Restamps& restamps);

/// Bytes for the disk, and back. Parsing is bounded by the bytes; nothing if they are not such a
/// list.
std::string pack_closure(const IncludeClosure& closure);
std::optional<IncludeClosure> unpack_closure(std::string_view bytes);

}  // namespace treadle::compile
