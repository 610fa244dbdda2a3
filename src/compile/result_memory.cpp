// SPDX-License-Identifier: MIT
#include "compile/result_memory.hpp"

#include <chrono>
#include <memory>

#include "compile/disk_cache.hpp"
#include "compile/statistics.hpp"

namespace treadle::compile {
namespace {

using Clock = std::chrono::steady_clock;

void count(CompileResult& result, bool held, Clock::time_point start) {
  const auto elapsed = Clock::now() - start;
  result.seconds = std::chrono::duration<double>(elapsed).count();
  Counters& all = counters();
  if (held) result.origin = Origin::memory_cache;
  switch (result.origin) {
    case Origin::memory_cache:
      ++all.memory_hits;
      break;
    case Origin::disk_cache:
      ++all.disk_hits;
      break;
    case Origin::compiled:
      ++all.misses;
      all.not_cached += result.not_cached.empty() ? 0 : 1;
      return;
  }
  all.lookup_ns += static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
}

ModuleImage remake(const std::shared_ptr<const Compiled>& refused) {
  CompileRequest request = *refused->request;
  request.refused = refused;
  const std::shared_ptr<const Compiled> made = build_or_load(std::move(request));
  result_memory().replace(refused->entry_path, made);
  return made->image;
}

CompileResult result_of(const std::shared_ptr<const Compiled>& compiled) {
  CompileResult result;
  result.image = compiled->image;
  result.log = compiled->log;
  result.warnings = compiled->warnings;
  result.origin = compiled->origin;
  result.entry = compiled->entry_path;
  result.not_cached = compiled->not_cached;
  if (compiled->request) result.image.remake = [compiled] { return remake(compiled); };
  return result;
}

}  // namespace

MemoryCache& result_memory() {
  static auto* const memory = new MemoryCache(std::uint64_t{256} << 20);
  return *memory;
}

CompileResult remember(const std::function<std::string()>& name,
                       const std::function<CompileRequest()>& describe, CacheUse use) {
  const auto start = Clock::now();
  const auto build = [&] { return build_or_load(describe()); };
  bool held = false;
  const std::shared_ptr<const Compiled> compiled =
      use == CacheUse::enabled ? result_memory().get(name(), build, held) : build();
  CompileResult result = result_of(compiled);
  count(result, held, start);
  return result;
}

void discard_cached(const CompileResult& result) {
  if (result.entry.empty()) return result_memory().forget({});
  result_memory().forget(result.entry.native());
  if (const auto disk = disk_cache_at(result.entry.parent_path()))
    disk->discard(result.entry.filename().native());
}

}  // namespace treadle::compile
