// SPDX-License-Identifier: MIT
#include "compile/program_memory.hpp"

#include <chrono>
#include <memory>

#include "compile/disk_cache.hpp"
#include "compile/statistics.hpp"

namespace treadle::compile {
namespace {

using Clock = std::chrono::steady_clock;

void count(Program& program, bool held, Clock::time_point start) {
  const auto elapsed = Clock::now() - start;
  program.seconds = std::chrono::duration<double>(elapsed).count();
  Counters& all = counters();
  if (held) program.origin = Origin::memory_cache;
  switch (program.origin) {
    case Origin::memory_cache:
      ++all.memory_hits;
      break;
    case Origin::disk_cache:
      ++all.disk_hits;
      break;
    case Origin::compiled:
      ++all.misses;
      all.not_cached += program.not_cached.empty() ? 0 : 1;
      return;
  }
  all.lookup_ns += static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
}

ModuleImage remake(const std::shared_ptr<const Compiled>& refused) {
  BuildRequest request = *refused->request;
  request.refused = refused;
  const std::shared_ptr<const Compiled> made = build_or_load(std::move(request));
  program_memory().replace(refused->entry_path, made);
  return made->image;
}

Program program_of(const std::shared_ptr<const Compiled>& compiled) {
  Program program;
  program.image = compiled->image;
  program.log = compiled->log;
  program.warnings = compiled->warnings;
  program.origin = compiled->origin;
  program.entry = compiled->entry_path;
  program.not_cached = compiled->not_cached;
  if (compiled->request) program.image.remake = [compiled] { return remake(compiled); };
  return program;
}

}  // namespace

MemoryCache& program_memory() {
  static auto* const memory = new MemoryCache(std::uint64_t{256} << 20);
  return *memory;
}

Program remember(const std::function<std::string()>& name,
                 const std::function<BuildRequest()>& describe, CacheUse use) {
  const auto start = Clock::now();
  const auto build = [&] { return build_or_load(describe()); };
  bool held = false;
  const std::shared_ptr<const Compiled> compiled =
      use == CacheUse::enabled ? program_memory().get(name(), build, held) : build();
  Program program = program_of(compiled);
  count(program, held, start);
  return program;
}

void discard_cached(const Program& program) {
  if (program.entry.empty()) return program_memory().forget({});
  program_memory().forget(program.entry.native());
  if (const auto disk = disk_cache_at(program.entry.parent_path()))
    disk->discard(program.entry.filename().native());
}

}  // namespace treadle::compile
