// SPDX-License-Identifier: MIT
#define FMT_HEADER_ONLY
#include "treadle/memory/pool_census.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "memory/readable.hpp"
#include "treadle/process/census.hpp"
#include "treadle/process/kept_memory.hpp"

namespace treadle::memory {
namespace {

struct Pools {
  std::mutex mutex;
  std::set<AnyPool*> all;
};
Pools& pools() {
  static Pools& instance = *new Pools;  // never destroyed: static pools may end after it
  return instance;
}

template <std::size_t Statistics::* Member>
std::size_t sum() {
  Pools& known = pools();
  const std::lock_guard lock(known.mutex);
  std::size_t total = 0;
  for (const AnyPool* pool : known.all) total += pool->statistics().*Member;
  return total;
}
template <std::size_t Statistics::* Member>
long count() {
  return static_cast<long>(sum<Member>());
}

std::string kept_text() {
  return fmt::format("the pools of this process hold {} that nobody uses and have {} in use",
                     readable(sum<&Statistics::held_bytes>()),
                     readable(sum<&Statistics::active_bytes>()));
}

/// Tells the census and the shells.
void join_process() {
  [[maybe_unused]] static LiveCount& active =
      *new LiveCount("active pool block", count<&Statistics::active_blocks>);
  [[maybe_unused]] static LiveCount& held =
      *new LiveCount("held pool block", count<&Statistics::held_blocks>);
  static constexpr KeptMemory kept = {&trim_memory, &kept_text};
  set_kept_memory(&kept);
}

}  // namespace

CountedPool::CountedPool(AnyPool& pool) : pool_(pool) {
  join_process();
  const std::lock_guard lock(pools().mutex);
  pools().all.insert(&pool);
}

CountedPool::~CountedPool() {
  const std::lock_guard lock(pools().mutex);
  pools().all.erase(&pool_);
}

std::size_t trim_memory() noexcept {
  std::size_t size_bytes = 0;
  try {
    // Blocks end without the lock: their end may be anybody's code.
    std::vector<std::pair<AnyPool*, std::shared_ptr<void>>> kept;
    {
      Pools& known = pools();
      const std::lock_guard lock(known.mutex);
      kept.reserve(known.all.size());
      for (AnyPool* pool : known.all)
        if (auto share = pool->keep()) kept.emplace_back(pool, std::move(share));
    }
    for (const auto& [pool, share] : kept) size_bytes += pool->free_held();
  } catch (const std::exception&) {
    // The host has no memory for the list.
  }
  return size_bytes;
}

}  // namespace treadle::memory
