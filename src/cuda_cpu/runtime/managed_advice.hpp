// SPDX-License-Identifier: MIT
// What a program has said about its managed memory. Nothing moves here, so nothing follows from it;
// but what was said can be asked for.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "cuda_cpu/runtime/driver_api.hpp"

namespace treadle::cuda_cpu {

/// What was said of a page.
struct PageAdvice {
  bool read_mostly = false, accessed_by_device = false, accessed_by_host = false;
  CUmemLocation preferred{CU_MEM_LOCATION_TYPE_INVALID, 0};
  CUmemLocation prefetched{CU_MEM_LOCATION_TYPE_INVALID, 0};
};

/// Of one allocation, page by page. Thread-safe.
class ManagedAdvice {
 public:
  /// Calls `change(PageAdvice&)` for each page that [address, address + size) touches.
  template <class Change>
  void apply(std::uintptr_t address, std::size_t size, Change&& change) {
    const std::lock_guard lock(mutex_);
    const auto begin = split(first_page(address)), end = split(first_page(address + size - 1) + 1);
    for (auto each = begin; each != end; ++each) change(each->second);
  }
  /// Calls `visit(const PageAdvice&)` for each different advice among these pages.
  template <class Visit>
  void visit(std::uintptr_t address, std::size_t size, Visit&& visit) const {
    const std::lock_guard lock(mutex_);
    const auto begin = std::prev(stretches_.upper_bound(first_page(address)));
    const auto end = stretches_.upper_bound(first_page(address + size - 1));
    for (auto each = begin; each != end; ++each) visit(each->second);
  }

 private:
  static std::uintptr_t first_page(std::uintptr_t address);
  /// The stretch that begins with `page`, made if there is none.
  std::map<std::uintptr_t, PageAdvice>::iterator split(std::uintptr_t page) {
    const auto found = std::prev(stretches_.upper_bound(page));
    return stretches_.emplace(page, found->second).first;
  }

  mutable std::mutex mutex_;
  /// By their first page; each ends where the next begins.
  std::map<std::uintptr_t, PageAdvice> stretches_{{0, {}}};
};

}  // namespace treadle::cuda_cpu
