// SPDX-License-Identifier: MIT
#include "treadle/process/debug_files.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "treadle/process/folders.hpp"
#include "treadle/process/settings.hpp"
#include "treadle/process/write_all.hpp"

namespace treadle {
namespace {

using std::filesystem::path;

path home_folder() {
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/') return home;
  std::vector<char> buffer(16384);
  passwd record{};
  passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &record, buffer.data(), buffer.size(), &found) != 0 || found == nullptr)
    return {};
  return found->pw_dir != nullptr && found->pw_dir[0] == '/' ? found->pw_dir : "";
}

/// What is loaded from the folder runs as this user, so nobody else may have been able to write to
/// it.
bool is_private(const path& folder) {
  struct stat status{};
  return lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool make_private(const path& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno == ENOENT && folder.has_relative_path()) {
    make_private(folder.parent_path());
    mkdir(folder.c_str(), 0700);
  }
  return is_private(folder);
}

void touch(const path& file) { utimensat(AT_FDCWD, file.c_str(), nullptr, 0); }

/// Whether the file is there, with these bytes. Asking counts as a use.
bool holds(const path& file, std::string_view bytes) {
  std::ifstream stream(file, std::ios::binary);
  std::string found(bytes.size() + 1, '\0');
  stream.read(found.data(), static_cast<std::streamsize>(found.size()));
  if (static_cast<std::size_t>(stream.gcount()) != bytes.size()) return false;
  found.pop_back();
  if (found != bytes) return false;
  touch(file);
  return true;
}

/// Written under another name and renamed: readers see no partial file, and mappings of the old one
/// stay valid.
bool publish(const path& file, std::string_view bytes) {
  std::string temporary = file.native() + ".XXXXXX";
  const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool written = write_all(::write, descriptor, bytes.data(), bytes.size());
  close(descriptor);
  if (written && rename(temporary.c_str(), file.c_str()) == 0) return true;
  unlink(temporary.c_str());
  return false;
}

struct File {
  path name;
  std::filesystem::file_time_type used;
  std::uintmax_t size;
};

std::vector<File> files_in(const path& folder) {
  std::vector<File> files;
  std::error_code failed;
  for (std::filesystem::recursive_directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code gone;  // by another process that cleans up
    File file{at->path(), at->last_write_time(gone), at->file_size(gone)};
    if (!gone) files.push_back(std::move(file));
  }
  return files;
}

bool erase(const File& file) {
  if (unlink(file.name.c_str()) != 0) return false;
  rmdir(file.name.parent_path().c_str());  // once it is empty
  return true;
}

void delete_oldest(const path& folder, std::uintmax_t limit_bytes) {
  std::vector<File> files = files_in(folder);
  std::uintmax_t total = 0;
  for (const File& file : files) total += file.size;
  if (total <= limit_bytes) return;
  std::ranges::sort(files, {}, &File::used);
  for (const File& file : files) {
    if (total <= limit_bytes / 2) return;
    if (erase(file)) total -= file.size;
  }
}

// Null: the library's own.
constinit std::atomic<const char*> xdg_name = nullptr;

}  // namespace

path user_cache_folder() {
  if (const path& named = settings().cache_dir; !named.empty()) return absolute_path(named);
  return unnamed_cache_folder();
}

void name_xdg_cache_folder(const char* name) noexcept { xdg_name = name; }

path unnamed_cache_folder() {
  const char* const name = xdg_name;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && cache[0] != '\0')
    if (cache[0] == '/' || name != nullptr)
      return absolute_path(cache) / (name == nullptr ? "treadle" : name);
  const path home = home_folder();
  return home.empty() ? path() : home / ".cache" / "treadle";
}

path DebugFiles::keep(const path& name, std::string_view bytes) try {
  constexpr unsigned writes_between_looks = 256;
  if (folder_.empty()) return {};
  // Also below a folder that the user named: what is kept here is opened by its name.
  if (!untrusted_way_to(folder_).empty()) return {};
  if (!make_private(folder_.parent_path()) || !make_private(folder_)) return {};
  const path file = folder_ / name;
  if (!make_private(file.parent_path())) return {};
  if (holds(file, bytes)) return file;
  if (!publish(file, bytes)) return {};
  if (written_++ % writes_between_looks == 0) delete_oldest(folder_, max_bytes_);
  return file;
} catch (const std::exception&) {
  return {};  // no memory, a malformed name: as if the disk were full
}

void DebugFiles::use(const path& below) const noexcept try {
  for (const File& file : files_in(folder_ / below)) touch(file.name);
} catch (const std::exception&) {
  return;  // no memory: they may be deleted earlier
}

DebugFiles::Contents DebugFiles::contents() const {
  Contents all;
  if (!is_private(folder_)) return all;  // a link may lead to files of others
  for (const File& file : files_in(folder_)) all.add(file.size);
  return all;
}

DebugFiles::Contents DebugFiles::clear() const {
  Contents deleted;
  if (!is_private(folder_)) return deleted;
  for (const File& file : files_in(folder_))
    if (erase(file)) deleted.add(file.size);
  std::error_code failed;  // folders that were empty
  std::filesystem::remove_all(folder_, failed);
  return deleted;
}

DebugFiles& debug_files() {
  // Never destroyed: modules may be loaded until the process ends.
  static DebugFiles* const files = [] {
    const path cache = settings().cache ? user_cache_folder() : path();
    return new DebugFiles(cache.empty() ? path() : cache / debug_folder,
                          settings().cache_max_bytes / 4);
  }();
  return *files;
}

}  // namespace treadle
