// SPDX-License-Identifier: MIT
// What launches pass for the parameters of a reduction's kernel.
#pragma once

#include <cstdint>
#include <span>

#include "treadle/codegen/reduction.hpp"
#include "treadle/kernel/prepared_launch.hpp"

namespace treadle::kernel {

/// One reduction as it was lowered.
struct ReductionSlots {
  std::span<const codegen::KernelOperand> operands;
  std::span<const std::size_t> arrays;  ///< which of a launch's each operand is
  const codegen::ReductionLowering& lowering;
  bool has_addresses;
  /// Whether it is a user's text: then pointers are passed as they are, with the first value of `i`
  /// and the number of elements of a result.
  bool is_text = false;
  std::int64_t start = 0, count = 0;

  PreparedLaunch::Slot slot_for(const codegen::ReductionParameter& parameter) const;
  /// The whole launch, without its note. `kernel` must live as long as the launch.
  PreparedLaunch prepared(const device::Kernel& kernel, const codegen::ReductionText& text,
                          std::size_t partial_bytes) const;

 private:
  /// How many elements behind the operand's first one the loop begins: the lowering turns axes.
  std::int64_t first_element(std::size_t k) const;
};

}  // namespace treadle::kernel
