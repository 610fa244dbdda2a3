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
  /// Of users' texts, whose pointers to leaves are passed as they are: where `i` begins, and how
  /// many elements a result has.
  bool is_text = false;
  std::int64_t start = 0, count = 0;

  PreparedLaunch::Slot slot_for(const codegen::ReductionParameter& parameter) const;
  /// Of the whole launch, but for what it reports. The kernel lives as long as what is made.
  PreparedLaunch prepared(const device::Kernel& kernel, const codegen::ReductionText& text,
                          std::size_t partial_bytes) const;

 private:
  /// Elements behind where an operand begins, as the lowering turned its axes.
  std::int64_t first_element(std::size_t k) const;
};

}  // namespace treadle::kernel
