// SPDX-License-Identifier: MIT
// Lets the program provide the memory of arrays in place of the device's pool.
//
//   struct Arena final : treadle::array::Allocator { Buffer allocate(...) override { ... } };
//   set_allocator(x, std::make_shared<Arena>());
//   const Array y = 2 * x + 1;   // one kernel; its memory is asked of the arena when it runs
#pragma once

#include <cstddef>
#include <memory>

#include "treadle/device/stream.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::array {

class Array;

/// Allocates the results of operations on arrays that have the allocator. A result inherits the
/// allocator of its first operand with axes or, if no operand has axes, of its first operand. The
/// allocator is called once for each array that gets memory; expressions within a kernel get none.
class Allocator {
 public:
  Allocator() = default;
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  virtual ~Allocator() = default;
  /// Returns at least `size_bytes`, which is never 0, on the stream's device. The stream uses the
  /// memory first. Called without a lock, on the thread that computes. After an exception the array
  /// stays pending.
  virtual memory::Buffer allocate(std::size_t size_bytes,
                                  const std::shared_ptr<device::Stream>& stream) = 0;
};

/// The allocator of `x`. Null: the device's pool.
std::shared_ptr<Allocator> allocator_of(const Array& x);
/// Sets the allocator for `x`, if `x` has no memory yet, and for results of operations on `x`. If
/// `x` has memory, sets the allocator of all views of that memory. Null: the device's pool. Must
/// not be called while another thread uses `x`.
void set_allocator(const Array& x, std::shared_ptr<Allocator> allocator);

}  // namespace treadle::array
