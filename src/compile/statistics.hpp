// SPDX-License-Identifier: MIT
// The counters behind statistics().
#pragma once

#include <atomic>
#include <cstdint>

namespace treadle::compile {

struct Counters {
  std::atomic<std::uint64_t> memory_hits{0}, disk_hits{0}, misses{0}, not_cached{0}, healed{0};
  std::atomic<std::uint64_t> io_errors{0};
  std::atomic<std::uint64_t> compile_ns{0}, lookup_ns{0};
};
Counters& counters();

}  // namespace treadle::compile
