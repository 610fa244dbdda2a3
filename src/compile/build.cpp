// SPDX-License-Identifier: MIT
#include "compile/build.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include "compile/compile_record.hpp"
#include "compile/compiler.hpp"
#include "compile/disk_cache.hpp"
#include "compile/key.hpp"
#include "compile/source_text.hpp"
#include "compile/statistics.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/settings.hpp"

namespace treadle::compile {
namespace {

class Build {
 public:
  Build(const std::string& source, const Target& target, const Options& options)
      : source_(source),
        options_(options),
        compiler_(choose_compiler(target, options)),
        read_(read_options(options.flags, include_dirs(options), target, compiler_->reader())),
        result_(std::make_shared<Compiled>()) {
    if (options.cache == CacheUse::enabled && settings().cache)
      disk_ = disk_cache_of(options.cache_dir);
    result_->warnings = read_.warnings;
  }

  std::shared_ptr<const Compiled> run() {
    follow();
    if (load_entry()) return result_;
    compile();
    publish();
    return result_;
  }

 private:
  // The source's own folder, if its name has one, comes first: that is where its author looks for
  // "header.h".
  static std::vector<std::filesystem::path> include_dirs(const Options& options) {
    std::vector<std::filesystem::path> folders = options.include_dirs;
    const auto own = std::filesystem::path(options.source_name).parent_path();
    if (!own.empty()) folders.insert(folders.begin(), own);
    return folders;
  }

  KeyParts parts() const {
    return {.compiler = identity_,
            .options = read_,
            .source = source_,
            .source_name = options_.source_name,
            .names = options_.name_expressions,
            .output = options_.output,
            .extern_c = options_.extern_c};
  }

  IncludeSearch search() const {
    return {.user_dirs = read_.include_dirs,
            .toolkit_dirs = compiler_->reports_dependencies() ? std::vector<std::filesystem::path>{}
                                                              : compiler_->toolkit_dirs(),
            .pre_includes = read_.pre_includes,
            .is_embedded = [this](std::string_view name) { return compiler_->embeds(name); }};
  }

  // Fills the closure: from its manifest if that still holds, else from the files.
  void follow() {
    identity_ = compiler_->identity(read_);
    IncludeClosure& closure = result_->closure;
    const bool may_include =
        source_.find("include") != std::string::npos || source_.find('\\') != std::string::npos ||
        source_.find("import") != std::string::npos || source_.find("embed") != std::string::npos ||
        !read_.pre_includes.empty() || compiler_->reports_dependencies();
    if (may_include && disk_) manifest_key_ = includes_key(parts(), compiler_->toolkit_dirs());
    if (load_manifest()) return;
    closure = follow_includes(source_, search());
    closure_known_ = !compiler_->reports_dependencies();
    manifest_stale_ = true;
    if (!closure.obstacle.empty()) result_->not_cached = "the source has " + closure.obstacle;
    if (closure.names_the_time) result_->not_cached = "the source or a header names the time";
  }

  bool load_manifest() {
    if (!disk_ || manifest_key_.empty()) return false;
    const auto entry = disk_->load(EntryKind::includes, manifest_key_);
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
    if (!closure_known_ || !cacheable()) return false;
    key_ = program_key(parts(), result_->closure);
    const auto entry = disk_->load(EntryKind::program, key_);
    if (!entry) return false;
    result_->entry_path = disk_->path_of(EntryKind::program, key_);
    if (!unpack_payload(entry->payload, result_->image, result_->log)) {
      disk_->discard(std::filesystem::path(result_->entry_path).filename());
      result_->image = {};
      return false;
    }
    result_->origin = Origin::disk_cache;
    publish_manifest();
    return true;
  }

  void compile() {
    compiler_->load();
    // The compiler's file may have been replaced since its identity was read: what counts is what
    // was loaded.
    identity_ = compiler_->identity(read_);
    CompileJob job{.text = compiler_text(source_, options_.source_name, options_.extern_c),
                   .source = source_,
                   .source_name = options_.source_name,
                   .given_options = options_.flags,
                   .options = read_,
                   .names = options_.name_expressions,
                   .shadowed = result_->closure.shadowed,
                   .output = options_.output};
    dump_source(job);
    const auto start = std::chrono::steady_clock::now();
    CompileOutcome outcome = compiler_->compile(job);
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
    // A header that was written while the compiler ran: nobody knows which of its texts was read.
    Restamps restamps;
    if (check_closure(result_->closure, restamps) == Freshness::changed) {
      result_->not_cached = "a header changed during the compile";
      return;
    }
    key_ = program_key(parts(), result_->closure);
    result_->entry_path = disk_->path_of(EntryKind::program, key_);
    disk_->store(EntryKind::program, key_, pack_payload(result_->image, result_->log));
    if (!manifest_key_.empty()) manifest_key_ = includes_key(parts(), compiler_->toolkit_dirs());
    publish_manifest();
  }

  void publish_manifest() {
    if (manifest_stale_ && !manifest_key_.empty())
      disk_->store(EntryKind::includes, manifest_key_, pack_closure(result_->closure));
  }

  bool cacheable() const { return disk_ && result_->not_cached.empty(); }

  const std::string& source_;
  const Options& options_;
  const std::shared_ptr<Compiler> compiler_;
  const CompilerOptions read_;
  std::shared_ptr<DiskCache> disk_;
  std::string identity_, manifest_key_, key_;
  bool closure_known_ = false;   ///< false: only the compiler's run will tell the headers
  bool manifest_stale_ = false;  ///< the one on disk is missing or says less than is known now
  std::shared_ptr<Compiled> result_;
};

}  // namespace

std::shared_ptr<const Compiled> build_program(const std::string& source, const Target& target,
                                              const Options& options) {
  return Build(source, target, options).run();
}

}  // namespace treadle::compile
