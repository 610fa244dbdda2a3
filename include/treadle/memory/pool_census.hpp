// SPDX-License-Identifier: MIT
// All pools of the process, whatever they draw from: the census (treadle/process/census.hpp) counts
// their blocks, and what they hold is given back where an allocation fails anywhere. Programs
// include pool.hpp.
#pragma once

#include <cstddef>
#include <memory>

#include "treadle/memory/statistics.hpp"

namespace treadle::memory {

/// What is done with a pool of any kind. Functions of any thread.
class AnyPool {
 public:
  AnyPool() = default;
  AnyPool(const AnyPool&) = delete;
  AnyPool& operator=(const AnyPool&) = delete;

  /// At one moment: the numbers fit each other.
  virtual Statistics statistics() const noexcept = 0;
  /// Keeps the pool for as long as the result lives; null: it is about to end.
  virtual std::shared_ptr<void> keep() noexcept = 0;
  /// Gives every held block back to the allocator; how many bytes they were.
  virtual std::size_t free_held() noexcept = 0;

 protected:
  ~AnyPool() = default;
};

/// While this lives, a pool is one of those of the process. Its blocks count as "active pool block"
/// and "held pool block"; it is asked when somebody wants to know, and a request pays nothing.
class CountedPool {
 public:
  /// The pool may be asked on any thread until the destructor returns, which waits for statistics()
  /// and keep(): no lock that those take may be held there. Throws std::bad_alloc.
  explicit CountedPool(AnyPool& pool);
  CountedPool(const CountedPool&) = delete;
  CountedPool& operator=(const CountedPool&) = delete;
  ~CountedPool();

 private:
  AnyPool& pool_;
};

/// Gives the blocks that all pools of the process hold back to their allocators, of every device
/// and run-time; how many bytes they were. Waits where a driver waits for work that uses them.
/// Shells do so by themselves when an allocation fails; this is for other libraries' and other
/// processes' sake.
std::size_t trim_memory() noexcept;

}  // namespace treadle::memory
