// SPDX-License-Identifier: MIT
// What differs between the C-like languages that kernels are generated in. A generator asks this
// table for a spelling; it never asks which language it writes.
#pragma once

#include <span>
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
  std::string_view global;       ///< before what lies in device memory: "__global "
  std::string_view offset_type;  ///< signed, 64 bits: a byte offset as a kernel argument
  /// Every name by which declarations may call a scalar, the one that is written first. Complex
  /// numbers are none of the language's own: the header that has them adds their names.
  std::span<const TypeName> type_names;
};

/// The table of a language.
const Dialect& dialect_of(Language language) noexcept;

}  // namespace treadle::codegen
