// SPDX-License-Identifier: MIT
#include "treadle/process/kept_memory.hpp"

#include <atomic>

namespace treadle {
namespace {

std::atomic<const KeptMemory*> known_kept = nullptr;
thread_local int aside_scopes = 0;

}  // namespace

void set_kept_memory(const KeptMemory* kept) noexcept { known_kept.store(kept); }

std::size_t give_back_kept_memory() noexcept {
  const KeptMemory* const kept = known_kept.load();
  return kept != nullptr && aside_scopes == 0 ? kept->give_back() : 0;
}

void add_kept_memory(std::string& detail) {
  const KeptMemory* const kept = known_kept.load();
  if (kept == nullptr || aside_scopes != 0) return;
  if (!detail.empty()) detail += "; ";
  detail += kept->text();
}

KeptAside::KeptAside() noexcept { ++aside_scopes; }
KeptAside::~KeptAside() { --aside_scopes; }

}  // namespace treadle
