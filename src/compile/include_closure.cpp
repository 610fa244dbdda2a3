// SPDX-License-Identifier: MIT
#include "compile/include_closure.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <unordered_map>

#include "compile/file_system.hpp"
#include "compile/framing.hpp"
#include "compile/include_scan.hpp"

namespace treadle::compile {
namespace {

// Beyond these a closure counts as unknown; the largest header libraries stay far below.
constexpr std::size_t max_files = 8192, max_depth = 200;
constexpr std::uint64_t max_file_bytes = 64u << 20;

constexpr std::uint64_t nanoseconds(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// A file system that counts whole seconds shows it in every stamp; others tick at least every 10
// ms.
bool left_alone(const struct stat& status) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const std::uint64_t last = std::max(nanoseconds(status.st_mtim), nanoseconds(status.st_ctim));
  const bool coarse = status.st_mtim.tv_nsec == 0;
  return last + (coarse ? 2'100'000'000u : 50'000'000u) < nanoseconds(now);
}

FileStamp make_stamp(const struct stat& status) {
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = static_cast<std::uint64_t>(status.st_size),
          .modified_ns = nanoseconds(status.st_mtim),
          .changed_ns = nanoseconds(status.st_ctim),
          .trusted = left_alone(status)};
}

// The stamp is taken before the bytes are read: a write in between makes the stamp stale, not the
// digest.
bool read_file(const std::string& path, std::string& text, FileStamp& stamp) {
  const FileSystem& files = FileSystem::system();
  const OpenFile file(files, files.open(path.c_str(), O_RDONLY | O_CLOEXEC, 0));
  struct stat status{};
  if (!file || files.fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  stamp = make_stamp(status);
  if (stamp.size > max_file_bytes) return false;
  text.resize(stamp.size);
  return read_exactly(files, file.get(), text.data(), text.size());
}

class Follower {
 public:
  explicit Follower(const IncludeSearch& search) : search_(search) {}

  IncludeClosure follow(std::string_view source) {
    for (const std::string& name : search_.pre_includes)
      include({.name = name, .quoted = true, .next = false}, {}, 0);
    structure_.number(search_.pre_includes.size());
    visit(source, {}, 0);
    closure_.structure = digest_of(structure_.bytes());
    return std::move(closure_);
  }

 private:
  using Path = std::filesystem::path;

  // `folder` is the one of the file that `text` stands in; empty for the source itself.
  void visit(std::string_view text, const Path& folder, std::size_t depth) {
    const IncludeScan scan = scan_includes(text);
    if (!scan.obstacle.empty()) closure_.obstacle = scan.obstacle;
    closure_.names_its_file |= scan.names_its_file;
    closure_.names_the_time |= scan.names_the_time;
    for (const IncludeName& name : scan.includes) include(name, folder, depth);
    for (const IncludeName& name : scan.questions) answer(name, folder);
  }

  std::vector<Path> candidates(const IncludeName& name, const Path& folder) const {
    if (name.name.starts_with('/')) return {Path(name.name)};
    std::vector<Path> paths;
    if (name.quoted && !folder.empty()) paths.push_back(folder / name.name);
    for (const Path& dir : search_.user_dirs) paths.push_back(dir / name.name);
    // An embedded header gives way to a file of the user's, never to the toolkit's.
    if (!embedded(name))
      for (const Path& dir : search_.toolkit_dirs) paths.push_back(dir / name.name);
    return paths;
  }

  bool embedded(const IncludeName& name) const {
    return search_.is_embedded && search_.is_embedded(name.name);
  }

  bool in_toolkit(const Path& folder) const {
    for (const Path& dir : search_.toolkit_dirs)
      if (folder.native().starts_with(dir.native())) return true;
    return false;
  }

  /// NVIDIA's cuRAND header needs NVIDIA's parts of it: where a user's folder is the toolkit's, and
  /// so replaces one of ours, it replaces all.
  bool completes_curand(std::string_view name) const {
    const auto is_curand = [](std::string_view each) { return each.starts_with("curand"); };
    return is_curand(name) && std::ranges::any_of(closure_.shadowed, is_curand);
  }

  void include(const IncludeName& name, const Path& folder, std::size_t depth) {
    if (!closure_.obstacle.empty()) return;
    // Of a full path only the file's own name counts: the same tree elsewhere has the same key.
    structure_.text(name.name.starts_with('/') ? Path(name.name).filename().native() : name.name);
    if (embedded(name) && in_toolkit(folder) && !completes_curand(name.name))
      return structure_.number(0);
    for (const Path& path : candidates(name, folder)) {
      // Noted before what the file includes is: its own parts ask for it.
      if (embedded(name)) closure_.shadowed.push_back(name.name);
      if (!enter(path.native(), depth)) {
        if (embedded(name)) closure_.shadowed.pop_back();
        continue;
      }
      if (!name.next && !search_.any_order) return;
    }
    structure_.number(0);
  }

  // Takes the file into the closure with all it includes; false, and noted as absent, if there is
  // none.
  bool enter(const std::string& path, std::size_t depth) {
    if (const auto known = numbers_.find(path); known != numbers_.end()) {
      structure_.number(known->second);
      return known->second != 0;
    }
    IncludedFile file{.path = path, .digest = {}, .stamp = {}};
    std::string text;
    if (!stamp_of(path)) {
      numbers_.emplace(path, 0);
      closure_.absent.push_back(path);
      return false;
    }
    if (!read_file(path, text, file.stamp)) {
      closure_.obstacle = path + " cannot be read";
      return true;
    }
    if (closure_.files.size() >= max_files || depth >= max_depth) {
      closure_.obstacle = "more headers than can be followed";
      return true;
    }
    file.digest = digest_of(text);
    closure_.files.push_back(std::move(file));
    numbers_.emplace(path, closure_.files.size());
    structure_.number(closure_.files.size());
    visit(text, Path(path).parent_path(), depth + 1);
    return true;
  }

  void answer(const IncludeName& name, const Path& folder) {
    structure_.text(name.name);
    for (const Path& path : candidates(name, folder)) {
      const bool exists = stamp_of(path.native()).has_value();
      (exists ? closure_.present : closure_.absent).push_back(path.native());
      structure_.number(exists ? 1 : 0);
      if (exists) return;
    }
  }

  const IncludeSearch& search_;
  IncludeClosure closure_;
  FieldWriter structure_;
  std::unordered_map<std::string, std::uint64_t>
      numbers_;  ///< path -> place in `files` from 1; 0: absent
};

constexpr std::uint64_t packed_file_bytes = 8 + 4 * 8 + 6 * 8;

}  // namespace

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return make_stamp(status);
}

IncludeClosure follow_includes(std::string_view source, const IncludeSearch& search) {
  return Follower(search).follow(source);
}

bool add_dependency(IncludeClosure& closure, const std::string& path) {
  const auto same = [&](const IncludedFile& file) { return file.path == path; };
  if (std::ranges::any_of(closure.files, same)) return true;
  IncludedFile file{.path = path, .digest = {}, .stamp = {}};
  std::string text;
  if (!read_file(path, text, file.stamp)) return false;
  file.digest = digest_of(text);
  closure.files.push_back(std::move(file));
  return true;
}

Freshness check_closure(const IncludeClosure& closure, Restamps& restamps) {
  for (const std::string& path : closure.absent)
    if (stamp_of(path)) return Freshness::changed;
  for (const std::string& path : closure.present)
    if (!stamp_of(path)) return Freshness::changed;
  for (std::size_t i = 0; i < closure.files.size(); ++i) {
    const IncludedFile& file = closure.files[i];
    const std::optional<FileStamp> stamp = stamp_of(file.path);
    if (!stamp) return Freshness::changed;
    if (file.stamp.trusted && stamp->same_file(file.stamp)) continue;
    std::string text;
    FileStamp fresh;
    if (!read_file(file.path, text, fresh) || digest_of(text) != file.digest)
      return Freshness::changed;
    restamps.emplace_back(i, fresh);
  }
  return restamps.empty() ? Freshness::unchanged : Freshness::restamped;
}

std::string pack_closure(const IncludeClosure& closure) {
  FieldWriter out;
  out.number((closure.names_its_file ? 1u : 0u) | (closure.names_the_time ? 2u : 0u));
  out.text({reinterpret_cast<const char*>(closure.structure.bytes.data()), 32});
  out.number(closure.files.size());
  for (const IncludedFile& file : closure.files) {
    out.text(file.path);
    out.text({reinterpret_cast<const char*>(file.digest.bytes.data()), 32});
    for (const std::uint64_t field : {file.stamp.device, file.stamp.inode, file.stamp.size,
                                      file.stamp.modified_ns, file.stamp.changed_ns})
      out.number(field);
    out.number(file.stamp.trusted ? 1 : 0);
  }
  for (const auto* list : {&closure.absent, &closure.present, &closure.shadowed}) out.texts(*list);
  return std::move(out).bytes();
}

std::optional<IncludeClosure> unpack_closure(std::string_view bytes) {
  FieldReader in(bytes);
  IncludeClosure closure;
  const auto read_digest = [&in](Digest& into) {
    const std::string_view text = in.text();
    if (text.size() != into.bytes.size()) return false;
    std::copy(text.begin(), text.end(), into.bytes.begin());
    return true;
  };
  const std::uint64_t flags = in.number();
  closure.names_its_file = (flags & 1) != 0;
  closure.names_the_time = (flags & 2) != 0;
  if (!read_digest(closure.structure)) return {};
  closure.files.resize(in.count(packed_file_bytes));
  for (IncludedFile& file : closure.files) {
    file.path = in.text();
    if (!read_digest(file.digest)) return {};
    for (std::uint64_t* field : {&file.stamp.device, &file.stamp.inode, &file.stamp.size,
                                 &file.stamp.modified_ns, &file.stamp.changed_ns})
      *field = in.number();
    file.stamp.trusted = in.number() == 1;
  }
  for (auto* list : {&closure.absent, &closure.present, &closure.shadowed}) {
    list->resize(in.count(8));
    for (std::string& text : *list) text = in.text();
  }
  if (!in.finished()) return {};
  return closure;
}

}  // namespace treadle::compile
