// SPDX-License-Identifier: MIT
// Declarations of kernels' parameters in C, CUDA C and OpenCL C, taken apart: the one reader of
// them. Whole kernel texts give what can be understood; what a user writes for a generated kernel
// is refused where it is no declaration.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/base/dtype.hpp"

namespace treadle {

/// Where a pointer parameter points, as far as the declaration says.
enum class AddressSpace { unspecified, global, local, constant };

/// One C declaration, taken apart but not yet understood.
struct Declaration {
  std::string type;  ///< as written, without const, volatile and restrict, one blank between words
  std::string name;  ///< what the parameter is called; may be empty in what read_*() returns
  bool is_pointer = false;                                 ///< "float *x" and "float x[]"
  AddressSpace address_space = AddressSpace::unspecified;  ///< of what a pointer points to
  bool points_to_const = false;                            ///< "const float *x"
  bool operator==(const Declaration&) const = default;
};

/// Reads one declaration such as "const float *x" or "pycuda::complex<double> z"; comments may
/// stand in it. Throws InvalidArgument, quoting `text` and saying what a declaration is, for
/// anything else: no name, a pointer to a pointer, a reference, a default value.
Declaration parse_declaration(std::string_view text);
/// Reads declarations separated by commas; comments may stand between them. Empty text is none.
std::vector<Declaration> parse_declarations(std::string_view text);
/// The same, not yet read.
std::vector<std::string> split_declarations(std::string_view text);

/// What can be understood of a declaration, with or without a name; refuses nothing.
Declaration read_declaration(std::string_view text);
/// The same of a type alone, whose last word is no name: "const float *".
Declaration read_type(std::string_view text);

/// C's integer types, in every order of their words: "long unsigned int". None for other names.
std::optional<Scalar> c_integer(std::string_view type);
/// That, or another name of a number in C, CUDA C or OpenCL C: "uchar", "std::size_t", "half".
std::optional<Scalar> c_scalar(std::string_view type);

/// Names that a program has given to types of numbers.
using ScalarAliases = std::map<std::string, Scalar, std::less<>>;
/// Those of `typedef float real;` and `using real = float;` in a whole text; none of names that are
/// given to different types, of which the preprocessor or a scope chooses.
ScalarAliases scalar_aliases(std::string_view text);

/// `text` with comments blanked out, so that positions stay.
std::string without_comments(std::string_view text);
/// The pieces of `list` between commas that stand in no template's angle brackets.
std::vector<std::string_view> split_list(std::string_view list);
/// Names, with template arguments that belong to them, and single other characters.
std::vector<std::string> c_words(std::string_view text);
/// Whether `word` can be what a C program calls something; C's integer words cannot.
bool is_c_name(std::string_view word);

}  // namespace treadle
