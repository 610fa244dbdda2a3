// SPDX-License-Identifier: MIT
// Which part of a key changed, for a person who wonders why a kernel is compiled again.
#define FMT_HEADER_ONLY
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "compile/cache_folder.hpp"
#include "compile/disk_cache.hpp"
#include "compile/include_closure.hpp"
#include "compile/key.hpp"
#include "treadle/base/c_text.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/cache.hpp"

namespace treadle::compile {
namespace {

/// A source of which so few lines are another's is another kernel.
constexpr double least_common_lines = 0.3;

/// The share of lines that both have, wherever they stand: 0 to 1.
double likeness(std::string_view one, std::string_view other) {
  auto a = lines_of(one), b = lines_of(other);
  if (a.empty() && b.empty()) return 1;
  std::ranges::sort(a);
  std::ranges::sort(b);
  std::vector<std::string_view> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  return static_cast<double>(common.size()) / static_cast<double>(std::max(a.size(), b.size()));
}

KeyDifference source_difference(std::string_view before, std::string_view after) {
  const auto old_lines = lines_of(before), new_lines = lines_of(after);
  const auto [from, to] = std::ranges::mismatch(old_lines, new_lines);
  const auto place = from - old_lines.begin() + 1;
  const auto shown = [&](const auto& lines, const auto& at) {
    return at == lines.end() ? fmt::format("ends before line {}", place)
                             : fmt::format("line {}: {}", place, *at);
  };
  return {"source", shown(old_lines, from), shown(new_lines, to)};
}

/// Identity fields by name; those of one name, as name expressions, together.
std::map<std::string, std::string> by_name(const std::vector<KeyField>& fields) {
  std::map<std::string, std::string> values;
  for (const KeyField& field : fields) {
    std::string& value = values[field.name];
    value += (value.empty() ? "" : ", ") + field.value;
  }
  return values;
}

/// An entry's key, and the paths of its headers as far as a manifest has them.
struct Known {
  std::string name;
  KeyDescription key;
  std::vector<std::string> header_paths;
};

class Comparison {
 public:
  Comparison(const Known& before, const Known& after) : before_(before), after_(after) {
    const KeyDescription &old = before.key, &now = after.key;
    add("language", old.language, now.language);
    add("source name", old.source_name, now.source_name);
    if (old.source != now.source) found_.push_back(source_difference(old.source, now.source));
    add("options", fmt::format("{}", fmt::join(old.options, " ")),
        fmt::format("{}", fmt::join(now.options, " ")));
    add_identity();
    add_headers();
    add("paths in the result", fmt::format("{}", fmt::join(old.paths, " ")),
        fmt::format("{}", fmt::join(now.paths, " ")));
    if (found_.empty()) found_.push_back({"order of fields", "", ""});
  }
  std::vector<KeyDifference> differences() && { return std::move(found_); }

 private:
  void add(const std::string& field, std::string before, std::string after) {
    if (before != after) found_.push_back({field, std::move(before), std::move(after)});
  }

  void add_identity() {
    auto old = by_name(before_.key.identity), now = by_name(after_.key.identity);
    for (const auto& [name, value] : old) add(name, value, now[name]);
    for (const auto& [name, value] : now)
      if (!old.contains(name)) add(name, "", value);
  }

  // Digests are compared by place, which is the order of first use in both.
  void add_headers() {
    const auto &old = before_.key.headers, &now = after_.key.headers;
    const std::size_t both = std::min(old.size(), now.size());
    for (std::size_t i = 0; i < both; ++i)
      add("header " + name_of_header(i), old[i].hex().substr(0, 12), now[i].hex().substr(0, 12));
    if (old.size() != now.size() || before_.key.structure != after_.key.structure)
      found_.push_back(
          {"headers found", fmt::format("{}", old.size()), fmt::format("{}", now.size())});
  }

  std::string name_of_header(std::size_t place) const {
    for (const Known* known : {&after_, &before_})
      if (place < known->header_paths.size()) return known->header_paths[place];
    return fmt::format("{}", place + 1);
  }

  const Known &before_, &after_;
  std::vector<KeyDifference> found_;
};

class Explainer {
 public:
  explicit Explainer(const std::filesystem::path& folder) {
    std::string reason;
    folder_ = chosen_folder(folder, reason);
    for (const CacheEntry& entry : list_cache(folder)) {
      if (entry.damaged) continue;
      if (entry.is_manifest)
        read_manifest(entry.name);
      else
        read_program(entry.name);
    }
    for (Known& program : programs_) name_headers(program);
  }

  MissExplanation explain(const std::string& entry) const {
    const auto asked = std::ranges::find_if(
        programs_, [&](const Known& program) { return entry.empty() || program.name == entry; });
    if (asked == programs_.end())
      throw InvalidArgument(entry.empty()
                                ? "the cache " + folder_.string() + " holds no program"
                                : "the cache " + folder_.string() + " holds no program " + entry,
                            "treadle cache ls shows the names");
    MissExplanation explanation{asked->name, {}, {}};
    double smallest = 1e9;
    for (const Known& other : programs_) {
      const double likeness_of_source = likeness(other.key.source, asked->key.source);
      if (&other == &*asked || likeness_of_source < least_common_lines) continue;
      auto differences = Comparison(other, *asked).differences();
      const double distance =
          static_cast<double>(differences.size()) + 4 * (1 - likeness_of_source);
      if (distance >= smallest) continue;  // of equally near ones the latest, which come first
      smallest = distance;
      explanation.nearest = other.name;
      explanation.differences = std::move(differences);
    }
    return explanation;
  }

 private:
  std::optional<EntryBytes> read(const std::string& name, EntryKind kind) const {
    struct stat status{};
    return read_entry(FileSystem::system(), (folder_ / name).native(), kind, status);
  }

  void read_program(const std::string& name) {
    const auto bytes = read(name, EntryKind::program);
    if (!bytes) return;
    if (auto key = describe_key(bytes->key)) programs_.push_back({name, std::move(*key), {}});
  }

  void read_manifest(const std::string& name) {
    const auto bytes = read(name, EntryKind::includes);
    if (!bytes) return;
    if (auto closure = unpack_closure(bytes->payload)) manifests_.push_back(std::move(*closure));
  }

  // A manifest with exactly the same headers has their names.
  void name_headers(Known& program) const {
    for (const IncludeClosure& manifest : manifests_) {
      const auto same = [](const IncludedFile& file, const Digest& digest) {
        return file.digest == digest;
      };
      if (program.key.headers.empty() || manifest.structure != program.key.structure ||
          !std::ranges::equal(manifest.files, program.key.headers, same))
        continue;
      for (const IncludedFile& file : manifest.files) program.header_paths.push_back(file.path);
      return;
    }
  }

  std::filesystem::path folder_;
  std::vector<Known> programs_;  ///< the latest first
  std::vector<IncludeClosure> manifests_;
};

}  // namespace

MissExplanation explain_miss(const std::string& entry, const std::filesystem::path& folder) {
  return Explainer(folder).explain(entry);
}

}  // namespace treadle::compile
