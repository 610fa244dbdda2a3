// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "treadle/memory/bins.hpp"

namespace treadle::memory {

/// How a pool works.
struct PoolOptions {
  BinRule bins = {};  ///< PyCUDA's and PyOpenCL's faces choose BlockSize::all_ones
  /// Called before the allocator is asked for a block of so many bytes: may free allocations of
  /// this pool, one of which may be what the request needs. What it throws goes to the caller of
  /// allocate().
  std::function<void(std::size_t block_bytes)> before_growth = {};
  /// Called once for a request that the allocator refused for lack of memory, before held blocks
  /// are given up: may free allocations of this pool or any other memory. What it throws goes to
  /// the caller of allocate().
  std::function<void()> reclaim = {};
  /// Blocks that nobody has asked for as long as this go back to the allocator at the next call of
  /// allocate() or free(), if all work on the pool's streams has ended. The pool has no thread of
  /// its own: one that nobody uses keeps what it holds until some allocation of the process fails.
  /// Zero: they are held for ever.
  std::chrono::nanoseconds quiet_time{0};
  /// Where more is held, those that were freed first go back likewise.
  std::size_t most_held_bytes = ~std::size_t{0};
  /// For blocks that do not keep what their end needs, a device say: it has to live while others
  /// than the pool's users give them back. None: blocks keep all that they need.
  std::optional<std::weak_ptr<void>> owner = {};
};

/// Throws InvalidArgument naming the option that cannot be.
void check_options(const PoolOptions& options);

}  // namespace treadle::memory
