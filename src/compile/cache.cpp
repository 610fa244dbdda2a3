// SPDX-License-Identifier: MIT
#include "treadle/compile/cache.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "compile/cache_folder.hpp"
#include "compile/compiled.hpp"
#include "compile/disk_cache.hpp"
#include "compile/file_system.hpp"
#include "compile/key.hpp"
#include "compile/result_memory.hpp"
#include "compile/statistics.hpp"
#include "treadle/base/error.hpp"
#include "treadle/process/debug_files.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::compile {
namespace {

const FileSystem& files() { return FileSystem::system(); }

// Names of entries and temporary files, whatever else is in the folder. A missing folder is an
// empty one.
std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  if (folder.empty()) return names;
  if (files().list(folder.c_str(), names) != 0 && errno != ENOENT)
    throw FileError(errno, folder.string(), "reading the cache folder " + folder.string());
  std::erase_if(names, [](const std::string& name) {
    return !kind_of_file_name(name) && !name.starts_with(temporary_prefix);
  });
  return names;
}

// The folder to delete in. One that the cache would not use is none: what looks like an entry there
// may be somebody else's file.
std::filesystem::path trusted_folder(const std::filesystem::path& folder) {
  std::string problem;
  std::filesystem::path chosen = chosen_folder(folder, problem);
  if (!chosen.empty()) problem = judge_folder(files(), chosen);
  if (!problem.empty()) throw InvalidArgument("this cache is left as it is: " + problem);
  return chosen;
}

std::chrono::system_clock::time_point time_of(const struct stat& status) {
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::seconds(status.st_mtim.tv_sec) +
          std::chrono::nanoseconds(status.st_mtim.tv_nsec)));
}

CacheEntry describe(const std::string& name, EntryKind kind, const std::optional<EntryBytes>& bytes,
                    const struct stat& status) {
  CacheEntry entry;
  entry.name = name;
  entry.is_manifest = kind == EntryKind::includes;
  entry.bytes = static_cast<std::uint64_t>(status.st_size);
  entry.last_used = time_of(status);
  entry.damaged = !bytes || entry_file_name(kind, bytes->key) != name;
  if (entry.damaged) return entry;
  if (auto key = describe_key(bytes->key)) {
    entry.language = std::move(key->language);
    entry.target = key->field("target");
    entry.compiler = key->field("compiler");
    entry.options = std::move(key->options);
    entry.identity = std::move(key->identity);
    entry.source_name = std::move(key->source_name);
    entry.source = std::move(key->source);
  }
  ModuleImage image;
  std::string log;
  if (kind == EntryKind::program && unpack_payload(bytes->payload, image, log))
    entry.image_bytes = image.code.size();
  return entry;
}

DebugFiles debug_files_in(const std::filesystem::path& folder) {
  return {folder / debug_folder, settings().cache_max_bytes};
}

void count_entries(CacheState& state) {
  struct stat status{};
  state.exists = files().lstat(state.folder.c_str(), &status) == 0;
  if (!state.exists || !state.problem.empty()) return;
  for (const std::string& name : names_in(state.folder)) {
    const auto kind = kind_of_file_name(name);
    if (!kind || files().lstat((state.folder / name).c_str(), &status) != 0) continue;
    ++(*kind == EntryKind::program ? state.programs : state.manifests);
    state.bytes += static_cast<std::uint64_t>(status.st_size);
  }
  const DebugFiles::Contents debug = debug_files_in(state.folder).contents();
  state.debug_files = debug.files;
  state.debug_bytes = debug.bytes;
}

}  // namespace

CacheState cache_state(const std::filesystem::path& folder) {
  CacheState state;
  state.enabled = settings().cache;
  state.max_bytes = settings().cache_max_bytes;
  state.folder = chosen_folder(folder, state.problem);
  if (state.folder.empty()) return state;
  state.problem = judge_folder(files(), state.folder);
  count_entries(state);
  return state;
}

std::vector<CacheState> shared_cache_states() {
  std::vector<CacheState> states;
  for (const auto& cache : shared_caches()) {
    CacheState& state = states.emplace_back();
    state.enabled = settings().cache;
    state.folder = cache->folder();
    uid_t owner = 0;
    state.problem = judge_shared_folder(files(), state.folder, owner);
    count_entries(state);
  }
  return states;
}

std::vector<CacheEntry> list_cache(const std::filesystem::path& folder) {
  std::string problem;
  const std::filesystem::path chosen = chosen_folder(folder, problem);
  std::vector<CacheEntry> entries;
  for (const std::string& name : names_in(chosen)) {
    const auto kind = kind_of_file_name(name);
    if (!kind) continue;
    struct stat status{};
    const auto bytes = read_entry(files(), (chosen / name).native(), *kind, status);
    entries.push_back(describe(name, *kind, bytes, status));
  }
  std::ranges::sort(entries, [](const CacheEntry& a, const CacheEntry& b) {
    return a.last_used != b.last_used ? a.last_used > b.last_used : a.name < b.name;
  });
  return entries;
}

CacheCheck verify_cache(const std::filesystem::path& folder) {
  const std::filesystem::path chosen = trusted_folder(folder);
  CacheCheck check;
  for (const CacheEntry& entry : list_cache(chosen)) {
    if (!entry.damaged) {
      ++check.sound;
      continue;
    }
    files().unlink((chosen / entry.name).c_str());
    ++counters().healed;
    check.damaged.push_back(entry.name);
  }
  return check;
}

std::uint64_t prune_cache(std::uint64_t max_bytes, const std::filesystem::path& folder) {
  const std::filesystem::path chosen = trusted_folder(folder);
  names_in(chosen);  // throws if it cannot be read
  return evict(files(), chosen, max_bytes, max_bytes);
}

std::uint64_t clear_cache(const std::filesystem::path& folder) {
  clear_memory_cache();
  const std::filesystem::path chosen = trusted_folder(folder);
  std::uint64_t freed = 0;
  for (const std::string& name : names_in(chosen)) {
    struct stat status{};
    const std::string path = (chosen / name).native();
    if (files().lstat(path.c_str(), &status) != 0) continue;
    if (files().unlink(path.c_str()) == 0) freed += static_cast<std::uint64_t>(status.st_size);
  }
  // What debuggers read is made again when it is wanted.
  return freed + debug_files_in(chosen).clear().bytes;
}

void clear_memory_cache() { result_memory().forget({}); }

}  // namespace treadle::compile
