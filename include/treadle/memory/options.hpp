// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

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
};

/// Throws InvalidArgument naming the option that cannot be.
void check_options(const PoolOptions& options);

}  // namespace treadle::memory
