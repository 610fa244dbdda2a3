// SPDX-License-Identifier: MIT
// The disk cache as users manage it: list, verify, trim, clear.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "treadle/compile/cached.hpp"

namespace treadle::compile {

// In each function an empty `folder` means the default one: settings().cache_dir, or the user's
// cache folder. Functions that delete throw InvalidArgument for a folder that the cache would
// refuse to use (CacheState::problem), and all that read one FileError if that fails.

/// A cache folder from outside.
struct CacheState {
  std::filesystem::path folder;  ///< the one that was asked about, the default in full
  bool enabled = true;           ///< settings().cache
  bool exists = false;           ///< the folder is there
  std::string problem;           ///< why the folder is refused; empty if it is not
  std::uint64_t programs = 0;    ///< entries that hold compiled code
  std::uint64_t manifests = 0;   ///< entries that remember which headers a source includes
  std::uint64_t bytes = 0, max_bytes = 0;  ///< of all entries, and settings().cache_max_bytes
  /// What debuggers and profilers read of kernels on the CPU device; has a limit of its own, a
  /// quarter of max_bytes.
  std::uint64_t debug_files = 0, debug_bytes = 0;
};
/// Counts; opens no entry.
CacheState cache_state(const std::filesystem::path& folder = {});
/// The same of each folder of settings().shared_cache_dirs, which have no limit: max_bytes is 0.
std::vector<CacheState> shared_cache_states();

/// One file of the cache.
struct CacheEntry {
  std::string name;          ///< of the file, in the folder
  bool is_manifest = false;  ///< it holds no code, but the names and digests of a source's headers
  bool damaged = false;      ///< not as it was written; nothing else is known of it then
  std::uint64_t bytes = 0;   ///< of the file
  std::chrono::system_clock::time_point last_used;  ///< to about an hour
  std::string language;                             ///< "CUDA C", "OpenCL C"; this and the
                                                    ///< following are from the stored key
  std::string source_name, source;                  ///< what was compiled
  std::vector<std::string> options;                 ///< canonical
  std::vector<KeyField> identity;                   ///< who compiled it, for what
  std::string target, compiler;                     ///< of `identity`; empty if it has none
  std::uint64_t image_bytes = 0;                    ///< of the compiled code; 0 for manifests
};
/// Every entry, the most recently used first; each is read and checked.
std::vector<CacheEntry> list_cache(const std::filesystem::path& folder = {});

/// What verify_cache() found.
struct CacheCheck {
  std::uint64_t sound = 0;           ///< how many were as they were written
  std::vector<std::string> damaged;  ///< names of files, which were deleted
};
/// Reads every entry and deletes those that are not as they were written.
CacheCheck verify_cache(const std::filesystem::path& folder = {});

/// Deletes the least recently used entries until the others take no more than `max_bytes`; nothing
/// if they already do. Returns the bytes that are left.
std::uint64_t prune_cache(std::uint64_t max_bytes, const std::filesystem::path& folder = {});

/// One part of two keys that is not the same.
struct KeyDifference {
  std::string field;  ///< "source", "options", "header <path>", or an identity field's name
  /// The field in `nearest` and in `entry`; empty where one has no such field.
  std::string before, after;
};
/// A program, and the one before it that it is most like.
struct MissExplanation {
  std::string entry;    ///< the one that was made because there was none
  std::string nearest;  ///< the one that is most like it; empty: there is none of this kernel
  std::vector<KeyDifference> differences;  ///< from `nearest` to `entry`
};
/// Why a program was compiled although its source had been compiled before: the parts of its key
/// that differ from the most similar entry's. `entry` is a name as list_cache() tells it; empty:
/// the latest program that was compiled. Throws InvalidArgument if there is no such entry.
MissExplanation explain_miss(const std::string& entry = {},
                             const std::filesystem::path& folder = {});

/// Deletes every entry, the files for debuggers and what killed processes left, nothing else that
/// may be in the folder, and forgets what this process holds in memory. Returns the bytes freed.
std::uint64_t clear_cache(const std::filesystem::path& folder = {});

/// Forgets what this process holds in memory; the disk stays.
void clear_memory_cache();

}  // namespace treadle::compile
