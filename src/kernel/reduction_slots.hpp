// SPDX-License-Identifier: MIT
// The arguments that a launch passes for the parameters of a reduction kernel.
#pragma once

#include <cstdint>
#include <span>

#include "treadle/codegen/reduction.hpp"
#include "treadle/kernel/prepared_launch.hpp"

namespace treadle::kernel {

/// A reduction after lowering.
struct ReductionSlots {
  std::span<const codegen::KernelOperand> operands;
  std::span<const std::size_t> arrays;  ///< the number of each operand's array in the launch
  const codegen::ReductionLowering& lowering;
  bool has_addresses;
  /// Whether the reduction is a user's text: pointers are then passed unchanged, with the first
  /// value of `i` and the number of elements of a result.
  bool is_text = false;
  std::int64_t start = 0, count = 0;

  PreparedLaunch::Slot slot_for(const codegen::ReductionParameter& parameter) const;
  /// The launch without its note. `kernel` must outlive the launch.
  PreparedLaunch prepared(const device::Kernel& kernel, const codegen::ReductionText& text,
                          std::size_t partial_bytes) const;

 private:
  /// Elements from the operand's first element to the loop's first element: the lowering may
  /// reverse axes.
  std::int64_t first_element(std::size_t k) const;
};

}  // namespace treadle::kernel
