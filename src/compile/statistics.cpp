// SPDX-License-Identifier: MIT
#include "compile/statistics.hpp"

#include "treadle/compile/compile.hpp"

namespace treadle::compile {

Counters& counters() {
  static Counters instance;
  return instance;
}

Statistics statistics() {
  const Counters& all = counters();
  return {.memory_hits = all.memory_hits,
          .disk_hits = all.disk_hits,
          .misses = all.misses,
          .not_cached = all.not_cached,
          .healed = all.healed,
          .io_errors = all.io_errors,
          .compile_seconds = 1e-9 * static_cast<double>(all.compile_ns),
          .lookup_seconds = 1e-9 * static_cast<double>(all.lookup_ns)};
}

void reset_statistics() {
  Counters& all = counters();
  for (auto* counter : {&all.memory_hits, &all.disk_hits, &all.misses, &all.not_cached, &all.healed,
                        &all.io_errors, &all.compile_ns, &all.lookup_ns})
    *counter = 0;
}

}  // namespace treadle::compile
