// SPDX-License-Identifier: MIT
#include "treadle/memory/pool_census.hpp"

#include <cstddef>
#include <map>
#include <mutex>

#include "treadle/base/census.hpp"

namespace treadle::memory {
namespace {

struct Pools {
  std::mutex mutex;
  std::map<const void*, CountedPool::Ask> all;
};
Pools& pools() {
  static Pools& instance = *new Pools;  // never destroyed: static pools may end after it
  return instance;
}

template <std::size_t Statistics::* Member>
long sum() {
  Pools& known = pools();
  const std::lock_guard lock(known.mutex);
  std::size_t total = 0;
  for (const auto& [pool, ask] : known.all) total += ask(pool).*Member;
  return static_cast<long>(total);
}

void join_census() {
  [[maybe_unused]] static LiveCount& active =
      *new LiveCount("active pool block", sum<&Statistics::active_blocks>);
  [[maybe_unused]] static LiveCount& held =
      *new LiveCount("held pool block", sum<&Statistics::held_blocks>);
}

}  // namespace

CountedPool::CountedPool(const void* pool, Ask ask) : pool_(pool) {
  join_census();
  const std::lock_guard lock(pools().mutex);
  pools().all.emplace(pool, ask);
}

CountedPool::~CountedPool() {
  const std::lock_guard lock(pools().mutex);
  pools().all.erase(pool_);
}

}  // namespace treadle::memory
