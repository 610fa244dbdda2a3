// SPDX-License-Identifier: MIT
// Writes programs whose parameters are the generator's own, kernel by kernel.
#pragma once

#include <string>
#include <string_view>

#include "program.hpp"
#include "treadle/codegen/family_text.hpp"
#include "treadle/codegen/schedule.hpp"

namespace treadle::codegen {

struct FamilyCode {
  /// Begins with a comment: NAME, made by treadle's WHAT.
  FamilyCode(std::string name, std::string_view what, const Tiling& tiling, const Dialect& dialect);
  /// Of kernels whose groups have another size.
  FamilyCode(std::string name, std::string_view what, Schedule schedule, unsigned group_size,
             const Dialect& dialect);

  /// Opens a kernel of groups of that size; `declared` are C declarations of its parameters.
  void open_kernel(std::string_view name, std::string_view declared);
  /// Opens a loop over `treadle_k` from a work-item's own number on, for all below `end`.
  void open_each(std::string_view end);
  /// Opens an unrolled loop over `count` loads of a work-item, `treadle_q`, which go on together.
  void open_loads(std::string_view count);
  /// What was written.
  FamilyText take();

  const Dialect& dialect;
  const TypeNames types;
  const std::string integer, uint;  ///< of 64 bits, and of 32 without sign
  const std::string size;           ///< work-items of a group
  tree::BlockBuilder code;

 private:
  FamilyText made_;
};

}  // namespace treadle::codegen
