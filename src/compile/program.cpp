// SPDX-License-Identifier: MIT
#include "treadle/compile/program.hpp"

#include <chrono>
#include <memory>
#include <string_view>

#include "compile/build.hpp"
#include "compile/compile_record.hpp"
#include "compile/disk_cache.hpp"
#include "compile/framing.hpp"
#include "compile/memory_cache.hpp"
#include "compile/program_memory.hpp"
#include "compile/statistics.hpp"

namespace treadle::compile {
namespace {

using Clock = std::chrono::steady_clock;

// All that the caller gave, framed: what the memory cache is asked with.
std::string request_of(const std::string& source, const Target& target, const Options& options) {
  FieldWriter request;
  request.reserve(source.size() + 512);
  request.text(target.name());
  request.text(source);
  request.texts(options.flags);
  request.number(options.include_dirs.size());
  for (const auto& folder : options.include_dirs) request.text(folder.native());
  request.texts(options.name_expressions);
  request.text(options.source_name);
  request.number(static_cast<std::uint64_t>(options.output) << 8 |
                 static_cast<std::uint64_t>(options.toolchain) << 1 | (options.extern_c ? 1u : 0u));
  request.text(options.nvcc);
  request.text(options.cache_dir.native());
  // Relative folders and debug information depend on where the process stands.
  if (!options.flags.empty() || !options.include_dirs.empty() ||
      options.source_name.find('/') != std::string::npos)
    request.text(std::filesystem::current_path().native());
  return std::move(request).bytes();
}

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
      return;
  }
  all.lookup_ns += static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
}

Program program_of(const Compiled& compiled) {
  Program program;
  program.image = compiled.image;
  program.log = compiled.log;
  program.warnings = compiled.warnings;
  program.origin = compiled.origin;
  program.entry = compiled.entry_path;
  program.not_cached = compiled.not_cached;
  return program;
}

}  // namespace

MemoryCache& program_memory() {
  static auto* const memory = new MemoryCache(std::uint64_t{256} << 20);
  return *memory;
}

Program compile_cuda(const std::string& source, const Target& target, const Options& options) {
  const auto start = Clock::now();
  const auto build = [&] { return build_program(source, target, options); };
  bool held = false;
  const std::shared_ptr<const Compiled> compiled =
      options.cache == CacheUse::enabled
          ? program_memory().get(request_of(source, target, options), build, held)
          : build();
  Program program = program_of(*compiled);
  if (options.keep) program.kept_in = keep_files(source, target, options, program);
  count(program, held, start);
  return program;
}

void discard_cached(const Program& program) {
  if (program.entry.empty()) return program_memory().forget({});
  program_memory().forget(program.entry.native());
  if (const auto disk = disk_cache_of(program.entry.parent_path()))
    disk->discard(program.entry.filename().native());
}

Counters& counters() {
  static Counters instance;
  return instance;
}

Statistics statistics() {
  const Counters& all = counters();
  return {.memory_hits = all.memory_hits,
          .disk_hits = all.disk_hits,
          .misses = all.misses,
          .healed = all.healed,
          .io_errors = all.io_errors,
          .compile_seconds = 1e-9 * static_cast<double>(all.compile_ns),
          .lookup_seconds = 1e-9 * static_cast<double>(all.lookup_ns)};
}

void reset_statistics() {
  Counters& all = counters();
  for (auto* counter : {&all.memory_hits, &all.disk_hits, &all.misses, &all.healed, &all.io_errors,
                        &all.compile_ns, &all.lookup_ns})
    *counter = 0;
}

}  // namespace treadle::compile
