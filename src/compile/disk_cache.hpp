// SPDX-License-Identifier: MIT
// One folder of compiled results, shared by all processes of one user. entry.hpp draws a file of
// it.
#pragma once

#include <sys/types.h>
#include <atomic>
#include <cstdint>

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/entry.hpp"
#include "compile/file_system.hpp"

namespace treadle::compile {

/// own: this user's, made and kept small by us. shared: named by this user, made by whomever; it is
/// read, and never written, touched or cleaned.
enum class FolderUse { own, shared };

/// Thread-safe; several processes share a folder without locks, for entries appear and vanish
/// whole. No failure of the disk reaches the caller: it is counted, the first one of a folder is
/// warned about, and work goes on.
class DiskCache {
 public:
  DiskCache(std::filesystem::path folder, std::uint64_t max_bytes,
            FileSystem files = FileSystem::system(), FolderUse use = FolderUse::own);

  /// The entry of `key`; nothing on a miss. A damaged file counts as a miss and is deleted; in a
  /// shared folder it is passed over from then on.
  std::optional<EntryBytes> load(EntryKind kind, std::string_view key);
  /// Publishes by rename: a reader sees the entry that was there, or the whole new one. Nothing is
  /// stored in a shared folder.
  void store(EntryKind kind, std::string_view key, std::string_view payload);
  /// Deletes the entry of that name, because what it holds turned out to be unusable; in a shared
  /// folder it is passed over.
  void discard(const std::string& entry_name);
  /// Counts an entry that was at fault and has been replaced; the first one is reported.
  void count_healed(const std::string& path, std::string_view fault);

  const std::filesystem::path& folder() const noexcept { return folder_; }
  /// Of the file that holds, or would hold, the entry.
  std::string path_of(EntryKind kind, std::string_view key) const;

 private:
  bool usable();
  bool is_trusted(const struct stat& status) const;
  void heal(const std::string& path, std::string_view fault);
  bool is_distrusted(const std::string& path);
  void touch_if_old(int file, const struct stat& status);
  bool write_entry(const std::string& path, const std::string& bytes);
  void keep_cap(std::uint64_t added);
  void count_failure(std::string_view action, const std::string& path, int error_number);

  const std::filesystem::path folder_;
  const std::uint64_t max_bytes_;
  const FileSystem files_;
  const FolderUse use_;
  uid_t owner_ = 0;  ///< of a shared folder; set by prepared_
  std::once_flag prepared_;
  std::atomic<bool> usable_{false};
  std::atomic<bool> warned_of_damage_{false}, warned_of_failure_{false};
  std::mutex cap_mutex_;
  std::uint64_t estimated_bytes_ =
      0;  ///< size of the folder as far as this process knows; guarded by cap_mutex_
  std::uint64_t added_unseen_ = 0;  ///< since the folder was measured; guarded by cap_mutex_
  bool measured_ = false;           ///< guarded by cap_mutex_
  std::mutex distrusted_mutex_;
  /// Entries that are of no use and could not be deleted; guarded by distrusted_mutex_.
  std::set<std::string> distrusted_;
  std::atomic<bool> any_distrusted_{false};
};

/// The cache of a folder, one object per folder and process. Empty path: the default folder; null,
/// after one warning, if there is none.
std::shared_ptr<DiskCache> disk_cache_of(const std::filesystem::path& folder);
/// The cache that has `folder`, a shared one of shared_caches() or one's own; null as above.
std::shared_ptr<DiskCache> disk_cache_at(const std::filesystem::path& folder);
/// Those of settings().shared_cache_dirs, in their order: looked at where the own one has nothing.
const std::vector<std::shared_ptr<DiskCache>>& shared_caches();
/// If the entries of `folder` take more than `limit` bytes, deletes the least recently used ones
/// down to `target`. Also deletes temporary files that a killed process left. Returns the bytes
/// that are left.
std::uint64_t evict(const FileSystem& files, const std::filesystem::path& folder,
                    std::uint64_t limit, std::uint64_t target);

/// The whole file, checked, whoever wrote it; `status` is set even if it is damaged. Nothing if it
/// is no entry of that kind.
std::optional<EntryBytes> read_entry(const FileSystem& files, const std::string& path,
                                     EntryKind kind, struct stat& status);

}  // namespace treadle::compile
