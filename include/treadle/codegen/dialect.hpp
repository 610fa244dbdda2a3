// SPDX-License-Identifier: MIT
// What differs between the C-like languages that kernels are generated in. A generator asks this
// table for a spelling; it never asks which language it writes. Spellings stand in one place, the
// definitions of treadle/dialect.h: the table is read from them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/base/language.hpp"

namespace treadle::codegen {

/// One name of a scalar type.
struct TypeName {
  std::string_view name;  ///< one blank between its words: "unsigned int"
  Scalar scalar;          ///< never Scalar::structure
};

/// What treadle/dialect.h defines in one line.
struct Word {
  std::string name;
  bool is_called;                       ///< brackets follow, as in treadle_barrier()
  std::vector<std::string> parameters;  ///< between them
  std::string text;                     ///< with {0} {1} ... where the parameters stand
};

/// The spellings of one language. Data only.
struct Dialect {
  std::string function;  ///< before the result of a function that kernels call: TREADLE_FUNCTION
  std::string always_inline;       ///< behind that, of a function that is to be inlined
  std::string global;              ///< before what lies in device memory, with a blank: "__global "
  std::string restrict;            ///< behind a pointer's star: TREADLE_RESTRICT
  std::string barrier;             ///< an expression: treadle_barrier()
  std::string fence;               ///< an expression: treadle_fence()
  std::string group_id, local_id;  ///< expressions: along the first dimension, of 32 bits
  std::string group_count;         ///< the same: how many groups there are
  std::string local_size;          ///< the same: work-items of a group
  /// The value {0} of the work-item that is {1} further on in a sub-group of 32; empty where the
  /// language does not have that.
  std::string shuffle_down;
  std::string shuffle_up;  ///< the same of the one {1} before
  /// The work-items of a sub-group of 32 whose {0} is not 0, a bit of an uint for each; empty where
  /// the language does not have that.
  std::string ballot;
  std::string sub_group_barrier;  ///< an expression, where there is a ballot
  std::string population;         ///< how many bits of the uint {0} are 1
  std::string atomic_add;         ///< a function: adds to an uint in device memory, gives the old
  std::string load_word;          ///< what {0}, a place of an uint64 in device memory, holds now
  std::string store_word;         ///< an expression: stores {1} there, for other groups to see
  std::string load_uint, store_uint;  ///< the same of an uint
  std::string add_word;  ///< a function: adds to an uint64 in device memory, gives the old
  std::string
      word_preamble;  ///< before kernels that use add_word; ends with a newline if not empty
  /// Whether what a group wrote before its fence is seen by one that has its fence behind the sight
  /// of a word that was stored later.
  bool fences_are_of_device;
  std::string high_product;  ///< a function: the high half of the product of two uints
  std::string aligned;       ///< behind `struct`: to {0} bytes
  /// Whether a pointer to anywhere in an allocation can be passed. Otherwise kernels take it to the
  /// allocation's start, and an offset.
  bool has_addresses;
  /// Every name by which declarations may call a scalar, the one that is written first. Complex
  /// numbers are none of the language's own: the header that has them adds their names.
  std::span<const TypeName> type_names;
  /// What vectors of two and four scalars are called, without the number.
  std::span<const TypeName> vector_names;
  /// All one-line definitions of the header, by name.
  std::vector<Word> words;
  /// The header itself: its functions are in device_functions().
  std::string_view header;
  /// Where arithmetic must be that of its text, product and sum rounded one by one: what stands
  /// before the kernels, ends with a newline if there is any, and what the compiler is told.
  std::string exact_preamble;
  std::vector<std::string> exact_flags;
  /// The flag by which float32 is divided, and its root taken, to the last digit, for devices that
  /// offer that (DeviceTraits::exact_division); empty where it is the rule.
  std::string exact_division_flag;
  /// Whether functions of kernels/elements/own_math.h take the place of those of some run-times.
  bool brings_math;
  /// Whether functions of kernels/elements/complex_arithmetic.h read and write complex numbers in
  /// device memory.
  bool moves_pairs_by_function;
};

/// `text` with every word of the dialect's in it replaced by what it stands for.
std::string expand_words(std::string_view text, const Dialect& dialect);

/// The table of a language.
const Dialect& dialect_of(Language language);

}  // namespace treadle::codegen
