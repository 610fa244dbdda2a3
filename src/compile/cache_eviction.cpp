// SPDX-License-Identifier: MIT
#include <algorithm>
#include <ctime>
#include <vector>

#include "compile/disk_cache.hpp"

namespace treadle::compile {
namespace {

// A temporary file lives for one write; one this old was left behind by a process that was killed.
constexpr std::time_t stale_seconds = 3600;

struct File {
  std::string path;
  std::uint64_t size;
  timespec used;
};

bool older(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

}  // namespace

std::uint64_t evict(const FileSystem& files, const std::filesystem::path& folder,
                    std::uint64_t limit, std::uint64_t target) {
  std::vector<std::string> names;
  if (files.list(folder.c_str(), names) != 0) return 0;
  std::vector<File> entries;
  std::uint64_t total = 0;
  for (const std::string& name : names) {
    const bool temporary = name.starts_with(temporary_prefix);
    if (!temporary && !kind_of_file_name(name)) continue;
    std::string path = folder.native() + '/' + name;
    struct stat status{};
    if (files.lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (temporary) {
      if (std::time(nullptr) - status.st_mtim.tv_sec > stale_seconds) files.unlink(path.c_str());
      continue;
    }
    const auto size = static_cast<std::uint64_t>(status.st_size);
    total += size;
    entries.push_back({std::move(path), size, status.st_mtim});
  }
  if (total <= limit) return total;
  std::ranges::sort(entries, [](const File& a, const File& b) { return older(a.used, b.used); });
  for (const File& entry : entries) {
    if (total <= target) break;
    // Readers that have it open go on reading; a writer that replaced it meanwhile loses one entry,
    // not correctness.
    if (files.unlink(entry.path.c_str()) == 0) total -= entry.size;
  }
  return total;
}

}  // namespace treadle::compile
