// SPDX-License-Identifier: MIT
// Memory of arrays from where the program wants it, instead of from the device's pool.
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

/// Gives memory to results of operations on arrays that have the allocator. A result inherits the
/// allocator of its first operand with axes; if none has axes, of its first operand. The allocator
/// is asked once for each array that is computed into memory, not for expressions on the way.
class Allocator {
 public:
  Allocator() = default;
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  virtual ~Allocator() = default;
  /// At least `size_bytes`, never 0, on the stream's device; the stream uses it first. Called
  /// without a lock, on the thread that computes. An exception leaves the array pending.
  virtual memory::Buffer allocate(std::size_t size_bytes,
                                  const std::shared_ptr<device::Stream>& stream) = 0;
};

/// Null: the device's pool.
std::shared_ptr<Allocator> allocator_of(const Array& x);
/// The allocator for `x`, if it has no memory yet, and for results of operations on `x`; if `x` has
/// memory, on all views of that memory. Null: the device's pool. Not while another thread uses `x`.
void set_allocator(const Array& x, std::shared_ptr<Allocator> allocator);

}  // namespace treadle::array
