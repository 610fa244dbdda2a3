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

/// Gives memory to results of operations on arrays that have it. A result inherits that of its
/// first operand with axes, or else of its first. It is asked once for each array that is computed
/// into memory, not for expressions on the way.
class Allocator {
 public:
  Allocator() = default;
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  virtual ~Allocator() = default;
  /// At least `size_bytes`, never 0, of the stream's device, whose first use is on that stream. On
  /// the thread that computes, which holds no lock. What it throws passes; the array stays pending.
  virtual memory::Buffer allocate(std::size_t size_bytes,
                                  const std::shared_ptr<device::Stream>& stream) = 0;
};

/// Null: the device's pool.
std::shared_ptr<Allocator> allocator_of(const Array& x);
/// For `x`, if it has no memory yet, and for results of operations on it and, where it has memory,
/// on all views of that. Not while another thread uses it. Null: the device's pool.
void set_allocator(const Array& x, std::shared_ptr<Allocator> allocator);

}  // namespace treadle::array
