// SPDX-License-Identifier: MIT
// The parts of a pool that no program runs often.
#define FMT_HEADER_ONLY
#include "treadle/memory/pool_state.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "memory/readable.hpp"

namespace treadle::memory {

std::string readable(std::size_t size_bytes) {
  if (size_bytes < 1024) return fmt::format("{} bytes", size_bytes);
  constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double size = static_cast<double>(size_bytes) / 1024;
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < std::size(units); ++unit) size /= 1024;
  return fmt::format("{:.2f} {}", size, units[unit]);
}

namespace {

/// What one line has allocated.
struct Owner {
  std::size_t blocks = 0, size_bytes = 0;
};

std::string what_is_live(const Statistics& statistics, const std::vector<LiveAllocation>& live) {
  if (live.empty()) return "it has no live allocation";
  std::map<std::string, Owner> by_line;
  for (const auto& [size_bytes, line] : live) {
    ++by_line[line].blocks;
    by_line[line].size_bytes += size_bytes;
  }
  std::vector<std::pair<std::string, Owner>> owners(by_line.begin(), by_line.end());
  std::ranges::sort(owners, std::ranges::greater(),
                    [](const auto& owner) { return owner.second.size_bytes; });
  if (owners.size() > 5) owners.resize(5);
  std::string text =
      fmt::format("its {} live allocation{} take{} {}, the most of it: ", statistics.active_blocks,
                  statistics.active_blocks == 1 ? "" : "s",
                  statistics.active_blocks == 1 ? "s" : "", readable(statistics.active_bytes));
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const auto& [line, owner] = owners[i];
    text += (i == 0 ? "" : ", ") + readable(owner.size_bytes);
    if (owner.blocks > 1) text += fmt::format(" in {} allocations", owner.blocks);
    text += " made at " + line;
  }
  return text;
}

}  // namespace

void throw_freed() { throw InvalidState("the pooled memory was freed"); }

void throw_exhausted(const OutOfMemory& refusal, const Exhausted& request,
                     const Statistics& statistics, const std::vector<LiveAllocation>& live) {
  std::string detail =
      fmt::format("{} ({} bytes) for a pool that has given back all it held ({})",
                  readable(request.size_bytes), request.size_bytes, readable(request.own_bytes));
  if (request.others_bytes != 0)
    detail +=
        fmt::format(", as have the others of the process ({})", readable(request.others_bytes));
  throw OutOfMemory(
      DeviceFailure{refusal.code(), refusal.code_name(), refusal.call(), refusal.driver_text(),
                    std::move(detail) + "; " + what_is_live(statistics, live)},
      "free what is no longer needed, or ask for less");
}

std::chrono::nanoseconds coarse_time() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace treadle::memory
