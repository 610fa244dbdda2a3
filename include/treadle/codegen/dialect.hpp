// SPDX-License-Identifier: MIT
// What differs between the C-like languages that kernels are generated in. A generator asks this
// table for a spelling; it never asks which language it writes. Spellings stand in one place, the
// definitions of treadle/dialect.h: the table is read from them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "treadle/base/dtype.hpp"
#include "treadle/base/language.hpp"

namespace treadle::codegen {

/// One name of a scalar type.
struct TypeName {
  std::string_view name;  ///< one blank between its words: "unsigned int"
  Scalar scalar;          ///< never Scalar::structure
};

/// The spellings of one language. Data only.
struct Dialect {
  std::string kernel;    ///< before a kernel's name: TREADLE_KERNEL
  std::string function;  ///< before the result of a function that kernels call: TREADLE_FUNCTION
  std::string global;    ///< before what lies in device memory, with a blank: "__global "
  std::string local;     ///< before a variable of the group: TREADLE_LOCAL
  std::string restrict;  ///< behind a pointer's star: TREADLE_RESTRICT
  std::string barrier;   ///< an expression: treadle_barrier()
  std::string fence;     ///< an expression: treadle_fence()
  /// Every name by which declarations may call a scalar, the one that is written first. Complex
  /// numbers are none of the language's own: the header that has them adds their names.
  std::span<const TypeName> type_names;
};

/// The table of a language.
const Dialect& dialect_of(Language language);

}  // namespace treadle::codegen
