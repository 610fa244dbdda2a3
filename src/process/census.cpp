// SPDX-License-Identifier: MIT
#include "treadle/process/census.hpp"

namespace treadle {
namespace {

std::atomic<LiveCount*> first{nullptr};

}  // namespace

LiveCount::LiveCount(const char* kind) noexcept : LiveCount(kind, nullptr) {}

LiveCount::LiveCount(const char* kind, long (*known)()) noexcept
    : kind_(kind), known_(known), next_(first.load()) {
  while (!first.compare_exchange_weak(next_, this)) continue;
}

std::map<std::string, long> live_objects() {
  std::map<std::string, long> all;
  for (const LiveCount* each = first.load(); each != nullptr; each = each->next_)
    all[each->kind()] += each->count();
  return all;
}

}  // namespace treadle
