// SPDX-License-Identifier: MIT
// Writes a program kernel by kernel; the generator declares all parameters.
#pragma once

#include <string>
#include <string_view>

#include "program.hpp"
#include "treadle/codegen/family_text.hpp"
#include "treadle/codegen/schedule.hpp"

namespace treadle::codegen {

struct FamilyCode {
  /// Begins with the comment "NAME, made by treadle's WHAT".
  FamilyCode(std::string name, std::string_view what, const Tiling& tiling, const Dialect& dialect);
  /// Like the constructor above, for kernels with another group size.
  FamilyCode(std::string name, std::string_view what, Schedule schedule, unsigned group_size,
             const Dialect& dialect);

  /// Opens a kernel with this group size; `declared` are C declarations of its parameters.
  void open_kernel(std::string_view name, std::string_view declared);
  /// Opens a loop in which the work-items of a group share the indices `treadle_k` below `end`.
  void open_each(std::string_view end);
  /// Opens an unrolled loop over `count` loads of a work-item, `treadle_q`, all in flight at once.
  void open_loads(std::string_view count);
  /// Returns the program.
  FamilyText take();

  const Dialect& dialect;
  const TypeNames types;
  const std::string integer, uint;  ///< types of 64 bits, and of 32 bits without sign
  const std::string size;           ///< work-items of a group
  tree::BlockBuilder code;

 private:
  FamilyText made_;
};

}  // namespace treadle::codegen
