// SPDX-License-Identifier: MIT
#include "compile/build.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "compile/compile_record.hpp"
#include "compile/disk_cache.hpp"
#include "compile/key.hpp"
#include "compile/statistics.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::compile {
namespace {

class Build {
 public:
  explicit Build(CompileRequest request)
      : request_(std::move(request)), result_(std::make_shared<Compiled>()) {
    if (request_.place.use != CacheUse::disabled && settings().cache) {
      disk_ = disk_cache_of(request_.place.folder);
      if (disk_) readable_.push_back(disk_);
      for (const auto& shared : shared_caches())
        if (!disk_ || shared->folder() != disk_->folder()) readable_.push_back(shared);
    }
    result_->warnings = request_.warnings;
  }

  std::shared_ptr<const Compiled> run() {
    follow();
    if (load_entry()) return result_;
    compile();
    publish();
    return result_;
  }

 private:
  // Fills the closure: from its manifest if that still holds, else from the files.
  void follow() {
    const std::string& source = request_.key.source;
    const bool may_include =
        source.find("include") != std::string::npos || source.find('\\') != std::string::npos ||
        source.find("import") != std::string::npos || source.find("embed") != std::string::npos ||
        !request_.search.pre_includes.empty() || request_.dependencies == Dependencies::told;
    if (may_include && !readable_.empty())
      manifest_key_ = includes_key(request_.key, request_.search);
    if (load_manifest()) return;
    IncludeClosure& closure = result_->closure;
    closure = follow_includes(source, request_.search);
    closure_known_ = request_.dependencies == Dependencies::followed;
    manifest_stale_ = true;
    if (!closure.obstacle.empty()) result_->not_cached = "the source has " + closure.obstacle;
    if (closure.names_the_time) result_->not_cached = "the source or a header names the time";
  }

  bool load_manifest() {
    if (manifest_key_.empty()) return false;
    // A folder whose manifest is out of date does not hide the next one's.
    return std::ranges::any_of(readable_,
                               [this](const auto& disk) { return load_manifest_of(*disk); });
  }

  bool load_manifest_of(DiskCache& disk) {
    const auto entry = disk.load(EntryKind::includes, manifest_key_);
    if (!entry) return false;
    std::optional<IncludeClosure> closure = unpack_closure(entry->payload);
    if (!closure) return false;
    Restamps restamps;
    const Freshness freshness = check_closure(*closure, restamps);
    if (freshness == Freshness::changed) return false;
    for (const auto& [place, stamp] : restamps) {
      closure->files[place].stamp = stamp;
      manifest_stale_ |= stamp.trusted;  // worth a write: the next look need not read the file
    }
    result_->closure = std::move(*closure);
    return closure_known_ = true;
  }

  bool load_entry() {
    if (!closure_known_ || !result_->not_cached.empty() || request_.refused) return false;
    const std::string key = program_key(request_.key, result_->closure);
    if (!std::ranges::any_of(readable_,
                             [&](const auto& disk) { return load_entry_of(*disk, key); }))
      return false;
    publish_manifest();
    if (request_.repeatable)
      result_->request = std::make_shared<const CompileRequest>(std::move(request_));
    return true;
  }

  bool load_entry_of(DiskCache& disk, const std::string& key) {
    const auto entry = disk.load(EntryKind::program, key);
    if (!entry) return false;
    result_->entry_path = disk.path_of(EntryKind::program, key);
    if (!unpack_payload(entry->payload, result_->image, result_->log)) {
      disk.discard(std::filesystem::path(result_->entry_path).filename());
      result_->image = {};
      return false;
    }
    result_->origin = Origin::disk_cache;
    return true;
  }

  void compile() {
    dump_source(request_.key);
    const auto start = std::chrono::steady_clock::now();
    CompileOutcome outcome = request_.make(request_.key, result_->closure);
    counters().compile_ns +=
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                       std::chrono::steady_clock::now() - start)
                                       .count());
    result_->image = std::move(outcome.image);
    result_->log = std::move(outcome.log);
    for (const std::string& file : outcome.dependencies)
      if (!add_dependency(result_->closure, file))
        result_->not_cached = file + " cannot be read again";
  }

  void publish() {
    if (!cacheable()) return;
    // A header that was written while the compiler ran: which version of its text was read is not
    // known.
    Restamps restamps;
    if (check_closure(result_->closure, restamps) == Freshness::changed) {
      result_->not_cached = "a header changed during the compile";
      return;
    }
    const std::string key = program_key(request_.key, result_->closure);
    result_->entry_path = disk_->path_of(EntryKind::program, key);
    disk_->store(EntryKind::program, key, pack_payload(result_->image, result_->log));
    if (request_.refused && request_.refused->image.code != result_->image.code)
      disk_->count_healed(result_->entry_path, "held code that could not be loaded");
    if (!manifest_key_.empty()) manifest_key_ = includes_key(request_.key, request_.search);
    publish_manifest();
  }

  void publish_manifest() {
    if (manifest_stale_ && !manifest_key_.empty() && keeps())
      disk_->store(EntryKind::includes, manifest_key_, pack_closure(result_->closure));
  }

  bool keeps() const { return disk_ && request_.place.use == CacheUse::enabled; }
  bool cacheable() const { return keeps() && result_->not_cached.empty(); }

  CompileRequest request_;
  std::shared_ptr<DiskCache> disk_;                   ///< the user's own; null: none
  std::vector<std::shared_ptr<DiskCache>> readable_;  ///< it, then those that are shared
  std::string manifest_key_;
  bool closure_known_ = false;   ///< false: only the compiler's run will tell the headers
  bool manifest_stale_ = false;  ///< the one on disk is missing or says less than is known now
  std::shared_ptr<Compiled> result_;
};

}  // namespace

std::shared_ptr<const Compiled> build_or_load(CompileRequest request) {
  return Build(std::move(request)).run();
}

}  // namespace treadle::compile
