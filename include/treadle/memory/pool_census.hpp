// SPDX-License-Identifier: MIT
// The part of a Pool that the census (treadle/base/census.hpp) sees. Programs include pool.hpp.
#pragma once

#include "treadle/memory/statistics.hpp"

namespace treadle::memory {

/// While this lives, the blocks of one pool count as "active pool block" and "held pool block".
/// The pool is asked when somebody asks the census: a request pays nothing for it.
class CountedPool {
 public:
  using Ask = Statistics (*)(const void* pool) noexcept;
  /// `ask` may come on any thread until the destructor returns, which waits for it: no lock that
  /// `ask` takes may be held there. Throws std::bad_alloc.
  CountedPool(const void* pool, Ask ask);
  CountedPool(const CountedPool&) = delete;
  CountedPool& operator=(const CountedPool&) = delete;
  ~CountedPool();

 private:
  const void* const pool_;
};

}  // namespace treadle::memory
