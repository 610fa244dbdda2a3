// SPDX-License-Identifier: MIT
// The differences between the C-like languages in which kernels are generated. A generator takes a
// spelling from this table; it never asks which language it writes. Each spelling is written once,
// as a definition in treadle/dialect.h, and the table is read from those definitions.
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

/// A one-line definition of treadle/dialect.h.
struct Word {
  std::string name;
  bool is_called;  ///< whether a parameter list follows the name, as in treadle_barrier()
  std::vector<std::string> parameters;  ///< the names in that list
  std::string text;                     ///< the replacement; {0} {1} ... stand for the parameters
};

/// The spellings of one language. Data only.
struct Dialect {
  /// Before the result type of a function that kernels call: TREADLE_FUNCTION.
  std::string function;
  std::string always_inline;       ///< after that, for a function that must be inlined
  std::string global;              ///< before a type in device memory, with a blank: "__global "
  std::string restrict;            ///< after a pointer's star: TREADLE_RESTRICT
  std::string barrier;             ///< an expression: treadle_barrier()
  std::string fence;               ///< an expression: treadle_fence()
  std::string group_id, local_id;  ///< expressions: along the first dimension, 32 bits
  std::string group_count;         ///< an expression: the number of groups
  std::string local_size;          ///< an expression: the number of work-items of a group
  /// The value of {0} in the work-item that is {1} places later in a sub-group of 32; empty if the
  /// language has no such shuffle.
  std::string shuffle_down;
  std::string shuffle_up;  ///< like shuffle_down, for the work-item {1} places earlier
  /// An uint with a bit for each work-item of a sub-group of 32: 1 if {0} is not 0 there. Empty if
  /// the language has no such vote.
  std::string ballot;
  std::string sub_group_barrier;  ///< an expression; used only with a ballot
  std::string population;         ///< the number of bits of the uint {0} that are 1
  /// A function: adds to an uint in device memory and returns the old value.
  std::string atomic_add;
  std::string load_word;   ///< the current value of an uint64 in device memory; {0} is its address
  std::string store_word;  ///< an expression: stores {1} at address {0}, visible to other groups
  std::string load_uint, store_uint;  ///< like load_word and store_word, for an uint
  /// A function: adds to an uint64 in device memory and returns the old value.
  std::string add_word;
  std::string
      word_preamble;  ///< text before kernels that use add_word; ends with a newline unless empty
  /// Whether fences order memory between groups: group A writes data, calls the fence and stores a
  /// word; group B reads that word, calls the fence, and then sees the data.
  bool fences_are_of_device;
  std::string high_product;  ///< a function: the upper half of the product of two uints
  std::string aligned;       ///< after `struct`: alignment to {0} bytes
  /// Whether a kernel can take a pointer to any place in an allocation. If not, it takes the start
  /// of the allocation and an offset.
  bool has_addresses;
  /// All names by which declarations may call a scalar, the preferred name first. Complex numbers
  /// are not listed: the header that defines complex numbers adds their names.
  std::span<const TypeName> type_names;
  /// The names of vectors of two and four scalars, without the number.
  std::span<const TypeName> vector_names;
  /// All one-line definitions of the header, by name.
  std::vector<Word> words;
  /// The header's text; device_functions() returns its functions.
  std::string_view header;
  /// Text before kernels whose arithmetic must round each product and each sum separately, as the
  /// text says; ends with a newline unless empty. exact_flags are the compiler flags for the same
  /// purpose.
  std::string exact_preamble;
  std::vector<std::string> exact_flags;
  /// The flag for correctly rounded division and square root of float32, for devices that offer
  /// them (DeviceTraits::exact_division); empty if the language always rounds correctly.
  std::string exact_division_flag;
  /// Whether the functions of kernels/elements/own_math.h replace functions of some run-times.
  bool brings_math;
  /// Whether kernels read and write complex numbers in device memory by functions of
  /// kernels/elements/complex_arithmetic.h.
  bool moves_pairs_by_function;
};

/// `text` with each of the dialect's words replaced by its definition.
std::string expand_words(std::string_view text, const Dialect& dialect);

/// The table for a language.
const Dialect& dialect_of(Language language);

}  // namespace treadle::codegen
