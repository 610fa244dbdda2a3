// SPDX-License-Identifier: MIT
#include "compile/disk_cache.hpp"

#define FMT_HEADER_ONLY
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <map>
#include <utility>

#include "compile/cache_folder.hpp"
#include "compile/file_system.hpp"
#include "compile/statistics.hpp"
#include "treadle/process/folders.hpp"
#include "treadle/process/settings.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::compile {
namespace {

// Larger files were not written by us, and are not read into memory to find that out.
constexpr std::uint64_t max_entry_bytes = std::uint64_t{1} << 30;
// File times need not be finer than this to tell old entries from new ones, and each update is a
// write.
constexpr std::time_t touch_interval_seconds = 3600;

std::string temporary_name() {
  static std::atomic<unsigned> counter{0};
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return fmt::format("{}{}-{:x}-{}", temporary_prefix, getpid(),
                     static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
                         static_cast<std::uint64_t>(now.tv_nsec),
                     counter++);
}

}  // namespace

DiskCache::DiskCache(std::filesystem::path folder, std::uint64_t max_bytes, FileSystem files,
                     FolderUse use)
    : folder_(std::move(folder)), max_bytes_(max_bytes), files_(std::move(files)), use_(use) {}

bool DiskCache::usable() {
  std::call_once(prepared_, [&] {
    const bool is_own = use_ == FolderUse::own;
    const std::string reason =
        is_own ? prepare_folder(files_, folder_) : judge_shared_folder(files_, folder_, owner_);
    usable_ = reason.empty();
    if (usable_) return;
    ++counters().io_errors;
    if (is_own)
      warn("the disk cache is not used: " + reason + "; compiled kernels are kept in memory only");
    else
      warn("a shared cache is not used: " + reason);
  });
  return usable_;
}

/// Whether a trusted user wrote the file: this one, or the owner of a folder that this one named.
bool DiskCache::is_trusted(const struct stat& status) const {
  if (!S_ISREG(status.st_mode)) return false;
  if (use_ == FolderUse::own) return status.st_uid == geteuid();
  return status.st_uid == owner_ && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::string DiskCache::path_of(EntryKind kind, std::string_view key) const {
  return folder_.native() + '/' + entry_file_name(kind, key);
}

void DiskCache::count_failure(std::string_view action, const std::string& path, int error_number) {
  ++counters().io_errors;
  if (warned_of_failure_.exchange(true)) return;
  warn(fmt::format("the disk cache cannot {} {}: {}; work goes on without it (reported once)",
                   action, path, error_text(error_number)));
}

void DiskCache::heal(const std::string& path, std::string_view fault) {
  if (use_ == FolderUse::shared || (files_.unlink(path.c_str()) != 0 && errno != ENOENT)) {
    // What may only be read: at least this process does not come back to it.
    const std::lock_guard lock(distrusted_mutex_);
    distrusted_.insert(path);
    any_distrusted_ = true;
  }
  count_healed(path, fault);
}

void DiskCache::count_healed(const std::string& path, std::string_view fault) {
  ++counters().healed;
  if (warned_of_damage_.exchange(true)) return;
  warn(fmt::format("{} in the disk cache {}; it is compiled again (reported once)", path, fault));
}

bool DiskCache::is_distrusted(const std::string& path) {
  if (!any_distrusted_) return false;
  const std::lock_guard lock(distrusted_mutex_);
  return distrusted_.contains(path);
}

void DiskCache::touch_if_old(int file, const struct stat& status) {
  // Access times are off on many systems, so a hit sets the modification time: eviction goes by it.
  if (use_ == FolderUse::own && std::time(nullptr) - status.st_mtim.tv_sec > touch_interval_seconds)
    files_.touch(file);
}

std::optional<EntryBytes> DiskCache::load(EntryKind kind, std::string_view key) {
  if (!usable()) return {};
  const std::string path = path_of(kind, key);
  if (is_distrusted(path)) return {};
  const OpenFile file(files_, files_.open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0));
  if (!file) {
    if (errno != ENOENT) count_failure("open", path, errno);
    return {};
  }
  struct stat status{};
  if (files_.fstat(file.get(), &status) != 0)
    return count_failure("stat", path, errno), std::nullopt;
  if (!is_trusted(status)) return count_failure("trust", path, EPERM), std::nullopt;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > max_entry_bytes) return heal(path, "is too large to be an entry"), std::nullopt;
  auto bytes = std::make_unique_for_overwrite<char[]>(size + 1);
  if (!read_exactly(files_, file.get(), bytes.get(), size))
    return count_failure("read", path, errno), std::nullopt;
  std::optional<EntryBytes> entry = unpack_entry(kind, std::move(bytes), size);
  if (!entry) return heal(path, "is damaged"), std::nullopt;
  // Another key under this name: not damage, and not ours. The new entry will take its place.
  if (entry->key != key) return {};
  touch_if_old(file.get(), status);
  return entry;
}

std::optional<EntryBytes> read_entry(const FileSystem& files, const std::string& path,
                                     EntryKind kind, struct stat& status) {
  const OpenFile file(files, files.open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0));
  if (!file || files.fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > max_entry_bytes) return {};
  auto bytes = std::make_unique_for_overwrite<char[]>(size + 1);
  if (!read_exactly(files, file.get(), bytes.get(), size)) return {};
  return unpack_entry(kind, std::move(bytes), size);
}

void DiskCache::store(EntryKind kind, std::string_view key, std::string_view payload) {
  if (use_ == FolderUse::shared || !usable()) return;
  const std::string bytes = pack_entry(kind, key, payload);
  if (bytes.size() > std::min(max_entry_bytes, max_bytes_)) return;
  if (write_entry(path_of(kind, key), bytes)) keep_cap(bytes.size());
}

bool DiskCache::write_entry(const std::string& path, const std::string& bytes) {
  const std::string temporary = folder_.native() + '/' + temporary_name();
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  int descriptor = files_.open(temporary.c_str(), flags, 0600);
  if (descriptor < 0 && errno == ENOENT && prepare_folder(files_, folder_).empty())
    descriptor = files_.open(temporary.c_str(), flags, 0600);  // the folder was deleted meanwhile
  if (descriptor < 0) return count_failure("create", temporary, errno), false;
  // No fsync: after a crash of the machine the checksum reveals a half-written entry, which is then
  // replaced. Waiting for the disk would cost more than many compiles.
  bool written = write_all(files_, descriptor, bytes.data(), bytes.size());
  int failure = errno;
  if (files_.close(descriptor) != 0 && written) {  // quota and network disks report here
    written = false;
    failure = errno;
  }
  if (!written) {
    files_.unlink(temporary.c_str());
    return count_failure("write", temporary, failure), false;
  }
  if (files_.rename(temporary.c_str(), path.c_str()) != 0) {
    failure = errno;
    files_.unlink(temporary.c_str());
    return count_failure("publish", path, failure), false;
  }
  if (any_distrusted_) {
    const std::lock_guard lock(distrusted_mutex_);
    distrusted_.erase(path);
  }
  return true;
}

void DiskCache::discard(const std::string& entry_name) {
  if (usable() && kind_of_file_name(entry_name))
    heal(folder_.native() + '/' + entry_name, "held code that could not be loaded");
}

void DiskCache::keep_cap(std::uint64_t added) {
  const std::lock_guard lock(cap_mutex_);
  estimated_bytes_ += added;
  added_unseen_ += added;
  // Other processes add unseen. The folder is measured at the first entry that this process writes,
  // whenever it may be full, and so often that a hundred processes together keep the cap.
  const bool is_due = added_unseen_ > max_bytes_ / 1024;
  if (std::exchange(measured_, true) && estimated_bytes_ <= max_bytes_ && !is_due) return;
  added_unseen_ = 0;
  estimated_bytes_ = evict(files_, folder_, max_bytes_, max_bytes_ - max_bytes_ / 10);
}

namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<DiskCache>> caches;
  bool warned_without_home = false;
};
Registry& registry() {
  static auto* const instance = new Registry;  // never destroyed: other threads may still compile
  return *instance;
}

}  // namespace

std::shared_ptr<DiskCache> disk_cache_of(const std::filesystem::path& folder) {
  // Chosen anew each time: a program may change XDG_CACHE_HOME while it runs.
  std::string reason;
  std::filesystem::path chosen = chosen_folder(folder, reason).lexically_normal();
  if (!chosen.has_filename()) chosen = chosen.parent_path();  // "cache/": lstat would follow a link
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (chosen.empty()) {
    if (!std::exchange(all.warned_without_home, true))
      warn("the disk cache is not used: " + reason + "; compiled kernels are kept in memory only");
    return nullptr;
  }
  std::shared_ptr<DiskCache>& cache = all.caches[chosen.native()];
  if (!cache) cache = std::make_shared<DiskCache>(chosen, settings().cache_max_bytes);
  return cache;
}

const std::vector<std::shared_ptr<DiskCache>>& shared_caches() {
  static const auto& all = *[] {
    auto* made = new std::vector<std::shared_ptr<DiskCache>>;  // never destroyed, as registry()
    for (const std::filesystem::path& folder : settings().shared_cache_dirs) {
      std::filesystem::path whole = absolute_path(folder).lexically_normal();
      if (!whole.has_filename()) whole = whole.parent_path();  // "cache/": as disk_cache_of()
      made->push_back(
          std::make_shared<DiskCache>(whole, 0, FileSystem::system(), FolderUse::shared));
    }
    return made;
  }();
  return all;
}

std::shared_ptr<DiskCache> disk_cache_at(const std::filesystem::path& folder) {
  for (const auto& shared : shared_caches())
    if (shared->folder() == folder) return shared;
  return disk_cache_of(folder);
}

}  // namespace treadle::compile
